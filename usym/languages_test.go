// SPDX-License-Identifier: Apache-2.0

package usym

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFramesOfCPlusPlus(t *testing.T) {
	path := compile(t, "c++", "cc", `
#include <cstdio>
namespace app {
template <class T> struct Cache {
	__attribute__((noinline)) T get(T x, int) { return x + 1; }
};
namespace { __attribute__((noinline)) int hidden(int x) { return x + 2; } }
}
int main(int argc, char **) {
	app::Cache<int> c;
	int (app::Cache<int>::*get)(int, int) = &app::Cache<int>::get;
	int (*hidden)(int) = app::hidden;
	printf("%p %p\n", *(void **)&get, (void *)hidden);
	fflush(stdout);
	return c.get(argc, 1) + hidden(argc) + getchar();
}
`, "-O1")
	pid, line := run(t, exec.Command(path))
	at := addresses(t, line)
	require.Len(t, at, 2)
	s := New()
	assert.Equal(t, "app::Cache<int>::get", s.Frame(Process{PID: pid}, at[0]).Function)
	assert.Equal(t, "app::(anonymous namespace)::hidden", s.Frame(Process{PID: pid}, at[1]).Function)
}

func TestFramesOfRust(t *testing.T) {
	const source = `
use std::io::{Read, Write};
mod app {
    pub struct Cache<T> { pub t: T }
    impl<T: Copy> Cache<T> { #[inline(never)] pub fn get(&self) -> T { self.t } }
    #[inline(never)] pub fn hold(x: i32) -> i32 { x + 1 }
}
fn main() {
    let c = app::Cache { t: 1i32 };
    println!("{:x} {:x}", app::hold as usize, app::Cache::<i32>::get as usize);
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read(&mut [0u8; 1]);
    std::process::exit(app::hold(1) + c.get());
}
`
	for _, mangling := range []string{"legacy", "v0"} {
		t.Run(mangling, func(t *testing.T) {
			flags := []string{"-O", "-C", "symbol-mangling-version=" + mangling}
			if mangling == "legacy" {
				flags = append(flags, "-Z", "unstable-options")
				t.Setenv("RUSTC_BOOTSTRAP", "1")
			}
			path := compile(t, "rustc", "rs", source, flags...)
			pid, line := run(t, exec.Command(path))
			at := addresses(t, line)
			require.Len(t, at, 2)
			s := New()
			assert.Equal(t, "program::app::hold", s.Frame(Process{PID: pid}, at[0]).Function)
			assert.Contains(t, s.Frame(Process{PID: pid}, at[1]).Function, "app::Cache<")
			assert.NotRegexp(t, `::h[0-9a-f]{16}`, s.Frame(Process{PID: pid}, at[1]).Function)
		})
	}
}
