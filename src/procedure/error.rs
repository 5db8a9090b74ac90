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
    /// EXPECT, breached.
    #[error("expected {expected}, found {found}")]
    Expectation { expected: String, found: String },
    /// Raised only where a handler is for it.
    #[error("no row")]
    NotFound,
    #[error("cursor is {state}")]
    Cursor { state: &'static str },
    /// A procedure that was called failed.
    #[error(transparent)]
    Called(Box<ProcedureError>),
    #[error("procedures call each other more than {depth} deep")]
    TooDeep { depth: usize },
    #[error("procedure {name} is gone, or takes other arguments now")]
    CalleeChanged { name: Name },
    /// A native procedure gave up.
    #[error("{message}")]
    Native { sqlstate: String, message: String },
}

impl Trap {
    pub fn sqlstate(&self) -> &str {
        match self {
            Trap::Statement(error) => error.sqlstate(),
            Trap::Signal { sqlstate, .. } => sqlstate,
            Trap::CaseNotFound => "20000",
            Trap::IntoRows | Trap::Expectation { .. } => "21000",
            Trap::NotFound => "02000",
            Trap::Cursor { .. } => "24000",
            Trap::Called(error) => error.trap.sqlstate(),
            Trap::TooDeep { .. } => "54001",
            Trap::CalleeChanged { .. } => "42883",
            Trap::Native { sqlstate, .. } => sqlstate,
        }
    }

    /// A primary key or unique index had the key already.
    pub fn is_unique_violation(&self) -> bool {
        use crate::storage::{ConstraintKind, StorageError};
        match self {
            Trap::Statement(ExecError::Storage(StorageError::ConstraintViolation { kind, .. })) => {
                matches!(kind, ConstraintKind::PrimaryKey | ConstraintKind::Unique)
            }
            Trap::Called(error) => error.trap.is_unique_violation(),
            _ => false,
        }
    }

    /// Cancelled or out of time or stack: no handler can go on from it.
    pub fn is_final(&self) -> bool {
        match self {
            Trap::Statement(error) => matches!(error, ExecError::Cancelled | ExecError::TimedOut { .. }),
            Trap::Called(error) => error.trap.is_final(),
            Trap::TooDeep { .. } => true,
            _ => false,
        }
    }

    /// The procedure gave up on its own terms (SIGNAL, EXPECT), as opposed to a statement of it that failed.
    pub fn is_user_abort(&self) -> bool {
        match self {
            Trap::Signal { .. } | Trap::Expectation { .. } | Trap::CaseNotFound | Trap::Native { .. } => true,
            Trap::Called(error) => error.trap.is_user_abort(),
            _ => false,
        }
    }
}
