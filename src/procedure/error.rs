//! Why a call of a procedure failed.

use crate::executor::ExecError;
use crate::types::Name;

/// A call that failed: its transaction is rolled back.
#[derive(Debug, thiserror::Error)]
#[error("{trap} ({procedure}, line {line})")]
pub struct ProcedureError {
    pub procedure: Name,
    /// Line of the procedure's text, from 1.
    pub line: usize,
    #[source]
    pub trap: Trap,
}

/// What went wrong in a procedure's body.
#[derive(Debug, thiserror::Error)]
pub enum Trap {
    #[error(transparent)]
    Statement(#[from] ExecError),
    /// SIGNAL.
    #[error("{message}")]
    Signal { sqlstate: String, message: String },
    #[error("no branch of CASE applies, and it has no ELSE")]
    CaseNotFound,
    #[error("SELECT INTO gave more than one row")]
    IntoRows,
}

impl Trap {
    pub fn sqlstate(&self) -> &str {
        match self {
            Trap::Statement(error) => error.sqlstate(),
            Trap::Signal { sqlstate, .. } => sqlstate,
            Trap::CaseNotFound => "20000",
            Trap::IntoRows => "21000",
        }
    }
}
