//! Keys: their hash, and their form as bytes whose order is the order of the values.

use crate::storage::layout::{LongStrings, with_bytes};
use crate::types::{DataType, Datum};

/// Odd constants without a pattern.
const K1: u64 = 0x9E37_79B9_7F4A_7C15;
const K2: u64 = 0xD6E8_FEB8_6659_FD93;

/// The 128-bit product of both, folded: every input bit reaches every output bit.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = (a as u128).wrapping_mul(b as u128);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a key that is one datum of an integer type, or anything whose `hi` is always 0.
#[inline(always)]
pub fn hash_one(lo: u64) -> u32 {
    let h = fold(lo ^ K1, K2);
    (h.wrapping_mul(K1) >> 32) as u32
}

/// The hash of any key. Equal keys have equal hashes; NULLs count as values.
#[inline(always)]
pub fn hash_key(key: impl Iterator<Item = Datum>, long: &impl LongStrings) -> u32 {
    let mut h = K1;
    for datum in key {
        h = if datum.is_long() {
            long.with_long(datum, |bytes| hash_bytes(h, bytes))
        } else {
            fold(h ^ datum.lo, K2 ^ datum.hi)
        };
    }
    (h.wrapping_mul(K1) >> 32) as u32
}

fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut h = fold(seed ^ bytes.len() as u64, K2);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = fold(h ^ u64::from_le_bytes(word), K2);
    }
    h
}

/// True if two datums of one column type are the same value; two NULLs are.
#[inline(always)]
pub fn same(a: Datum, a_long: &impl LongStrings, b: Datum, b_long: &impl LongStrings) -> bool {
    if (a.lo ^ b.lo) | (a.hi ^ b.hi) == 0 && !a.is_long() {
        return true;
    }
    a.is_long() && a.hi == b.hi && a_long.with_long(a, |x| b_long.with_long(b, |y| x == y))
}

/// Most bytes that `encode` gives for a type; None where there is no small bound.
pub fn encoded_max(ty: DataType, nullable: bool) -> Option<usize> {
    let bytes = match ty {
        DataType::Null | DataType::Boolean | DataType::TinyInt => 1,
        DataType::SmallInt => 2,
        DataType::Integer => 4,
        DataType::BigInt | DataType::Timestamp | DataType::Float => 8,
        DataType::Decimal => 16,
        DataType::Varchar { .. } | DataType::Varbinary { .. } => match ty.bytes_max() {
            Some(max) if max <= 32 => 2 * max as usize + 2,
            _ => return None,
        },
        DataType::Array(_) => return None,
    };
    Some(bytes + nullable as usize)
}

/// True if a value fits the type's width. A look-up key that doesn't equals no stored value.
pub fn in_range(ty: DataType, datum: Datum) -> bool {
    ty.integer_range().is_none_or(|(min, max)| (min..=max).contains(&datum.as_i64()))
}

/// Appends the bytes of a value. Byte-wise comparison of encodings of one type is the order of the values, NULL first;
/// no encoding is the beginning of another. The value is in range.
pub fn encode(datum: Datum, ty: DataType, nullable: bool, long: &impl LongStrings, out: &mut Vec<u8>) {
    if nullable {
        out.push(!datum.is_null() as u8);
    }
    if datum.is_null() {
        return;
    }
    match ty {
        DataType::Array(_) => unreachable!("no key is an array"),
        DataType::Null | DataType::Boolean => out.push(datum.lo as u8),
        DataType::TinyInt => out.push(datum.lo as u8 ^ 0x80),
        DataType::SmallInt => out.extend((datum.lo as u16 ^ 0x8000).to_be_bytes()),
        DataType::Integer => out.extend((datum.lo as u32 ^ 0x8000_0000).to_be_bytes()),
        DataType::BigInt | DataType::Timestamp => out.extend((datum.lo ^ 1 << 63).to_be_bytes()),
        DataType::Float => {
            // Positive numbers order by their bits, negative ones the other way round.
            let flip = if datum.lo >> 63 == 1 { u64::MAX } else { 1 << 63 };
            out.extend((datum.lo ^ flip).to_be_bytes());
        }
        DataType::Decimal => {
            // A datum's lanes are in unsigned order.
            out.extend(datum.hi.to_be_bytes());
            out.extend(datum.lo.to_be_bytes());
        }
        DataType::Varchar { .. } | DataType::Varbinary { .. } => with_bytes(datum, long, |bytes| {
            for &b in bytes {
                out.push(b);
                if b == 0 {
                    out.push(0xFF);
                }
            }
            out.extend([0, 0]);
        }),
    }
}

/// Turns a prefix into the smallest bytes above everything that begins with it. False if there are none.
pub fn after_prefix(prefix: &mut Vec<u8>) -> bool {
    while prefix.pop_if(|b| *b == 0xFF).is_some() {}
    match prefix.last_mut() {
        Some(last) => {
            *last += 1;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Arena, Decimal};

    fn assert_ordered(ty: DataType, arena: &Arena, values: &[Datum]) {
        let keys: Vec<Vec<u8>> = values
            .iter()
            .map(|&d| {
                let mut key = Vec::new();
                encode(d, ty, true, arena, &mut key);
                assert!(encoded_max(ty, true).is_none_or(|max| key.len() <= max));
                key
            })
            .collect();
        assert!(keys.is_sorted_by(|a, b| a < b && !b.starts_with(a)), "{ty}: {keys:?}");
    }

    #[test]
    fn encodings_order_as_the_values_do() {
        let mut arena = Arena::default();
        let ints =
            |v: &[i64]| -> Vec<Datum> { [Datum::NULL].into_iter().chain(v.iter().map(|&i| Datum::int(i))).collect() };
        assert_ordered(DataType::TinyInt, &arena, &ints(&[-128, -1, 0, 1, 127]));
        assert_ordered(DataType::SmallInt, &arena, &ints(&[-32768, -1, 0, 1, 32767]));
        assert_ordered(DataType::Integer, &arena, &ints(&[i32::MIN as i64, -256, -1, 0, 1, 256, i32::MAX as i64]));
        assert_ordered(DataType::BigInt, &arena, &ints(&[i64::MIN, -256, -1, 0, 1, 256, i64::MAX]));
        let floats = [-1e300, -1.5, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1e300].map(Datum::float);
        assert_ordered(DataType::Float, &arena, &floats);
        let decimals =
            [-10i128.pow(38) + 1, -1 << 70, -1, 0, 1, 1 << 70].map(|v| Datum::decimal(Decimal::from_scaled(v)));
        assert_ordered(DataType::Decimal, &arena, &decimals);
        let texts = ["", "\0", "\0\0", "\0a", "a", "a\0", "a\0b", "a\u{1}", "aaaaaaaaaaaaaaaaaaaaa", "b", "é"];
        let texts = texts.map(|t| arena.store(t.as_bytes()));
        assert_ordered(DataType::Varchar { max: 30, bytes: true }, &arena, &texts);
    }

    #[test]
    fn hashes_of_consecutive_numbers_spread_evenly_in_their_low_and_top_bits() {
        for step in [1u64, 8, 1000, 1 << 20, 1 << 40] {
            let mut low = vec![0u32; 1024];
            let mut high = vec![0u32; 1024];
            for i in 0..102_400u64 {
                let h = hash_one(i.wrapping_mul(step));
                low[(h & 1023) as usize] += 1;
                high[(h >> 22) as usize] += 1;
            }
            for counts in [&low, &high] {
                let square: f64 = counts.iter().map(|&c| (c as f64 - 100.0).powi(2) / 100.0).sum();
                assert!(square < 1400.0, "step {step}: chi square {square} of 1023 degrees of freedom");
            }
        }
    }

    #[test]
    fn the_bytes_after_a_prefix_are_above_all_that_begins_with_it() {
        let mut key = vec![1, 0xFF, 0xFF];
        assert!(after_prefix(&mut key));
        assert_eq!(key, [2]);
        assert!(!after_prefix(&mut vec![0xFF]));
    }
}
