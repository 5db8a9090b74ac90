//! Seeded random numbers: small, fast, the same on every machine. Not for secrets.

/// A stream of 64-bit numbers from a seed (SplitMix64): one add and three multiplications each.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// An independent stream, for the `stream`-th of several users of one seed.
    pub fn stream(seed: u64, stream: u64) -> Random {
        let mut mixer = Random::new(seed ^ stream.wrapping_mul(0xD605_BBB5_8C8A_BC03));
        Random::new(mixer.next_u64())
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform over 0 to `n` - 1; `n` must not be 0. The bias is below `n` / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0);
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }

    /// True with a probability of `share` in 2^32.
    #[inline]
    pub fn chance(&mut self, share: u32) -> bool {
        (self.next_u64() >> 32) < share as u64
    }
}

/// A probability (0 to 1) as [`Random::chance`] takes it.
pub const fn share_of(probability: f64) -> u32 {
    (probability * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = Random::new(1234567);
        assert_eq!(random.next_u64(), 6457827717110365317);
        assert_eq!(random.next_u64(), 3203168211198807973);
    }

    #[test]
    fn small_ranges_are_covered_evenly() {
        let mut random = Random::new(3);
        let mut seen = [0u32; 7];
        (0..70_000).for_each(|_| seen[random.below(7) as usize] += 1);
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }

    #[test]
    fn streams_of_one_seed_differ_and_repeat() {
        let first: Vec<u64> = (0..8).map(|i| Random::stream(1, i).next_u64()).collect();
        let again: Vec<u64> = (0..8).map(|i| Random::stream(1, i).next_u64()).collect();
        assert_eq!(first, again);
        assert_eq!(first.iter().collect::<std::collections::HashSet<_>>().len(), 8);
    }
}
