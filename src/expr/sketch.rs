//! How many different values there are, nearly: exact while they are few, then by HyperLogLog.

use std::collections::HashSet;

/// Different values that are counted exactly.
const EXACT_MAX: usize = 4096;
/// Bits of a hash that select a register: 2^16 registers, a standard error of 0.4 %.
const INDEX_BITS: u32 = 16;
/// Largest value of a register.
const RANKS: usize = 64 - INDEX_BITS as usize + 1;

/// What is known of the values seen so far.
#[derive(Clone, Debug)]
pub enum Sketch {
    /// The hashes of all.
    Exact(HashSet<u64>),
    /// For each register, the most leading zeros (and one) among its hashes.
    Registers(Vec<u8>),
}

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch::Exact(HashSet::new())
    }
}

impl Sketch {
    /// Takes in a value of fixed width by its bytes.
    pub fn add(&mut self, lane: [u8; 16]) {
        let (low, high) = lane.split_at(8);
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        self.add_hash(mix(word(low) ^ mix(word(high).wrapping_add(0x9E37_79B9_7F4A_7C15))));
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Sketch::Exact(hashes) => {
                hashes.insert(hash);
                if hashes.len() > EXACT_MAX {
                    let mut registers = vec![0; 1 << INDEX_BITS];
                    hashes.iter().for_each(|hash| register(&mut registers, *hash));
                    *self = Sketch::Registers(registers);
                }
            }
            Sketch::Registers(registers) => register(registers, hash),
        }
    }

    /// Takes in all that `other` has taken in.
    pub fn merge(&mut self, other: &Sketch) {
        match (&mut *self, other) {
            (_, Sketch::Exact(hashes)) => hashes.iter().for_each(|hash| self.add_hash(*hash)),
            (Sketch::Registers(registers), Sketch::Registers(more)) => {
                registers.iter_mut().zip(more).for_each(|(a, b)| *a = (*a).max(*b));
            }
            (Sketch::Exact(hashes), Sketch::Registers(more)) => {
                let mut registers = more.clone();
                hashes.iter().for_each(|hash| register(&mut registers, *hash));
                *self = Sketch::Registers(registers);
            }
        }
    }

    /// The number of different values, rounded.
    pub fn count(&self) -> i64 {
        let registers = match self {
            Sketch::Exact(hashes) => return hashes.len() as i64,
            Sketch::Registers(registers) => registers,
        };
        // Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches", 2017) has no range in which it
        // is biased.
        let m = registers.len() as f64;
        let mut counts = [0.0; RANKS + 1];
        registers.iter().for_each(|rank| counts[*rank as usize] += 1.0);
        let mut z = m * tau(1.0 - counts[RANKS] / m);
        for count in counts[1..RANKS].iter().rev() {
            z = 0.5 * (z + count);
        }
        z += m * sigma(counts[0] / m);
        (m * m / (2.0 * std::f64::consts::LN_2 * z)).round() as i64
    }
}

/// The part that empty registers have in the estimate.
fn sigma(mut x: f64) -> f64 {
    let (mut y, mut z) = (1.0, x);
    loop {
        let before = z;
        x *= x;
        z += x * y;
        y += y;
        // Not all registers are empty (or the sum would have no bound), so the terms shrink.
        if z == before {
            return z;
        }
    }
}

/// The part that full registers have in the estimate.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        let before = z;
        x = x.sqrt();
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

fn register(registers: &mut [u8], hash: u64) {
    let at = (hash >> (64 - INDEX_BITS)) as usize;
    let zeros = (hash << INDEX_BITS | 1 << (INDEX_BITS - 1)).leading_zeros() as u8 + 1;
    registers[at] = registers[at].max(zeros);
}

/// Spreads every bit over all others.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    x ^ (x >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Datum;

    fn of(values: std::ops::Range<i64>) -> Sketch {
        let mut sketch = Sketch::default();
        values.for_each(|v| sketch.add(Datum::int(v).lane()));
        sketch
    }

    #[test]
    fn few_values_are_counted_exactly_and_many_within_one_in_a_hundred() {
        assert_eq!(of(0..0).count(), 0);
        let mut twice = of(0..4096);
        twice.merge(&of(0..4096));
        assert_eq!(twice.count(), 4096);
        for n in [5_000, 50_000, 170_000, 500_000] {
            let error = (of(0..n).count() - n).abs() as f64 / n as f64;
            assert!(error < 0.01, "{n}: off by {error}");
        }
    }

    #[test]
    fn parts_are_merged_to_what_the_whole_gives() {
        let whole = of(0..60_000).count();
        for at in [100, 3000, 30_000, 59_900] {
            let (mut left, right) = (of(0..at), of(at - 50..60_000));
            left.merge(&right);
            assert_eq!(left.count(), whole, "{at}");
        }
    }
}
