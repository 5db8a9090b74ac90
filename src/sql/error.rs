//! What is wrong with a text.

use super::Span;

/// A text that is no statement: what is wrong, where, and, where it can be said, what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    pub message: String,
    pub span: Span,
}

impl SqlError {
    pub fn new(message: impl Into<String>, span: Span) -> SqlError {
        SqlError { message: message.into(), span }
    }
}
