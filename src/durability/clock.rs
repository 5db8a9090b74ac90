//! The time of transactions.

use std::fmt::Debug;

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
