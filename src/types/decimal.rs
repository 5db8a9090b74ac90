//! Exact DECIMAL: 38 digits, 12 of them after the point.
//!
//! Owns parsing, printing and arithmetic of decimals. Results that do not fit are `None`, never wrapped or cut; which
//! SQL error that is, `expr` decides.

use std::fmt;
use std::str::FromStr;

/// A decimal number, held as an integer scaled by 10^12. At most 26 digits before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i128);

/// Why a text or a number is no DECIMAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    #[error("not a decimal number")]
    Malformed,
    #[error("out of range: DECIMAL has at most 26 digits before the point")]
    OutOfRange,
}

/// The largest scaled magnitude: 38 nines.
const SCALED_MAX: u128 = 10u128.pow(38) - 1;
const ONE: u128 = Decimal::ONE as u128;

impl Decimal {
    pub const SCALE: u32 = 12;
    pub const ONE: i128 = 1_000_000_000_000;
    pub const MAX: Decimal = Decimal(SCALED_MAX as i128);
    pub const MIN: Decimal = Decimal(-(SCALED_MAX as i128));
    pub const ZERO: Decimal = Decimal(0);

    pub const fn from_scaled(scaled: i128) -> Decimal {
        Decimal(scaled)
    }
    /// The number times 10^12.
    pub const fn scaled(self) -> i128 {
        self.0
    }

    /// `scaled` / 10^12, if it has no more than 38 digits.
    #[inline]
    pub const fn checked_from_scaled(scaled: i128) -> Option<Decimal> {
        if scaled.unsigned_abs() > SCALED_MAX { None } else { Some(Decimal(scaled)) }
    }
    /// Always exact.
    #[inline]
    pub const fn from_i64(v: i64) -> Decimal {
        Decimal(v as i128 * Decimal::ONE)
    }
    /// The shortest decimal that reads as `v`, rounded half-up to 12 places; None for NaN and from 10^26 on.
    pub fn from_f64(v: f64) -> Option<Decimal> {
        if v.is_nan() || v.abs() >= 1e26 {
            return None;
        }
        if v.abs() < 1e-13 {
            return Some(Decimal::ZERO);
        }
        let mut text = Buffer::default();
        fmt::Write::write_fmt(&mut text, format_args!("{v}")).ok()?;
        text.as_str().parse().ok()
    }
    /// The double nearest to it.
    pub fn to_f64(self) -> f64 {
        // Both operands are exact doubles below 2^53, so the quotient is rounded once.
        if self.0.unsigned_abs() < 1 << 53 {
            return self.0 as f64 / Decimal::ONE as f64;
        }
        let mut text = Buffer::default();
        fmt::Write::write_fmt(&mut text, format_args!("{self}")).expect("a decimal has at most 40 characters");
        text.as_str().parse().expect("a decimal's text reads as a double")
    }
    /// The integer part, truncated towards zero, if it is an `i64`.
    #[inline]
    pub fn to_i64(self) -> Option<i64> {
        i64::try_from(self.0 / Decimal::ONE).ok()
    }
    /// True if there are no digits after the point.
    pub const fn is_integer(self) -> bool {
        self.0 % Decimal::ONE == 0
    }

    #[inline]
    pub const fn checked_add(self, other: Decimal) -> Option<Decimal> {
        match self.0.checked_add(other.0) {
            Some(sum) => Decimal::checked_from_scaled(sum),
            None => None,
        }
    }
    #[inline]
    pub const fn checked_sub(self, other: Decimal) -> Option<Decimal> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Decimal::checked_from_scaled(difference),
            None => None,
        }
    }
    /// The product, truncated at 12 places.
    #[inline]
    pub fn checked_mul(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.0.unsigned_abs(), other.0.unsigned_abs());
        if a >> 64 == 0 && b >> 64 == 0 {
            return Decimal::signed(div_one(a * b), (self.0 < 0) != (other.0 < 0));
        }
        self.long_mul(other)
    }
    /// The quotient, truncated at 12 places; None if `other` is zero.
    #[inline]
    pub fn checked_div(self, other: Decimal) -> Option<Decimal> {
        if other.0 == 0 {
            return None;
        }
        if let Some(dividend) = self.0.checked_mul(Decimal::ONE) {
            return Decimal::checked_from_scaled(dividend / other.0);
        }
        self.long_div(other)
    }
    /// What is left of `self` after dividing by `other` to an integer, with the sign of `self`; None if `other` is zero.
    #[inline]
    pub const fn checked_rem(self, other: Decimal) -> Option<Decimal> {
        match self.0.checked_rem(other.0) {
            Some(rest) => Some(Decimal(rest)),
            None => None,
        }
    }
    #[inline]
    pub const fn neg(self) -> Decimal {
        Decimal(-self.0)
    }
    #[inline]
    pub const fn abs(self) -> Decimal {
        Decimal(self.0.abs())
    }
    /// The largest integer not above it; None if that takes 27 digits.
    pub const fn floor(self) -> Option<Decimal> {
        Decimal::checked_from_scaled(self.0.div_euclid(Decimal::ONE) * Decimal::ONE)
    }
    /// The smallest integer not below it.
    pub const fn ceil(self) -> Option<Decimal> {
        Decimal::checked_from_scaled(-((-self.0).div_euclid(Decimal::ONE) * Decimal::ONE))
    }
    /// Rounded half-even to `places` digits after the point; negative places round before it.
    pub const fn round(self, places: i32) -> Option<Decimal> {
        if places >= Decimal::SCALE as i32 {
            return Some(self);
        }
        if places < -26 {
            return Some(Decimal::ZERO);
        }
        let unit = 10i128.pow((Decimal::SCALE as i32 - places) as u32);
        let (quotient, rest) = (self.0 / unit, (self.0 % unit).abs());
        let up = rest > unit - rest || (rest == unit - rest && quotient % 2 != 0);
        let step = if up { self.0.signum() } else { 0 };
        match (quotient + step).checked_mul(unit) {
            Some(scaled) => Decimal::checked_from_scaled(scaled),
            None => None,
        }
    }

    /// For products that need more than 128 bits: both factors split at the point.
    #[cold]
    fn long_mul(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.0.unsigned_abs(), other.0.unsigned_abs());
        let (a_int, a_frac, b_int, b_frac) = (a / ONE, a % ONE, b / ONE, b % ONE);
        // The integer parts have 26 digits, the fractions 12: each cross product has at most 38.
        let cross = a_int * b_frac + a_frac * b_int + a_frac * b_frac / ONE;
        let product = a_int.checked_mul(b_int)?.checked_mul(ONE)?.checked_add(cross)?;
        Decimal::signed(product, (self.0 < 0) != (other.0 < 0))
    }

    /// For dividends that need more than 128 bits: the integer quotient, then digit by digit.
    #[cold]
    fn long_div(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.0.unsigned_abs(), other.0.unsigned_abs());
        let (mut quotient, mut rest) = (a / b, a % b);
        for _ in 0..Decimal::SCALE {
            // Ten times the rest may not fit, the rest twice does.
            let (mut sum, mut digit) = (0, 0);
            for _ in 0..10 {
                sum += rest;
                if sum >= b {
                    sum -= b;
                    digit += 1;
                }
            }
            rest = sum;
            quotient = quotient.checked_mul(10)?.checked_add(digit)?;
        }
        Decimal::signed(quotient, (self.0 < 0) != (other.0 < 0))
    }

    fn signed(magnitude: u128, negative: bool) -> Option<Decimal> {
        if magnitude > SCALED_MAX {
            return None;
        }
        Some(Decimal(if negative { -(magnitude as i128) } else { magnitude as i128 }))
    }
}

/// `v` / 10^12, by multiplications: a division of 128 bits takes several times as long.
#[inline]
fn div_one(v: u128) -> u128 {
    // 10^12 is 2^12 times a number of 28 bits, and so a digit of 32 bits and the rest before it fit 64.
    const FIVES: u64 = 5u64.pow(12);
    let shifted = v >> Decimal::SCALE;
    let (mut quotient, mut rest) = (0, 0);
    for digit in (0..4).rev() {
        let part = rest << 32 | (shifted >> (32 * digit)) as u64 & 0xFFFF_FFFF;
        quotient = quotient << 32 | (part / FIVES) as u128;
        rest = part % FIVES;
    }
    quotient
}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// `[+-]digits[.digits]`, with digits on one side of the point at least; no blanks, no exponent. Digits after the
    /// twelfth place round half-up (away from zero).
    fn from_str(text: &str) -> Result<Decimal, DecimalError> {
        let bytes = text.as_bytes();
        let (negative, digits) = match bytes.first() {
            Some(b'-') => (true, &bytes[1..]),
            Some(b'+') => (false, &bytes[1..]),
            _ => (false, bytes),
        };
        let point = digits.iter().position(|&b| b == b'.');
        let (whole, fraction) = point.map_or((digits, &[][..]), |at| (&digits[..at], &digits[at + 1..]));
        if whole.is_empty() && fraction.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return Err(DecimalError::Malformed);
        }
        let mut scaled: u128 = 0;
        for &b in whole {
            scaled = scaled * 10 + (b - b'0') as u128;
            if scaled > SCALED_MAX / ONE {
                return Err(DecimalError::OutOfRange);
            }
        }
        for place in 0..Decimal::SCALE as usize {
            scaled = scaled * 10 + fraction.get(place).map_or(0, |b| (b - b'0') as u128);
        }
        if fraction.get(Decimal::SCALE as usize).is_some_and(|&b| b >= b'5') {
            scaled += 1;
        }
        Decimal::signed(scaled, negative).ok_or(DecimalError::OutOfRange)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Buffer::default();
        let sign = if self.0 < 0 { "-" } else { "" };
        let abs = self.0.unsigned_abs();
        fmt::Write::write_fmt(&mut text, format_args!("{sign}{}.{:012}", abs / ONE, abs % ONE))?;
        f.pad(text.as_str())
    }
}

/// Room for a number's text without an allocation: a sign, 27 digits, a point, 30 more digits.
struct Buffer {
    bytes: [u8; 64],
    len: usize,
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer { bytes: [0; 64], len: 0 }
    }
}

impl Buffer {
    fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).expect("only whole strings were written")
    }
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn text_is_read_exactly_and_printed_with_twelve_places() {
        for (text, shown) in [
            ("0", "0.000000000000"),
            ("-0", "0.000000000000"),
            ("+1.5", "1.500000000000"),
            (".5", "0.500000000000"),
            ("7.", "7.000000000000"),
            ("-12.000000000001", "-12.000000000001"),
            ("0.0000000000005", "0.000000000001"),
            ("-0.0000000000005", "-0.000000000001"),
            ("0.00000000000049", "0.000000000000"),
            ("99999999999999999999999999.999999999999", "99999999999999999999999999.999999999999"),
            ("-99999999999999999999999999.999999999999", "-99999999999999999999999999.999999999999"),
            ("000000000000000000000000000000000000012", "12.000000000000"),
        ] {
            assert_eq!(d(text).to_string(), shown, "{text}");
        }
        assert_eq!(d("99999999999999999999999999.999999999999"), Decimal::MAX);
    }

    #[test]
    fn bad_text_and_numbers_out_of_range_are_refused() {
        for text in ["", "+", ".", "-.", "1e3", " 1", "1 ", "1.2.3", "--1", "0x1", "١", "1,000"] {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalError::Malformed), "{text:?}");
        }
        for text in ["100000000000000000000000000", "99999999999999999999999999.9999999999995", "9".repeat(80).as_str()]
        {
            assert_eq!(text.parse::<Decimal>(), Err(DecimalError::OutOfRange), "{text:?}");
        }
    }

    #[test]
    fn products_truncate_and_may_need_more_than_128_bits() {
        assert_eq!(d("1.5").checked_mul(d("-2.5")), Some(d("-3.75")));
        assert_eq!(d("0.000001").checked_mul(d("0.0000009")), Some(d("0")));
        assert_eq!(d("-0.000001").checked_mul(d("0.0000019")), Some(d("-0.000000000001")));
        assert_eq!(Decimal::MAX.checked_mul(d("-1")), Some(Decimal::MIN));
        assert_eq!(Decimal::MAX.checked_mul(d("1.000000000001")), None);
        let x = d("12345678901234567890.123456789012");
        assert_eq!(x.checked_mul(d("123456.789012345678")), Some(d("1524157875323883663923182.566392275580")));
        assert_eq!(d("99999999999999").checked_mul(d("99999999999999")), None);
        assert_eq!(d("9999999999999").checked_mul(d("9999999999999")), Some(d("99999999999980000000000001")));
    }

    #[test]
    fn dividing_by_the_scale_is_exact_for_all_magnitudes() {
        for bits in 0..128 {
            for v in [1u128 << bits, (1 << bits) - 1, u128::MAX >> bits, (u128::MAX / 3) >> bits] {
                assert_eq!(div_one(v), v / ONE, "{v}");
            }
        }
    }

    #[test]
    fn quotients_truncate_and_may_need_more_than_128_bits() {
        assert_eq!(d("1").checked_div(d("3")), Some(d("0.333333333333")));
        assert_eq!(d("-2").checked_div(d("3")), Some(d("-0.666666666666")));
        assert_eq!(d("1").checked_div(d("0")), None);
        assert_eq!(Decimal::MAX.checked_div(Decimal::MAX), Some(d("1")));
        assert_eq!(Decimal::MAX.checked_div(d("3")), Some(d("33333333333333333333333333.333333333333")));
        assert_eq!(Decimal::MAX.checked_div(d("0.5")), None);
        assert_eq!(Decimal::MAX.checked_div(d("99999999999999999999999998")), Some(d("1.000000000000")));
        assert_eq!(d("50000000000000000000000000").checked_div(d("-99999999999999999999999999")), Some(d("-0.5")));
    }

    #[test]
    fn sums_and_rests_are_exact() {
        assert_eq!(d("0.1").checked_add(d("0.2")), Some(d("0.3")));
        assert_eq!(Decimal::MAX.checked_add(d("0.000000000001")), None);
        assert_eq!(Decimal::MIN.checked_sub(d("0.000000000001")), None);
        assert_eq!(d("-7.5").checked_rem(d("2")), Some(d("-1.5")));
        assert_eq!(d("7.5").checked_rem(d("0")), None);
    }

    #[test]
    fn rounding_is_half_even_at_any_place() {
        for (text, places, rounded) in [
            ("2.5", 0, "2"),
            ("3.5", 0, "4"),
            ("-2.5", 0, "-2"),
            ("-2.51", 0, "-3"),
            ("0.125", 2, "0.12"),
            ("1250", -2, "1200"),
            ("1350", -2, "1400"),
            ("1.23", 20, "1.23"),
            ("60000000000000000000000000", -27, "0"),
        ] {
            assert_eq!(d(text).round(places), Some(d(rounded)), "{text} {places}");
        }
        assert_eq!(d("60000000000000000000000000").round(-26), None);
        assert_eq!(d("-1.5").floor(), Some(d("-2")));
        assert_eq!(d("-1.5").ceil(), Some(d("-1")));
        assert_eq!(Decimal::MAX.ceil(), None);
    }

    #[test]
    fn conversions_keep_what_can_be_kept() {
        assert_eq!(Decimal::from_f64(123456.7), Some(d("123456.7")));
        assert_eq!(Decimal::from_f64(-1e25), Some(d("-10000000000000000000000000")));
        assert_eq!(Decimal::from_f64(1e26), None);
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        assert_eq!(Decimal::from_f64(1.5e-12), Some(d("0.000000000002")));
        assert_eq!(d("123456789012.123456789012").to_f64(), 123456789012.12346);
        assert_eq!(d("0.1").to_f64(), 0.1);
        assert_eq!(d("-9223372036854775808.9").to_i64(), Some(i64::MIN));
        assert_eq!(d("9223372036854775808").to_i64(), None);
        assert_eq!(Decimal::from_i64(i64::MIN).to_i64(), Some(i64::MIN));
    }
}
