//! SharedHistogram: a histogram that one thread writes while others read it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::histogram::{BUCKETS, Histogram, LARGEST_NS, bucket};

/// Durations in nanoseconds, written by one thread and read by any without a lock.
///
/// Each count is stored whole and only grows, so a reader sees an earlier state of every bucket: at most the calls
/// of the moment are missing, and none is ever seen twice. Two writers at once would lose counts.
pub struct SharedHistogram {
    counts: Box<[AtomicU64]>,
    min: AtomicU64,
    max: AtomicU64,
}

impl Default for SharedHistogram {
    fn default() -> SharedHistogram {
        let counts = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        SharedHistogram { counts, min: AtomicU64::new(u64::MAX), max: AtomicU64::new(0) }
    }
}

impl SharedHistogram {
    pub fn new() -> SharedHistogram {
        SharedHistogram::default()
    }

    /// Counts one duration; only ever from one thread. A load, an add and a store: no locked instruction.
    #[inline]
    pub fn record(&self, ns: u64) {
        self.record_n(ns, 1);
    }

    /// Counts `n` calls of the same duration, likewise.
    #[inline]
    pub fn record_n(&self, ns: u64, n: u64) {
        let ns = ns.min(LARGEST_NS);
        let count = &self.counts[bucket(ns)];
        count.store(count.load(Relaxed) + n, Relaxed);
        if ns < self.min.load(Relaxed) {
            self.min.store(ns, Relaxed);
        }
        if ns > self.max.load(Relaxed) {
            self.max.store(ns, Relaxed);
        }
    }

    /// Adds what has been recorded so far to `into`. Exact once the writer has stopped and been joined.
    pub fn add_to(&self, into: &mut Histogram) {
        let (min, max) = (self.min.load(Relaxed), self.max.load(Relaxed));
        if min > max {
            return;
        }
        let mut any = false;
        for at in bucket(min)..=bucket(max) {
            let n = self.counts[at].load(Relaxed);
            if n > 0 {
                any = true;
                into.add_bucket(at, n);
            }
        }
        if any {
            into.widen(min, max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_equals_what_a_plain_histogram_holds() {
        let (shared, mut plain) = (SharedHistogram::new(), Histogram::new());
        for ns in [0, 3, 64, 64, 1_000, 123_456_789, u64::MAX] {
            shared.record(ns);
            plain.record(ns);
        }
        let mut read = Histogram::new();
        shared.add_to(&mut read);
        assert_eq!(read.buckets().collect::<Vec<_>>(), plain.buckets().collect::<Vec<_>>());
        assert_eq!((read.count(), read.min(), read.max()), (plain.count(), plain.min(), plain.max()));
    }

    #[test]
    fn a_reader_beside_the_writer_never_sees_a_count_shrink() {
        let shared = SharedHistogram::new();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..200_000u64).for_each(|i| shared.record(i % 5_000)));
            let mut before = Histogram::new();
            for _ in 0..50 {
                let mut now = Histogram::new();
                shared.add_to(&mut now);
                let mut delta = now.clone();
                delta.subtract(&before);
                assert!(now.count() >= before.count());
                before = now;
            }
        });
        let mut end = Histogram::new();
        shared.add_to(&mut end);
        assert_eq!(end.count(), 200_000);
    }
}
