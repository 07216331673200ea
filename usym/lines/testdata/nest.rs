// SPDX-License-Identifier: Apache-2.0
// Closures, generics and methods, inlined deep.
use std::collections::{BTreeMap, HashMap};

struct Counter {
    seen: HashMap<String, usize>,
}

impl Counter {
    fn add(&mut self, word: &str) {
        *self.seen.entry(word.to_string()).or_insert(0) += 1;
    }

    #[inline(never)]
    fn sorted(&self) -> Vec<(usize, &str)> {
        let mut all: Vec<_> = self.seen.iter().map(|(w, n)| (*n, w.as_str())).collect();
        all.sort_by(|a, b| b.cmp(a));
        all
    }
}

fn main() {
    let mut counter = Counter { seen: HashMap::new() };
    for arg in std::env::args() {
        arg.split('/').filter(|w| !w.is_empty()).for_each(|w| counter.add(w));
    }
    let lengths: BTreeMap<usize, String> =
        counter.sorted().into_iter().map(|(n, w)| (n + w.len(), w.repeat(2))).collect();
    println!("{:?}", lengths);
}
