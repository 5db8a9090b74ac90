//! The time of transactions.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Where transactions get their time from.
pub trait Clock: Send + Sync + Debug {
    /// Microseconds since 1970.
    fn now_micros(&self) -> i64;
}

/// The machine's clock.
#[derive(Debug)]
pub struct WallClock;

impl Clock for WallClock {
    fn now_micros(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |d| d.as_micros() as i64)
    }
}

/// Another clock, except while the log is done again: then it shows the time of the transaction at hand.
#[derive(Debug)]
pub struct ReplayClock {
    clock: Arc<dyn Clock>,
    /// [`RUNNING`], or the time.
    shown: AtomicI64,
}

const RUNNING: i64 = i64::MIN;

impl ReplayClock {
    /// Runs like `clock`, or like the machine's.
    pub fn new(clock: Option<Arc<dyn Clock>>) -> ReplayClock {
        ReplayClock { clock: clock.unwrap_or_else(|| Arc::new(WallClock)), shown: AtomicI64::new(RUNNING) }
    }
    /// Stops at a time.
    pub fn set(&self, micros: i64) {
        self.shown.store(micros, Ordering::SeqCst);
    }
    /// Runs again.
    pub fn run(&self) {
        self.shown.store(RUNNING, Ordering::SeqCst);
    }
}

impl Clock for ReplayClock {
    fn now_micros(&self) -> i64 {
        match self.shown.load(Ordering::Relaxed) {
            RUNNING => self.clock.now_micros(),
            micros => micros,
        }
    }
}
