//! Signals that ask the program to leave: remembered here, answered where it is safe to.

use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

static FIRST: AtomicI32 = AtomicI32::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

extern "C" fn remember(signal: libc::c_int) {
    let _ = FIRST.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    COUNT.fetch_add(1, Ordering::Relaxed);
}

/// From now on SIGINT, SIGTERM and SIGHUP no longer end the process but are counted. Safe to call again.
pub fn watch() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let handler = remember as extern "C" fn(libc::c_int) as libc::sighandler_t;
            // SAFETY: `action` is fully set: zero is a valid sigaction (an empty mask), then handler and flags are
            // put in. The handler only touches lock-free atomics, which a signal handler may do. SA_RESTART spares
            // the database's file calls an interruption.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler;
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    });
}

/// How many of the watched signals have come.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// The first watched signal that came; the exit status should then be 128 plus its number.
pub fn first() -> Option<i32> {
    Some(FIRST.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}
