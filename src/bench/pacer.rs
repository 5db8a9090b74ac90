//! Pacer: when each call of an open loop should start.

/// An evenly spaced schedule. Calls are due whether or not earlier ones have been answered.
#[derive(Debug, Clone)]
pub struct Pacer {
    first_ns: f64,
    interval_ns: f64,
    issued: u64,
}

impl Pacer {
    /// The schedule of client `client` of `clients`, which share `rate` calls per second and take turns.
    ///
    /// `rate` is positive and finite (asserted).
    pub fn new(rate: f64, client: usize, clients: usize) -> Pacer {
        assert!(rate.is_finite() && rate > 0.0, "a rate is positive");
        let interval_ns = 1e9 * clients as f64 / rate;
        Pacer { first_ns: interval_ns * client as f64 / clients as f64, interval_ns, issued: 0 }
    }

    /// The same schedule, `ns` later.
    pub fn begun_at(mut self, ns: u64) -> Pacer {
        self.first_ns += ns as f64;
        self
    }

    /// When the next call should start, in nanoseconds since the run began.
    #[inline]
    pub fn next_start(&self) -> u64 {
        (self.first_ns + self.interval_ns * self.issued as f64) as u64
    }

    /// The next call has started, or will never.
    #[inline]
    pub fn advance(&mut self) {
        self.issued += 1;
    }

    /// How many calls were due before `until_ns` and have not started.
    pub fn overdue(&self, until_ns: u64) -> u64 {
        let due = ((until_ns as f64 - self.first_ns) / self.interval_ns).ceil().max(0.0) as u64;
        due.saturating_sub(self.issued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_take_turns_and_together_keep_the_rate() {
        let mut starts: Vec<u64> = Vec::new();
        for client in 0..4 {
            let mut pacer = Pacer::new(1_000.0, client, 4);
            for _ in 0..25 {
                starts.push(pacer.next_start());
                pacer.advance();
            }
        }
        starts.sort_unstable();
        assert_eq!(starts, (0..100).map(|k| k * 1_000_000).collect::<Vec<u64>>());
    }

    #[test]
    fn the_schedule_does_not_drift() {
        let mut pacer = Pacer::new(3.0, 0, 1);
        (0..3_000_000).for_each(|_| pacer.advance());
        assert_eq!(pacer.next_start(), 1_000_000 * 1_000_000_000);
    }

    #[test]
    fn calls_that_never_started_are_overdue() {
        let mut pacer = Pacer::new(10.0, 0, 1);
        assert_eq!(pacer.overdue(1_000_000_000), 10);
        (0..4).for_each(|_| pacer.advance());
        assert_eq!(pacer.overdue(1_000_000_000), 6);
        assert_eq!(pacer.overdue(0), 0);
    }
}
