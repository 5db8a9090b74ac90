//! VoltDB's elastic hashing: MurmurHash3 x64 128 of the partition value, looked up on a ring of 16,384 tokens.
//!
//! The ring and the bytes that are hashed are VoltDB's, so that its clients can route by themselves.

use super::PartitionId;

/// Tokens on the ring.
const TOKENS: usize = 16_384;
/// Distance between two neighbouring tokens.
const INTERVAL: i64 = i32::MAX as i64 / (TOKENS as i64 / 2);

/// The partition that owns a value.
#[derive(Clone, Debug)]
pub struct Hashinator {
    /// Owner of token `i`, which starts at `i32::MIN + i * INTERVAL`.
    owners: Box<[u16]>,
    partitions: u32,
}

impl Hashinator {
    /// The ring that VoltDB would build for `partitions` (1 to [`super::PARTITIONS_MAX`], asserted): each new partition
    /// takes tokens, lowest first, from the one with the most until none has two more than it.
    pub fn new(partitions: u32) -> Hashinator {
        assert!((1..=super::PARTITIONS_MAX).contains(&partitions));
        let mut held: Vec<std::collections::VecDeque<usize>> = vec![(0..TOKENS).collect()];
        for new in 1..partitions as usize {
            held.push(Default::default());
            loop {
                // Most tokens, the highest id among equals; fewest, the lowest id among equals.
                let most = (0..=new).rev().max_by_key(|&p| (held[p].len(), p)).expect("one partition at least");
                let least = (0..=new).min_by_key(|&p| (held[p].len(), p)).expect("one partition at least");
                if held[most].len() - held[least].len() <= 1 {
                    break;
                }
                let token = held[most].pop_front().expect("it has the most");
                let at = held[least].partition_point(|&t| t < token);
                held[least].insert(at, token);
            }
        }
        let mut owners = vec![0u16; TOKENS].into_boxed_slice();
        for (partition, tokens) in held.iter().enumerate() {
            for &token in tokens {
                owners[token] = partition as u16;
            }
        }
        Hashinator { owners, partitions }
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> u32 {
        self.partitions
    }

    /// The partition of an integer key of any width.
    #[inline]
    pub fn of_integer(&self, key: i64) -> PartitionId {
        if self.partitions == 1 {
            return PartitionId(0);
        }
        self.of_token(hash_integer(key))
    }

    /// The partition of a VARCHAR key (its UTF-8 bytes) or a VARBINARY key.
    pub fn of_bytes(&self, key: &[u8]) -> PartitionId {
        self.of_token(hash_bytes(key))
    }

    #[inline]
    fn of_token(&self, token: i32) -> PartitionId {
        // The last token reaches to the end of the range, a little further than the others.
        let at = ((token as i64 - i32::MIN as i64) / INTERVAL).min(TOKENS as i64 - 1);
        PartitionId(self.owners[at as usize] as u32)
    }
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

#[inline]
fn mix_k1(k1: u64) -> u64 {
    k1.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}
#[inline]
fn mix_k2(k2: u64) -> u64 {
    k2.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}
#[inline]
fn finish(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}
#[inline]
fn token(h1: u64, h2: u64, len: u64) -> i32 {
    let (h1, h2) = (h1 ^ len, h2 ^ len);
    let h1 = h1.wrapping_add(h2);
    let h2 = h2.wrapping_add(h1);
    (finish(h1).wrapping_add(finish(h2)) >> 32) as i32
}

/// Eight bytes, little endian: the tail only.
#[inline]
fn hash_integer(key: i64) -> i32 {
    token(mix_k1(key as u64), 0, 8)
}

fn hash_bytes(key: &[u8]) -> i32 {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |acc, &b| acc << 8 | b as u64);
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = key.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= mix_k1(word(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix_k2(word(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    h2 ^= mix_k2(word(&tail[tail.len().min(8)..]));
    h1 ^= mix_k1(word(&tail[..tail.len().min(8)]));
    token(h1, h2, key.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Token and partition on the ring of 4 partitions, as VoltDB's own clients compute them.
    #[test]
    fn integers_hash_as_in_voltdb() {
        let ring = Hashinator::new(4);
        for (key, token, partition) in [
            (0, 685728695, 2),
            (1, 4457399, 2),
            (2, -569892704, 1),
            (3, 1530746937, 0),
            (42, -1230191719, 3),
            (-1, -1595624838, 2),
            (5085551234, -1298191863, 3),
            (i64::MAX, 1819732939, 0),
            (-i64::MAX, 1902085590, 0),
        ] {
            assert_eq!(hash_integer(key), token, "{key}");
            assert_eq!(hash_bytes(&key.to_le_bytes()), token, "{key}");
            assert_eq!(ring.of_integer(key), PartitionId(partition), "{key}");
        }
    }

    #[test]
    fn strings_hash_as_in_voltdb() {
        let ring = Hashinator::new(4);
        for (key, token, partition) in [
            ("", 0, 2),
            ("a", -2058005147, 3),
            ("hello", -874993741, 1),
            ("1234567890123456", 1337875909, 0),
            ("12345678901234567", 1954944918, 0),
            ("héllo", 1311865617, 0),
        ] {
            assert_eq!(hash_bytes(key.as_bytes()), token, "{key}");
            assert_eq!(ring.of_bytes(key.as_bytes()), PartitionId(partition), "{key}");
        }
        assert_eq!(hash_bytes(&[0x00, 0x01, 0xff]), 1768028075);
    }

    #[test]
    fn every_partition_owns_its_share_of_the_ring() {
        for partitions in [1, 2, 3, 16, 1000, super::super::PARTITIONS_MAX] {
            let ring = Hashinator::new(partitions);
            let mut counts = vec![0; partitions as usize];
            ring.owners.iter().for_each(|&p| counts[p as usize] += 1);
            let (min, max) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(max - min <= 1, "{partitions} partitions: {min} to {max} tokens");
        }
    }
}
