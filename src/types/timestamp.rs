//! Microseconds since 1970-01-01 00:00:00 UTC.

/// A point in time; any `i64` of microseconds may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// Why a text is no TIMESTAMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a timestamp: write YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS with up to six digits of a second's fraction")]
pub struct TimestampError;

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Timestamp {
        Timestamp(micros)
    }
    pub const fn micros(self) -> i64 {
        self.0
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}us", self.0))
    }
}
