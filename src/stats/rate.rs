//! Rates over a window, and the fixed ring that histories are kept in.

/// The last `capacity` values pushed, oldest first. Memory is taken once.
#[derive(Debug, Clone)]
pub struct Ring<T> {
    slots: Vec<T>,
    capacity: usize,
    /// Where the oldest value lies once the ring is full.
    head: usize,
}

impl<T> Ring<T> {
    /// `capacity` must be at least 1 (asserted).
    pub fn new(capacity: usize) -> Ring<T> {
        assert!(capacity > 0, "a ring holds at least one value");
        Ring { slots: Vec::with_capacity(capacity), capacity, head: 0 }
    }

    /// Appends a value; the oldest makes room once the ring is full.
    pub fn push(&mut self, value: T) {
        if self.slots.len() < self.capacity {
            self.slots.push(value);
        } else {
            self.slots[self.head] = value;
            self.head = (self.head + 1) % self.capacity;
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    pub fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.head = 0;
    }

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + '_ {
        let (newer, older) = self.slots.split_at(self.head);
        older.iter().chain(newer)
    }
}

/// Events per second over the last few readings of a running total.
#[derive(Debug, Clone)]
pub struct RateWindow {
    readings: Ring<(u64, u64)>,
}

impl RateWindow {
    /// The window spans `readings` readings, at least 2 (asserted).
    pub fn new(readings: usize) -> RateWindow {
        assert!(readings >= 2, "a rate needs two readings");
        RateWindow { readings: Ring::new(readings) }
    }

    /// A reading: the total of all events so far, at `at_ns`. Neither may go back.
    pub fn read(&mut self, at_ns: u64, total: u64) {
        self.readings.push((at_ns, total));
    }

    /// Events per second between the oldest and the newest reading of the window; 0 before there are two.
    pub fn per_second(&self) -> f64 {
        match (self.readings.first(), self.readings.last()) {
            (Some(first), Some(last)) if last.0 > first.0 => {
                (last.1 - first.1) as f64 * 1e9 / (last.0 - first.0) as f64
            }
            _ => 0.0,
        }
    }

    pub fn clear(&mut self) {
        self.readings.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_the_newest_values_in_order() {
        let mut ring = Ring::new(3);
        assert!(ring.is_empty() && ring.last().is_none());
        for value in 1..=7 {
            ring.push(value);
        }
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!((ring.first(), ring.last(), ring.len()), (Some(&5), Some(&7), 3));
        ring.clear();
        ring.push(1);
        assert_eq!(ring.iter().copied().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_rate_counts_only_its_window() {
        let mut rate = RateWindow::new(3);
        assert_eq!(rate.per_second(), 0.0);
        rate.read(0, 0);
        assert_eq!(rate.per_second(), 0.0);
        rate.read(500_000_000, 100);
        assert_eq!(rate.per_second(), 200.0);
        rate.read(1_000_000_000, 100);
        rate.read(1_500_000_000, 400);
        assert_eq!(rate.per_second(), 300.0);
    }
}
