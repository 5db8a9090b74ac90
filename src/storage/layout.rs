//! Where each column lies in a stored row, and how a datum gets there and back.
//!
//! Columns stand by descending alignment, so no space is lost between them. Integers have their column's width. Strings
//! of at most 15 bytes lie in the row, their length after the longest possible text; others have the 16 bytes of a
//! datum's
//! lane, and if they are long, the lane says which cell of the table's [`StringPool`] has them. A table with nullable
//! columns has a bit for each of those at the end of the row.

use super::strings::{CellId, StringPool};
use crate::types::{Arena, DataType, Datum, INLINE_MAX};

#[cfg(target_endian = "big")]
compile_error!("rows are read by words in little-endian order");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// An integer of 8, 4, 2 or 1 bytes, or whatever else has nothing in `Datum::hi`.
    Int,
    /// DECIMAL: 16 bytes.
    Wide,
    /// A string of at most `Slot::short_max` bytes, then its length.
    Short,
    /// A string of any length.
    Lane,
}

/// The place of one column.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub offset: u32,
    pub kind: SlotKind,
    /// Most bytes of a `Short`.
    short_max: u8,
    /// For `Int`: the bits that it lacks to 64.
    missing_bits: u8,
    /// The bit that says NULL; 0 if the column is NOT NULL.
    null_mask: u8,
    null_byte: u32,
}

#[derive(Clone, Debug)]
pub struct Layout {
    slots: Box<[Slot]>,
    stride: usize,
    /// First byte of the null bits and how many there are.
    nulls: (usize, usize),
    has_lanes: bool,
}

/// Where the bytes of long strings are: with whom the datums came from.
pub trait LongStrings {
    /// Calls `f` with the bytes of a long string of this owner.
    fn with_long<R>(&self, datum: Datum, f: impl FnOnce(&[u8]) -> R) -> R;
}

impl LongStrings for Arena {
    #[inline]
    fn with_long<R>(&self, datum: Datum, f: impl FnOnce(&[u8]) -> R) -> R {
        f(self.bytes(datum, &mut [0; 16]))
    }
}

impl LongStrings for StringPool {
    #[inline]
    fn with_long<R>(&self, datum: Datum, f: impl FnOnce(&[u8]) -> R) -> R {
        let (cell, len) = datum.long_parts();
        f(self.get(cell as CellId, len as usize))
    }
}

/// A string's bytes, short or long.
#[inline]
pub fn with_bytes<R>(datum: Datum, long: &impl LongStrings, f: impl FnOnce(&[u8]) -> R) -> R {
    if datum.is_long() {
        long.with_long(datum, f)
    } else {
        let lane = datum.lane();
        f(&lane[..datum.byte_len().min(INLINE_MAX)])
    }
}

/// Size in the row and alignment.
fn slot_kind(ty: DataType) -> (SlotKind, usize, usize) {
    match ty {
        DataType::Null | DataType::Boolean | DataType::TinyInt => (SlotKind::Int, 1, 1),
        DataType::SmallInt => (SlotKind::Int, 2, 2),
        DataType::Integer => (SlotKind::Int, 4, 4),
        DataType::BigInt | DataType::Timestamp | DataType::Float => (SlotKind::Int, 8, 8),
        DataType::Decimal => (SlotKind::Wide, 16, 8),
        DataType::Array(_) => unreachable!("no column is an array"),
        DataType::Varchar { .. } | DataType::Varbinary { .. } => match ty.bytes_max() {
            Some(max) if max as usize <= INLINE_MAX => (SlotKind::Short, max as usize + 1, 1),
            _ => (SlotKind::Lane, 16, 8),
        },
    }
}

impl Layout {
    /// Of columns with a type and whether they may be NULL.
    pub fn new(columns: impl IntoIterator<Item = (DataType, bool)>) -> Layout {
        let columns: Vec<(DataType, bool)> = columns.into_iter().collect();
        let kinds: Vec<_> = columns.iter().map(|&(ty, _)| slot_kind(ty)).collect();
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(kinds[i].2), i));
        let none = Slot { offset: 0, kind: SlotKind::Int, short_max: 0, missing_bits: 0, null_mask: 0, null_byte: 0 };
        let mut slots = vec![none; columns.len()];
        let mut at = 0;
        for &i in &order {
            let (kind, bytes, _) = kinds[i];
            let short_max = if kind == SlotKind::Short { bytes as u8 - 1 } else { 0 };
            let missing_bits = if kind == SlotKind::Int { 64 - bytes as u8 * 8 } else { 0 };
            slots[i] = Slot { offset: at as u32, kind, short_max, missing_bits, ..none };
            at += bytes;
        }
        let first_null = at;
        let mut nullable = 0;
        for (slot, _) in slots.iter_mut().zip(&columns).filter(|(_, c)| c.1) {
            slot.null_byte = (first_null + nullable / 8) as u32;
            slot.null_mask = 1 << (nullable % 8);
            nullable += 1;
        }
        let null_bytes = nullable.div_ceil(8);
        let align = kinds.iter().map(|k| k.2).max().unwrap_or(1).max(4);
        let stride = (first_null + null_bytes).max(4).next_multiple_of(align);
        let has_lanes = kinds.iter().any(|k| k.0 == SlotKind::Lane);
        Layout { slots: slots.into(), stride, nulls: (first_null, null_bytes), has_lanes }
    }

    /// Bytes of a row.
    pub fn stride(&self) -> usize {
        self.stride
    }
    pub fn columns(&self) -> usize {
        self.slots.len()
    }
    /// True if rows may point into a string pool.
    pub fn has_lanes(&self) -> bool {
        self.has_lanes
    }
    #[inline(always)]
    pub fn slot(&self, column: usize) -> Slot {
        self.slots[column]
    }

    /// The column of the row at `cell`. Long strings are those of the table's pool.
    ///
    /// # Safety
    /// `cell` points at a row of this layout with 16 readable bytes after it.
    #[inline(always)]
    pub unsafe fn load(&self, cell: *const u8, column: usize) -> Datum {
        // SAFETY: the caller's promise.
        unsafe { self.slots[column].load(cell) }
    }

    /// Writes a whole row, which has one datum per column. Long strings must already be those of the table's pool.
    ///
    /// # Safety
    /// `cell` points at a row of this layout that is ours to write.
    #[inline(always)]
    pub unsafe fn write(&self, cell: *mut u8, row: &[Datum]) {
        debug_assert_eq!(row.len(), self.slots.len());
        // SAFETY: the caller's promise.
        unsafe { self.write_each(cell, row.iter().copied()) };
    }

    /// As [`Layout::write`], from an iterator.
    ///
    /// # Safety
    /// As [`Layout::write`]; `row` gives one datum per column.
    #[inline(always)]
    pub unsafe fn write_each(&self, cell: *mut u8, row: impl Iterator<Item = Datum>) {
        // SAFETY: the caller's promise; the null bytes lie in the row.
        unsafe {
            if self.nulls.1 != 0 {
                cell.add(self.nulls.0).write_bytes(0, self.nulls.1);
            }
            for (slot, datum) in self.slots.iter().zip(row) {
                slot.store(cell, datum);
            }
        }
    }

    /// The columns whose value is a long string.
    ///
    /// # Safety
    /// As [`Layout::load`].
    pub unsafe fn long_strings(&self, cell: *const u8) -> impl Iterator<Item = (usize, Datum)> {
        let slots = if self.has_lanes { &self.slots[..] } else { &[] };
        slots.iter().enumerate().filter(|(_, s)| s.kind == SlotKind::Lane).filter_map(move |(i, slot)| {
            // SAFETY: the caller's promise.
            let datum = unsafe { slot.load(cell) };
            datum.is_long().then_some((i, datum))
        })
    }
}

impl Slot {
    /// The `Datum::lo` of an `Int` column that is not NULL: one read, whatever its width.
    ///
    /// # Safety
    /// As [`Layout::load`].
    #[inline(always)]
    pub unsafe fn load_int(self, cell: *const u8) -> i64 {
        debug_assert_eq!(self.kind, SlotKind::Int);
        // SAFETY: the caller's promise; what is read past the column is shifted out.
        let bits = unsafe { cell.add(self.offset as usize).cast::<u64>().read_unaligned() };
        (bits << self.missing_bits) as i64 >> self.missing_bits
    }

    /// True if the row at `cell` has just `datum` here, NULL equal to NULL; None if the bytes of long strings must
    /// decide.
    ///
    /// # Safety
    /// As [`Layout::load`].
    #[inline(always)]
    pub unsafe fn equals(self, cell: *const u8, datum: Datum) -> Option<bool> {
        // SAFETY: the caller's promise.
        unsafe {
            if self.kind == SlotKind::Int {
                return Some(self.load_int(cell) == datum.as_i64() && self.is_null(cell) == datum.is_null());
            }
            let stored = self.load(cell);
            let same = (stored.lo ^ datum.lo) | (stored.hi ^ datum.hi) == 0;
            if stored.is_long() { None } else { Some(same) }
        }
    }

    /// True if the column may be NULL.
    #[inline(always)]
    pub fn is_nullable(self) -> bool {
        self.null_mask != 0
    }

    /// True if the row at `cell` has NULL here.
    ///
    /// # Safety
    /// As [`Layout::load`].
    #[inline(always)]
    pub unsafe fn is_null(self, cell: *const u8) -> bool {
        // SAFETY: the caller's promise.
        self.null_mask != 0 && unsafe { *cell.add(self.null_byte as usize) } & self.null_mask != 0
    }

    /// # Safety
    /// As [`Layout::load`].
    #[inline(always)]
    pub unsafe fn load(self, cell: *const u8) -> Datum {
        // SAFETY: the caller's promise; a short string's 16 bytes may end after the row, where it is readable.
        unsafe {
            if self.is_null(cell) {
                return Datum::NULL;
            }
            let at = cell.add(self.offset as usize);
            match self.kind {
                SlotKind::Int => Datum::int(self.load_int(cell)),
                SlotKind::Wide | SlotKind::Lane => {
                    let (lo, hi) = at.cast::<(u64, u64)>().read_unaligned();
                    Datum { lo, hi }
                }
                SlotKind::Short => {
                    let max = self.short_max as usize;
                    let len = (*at.add(max) as u64) << 56;
                    let lo = at.cast::<u64>().read_unaligned();
                    if max < 8 {
                        return Datum { lo: lo & low_bytes(max), hi: len };
                    }
                    let hi = at.add(8).cast::<u64>().read_unaligned() & low_bytes(max - 8);
                    Datum { lo, hi: hi | len }
                }
            }
        }
    }

    /// Writes one column. Its null bit must be clear, unless `datum` is to set it.
    ///
    /// # Safety
    /// As [`Layout::write`].
    #[inline(always)]
    unsafe fn store(self, cell: *mut u8, mut datum: Datum) {
        // SAFETY: the caller's promise; each kind writes just its own bytes.
        unsafe {
            if datum.is_null() {
                debug_assert!(self.null_mask != 0, "NOT NULL was checked");
                *cell.add(self.null_byte as usize) |= self.null_mask;
                // Zeros, so that equal rows have equal bytes.
                datum = Datum::FALSE;
            }
            let at = cell.add(self.offset as usize);
            match self.kind {
                SlotKind::Int => match self.missing_bits {
                    0 => at.cast::<u64>().write_unaligned(datum.lo),
                    32 => at.cast::<u32>().write_unaligned(datum.lo as u32),
                    48 => at.cast::<u16>().write_unaligned(datum.lo as u16),
                    _ => *at = datum.lo as u8,
                },
                SlotKind::Wide | SlotKind::Lane => at.cast::<(u64, u64)>().write_unaligned((datum.lo, datum.hi)),
                SlotKind::Short => {
                    let max = self.short_max as usize;
                    debug_assert!(datum.byte_len() <= max, "the cast checked the length");
                    if max >= 8 {
                        at.cast::<u64>().write_unaligned(datum.lo);
                        write_low_bytes(at.add(8), datum.hi & low_bytes(7), max - 8);
                    } else {
                        write_low_bytes(at, datum.lo, max);
                    }
                    *at.add(max) = (datum.hi >> 56) as u8;
                }
            }
        }
    }
}

/// A mask of the `count` (0 to 7) low bytes.
#[inline(always)]
fn low_bytes(count: usize) -> u64 {
    (1 << (count * 8)) - 1
}

/// Writes the `len` low bytes (0 to 7) of `bits`.
///
/// # Safety
/// `len` bytes at `at` are ours to write.
#[inline(always)]
unsafe fn write_low_bytes(at: *mut u8, bits: u64, len: usize) {
    // SAFETY: two overlapping stores that both lie in the `len` bytes.
    unsafe {
        if len >= 4 {
            at.cast::<u32>().write_unaligned(bits as u32);
            at.add(len - 4).cast::<u32>().write_unaligned((bits >> ((len - 4) * 8)) as u32);
        } else if len >= 2 {
            at.cast::<u16>().write_unaligned(bits as u16);
            at.add(len - 2).cast::<u16>().write_unaligned((bits >> ((len - 2) * 8)) as u16);
        } else if len == 1 {
            *at = bits as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vote_takes_24_bytes_and_a_view_row_16() {
        let state = DataType::Varchar { max: 2, bytes: false };
        let votes = Layout::new([(DataType::BigInt, false), (state, false), (DataType::Integer, false)]);
        assert_eq!(votes.stride(), 24);
        assert_eq!(Layout::new([(DataType::BigInt, false), (DataType::BigInt, false)]).stride(), 16);
    }

    #[test]
    fn every_type_comes_back_whatever_its_neighbours_are() {
        let text = |max| DataType::Varchar { max, bytes: true };
        let mut types = vec![DataType::Boolean, DataType::TinyInt, DataType::SmallInt, DataType::Integer];
        types.extend([DataType::BigInt, DataType::Decimal, DataType::Float, text(100)]);
        types.extend((1..=15).map(text));
        for nullable in [false, true] {
            let layout = Layout::new(types.iter().map(|&ty| (ty, nullable)));
            let mut memory = vec![0xAAu8; layout.stride() + 16];
            for fill in [0usize, 1, 15] {
                let mut row: Vec<Datum> = [1, -1, -300, -70_000, i64::MIN].map(Datum::int).into();
                row[0] = Datum::bool(fill == 1);
                row.push(Datum { lo: 1, hi: u64::MAX });
                row.push(Datum::float(-1.5));
                row.push(Datum::short(b"any"));
                row.extend((1..=15).map(|max| Datum::short(&b"abcdefghijklmno"[..fill.min(max)])));
                if nullable {
                    row.iter_mut().skip(fill).step_by(3).for_each(|d| *d = Datum::NULL);
                }
                // SAFETY: the memory is a row and 16 bytes more.
                unsafe {
                    layout.write(memory.as_mut_ptr(), &row);
                    let back: Vec<Datum> = (0..row.len()).map(|i| layout.load(memory.as_ptr(), i)).collect();
                    assert_eq!(back, row);
                }
                assert!(memory[layout.stride()..].iter().all(|&b| b == 0xAA), "wrote past the row");
            }
        }
    }
}
