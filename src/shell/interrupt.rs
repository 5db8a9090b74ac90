//! Ctrl-C while a statement runs: asks the database to give the statement up, and nothing worse.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The flag of the database that statements run on; a process has one shell, so the first is the only one.
static CANCEL: OnceLock<Arc<AtomicBool>> = OnceLock::new();
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// While this lives, SIGINT sets the cancel flag instead of ending the process. Dropping it puts back what was there.
pub struct Watch {
    before: libc::sigaction,
}

impl Watch {
    /// Starts to watch, for the database that owns `cancel`.
    pub fn start(cancel: Arc<AtomicBool>) -> Watch {
        CANCEL.get_or_init(|| cancel);
        // SAFETY: `sigaction` is plain data, for which zeroes are valid; both pointers are to live values of that type.
        // The handler only loads and stores atomics, which is allowed in a signal handler.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = on_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            let mut before: libc::sigaction = mem::zeroed();
            libc::sigaction(libc::SIGINT, &action, &mut before);
            Watch { before }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: `before` is what the system gave when the watch began.
        unsafe {
            libc::sigaction(libc::SIGINT, &self.before, ptr::null_mut());
        }
    }
}

extern "C" fn on_interrupt(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::SeqCst);
    // Set before the handler was installed: this never initialises, so it never blocks.
    if let Some(cancel) = CANCEL.get() {
        cancel.store(true, Ordering::SeqCst);
    }
}

/// True after an interrupt that nobody has taken.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// True once after an interrupt.
pub fn take_interrupted() -> bool {
    INTERRUPTED.swap(false, Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_sets_the_flag_and_the_process_lives() {
        let cancel = Arc::new(AtomicBool::new(false));
        let watch = Watch::start(Arc::clone(&cancel));
        // SAFETY: raises a signal that the watch handles.
        unsafe {
            libc::raise(libc::SIGINT);
            libc::raise(libc::SIGINT);
        }
        assert!(cancel.load(Ordering::SeqCst));
        assert!(take_interrupted());
        assert!(!take_interrupted());
        drop(watch);
    }
}
