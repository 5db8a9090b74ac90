//! Counters of one partition: written by whoever drives it, read by anybody without a lock.
//!
//! Each is a 64-bit integer that one thread at a time changes by a load, an add and a store, so counting costs what a
//! plain addition does. A reader may see one counter before and another after the same call.

use super::SharedHistogram;
use parking_lot::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A number that only its partition's driver changes.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    #[inline(always)]
    pub fn add(&self, n: u64) {
        self.0.store(self.0.load(Relaxed) + n, Relaxed);
    }
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
    fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }
}

/// Number, sum and range of measured values.
#[derive(Debug, Default)]
pub struct Sampled {
    count: Counter,
    total: Counter,
    min: Counter,
    max: Counter,
    /// Sum of squares, in units of 2^-20 of the square so that it does not run over: for the deviation.
    squares: Counter,
}

/// What a [`Sampled`] held at some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub count: u64,
    pub total: u64,
    pub min: u64,
    pub max: u64,
    squares: u64,
}

impl Sampled {
    pub fn record(&self, value: u64) {
        let first = self.count.get() == 0;
        if first || value < self.min.get() {
            self.min.set(value);
        }
        if value > self.max.get() {
            self.max.set(value);
        }
        self.count.add(1);
        self.total.add(value);
        self.squares.add(((value as u128 * value as u128) >> 20) as u64);
    }

    pub fn read(&self) -> Sample {
        Sample {
            count: self.count.get(),
            total: self.total.get(),
            min: self.min.get(),
            max: self.max.get(),
            squares: self.squares.get(),
        }
    }
}

impl Sample {
    /// 0 without values.
    pub fn average(&self) -> u64 {
        self.total.checked_div(self.count).unwrap_or(0)
    }
    /// Standard deviation; 0 without values.
    pub fn deviation(&self) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let mean = self.total as f64 / self.count as f64;
        let square = self.squares as f64 * (1u64 << 20) as f64 / self.count as f64;
        (square - mean * mean).max(0.0).sqrt() as u64
    }
    /// What came after `earlier`; the range stays that of all values.
    pub fn since(&self, earlier: &Sample) -> Sample {
        Sample {
            count: self.count.saturating_sub(earlier.count),
            total: self.total.saturating_sub(earlier.total),
            squares: self.squares.saturating_sub(earlier.squares),
            ..*self
        }
    }
    /// Both together.
    pub fn merged(&self, other: &Sample) -> Sample {
        let min = match (self.count, other.count) {
            (0, _) => other.min,
            (_, 0) => self.min,
            _ => self.min.min(other.min),
        };
        Sample {
            count: self.count + other.count,
            total: self.total + other.total,
            min,
            max: self.max.max(other.max),
            squares: self.squares.saturating_add(other.squares),
        }
    }
}

/// Of one procedure at one partition.
#[derive(Debug)]
pub struct ProcedureCounters {
    pub name: String,
    pub invocations: Counter,
    /// Ended by the procedure itself: SIGNAL, a breach of an expectation.
    pub aborts: Counter,
    /// Ended by the engine: a constraint, a bad value, a limit.
    pub failures: Counter,
    /// Nanoseconds; of one in some calls.
    pub time: Sampled,
    /// Bytes of the result sets of the same calls.
    pub results: Sampled,
    /// Bytes of their parameters.
    pub parameters: Sampled,
}

impl ProcedureCounters {
    pub fn new(name: &str) -> ProcedureCounters {
        ProcedureCounters {
            name: name.to_owned(),
            invocations: Counter::default(),
            aborts: Counter::default(),
            failures: Counter::default(),
            time: Sampled::default(),
            results: Sampled::default(),
            parameters: Sampled::default(),
        }
    }
}

/// Of one partition.
pub struct PartitionCounters {
    /// In the order of their first calls. Locked for writing only when a procedure is new.
    pub procedures: RwLock<Vec<Arc<ProcedureCounters>>>,
    /// From submission to answer.
    pub latency: SharedHistogram,
    /// Nanoseconds that queued batches waited.
    pub waits: Sampled,
    /// Nanoseconds between two batches.
    pub idle: Sampled,
    opened: Instant,
    /// When the last batch ended, in nanoseconds since `opened`; 0 before there was one.
    last_end: Counter,
}

impl Default for PartitionCounters {
    fn default() -> PartitionCounters {
        PartitionCounters {
            procedures: RwLock::default(),
            latency: SharedHistogram::new(),
            waits: Sampled::default(),
            idle: Sampled::default(),
            opened: Instant::now(),
            last_end: Counter::default(),
        }
    }
}

impl PartitionCounters {
    /// Since when they count.
    pub fn age(&self) -> Duration {
        self.opened.elapsed()
    }

    /// A batch of `calls` was run: it was `queued` then, if it was, and took `spent` from `started`.
    pub fn batch(&self, queued: Option<Instant>, started: Instant, spent: Duration, calls: u64) {
        let waited = queued.map(|queued| started.saturating_duration_since(queued));
        if let Some(waited) = waited {
            self.waits.record(waited.as_nanos() as u64);
        }
        self.latency.record_n((waited.unwrap_or_default() + spent).as_nanos() as u64, calls);
        let began = started.saturating_duration_since(self.opened).as_nanos() as u64;
        let before = self.last_end.get();
        if before > 0 {
            self.idle.record(began.saturating_sub(before));
        }
        self.last_end.set(began + spent.as_nanos() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_range_average_and_deviation() {
        let sampled = Sampled::default();
        assert_eq!((sampled.read().average(), sampled.read().deviation()), (0, 0));
        for value in [200_000, 400_000, 600_000] {
            sampled.record(value);
        }
        let read = sampled.read();
        assert_eq!((read.count, read.min, read.max, read.average()), (3, 200_000, 600_000, 400_000));
        assert!((163_000..=163_500).contains(&read.deviation()), "{}", read.deviation());
    }

    #[test]
    fn what_came_since_an_earlier_reading_is_counted_alone() {
        let sampled = Sampled::default();
        sampled.record(10);
        let before = sampled.read();
        sampled.record(30);
        assert_eq!(sampled.read().since(&before).average(), 30);
        assert_eq!(Sample::default().merged(&before).min, 10);
    }

    #[test]
    fn a_batch_counts_its_wait_and_the_pause_before_it() {
        let counters = PartitionCounters::default();
        let start = counters.opened + Duration::from_micros(5);
        counters.batch(None, start, Duration::from_micros(10), 4);
        counters.batch(Some(start), start + Duration::from_micros(30), Duration::from_micros(10), 2);
        assert_eq!((counters.waits.read().count, counters.waits.read().max), (1, 30_000));
        assert_eq!((counters.idle.read().count, counters.idle.read().min), (1, 20_000));
        let mut histogram = crate::stats::Histogram::new();
        counters.latency.add_to(&mut histogram);
        assert_eq!(histogram.count(), 6);
    }
}
