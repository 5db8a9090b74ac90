//! An ordered index: the keys' bytes with the row id behind them, in a tree.
//!
//! Keys with a small bound on their length are arrays of words that compare without a look at memory elsewhere.

use crate::storage::heap::RowId;
use std::collections::BTreeSet;
use std::ops::Bound;

/// A key without its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderedKey {
    Two([u64; 2]),
    Three([u64; 3]),
    Long(Box<[u8]>),
}

pub enum OrderedIndex {
    Two(BTreeSet<[u64; 2]>),
    Three(BTreeSet<[u64; 3]>),
    Long(BTreeSet<Box<[u8]>>),
}

/// Bytes of the row id, big endian, at the end of a key.
const ROW: usize = 4;

/// `bytes`, then zeros.
fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_be_bytes(padded);
    }
    words
}

fn with_row<const N: usize>(mut key: [u64; N], row: RowId) -> [u64; N] {
    key[N - 1] |= row.0 as u64;
    key
}

fn long_with_row(key: &[u8], row: RowId) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(key.len() + ROW);
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(&row.0.to_be_bytes());
    bytes.into()
}

impl OrderedIndex {
    /// For keys of at most `key_bytes_max` encoded bytes, if there is a bound.
    pub fn new(key_bytes_max: Option<usize>) -> OrderedIndex {
        match key_bytes_max {
            Some(max) if max <= 16 - ROW => OrderedIndex::Two(BTreeSet::new()),
            Some(max) if max <= 24 - ROW => OrderedIndex::Three(BTreeSet::new()),
            _ => OrderedIndex::Long(BTreeSet::new()),
        }
    }

    /// The form that this index keeps of an encoded key.
    pub fn key(&self, bytes: &[u8]) -> OrderedKey {
        match self {
            OrderedIndex::Two(_) => OrderedKey::Two(words(bytes)),
            OrderedIndex::Three(_) => OrderedKey::Three(words(bytes)),
            OrderedIndex::Long(_) => OrderedKey::Long(bytes.into()),
        }
    }

    pub fn insert(&mut self, key: &OrderedKey, row: RowId) {
        let new = match (self, key) {
            (OrderedIndex::Two(set), OrderedKey::Two(key)) => set.insert(with_row(*key, row)),
            (OrderedIndex::Three(set), OrderedKey::Three(key)) => set.insert(with_row(*key, row)),
            (OrderedIndex::Long(set), OrderedKey::Long(key)) => set.insert(long_with_row(key, row)),
            _ => unreachable!("a key of this index"),
        };
        debug_assert!(new, "a row is added once");
    }

    pub fn remove(&mut self, key: &OrderedKey, row: RowId) {
        let old = match (self, key) {
            (OrderedIndex::Two(set), OrderedKey::Two(key)) => set.remove(&with_row(*key, row)),
            (OrderedIndex::Three(set), OrderedKey::Three(key)) => set.remove(&with_row(*key, row)),
            (OrderedIndex::Long(set), OrderedKey::Long(key)) => set.remove(&long_with_row(key, row)),
            _ => unreachable!("a key of this index"),
        };
        debug_assert!(old, "the row is there");
    }

    /// The rows with exactly this key, in order of their ids, until `f` says false.
    pub fn for_each_equal(&self, key: &OrderedKey, f: &mut dyn FnMut(RowId) -> bool) {
        match (self, key) {
            (OrderedIndex::Two(set), OrderedKey::Two(key)) => equal_words(set, *key, f),
            (OrderedIndex::Three(set), OrderedKey::Three(key)) => equal_words(set, *key, f),
            (OrderedIndex::Long(set), OrderedKey::Long(key)) => {
                for entry in set.range::<[u8], _>((Bound::Included(&**key), Bound::Unbounded)) {
                    if entry.len() != key.len() + ROW || !entry.starts_with(key) || !f(row_of(entry)) {
                        return;
                    }
                }
            }
            _ => unreachable!("a key of this index"),
        }
    }

    /// The rows whose key is at least `low` and below `high` (None: no end), in order or in reverse, until `f` says
    /// false.
    pub fn range(&self, low: &[u8], high: Option<&[u8]>, descending: bool, f: &mut dyn FnMut(RowId) -> bool) {
        if high.is_some_and(|high| low >= high) {
            return;
        }
        match self {
            OrderedIndex::Two(set) => range_words(set, low, high, descending, f),
            OrderedIndex::Three(set) => range_words(set, low, high, descending, f),
            OrderedIndex::Long(set) => {
                let high = high.map_or(Bound::Unbounded, Bound::Excluded);
                let rows = set.range::<[u8], _>((Bound::Included(low), high)).map(|entry| row_of(entry));
                visit(rows, descending, f);
            }
        }
    }

    /// Bytes held, as far as the tree lets know: its nodes are about three quarters full.
    pub fn bytes(&self) -> usize {
        let keys = match self {
            OrderedIndex::Two(set) => set.len() * 16,
            OrderedIndex::Three(set) => set.len() * 24,
            OrderedIndex::Long(set) => set.len() * 16 + set.iter().map(|k| k.len().next_multiple_of(16)).sum::<usize>(),
        };
        keys + keys / 3
    }
}

fn row_of(entry: &[u8]) -> RowId {
    let (_, row) = entry.split_last_chunk::<ROW>().expect("an entry ends with its row");
    RowId(u32::from_be_bytes(*row))
}

fn visit(rows: impl DoubleEndedIterator<Item = RowId>, descending: bool, f: &mut dyn FnMut(RowId) -> bool) {
    let _ = if descending { rows.rev().all(f) } else { { rows }.all(f) };
}

fn equal_words<const N: usize>(set: &BTreeSet<[u64; N]>, key: [u64; N], f: &mut dyn FnMut(RowId) -> bool) {
    let last = with_row(key, RowId(u32::MAX));
    let _ = set.range(key..=last).all(|entry| f(RowId(entry[N - 1] as u32)));
}

fn range_words<const N: usize>(
    set: &BTreeSet<[u64; N]>,
    low: &[u8],
    high: Option<&[u8]>,
    descending: bool,
    f: &mut dyn FnMut(RowId) -> bool,
) {
    let high = high.map_or(Bound::Unbounded, |high| Bound::Excluded(words::<N>(high)));
    let rows = set.range((Bound::Included(words::<N>(low)), high)).map(|entry| RowId(entry[N - 1] as u32));
    visit(rows, descending, f);
}
