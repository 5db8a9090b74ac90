//! Exact DECIMAL: 38 digits, 12 of them after the point.

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

impl Decimal {
    pub const SCALE: u32 = 12;
    pub const ONE: i128 = 1_000_000_000_000;
    pub const fn from_scaled(scaled: i128) -> Decimal {
        Decimal(scaled)
    }
    /// The number times 10^12.
    pub const fn scaled(self) -> i128 {
        self.0
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let abs = self.0.unsigned_abs();
        let one = Decimal::ONE as u128;
        f.pad(&format!("{sign}{}.{:012}", abs / one, abs % one))
    }
}
