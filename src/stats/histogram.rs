//! Histogram: counts of durations in nanoseconds, in log-linear buckets.
//!
//! Below 128 ns each nanosecond has its bucket; above, each power of two is cut into 64. So a value is known to
//! 1/64 (1.6 %) of itself, and the midpoint that is reported is off by half of that at most.

const SUB_BITS: u32 = 6;
const SUB_BUCKETS: usize = 1 << SUB_BITS;
const TOP_BITS: u32 = 42;

/// The longest duration told apart, about 73 minutes in nanoseconds. Longer ones count as this one.
pub const LARGEST_NS: u64 = (1 << TOP_BITS) - 1;

/// How many buckets cover 0 to [`LARGEST_NS`].
pub(super) const BUCKETS: usize = SUB_BUCKETS * (TOP_BITS - SUB_BITS + 1) as usize;

/// The bucket of a duration; `ns` up to [`LARGEST_NS`].
#[inline]
pub(super) fn bucket(ns: u64) -> usize {
    let shift = (63 - SUB_BITS) - (ns | SUB_BUCKETS as u64).leading_zeros();
    ((shift as usize) << SUB_BITS) + (ns >> shift) as usize
}

/// The shortest and the longest duration of a bucket, both inclusive.
fn bounds(bucket: usize) -> (u64, u64) {
    if bucket < 2 * SUB_BUCKETS {
        return (bucket as u64, bucket as u64);
    }
    let shift = (bucket >> SUB_BITS) - 1;
    let low = ((bucket % SUB_BUCKETS + SUB_BUCKETS) as u64) << shift;
    (low, low + (1 << shift) - 1)
}

/// Durations in nanoseconds, 0 to [`LARGEST_NS`], each known to 1.6 %. About 19 KB whatever it holds.
#[derive(Clone)]
pub struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    /// `u64::MAX` while empty.
    min: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: vec![0; BUCKETS].into_boxed_slice(), count: 0, min: u64::MAX, max: 0 }
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Histogram({} values, {} to {} ns)", self.count, self.min(), self.max)
    }
}

impl Histogram {
    pub fn new() -> Histogram {
        Histogram::default()
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.record_n(ns, 1);
    }

    /// Counts the same duration `n` times.
    #[inline]
    pub fn record_n(&mut self, ns: u64, n: u64) {
        if n == 0 {
            return;
        }
        let ns = ns.min(LARGEST_NS);
        self.counts[bucket(ns)] += n;
        self.count += n;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        let range = bucket(other.min)..=bucket(other.max);
        for (mine, theirs) in self.counts[range.clone()].iter_mut().zip(&other.counts[range]) {
            *mine += theirs;
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Takes away what `earlier` holds; it must be an earlier state of this histogram (asserted per bucket).
    ///
    /// The shortest and longest duration of what remains are then known to their bucket only.
    pub fn subtract(&mut self, earlier: &Histogram) {
        if earlier.count == 0 {
            return;
        }
        for at in bucket(earlier.min)..=bucket(earlier.max) {
            let rest = self.counts[at].checked_sub(earlier.counts[at]);
            self.counts[at] = rest.expect("only an earlier state of the same histogram can be taken away");
        }
        self.count -= earlier.count;
        if self.count == 0 {
            self.min = u64::MAX;
            self.max = 0;
            return;
        }
        let used = bucket(self.min)..=bucket(self.max);
        let first = used.clone().find(|&at| self.counts[at] > 0).expect("some bucket holds the rest");
        let last = used.rev().find(|&at| self.counts[at] > 0).expect("some bucket holds the rest");
        self.min = self.min.max(bounds(first).0);
        self.max = self.max.min(bounds(last).1);
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        if self.count > 0 {
            self.counts[bucket(self.min)..=bucket(self.max)].fill(0);
        }
        self.count = 0;
        self.min = u64::MAX;
        self.max = 0;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Nanoseconds; 0 when empty. Exact, unless something was subtracted.
    pub fn min(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// Nanoseconds; 0 when empty. Exact, unless something was subtracted.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Nanoseconds; 0 when empty. From the midpoints of the buckets, so up to 0.8 % off.
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        let sum: f64 = self.buckets().map(|(low, high, n)| (low + high) as f64 / 2.0 * n as f64).sum();
        (sum / self.count as f64).clamp(self.min as f64, self.max as f64)
    }

    /// The duration that a share `q` (0 to 1) of all durations do not exceed, in nanoseconds; 0 when empty.
    pub fn quantile(&self, q: f64) -> u64 {
        let [at] = self.quantiles([q]);
        at
    }

    /// Several quantiles in one pass; `qs` must ascend.
    pub fn quantiles<const N: usize>(&self, qs: [f64; N]) -> [u64; N] {
        let mut out = [0; N];
        if self.count == 0 {
            return out;
        }
        let mut buckets = self.buckets();
        let (mut below, mut value) = (0, self.min);
        for (q, out) in qs.iter().zip(&mut out) {
            let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).clamp(1, self.count);
            while below < rank {
                let Some((low, high, n)) = buckets.next() else { break };
                below += n;
                value = low + (high - low) / 2;
            }
            *out = if rank == self.count { self.max } else { value.clamp(self.min, self.max) };
        }
        out
    }

    /// How many durations are at most `ns`, to the bucket's precision.
    pub fn count_up_to(&self, ns: u64) -> u64 {
        if self.count == 0 || ns < self.min {
            return 0;
        }
        let last = bucket(ns.min(self.max));
        self.counts[bucket(self.min)..=last].iter().sum()
    }

    /// The buckets that hold something, ascending: shortest and longest duration (inclusive), and how many.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let range = if self.count == 0 { 0..0 } else { bucket(self.min)..bucket(self.max) + 1 };
        range.filter(|&at| self.counts[at] > 0).map(|at| {
            let (low, high) = bounds(at);
            (low, high, self.counts[at])
        })
    }

    /// Adds `n` durations of a bucket whose bounds the caller knows only through [`bucket`].
    pub(super) fn add_bucket(&mut self, at: usize, n: u64) {
        self.counts[at] += n;
        self.count += n;
    }

    /// Widens the known range; only together with [`Histogram::add_bucket`].
    pub(super) fn widen(&mut self, min: u64, max: u64) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 20
    }

    #[test]
    fn buckets_tile_the_whole_range_without_gaps() {
        let mut next = 0;
        for at in 0..BUCKETS {
            let (low, high) = bounds(at);
            assert_eq!(low, next);
            assert_eq!((bucket(low), bucket(high)), (at, at));
            assert!((high - low) as f64 <= low as f64 / 64.0);
            next = high + 1;
        }
        assert_eq!(next, LARGEST_NS + 1);
    }

    #[test]
    fn quantiles_are_within_the_stated_error_of_the_sorted_values() {
        let mut seed = 7;
        let mut values: Vec<u64> = (0..20_000).map(|_| noise(&mut seed) % (1 << (4 + noise(&mut seed) % 30))).collect();
        let mut histogram = Histogram::new();
        values.iter().for_each(|&v| histogram.record(v));
        values.sort_unstable();
        for q in [0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let rank = ((q * values.len() as f64).ceil() as usize).max(1);
            let (exact, told) = (values[rank - 1] as f64, histogram.quantile(q) as f64);
            assert!((told - exact).abs() <= exact * 0.016, "q {q}: {told} for {exact}");
        }
        let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
        assert!((histogram.mean() - mean).abs() <= mean * 0.008);
        assert_eq!((histogram.min(), histogram.max()), (values[0], values[values.len() - 1]));
    }

    #[test]
    fn merging_and_subtracting_are_inverse() {
        let (mut a, mut b) = (Histogram::new(), Histogram::new());
        a.record_n(1_000, 5);
        a.record(77);
        b.record_n(40, 3);
        b.record_n(9_000_000, 2);
        let mut both = a.clone();
        both.merge(&b);
        assert_eq!(both.count(), 11);
        assert_eq!((both.min(), both.max()), (40, 9_000_000));
        both.subtract(&b);
        assert_eq!(both.count(), 6);
        assert_eq!(both.buckets().collect::<Vec<_>>(), a.buckets().collect::<Vec<_>>());
        both.subtract(&a);
        assert!(both.is_empty());
        assert_eq!(both.quantile(0.5), 0);
    }

    #[test]
    fn a_reset_histogram_counts_from_nothing() {
        let mut histogram = Histogram::new();
        histogram.record_n(123_456, 10);
        histogram.reset();
        assert_eq!((histogram.count(), histogram.max(), histogram.mean()), (0, 0, 0.0));
        histogram.record(5);
        assert_eq!((histogram.quantile(0.0), histogram.quantile(1.0), histogram.count()), (5, 5, 1));
    }

    #[test]
    fn durations_past_the_largest_count_as_the_largest() {
        let mut histogram = Histogram::new();
        histogram.record(u64::MAX);
        histogram.record(0);
        assert_eq!((histogram.min(), histogram.max(), histogram.count()), (0, LARGEST_NS, 2));
        assert_eq!(histogram.count_up_to(10), 1);
        assert_eq!(histogram.count_up_to(u64::MAX), 2);
    }
}
