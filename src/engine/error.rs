//! What can go wrong with a whole database, or with one statement.

use super::config::PARTITIONS_MAX;
use crate::durability::DurabilityError;
use crate::executor::ExecError;
use crate::partition::TxnError;
use crate::planner::BindError;
use crate::sql::{Span, SqlError, render_error};
use std::sync::Arc;

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{asked} partitions: a database has 1 to {PARTITIONS_MAX}")]
    Partitions { asked: usize },
    #[error("cannot start the threads of the partitions")]
    Threads(#[source] std::io::Error),
    #[error(transparent)]
    Data(#[from] DurabilityError),
}

/// A statement that did nothing: what is wrong, where, and its SQLSTATE.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct StatementError {
    pub message: String,
    /// The offending bytes, of the text that was given, or of `origin`'s.
    pub span: Option<Span>,
    /// Five characters.
    pub sqlstate: String,
    /// Set if the error is in another text: that of a procedure's file.
    pub origin: Option<Box<Origin>>,
    /// What else is wrong with the statement: in a procedure's body more than one thing can be.
    pub others: Vec<StatementError>,
}

/// A text that came from somewhere else than the caller.
#[derive(Clone, Debug)]
pub struct Origin {
    pub file: String,
    pub text: Arc<str>,
}

impl StatementError {
    pub fn new(message: impl Into<String>, span: Span) -> StatementError {
        StatementError {
            message: message.into(),
            span: (span != Span::NONE).then_some(span),
            sqlstate: "42000".to_owned(),
            origin: None,
            others: Vec::new(),
        }
    }

    /// Several as one: the first, with the others. `errors` must not be empty.
    pub fn several(errors: Vec<StatementError>) -> StatementError {
        let mut errors = errors.into_iter();
        let first = errors.next().expect("a failure has an error");
        StatementError { others: errors.collect(), ..first }
    }

    /// The same error in a text in which this one's begins at `offset`.
    pub fn at(mut self, offset: usize) -> StatementError {
        if let (Some(span), None) = (&mut self.span, &self.origin) {
            *span = Span::new(span.start + offset, span.end + offset);
        }
        self.others = self.others.into_iter().map(|other| other.at(offset)).collect();
        self
    }
    pub(super) fn with_origin(mut self, origin: &Option<Box<Origin>>) -> StatementError {
        self.origin = origin.clone();
        self
    }

    /// The message with the line it is about and a caret, given the text of the statement or script.
    pub fn render(&self, text: &str, file: Option<&str>) -> String {
        let (text, file) = match &self.origin {
            Some(origin) => (&*origin.text, Some(origin.file.as_str())),
            None => (text, file),
        };
        let mut out = match self.span {
            Some(span) => render_error(text, span, &self.message, file),
            None => format!("error: {}", self.message),
        };
        for other in &self.others {
            if !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&other.render(text, file));
        }
        out
    }
}

impl From<SqlError> for StatementError {
    fn from(error: SqlError) -> StatementError {
        StatementError { sqlstate: "42601".to_owned(), ..StatementError::new(error.message, error.span) }
    }
}
impl From<BindError> for StatementError {
    fn from(error: BindError) -> StatementError {
        let sqlstate = error.sqlstate.unwrap_or("42000").to_owned();
        StatementError { sqlstate, ..StatementError::new(error.message, error.span) }
    }
}
impl From<&TxnError> for StatementError {
    fn from(error: &TxnError) -> StatementError {
        StatementError { sqlstate: error.sqlstate().to_owned(), ..StatementError::new(error.to_string(), Span::NONE) }
    }
}
impl From<ExecError> for StatementError {
    fn from(error: ExecError) -> StatementError {
        StatementError::from(&TxnError::Statement(error))
    }
}
