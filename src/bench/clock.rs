//! Clock: nanoseconds since the run began, the one time that all of a run's threads share.

use std::time::{Duration, Instant};

/// Nanoseconds since the run began. Copies tell the same time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that shows 0 now.
    pub fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// Never goes back. Costs some 20 ns, so callers that make millions of calls read it once per group of them.
    #[inline]
    pub fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

/// A duration in whole nanoseconds, at most some 584 years.
pub fn nanos(duration: Duration) -> u64 {
    duration.as_nanos().min(u64::MAX as u128) as u64
}
