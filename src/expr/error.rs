//! Why an expression has no value.

use crate::types::DataType;

/// An error of the statement's data, not of its text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvalError {
    #[error("division by zero")]
    DivisionByZero,
    #[error("value out of range for type {ty}")]
    Overflow { ty: DataType },
    #[error("cannot read '{text}' as {to}")]
    BadCast { text: String, to: DataType },
    /// `len` in characters or bytes, as `ty` counts.
    #[error("value of length {len} is too long for {ty}")]
    TooLong { len: usize, ty: DataType },
    /// A client's value that the declared type does not take.
    #[error("value {value} of type {from} is not a match or out of range for type {to}")]
    Conversion { value: String, from: &'static str, to: DataType },
    /// A client's integer that the declared type does not hold.
    #[error("value {value} of type {from} is not a match or out of range for type {to}")]
    ConversionOverflow { value: String, from: &'static str, to: DataType },
    /// An argument that the function does not know what to do with.
    #[error("{function}: {problem}")]
    BadArgument { function: &'static str, problem: String },
    /// A numeric argument, or the result, outside of what the function can do.
    #[error("{function}: {problem}")]
    OutOfRange { function: &'static str, problem: &'static str },
    /// A negative length, or a string that would grow too long.
    #[error("{function}: {problem}")]
    BadLength { function: &'static str, problem: &'static str },
    #[error("LIKE pattern '{pattern}' ends with its escape character: a character must follow it")]
    DanglingEscape { pattern: String },
}

impl EvalError {
    /// The SQLSTATE: class 22, data exception.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            EvalError::DivisionByZero => "22012",
            EvalError::Overflow { .. } | EvalError::OutOfRange { .. } | EvalError::ConversionOverflow { .. } => "22003",
            EvalError::BadCast { .. } | EvalError::Conversion { .. } => "22018",
            EvalError::TooLong { .. } | EvalError::BadLength { .. } => "22026",
            EvalError::BadArgument { .. } => "22023",
            EvalError::DanglingEscape { .. } => "22025",
        }
    }
}
