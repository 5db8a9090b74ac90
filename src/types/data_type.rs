//! The SQL types, their widths in a stored row, and which of them hold which.

use std::fmt;

/// Longest VARCHAR, in characters, and longest VARBINARY or `VARCHAR(n BYTES)`, in bytes (VoltDB's limits).
pub const VARCHAR_CHARS_MAX: u32 = 262_144;
pub const BYTES_MAX: u32 = 1_048_576;

/// The type of a column, parameter, variable or expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DataType {
    /// The type of a bare NULL literal: it fits every other type.
    Null,
    /// Truth values of predicates; also a column type (our addition).
    Boolean,
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
    /// IEEE 754 double; NaN and infinities are never results.
    Float,
    /// Always precision 38, scale 12.
    Decimal,
    /// At most `max` characters, or bytes where `bytes`.
    Varchar {
        max: u32,
        bytes: bool,
    },
    /// At most `max` bytes.
    Varbinary {
        max: u32,
    },
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    Timestamp,
    /// A list of values: the type of a parameter behind IN, of nothing else.
    Array(ElementType),
}

/// The type of an array's elements. Lengths are not checked in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ElementType {
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
    Float,
    Decimal,
    Varchar,
    Varbinary,
    Timestamp,
}

impl ElementType {
    /// None for types that have no arrays.
    pub fn of(ty: DataType) -> Option<ElementType> {
        Some(match ty {
            DataType::TinyInt => ElementType::TinyInt,
            DataType::SmallInt => ElementType::SmallInt,
            DataType::Integer => ElementType::Integer,
            DataType::BigInt => ElementType::BigInt,
            DataType::Float => ElementType::Float,
            DataType::Decimal => ElementType::Decimal,
            DataType::Varchar { .. } => ElementType::Varchar,
            DataType::Varbinary { .. } => ElementType::Varbinary,
            DataType::Timestamp => ElementType::Timestamp,
            _ => return None,
        })
    }
    pub fn data_type(self) -> DataType {
        match self {
            ElementType::TinyInt => DataType::TinyInt,
            ElementType::SmallInt => DataType::SmallInt,
            ElementType::Integer => DataType::Integer,
            ElementType::BigInt => DataType::BigInt,
            ElementType::Float => DataType::Float,
            ElementType::Decimal => DataType::Decimal,
            ElementType::Varchar => DataType::TEXT,
            ElementType::Varbinary => DataType::Varbinary { max: BYTES_MAX },
            ElementType::Timestamp => DataType::Timestamp,
        }
    }
}

impl DataType {
    /// VARCHAR without a declared length, as expressions have it.
    pub const TEXT: DataType = DataType::Varchar { max: BYTES_MAX, bytes: true };

    /// TINYINT, SMALLINT, INTEGER or BIGINT.
    pub fn is_integer(self) -> bool {
        matches!(self, DataType::TinyInt | DataType::SmallInt | DataType::Integer | DataType::BigInt)
    }

    /// An integer type, FLOAT or DECIMAL.
    pub fn is_numeric(self) -> bool {
        self.is_integer() || matches!(self, DataType::Float | DataType::Decimal)
    }

    pub fn is_text(self) -> bool {
        matches!(self, DataType::Varchar { .. })
    }

    /// VARCHAR, VARBINARY or an array: values whose datum may point into an arena.
    pub fn is_bytes(self) -> bool {
        matches!(self, DataType::Varchar { .. } | DataType::Varbinary { .. } | DataType::Array(_))
    }

    /// Smallest and largest value of an integer type. The minimum of the machine type is a value like any other here
    /// (VoltDB keeps it for NULL).
    pub fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            DataType::TinyInt => Some((i8::MIN as i64, i8::MAX as i64)),
            DataType::SmallInt => Some((i16::MIN as i64, i16::MAX as i64)),
            DataType::Integer => Some((i32::MIN as i64, i32::MAX as i64)),
            DataType::BigInt => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }

    /// Most bytes that a value may have, for VARCHAR and VARBINARY.
    pub fn bytes_max(self) -> Option<u32> {
        match self {
            DataType::Varchar { max, bytes: true } | DataType::Varbinary { max } => Some(max),
            DataType::Varchar { max, bytes: false } => Some(max.saturating_mul(4)),
            _ => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataType::Null => f.pad("NULL"),
            DataType::Boolean => f.pad("BOOLEAN"),
            DataType::TinyInt => f.pad("TINYINT"),
            DataType::SmallInt => f.pad("SMALLINT"),
            DataType::Integer => f.pad("INTEGER"),
            DataType::BigInt => f.pad("BIGINT"),
            DataType::Float => f.pad("FLOAT"),
            DataType::Decimal => f.pad("DECIMAL"),
            DataType::Timestamp => f.pad("TIMESTAMP"),
            DataType::Array(element) => f.pad(&format!("{} ARRAY", element.data_type())),
            DataType::Varchar { max: BYTES_MAX, bytes: true } => f.pad("VARCHAR"),
            DataType::Varchar { max, bytes: true } => f.pad(&format!("VARCHAR({max} BYTES)")),
            DataType::Varchar { max, .. } => f.pad(&format!("VARCHAR({max})")),
            DataType::Varbinary { max: BYTES_MAX } => f.pad("VARBINARY"),
            DataType::Varbinary { max } => f.pad(&format!("VARBINARY({max})")),
        }
    }
}
