//! One SQL value as it crosses the client API.

use super::{Decimal, Timestamp};
use std::fmt;

/// An owned value or NULL. `Int` serves all four integer types. `Display` gives the text that a result set shows
/// (NULL as `NULL`, bytes as upper-case hex).
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    Text(String),
    Bytes(Vec<u8>),
    Timestamp(Timestamp),
    /// For a parameter behind IN; no column or result holds one.
    Array(Vec<Value>),
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The integer, if it is one.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(*v),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(v) => Some(v),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.pad("NULL"),
            Value::Bool(true) => f.pad("true"),
            Value::Bool(false) => f.pad("false"),
            Value::Int(v) => fmt::Display::fmt(v, f),
            Value::Float(v) => f.pad(&format_float(*v)),
            Value::Decimal(v) => fmt::Display::fmt(v, f),
            Value::Text(v) => f.pad(v),
            Value::Bytes(v) => f.pad(&v.iter().map(|b| format!("{b:02X}")).collect::<String>()),
            Value::Timestamp(v) => fmt::Display::fmt(v, f),
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                f.pad(&format!("[{}]", values.join(", ")))
            }
        }
    }
}

/// The shortest text that reads back as the same double, always with a point or an exponent so that it reads as FLOAT.
fn format_float(v: f64) -> String {
    if v != 0.0 && (v.abs() >= 1e16 || v.abs() < 1e-5) { format!("{v:E}") } else { format!("{v:?}") }
}

macro_rules! from_integer {
    ($($t:ty),*) => {$(
        impl From<$t> for Value {
            fn from(v: $t) -> Value {
                Value::Int(v.into())
            }
        }
    )*};
}
from_integer!(i8, i16, i32, i64, u8, u16, u32);

impl From<f64> for Value {
    fn from(v: f64) -> Value {
        Value::Float(v)
    }
}
impl From<bool> for Value {
    fn from(v: bool) -> Value {
        Value::Bool(v)
    }
}
impl From<&str> for Value {
    fn from(v: &str) -> Value {
        Value::Text(v.to_owned())
    }
}
impl From<String> for Value {
    fn from(v: String) -> Value {
        Value::Text(v)
    }
}
impl From<Decimal> for Value {
    fn from(v: Decimal) -> Value {
        Value::Decimal(v)
    }
}
impl From<Timestamp> for Value {
    fn from(v: Timestamp) -> Value {
        Value::Timestamp(v)
    }
}
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Value {
        v.map_or(Value::Null, Into::into)
    }
}
