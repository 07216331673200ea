// SPDX-License-Identifier: Apache-2.0

//! Turns by the primitives of Rust's standard library, played as play.h has it. It has
//! no semaphore: that is the C library's.

use std::cell::UnsafeCell;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Barrier, Condvar, Mutex, MutexGuard, OnceLock, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

const LONGEST_S: u32 = 60;
const WAITERS: usize = 4;
const WORK: Duration = Duration::from_micros(400);
const HOLD_PAUSE: Duration = Duration::from_micros(300);
const TURN_PAUSE: Duration = Duration::from_micros(60);

unsafe extern "C" {
    fn alarm(seconds: u32) -> u32;
    fn gettid() -> i32;
    fn sem_init(sem: *mut u8, shared: i32, value: u32) -> i32;
    fn sem_wait(sem: *mut u8) -> i32;
    fn sem_post(sem: *mut u8) -> i32;
}

#[repr(C, align(8))]
struct Semaphore(UnsafeCell<[u8; 32]>);

// It is the C library that guards it.
unsafe impl Sync for Semaphore {}

impl Semaphore {
    fn raw(&self) -> *mut u8 {
        self.0.get().cast()
    }
}

static MUTEX: Mutex<()> = Mutex::new(());
static TAKEN: Mutex<bool> = Mutex::new(false);
static FREED: Condvar = Condvar::new();
static PERMIT: Semaphore = Semaphore(UnsafeCell::new([0; 32]));
static RWLOCK: RwLock<()> = RwLock::new(());
static TOKEN: OnceLock<(PipeReader, PipeWriter)> = OnceLock::new();
static DIGEST: AtomicU64 = AtomicU64::new(0);

/// What a thread keeps while it has the resource.
enum Held {
    Nothing,
    Mutex(MutexGuard<'static, ()>),
    Read(RwLockReadGuard<'static, ()>),
    Write(RwLockWriteGuard<'static, ()>),
}

/// One way to take turns, at one site. Names are JSON lists without brackets.
#[derive(Clone, Copy)]
struct Site {
    acquire: fn() -> Held,
    release: fn(Held),
    waits: &'static str,
    releases: &'static str,
}

/// After a call: what comes last is not the call, so it is no jump, and no two sites
/// are alike, so that they are not made one.
macro_rules! apart {
    ($site:literal) => {
        unsafe { core::arch::asm!(concat!("/* ", $site, " */")) }
    };
}

macro_rules! site {
    ($module:ident, $site:literal, $enter:ident, $kept:ident) => {
        mod $module {
            use super::*;

            #[inline(never)]
            #[unsafe(export_name = concat!("wait_mutex_", $site))]
            fn wait_mutex() -> Held {
                let guard = MUTEX.lock().unwrap();
                apart!($site);
                Held::Mutex(guard)
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("release_mutex_", $site))]
            fn release_mutex(held: Held) {
                if let Held::Mutex(guard) = held {
                    drop(guard);
                }
                apart!($site);
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("enter_gate_", $site))]
            fn enter_gate() -> MutexGuard<'static, bool> {
                let guard = TAKEN.lock().unwrap();
                apart!($site);
                guard
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("leave_gate_", $site))]
            fn leave_gate(guard: MutexGuard<'static, bool>) {
                drop(guard);
                apart!($site);
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("wait_condvar_", $site))]
            fn wait_condvar(guard: MutexGuard<'static, bool>) -> MutexGuard<'static, bool> {
                let guard = FREED.wait(guard).unwrap();
                apart!($site);
                guard
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("release_condvar_", $site))]
            fn release_condvar() {
                FREED.notify_one();
                apart!($site);
            }

            #[inline(never)]
            fn take_flag() -> Held {
                let mut taken = enter_gate();
                while *taken {
                    taken = wait_condvar(taken);
                }
                *taken = true;
                leave_gate(taken);
                apart!($site);
                Held::Nothing
            }

            #[inline(never)]
            fn drop_flag(_: Held) {
                let mut taken = enter_gate();
                *taken = false;
                leave_gate(taken);
                release_condvar();
                apart!($site);
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("wait_semaphore_", $site))]
            fn wait_semaphore() -> Held {
                unsafe { sem_wait(PERMIT.raw()) };
                apart!($site);
                Held::Nothing
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("release_semaphore_", $site))]
            fn release_semaphore(_: Held) {
                unsafe { sem_post(PERMIT.raw()) };
                apart!($site);
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("wait_rwlock_", $site))]
            fn wait_rwlock() -> Held {
                let guard = RWLOCK.$enter().unwrap();
                apart!($site);
                Held::$kept(guard)
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("release_rwlock_", $site))]
            fn release_rwlock(held: Held) {
                if let Held::$kept(guard) = held {
                    drop(guard);
                }
                apart!($site);
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("wait_pipe_", $site))]
            fn wait_pipe() -> Held {
                let mut token = [0];
                (&TOKEN.get().unwrap().0).read_exact(&mut token).unwrap();
                apart!($site);
                Held::Nothing
            }

            #[inline(never)]
            #[unsafe(export_name = concat!("release_pipe_", $site))]
            fn release_pipe(_: Held) {
                (&TOKEN.get().unwrap().1).write_all(b"t").unwrap();
                apart!($site);
            }

            pub fn of(primitive: &str) -> Option<Site> {
                Some(match primitive {
                    "mutex" => Site {
                        acquire: wait_mutex,
                        release: release_mutex,
                        waits: concat!("\"wait_mutex_", $site, "\""),
                        releases: concat!("\"release_mutex_", $site, "\""),
                    },
                    "condvar" => Site {
                        acquire: take_flag,
                        release: drop_flag,
                        waits: concat!("\"enter_gate_", $site, "\",\"wait_condvar_", $site, "\""),
                        releases: concat!(
                            "\"leave_gate_", $site, "\",\"wait_condvar_", $site,
                            "\",\"release_condvar_", $site, "\""
                        ),
                    },
                    "semaphore" => Site {
                        acquire: wait_semaphore,
                        release: release_semaphore,
                        waits: concat!("\"wait_semaphore_", $site, "\""),
                        releases: concat!("\"release_semaphore_", $site, "\""),
                    },
                    "rwlock" => Site {
                        acquire: wait_rwlock,
                        release: release_rwlock,
                        waits: concat!("\"wait_rwlock_", $site, "\""),
                        releases: concat!("\"release_rwlock_", $site, "\""),
                    },
                    "pipe" => Site {
                        acquire: wait_pipe,
                        release: release_pipe,
                        waits: concat!("\"wait_pipe_", $site, "\""),
                        releases: concat!("\"release_pipe_", $site, "\""),
                    },
                    _ => return None,
                })
            }
        }
    };
}

site!(a, "a", read, Read);
site!(b, "b", write, Write);
site!(c, "c", write, Write);

/// What the culprit does while the others wait: it computes, then it sleeps.
#[inline(never)]
#[unsafe(no_mangle)]
fn hold_working() {
    let end = Instant::now() + WORK;
    let mut digest = DIGEST.load(Ordering::Relaxed);
    while Instant::now() < end {
        for _ in 0..2000 {
            digest = (digest ^ digest >> 29).wrapping_mul(0x9e3779b97f4a7c15).wrapping_add(1);
        }
    }
    DIGEST.store(digest, Ordering::Relaxed);
    std::thread::sleep(HOLD_PAUSE);
    apart!("hold");
}

#[inline(never)]
#[unsafe(no_mangle)]
fn culprit_turn(site: &Site) {
    let held = (site.acquire)();
    hold_working();
    (site.release)(held);
    apart!("culprit");
}

#[inline(never)]
#[unsafe(no_mangle)]
fn waiter_turn(site: &Site) {
    let held = (site.acquire)();
    (site.release)(held);
    apart!("waiter");
}

#[inline(never)]
#[unsafe(no_mangle)]
fn culprit_thread(site: Site) {
    loop {
        culprit_turn(&site);
        std::thread::sleep(TURN_PAUSE);
        apart!("culprit");
    }
}

#[inline(never)]
#[unsafe(no_mangle)]
fn waiter_thread(site: Site) {
    loop {
        waiter_turn(&site);
        std::thread::sleep(TURN_PAUSE);
        apart!("waiter");
    }
}

fn main() {
    unsafe {
        alarm(LONGEST_S);
        sem_init(PERMIT.raw(), 0, 1);
    }
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"t").unwrap();
    TOKEN.set((reader, writer)).unwrap();

    let primitive = std::env::args().nth(1).unwrap_or_default();
    let sites = [c::of, a::of, b::of, a::of, b::of].map(|of| of(&primitive).expect("a primitive"));
    static TIDS: [AtomicI32; 1 + WAITERS] = [const { AtomicI32::new(0) }; 1 + WAITERS];
    static ALL_HERE: OnceLock<Barrier> = OnceLock::new();
    let all_here = ALL_HERE.get_or_init(|| Barrier::new(WAITERS + 2));
    for (i, site) in sites.into_iter().enumerate() {
        std::thread::spawn(move || {
            TIDS[i].store(unsafe { gettid() }, Ordering::Release);
            all_here.wait();
            if i == 0 { culprit_thread(site) } else { waiter_thread(site) }
        });
    }
    all_here.wait();
    let threads: Vec<String> = sites.iter().enumerate().map(|(i, site)| {
        format!(
            "{{\"tid\":{},\"culprit\":{},\"entry\":\"{}\",\"waits\":[{}],\"releases\":[{}]}}",
            TIDS[i].load(Ordering::Acquire), i == 0,
            if i == 0 { "culprit_thread" } else { "waiter_thread" }, site.waits, site.releases
        )
    }).collect();
    println!("{{\"threads\":[{}]}}", threads.join(","));
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}
