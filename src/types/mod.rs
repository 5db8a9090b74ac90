//! The vocabulary of the whole engine: names, types, values, rows and result sets.
//!
//! Two forms of a value exist, on purpose. [`Value`] is what crosses the client API: owned, self-describing.
//! [`Datum`] is what the engine computes on: two machine words, untyped, because whoever compiled the
//! code that touches it already knew the type. Nothing here knows SQL operators; those are `expr`'s.

pub mod array;
mod data_type;
mod datum;
mod decimal;
mod name;
mod result_set;
mod timestamp;
mod value;

pub use data_type::{BYTES_MAX, DataType, ElementType, VARCHAR_CHARS_MAX};
pub use datum::{Arena, Datum, Frame, INLINE_MAX, Reg, datum_value};
pub use decimal::{Decimal, DecimalError};
pub use name::Name;
pub use result_set::{Column, MODIFIED_TUPLES, ResultSet};
pub use timestamp::{
    MICROS_PER_DAY, MICROS_PER_SECOND, Timestamp, TimestampError, TimestampParts, civil_from_days, days_from_civil,
    days_in_month,
};
pub use value::Value;
