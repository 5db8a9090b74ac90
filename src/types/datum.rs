//! The form values have while they are computed on: two machine words, no type.

use super::{DataType, Decimal, Timestamp, Value};
use std::cmp::Ordering;

/// Index of a register in a [`Frame`]. Columns, parameters, variables and intermediate results all live in registers.
pub type Reg = u16;

/// One value without its type: the code that touches it was compiled for that type.
///
/// * integers, TIMESTAMP: `lo` is the `i64`; BOOLEAN: `lo` is 0 or 1; FLOAT: `lo` has the bits of the `f64`.
/// * DECIMAL: `lo` and `hi` are the low and high half of the scaled number plus 10^38: never negative, so that its last
///   byte is never 0xFF, and in unsigned order.
/// * VARCHAR, VARBINARY of up to 15 bytes: the bytes in memory order in `lo` then `hi`, zero padded, the length in the
///   last (most significant) byte of `hi`. So two short strings are equal exactly if their lanes are.
/// * longer ones: `lo` = offset into the [`Arena`] of the frame, or into whatever owns the datum, low 32 bits of `hi` =
///   length in bytes, last byte of `hi` = 0xFF.
///
/// NULL is a pattern that no value has: the last byte of `hi` is 0xFE and everything else zero. So a datum is two machine
/// words, which pass in registers: a third one for a flag made every copy several times as slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datum {
    pub lo: u64,
    pub hi: u64,
}

/// Longest string, in bytes, that lies in a lane.
pub const INLINE_MAX: usize = 15;
const LONG: u64 = 0xFF << 56;
const NULL: u64 = 0xFE << 56;
/// More than any scaled DECIMAL of 38 digits.
const DECIMAL_BIAS: u128 = 10u128.pow(38);

impl Datum {
    pub const NULL: Datum = Datum { lo: 0, hi: NULL };
    pub const FALSE: Datum = Datum { lo: 0, hi: 0 };
    pub const TRUE: Datum = Datum { lo: 1, hi: 0 };

    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.hi == NULL
    }
    #[inline(always)]
    pub const fn int(v: i64) -> Datum {
        Datum { lo: v as u64, hi: 0 }
    }
    #[inline(always)]
    pub const fn bool(v: bool) -> Datum {
        Datum { lo: v as u64, hi: 0 }
    }
    #[inline(always)]
    pub fn float(v: f64) -> Datum {
        // -0.0 and 0.0 are one value: keys compare lanes.
        Datum { lo: if v == 0.0 { 0 } else { v.to_bits() }, hi: 0 }
    }
    #[inline(always)]
    pub const fn decimal(v: Decimal) -> Datum {
        let bits = (v.scaled() as u128).wrapping_add(DECIMAL_BIAS);
        Datum { lo: bits as u64, hi: (bits >> 64) as u64 }
    }

    #[inline(always)]
    pub const fn as_i64(self) -> i64 {
        self.lo as i64
    }
    #[inline(always)]
    pub const fn as_f64(self) -> f64 {
        f64::from_bits(self.lo)
    }
    #[inline(always)]
    pub const fn as_decimal(self) -> Decimal {
        Decimal::from_scaled(((self.hi as u128) << 64 | self.lo as u128).wrapping_sub(DECIMAL_BIAS) as i128)
    }
    /// True only for TRUE: NULL is not true.
    #[inline(always)]
    pub const fn is_true(self) -> bool {
        self.lo != 0
    }

    /// A string of at most [`INLINE_MAX`] bytes.
    #[inline]
    pub fn short(bytes: &[u8]) -> Datum {
        debug_assert!(bytes.len() <= INLINE_MAX);
        let mut lane = [0u8; 16];
        lane[..bytes.len()].copy_from_slice(bytes);
        lane[15] = bytes.len() as u8;
        Datum::from_lane(lane)
    }
    /// A string of `len` bytes that starts at `offset` of the arena that goes with this datum.
    #[inline]
    pub const fn long(offset: u64, len: u32) -> Datum {
        Datum { lo: offset, hi: LONG | len as u64 }
    }
    #[inline(always)]
    pub fn from_lane(lane: [u8; 16]) -> Datum {
        let bits = u128::from_le_bytes(lane);
        Datum { lo: bits as u64, hi: (bits >> 64) as u64 }
    }
    /// The 16 bytes of a short string, its length in the last.
    #[inline(always)]
    pub fn lane(self) -> [u8; 16] {
        ((self.hi as u128) << 64 | self.lo as u128).to_le_bytes()
    }
    /// True if this string lies in an arena.
    #[inline(always)]
    pub const fn is_long(self) -> bool {
        self.hi >= LONG
    }
    /// Where a long string lies: offset, length in bytes.
    #[inline(always)]
    pub const fn long_parts(self) -> (u64, u32) {
        (self.lo, self.hi as u32)
    }
    /// Length in bytes of a string.
    #[inline(always)]
    pub const fn byte_len(self) -> usize {
        if self.is_long() { self.hi as u32 as usize } else { (self.hi >> 56) as usize }
    }
}

/// The bytes of long strings. Grows at the end only; [`Arena::truncate`] gives space back in the order of a stack.
#[derive(Default, Debug, Clone)]
pub struct Arena {
    bytes: Vec<u8>,
}

impl Arena {
    /// A datum for `bytes`: in the lane if they fit, copied here if not.
    #[inline]
    pub fn store(&mut self, bytes: &[u8]) -> Datum {
        if bytes.len() <= INLINE_MAX {
            return Datum::short(bytes);
        }
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        Datum::long(offset, bytes.len() as u32)
    }

    /// The bytes of a string datum that belongs to this arena, appended to `out`'s place: short ones are copied into
    /// `scratch`, which must outlive the slice.
    #[inline]
    pub fn bytes<'a>(&'a self, datum: Datum, scratch: &'a mut [u8; 16]) -> &'a [u8] {
        if datum.is_long() {
            let (offset, len) = datum.long_parts();
            &self.bytes[offset as usize..offset as usize + len as usize]
        } else {
            *scratch = datum.lane();
            &scratch[..scratch[15] as usize]
        }
    }

    /// The same string as a datum of `self`, given that it belongs to `from`.
    #[inline]
    pub fn adopt(&mut self, datum: Datum, from: &Arena) -> Datum {
        if datum.is_null() || !datum.is_long() {
            return datum;
        }
        let (offset, len) = datum.long_parts();
        let at = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&from.bytes[offset as usize..offset as usize + len as usize]);
        Datum::long(at, len)
    }

    /// Bytes in use: a mark for [`Arena::truncate`].
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.bytes.len()
    }
    /// Forgets all strings stored since `mark`. Their datums must not be read any more.
    #[inline(always)]
    pub fn truncate(&mut self, mark: usize) {
        self.bytes.truncate(mark);
    }

    /// True if two values of one type, neither NULL, are the same.
    #[inline]
    pub fn equal(&self, a: Datum, b: Datum) -> bool {
        if a.is_long() && b.is_long() {
            self.compare(a, self, b) == Ordering::Equal
        } else {
            a.lo == b.lo && a.hi == b.hi
        }
    }

    /// Byte-wise order of two strings, `a` of `self` and `b` of `other`.
    #[inline]
    pub fn compare(&self, a: Datum, other: &Arena, b: Datum) -> Ordering {
        if !a.is_long() && !b.is_long() {
            // Zero padding sorts like the end of a string; the length, last, decides between "a" and "a\0".
            let key = |d: Datum| (d.lo.swap_bytes(), d.hi.swap_bytes());
            return key(a).cmp(&key(b));
        }
        let (mut x, mut y) = ([0; 16], [0; 16]);
        self.bytes(a, &mut x).cmp(other.bytes(b, &mut y))
    }
}

/// The registers of one running program and the bytes of its long strings.
#[derive(Default, Debug)]
pub struct Frame {
    pub regs: Vec<Datum>,
    pub arena: Arena,
}

impl Frame {
    /// `count` registers, all NULL.
    pub fn new(count: usize) -> Frame {
        Frame { regs: vec![Datum::NULL; count], arena: Arena::default() }
    }
    /// Empties the arena and makes all of `count` registers NULL; keeps the memory.
    pub fn reset(&mut self, count: usize) {
        self.arena.truncate(0);
        self.regs.clear();
        self.regs.resize(count, Datum::NULL);
    }
    #[inline(always)]
    pub fn get(&self, reg: Reg) -> Datum {
        self.regs[reg as usize]
    }
    #[inline(always)]
    pub fn set(&mut self, reg: Reg, datum: Datum) {
        self.regs[reg as usize] = datum;
    }
    /// `value` as a datum of this frame. It must already have the wanted type (see `expr::convert`).
    pub fn datum(&mut self, value: &Value) -> Datum {
        match value {
            Value::Null => Datum::NULL,
            Value::Bool(v) => Datum::bool(*v),
            Value::Int(v) => Datum::int(*v),
            Value::Float(v) => Datum::float(*v),
            Value::Decimal(v) => Datum::decimal(*v),
            Value::Timestamp(v) => Datum::int(v.micros()),
            Value::Text(v) => self.arena.store(v.as_bytes()),
            Value::Bytes(v) => self.arena.store(v),
            Value::Array(values) => super::array::store(values, &mut self.arena),
        }
    }
    /// The datum of a register as a value of type `ty`.
    pub fn value(&self, reg: Reg, ty: DataType) -> Value {
        datum_value(self.get(reg), ty, &self.arena)
    }
}

/// `datum`, of type `ty`, with its long bytes in `arena`, as an owned value.
pub fn datum_value(datum: Datum, ty: DataType, arena: &Arena) -> Value {
    if datum.is_null() {
        return Value::Null;
    }
    let mut scratch = [0; 16];
    match ty {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Bool(datum.lo != 0),
        DataType::TinyInt | DataType::SmallInt | DataType::Integer | DataType::BigInt => Value::Int(datum.as_i64()),
        DataType::Float => Value::Float(datum.as_f64()),
        DataType::Decimal => Value::Decimal(datum.as_decimal()),
        DataType::Timestamp => Value::Timestamp(Timestamp::from_micros(datum.as_i64())),
        DataType::Varchar { .. } => Value::Text(String::from_utf8_lossy(arena.bytes(datum, &mut scratch)).into_owned()),
        DataType::Varbinary { .. } => Value::Bytes(arena.bytes(datum, &mut scratch).to_vec()),
        DataType::Array(element) => super::array::values(datum, element.data_type(), arena),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_decimal_looks_like_a_long_string() {
        for scaled in [0, 1, -1, 10i128.pow(38) - 1, -10i128.pow(38) + 1] {
            let datum = Datum::decimal(Decimal::from_scaled(scaled));
            assert!(!datum.is_long());
            assert_eq!(datum.as_decimal().scaled(), scaled);
        }
    }

    #[test]
    fn strings_order_by_bytes_whether_short_or_long() {
        let mut arena = Arena::default();
        let texts = ["", "\0", "a", "a\0", "a\0b", "ab", "abcdefghijklmno", "abcdefghijklmnop", "abd", "é"];
        let datums: Vec<Datum> = texts.iter().map(|t| arena.store(t.as_bytes())).collect();
        for (i, a) in datums.iter().enumerate() {
            for (j, b) in datums.iter().enumerate() {
                assert_eq!(arena.compare(*a, &arena, *b), texts[i].as_bytes().cmp(texts[j].as_bytes()));
            }
        }
    }
}
