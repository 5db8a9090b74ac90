//! Rows as keys of hash maps: GROUP BY, DISTINCT, hash joins, IN, set operations.

use crate::types::{Arena, Datum};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Appends an encoding of `datum` that is equal for equal values of one type, and only for them. NULL equals NULL.
#[inline]
pub fn encode(out: &mut Vec<u8>, datum: Datum, arena: &Arena) {
    if datum.is_null() {
        out.push(0);
    } else if datum.is_long() {
        let mut scratch = [0; 16];
        let bytes = arena.bytes(datum, &mut scratch);
        out.push(2);
        out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(bytes);
    } else {
        out.push(1);
        out.extend_from_slice(&datum.lo.to_le_bytes());
        out.extend_from_slice(&datum.hi.to_le_bytes());
    }
}

/// A multiply-and-rotate hash over 8-byte words: the keys are ours, so it need not withstand an attacker's choice
/// beyond slowing one query down.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("chunks of 8")));
        }
        let tail = words.remainder();
        if !tail.is_empty() {
            let mut word = [0; 8];
            word[..tail.len()].copy_from_slice(tail);
            self.write_u64(u64::from_le_bytes(word) ^ (tail.len() as u64) << 56);
        }
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = (self.0 ^ word) as u128 * 0x9e37_79b9_7f4a_7c15u128;
        self.0 = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32);
    }
    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte as u64);
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    fn finish(&self) -> u64 {
        let h = self.0 ^ self.0 >> 32;
        h.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ self.0 >> 29
    }
}

pub type KeyMap<V> = HashMap<Box<[u8]>, V, BuildHasherDefault<KeyHasher>>;

/// A set of encoded rows.
#[derive(Default)]
pub struct KeySet {
    map: KeyMap<()>,
    scratch: Vec<u8>,
}

impl KeySet {
    /// True if the row was not there yet.
    pub fn insert(&mut self, row: impl Iterator<Item = Datum>, arena: &Arena) -> bool {
        self.scratch.clear();
        row.for_each(|datum| encode(&mut self.scratch, datum, arena));
        if self.map.contains_key(self.scratch.as_slice()) {
            return false;
        }
        self.map.insert(self.scratch.as_slice().into(), ());
        true
    }
    pub fn contains(&self, row: &[Datum], arena: &Arena) -> bool {
        let mut key = Vec::with_capacity(row.len() * 17);
        row.iter().for_each(|&datum| encode(&mut key, datum, arena));
        self.map.contains_key(key.as_slice())
    }
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}
