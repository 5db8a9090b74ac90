//! What is wrong with a statement that could be read but not understood.

use crate::sql::Span;
use crate::types::DataType;

/// A name that isn't there, types that don't meet, a rule broken; where, and, where it can be said, what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct BindError {
    pub message: String,
    pub span: Span,
    /// Five characters, for errors that would have one if they were found while running.
    pub sqlstate: Option<&'static str>,
}

pub type Result<T> = std::result::Result<T, BindError>;

impl BindError {
    pub fn new(message: impl Into<String>, span: Span) -> BindError {
        BindError { message: message.into(), span, sqlstate: None }
    }
    pub(super) fn with_sqlstate(mut self, sqlstate: &'static str) -> BindError {
        self.sqlstate = Some(sqlstate);
        self
    }
}

/// Shorthand of this room.
pub(super) fn fail<T>(message: impl Into<String>, span: Span) -> Result<T> {
    Err(BindError::new(message, span))
}

/// "; did you mean x?", or nothing.
pub(super) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match crate::sql::nearest(word, candidates) {
        Some(candidate) => format!("; did you mean {candidate}?"),
        None => String::new(),
    }
}

/// A type as messages name it: VARCHAR without its length.
pub(super) fn type_name(ty: DataType) -> String {
    match ty {
        DataType::Varchar { .. } => "VARCHAR".to_owned(),
        DataType::Varbinary { .. } => "VARBINARY".to_owned(),
        ty => ty.to_string(),
    }
}
