//! Why a transaction has no result.

use crate::executor::ExecError;
use crate::expr::EvalError;
use crate::procedure::ProcedureError;
use crate::types::Name;

/// A transaction that did nothing: it failed and was rolled back, or it never began.
#[derive(Debug, thiserror::Error)]
pub enum TxnError {
    /// A procedure failed on its own terms: SIGNAL, a constraint, a bad value, a limit.
    #[error(transparent)]
    Aborted(#[from] ProcedureError),
    /// An ad hoc statement failed.
    #[error(transparent)]
    Statement(#[from] ExecError),
    #[error("no procedure {name}{hint}")]
    UnknownProcedure { name: Name, hint: String },
    #[error("{procedure} takes {}, not {received}: {signature}", arguments(*.expected))]
    ArgumentCount { procedure: Name, expected: usize, received: usize, signature: String },
    /// `position` from 1.
    #[error("argument {position} of {procedure} ({name} {ty}): {source}")]
    Argument { procedure: Name, position: usize, name: Name, ty: crate::types::DataType, source: Box<EvalError> },
    /// The schema changed between routing and running, and the procedure with it.
    #[error("{procedure} was changed while the call was under way; nothing ran: call it again")]
    Changed { procedure: Name },
    #[error("the database is paused: it takes no changes until EXEC @Resume")]
    Paused,
    /// A system procedure was asked for something that there is not, or cannot do it.
    #[error("{message}")]
    System { message: String, sqlstate: String },
    /// The log cannot be written: nothing is changed any more.
    #[error("the database takes no changes, only reads: {reason}. Put that right, then open the data folder again")]
    ReadOnly { reason: String },
    /// It ran, but its record may not be on disk.
    #[error(
        "it is not known whether the transaction will last: {reason}. Look for its changes after the data folder was opened again"
    )]
    NotDurable { reason: String },
}

/// "1 argument", "3 arguments"
fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

impl TxnError {
    pub fn sqlstate(&self) -> &str {
        match self {
            TxnError::Aborted(error) => error.trap.sqlstate(),
            TxnError::Statement(error) => error.sqlstate(),
            TxnError::UnknownProcedure { .. } => "42883",
            TxnError::ArgumentCount { .. } => "07001",
            TxnError::Argument { source, .. } => source.sqlstate(),
            TxnError::Changed { .. } => "40001",
            TxnError::Paused => "25006",
            TxnError::System { sqlstate, .. } => sqlstate,
            TxnError::ReadOnly { .. } => "25006",
            TxnError::NotDurable { .. } => "58030",
        }
    }
}
