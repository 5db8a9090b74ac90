//! Why a statement failed while it ran.

use crate::expr::EvalError;
use crate::storage::StorageError;
use crate::topology::PartitionId;

/// A statement that failed: the transaction that it belongs to is rolled back.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error(transparent)]
    Eval(#[from] EvalError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("a subquery that stands for one value gave more than one row")]
    SubqueryRows,
    #[error("LIMIT and OFFSET must not be negative or NULL")]
    BadLimit,
    /// NULL, or a number that is too small.
    #[error("{what} must be a number that is not {least}")]
    BadWindow { what: &'static str, least: &'static str },
    /// A single-partition transaction wrote a row that belongs elsewhere.
    #[error("a row for {table} belongs to partition {owner}, but this transaction runs on {here} alone")]
    Mispartitioned { table: String, owner: PartitionId, here: PartitionId },
    /// A single-partition transaction wrote a replicated table.
    #[error("{table} is replicated: only a multi-partition transaction may change it")]
    ReplicatedWrite { table: String },
    #[error("cancelled")]
    Cancelled,
    #[error("stopped after {millis} ms, the time limit")]
    TimedOut { millis: u64 },
    #[error("a recursive query went on after {rounds} rounds")]
    TooManyRounds { rounds: usize },
    #[error("the result has more than {rows} rows")]
    ResultTooLarge { rows: usize },
}

impl ExecError {
    /// The five-character code of the SQL standard, or of PostgreSQL where that has none.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            ExecError::Eval(e) => e.sqlstate(),
            ExecError::Storage(e) => e.sqlstate(),
            ExecError::SubqueryRows => "21000",
            ExecError::BadLimit => "2201W",
            ExecError::BadWindow { .. } => "22013",
            ExecError::Mispartitioned { .. } | ExecError::ReplicatedWrite { .. } => "23000",
            ExecError::Cancelled | ExecError::TimedOut { .. } => "57014",
            ExecError::TooManyRounds { .. } => "54001",
            ExecError::ResultTooLarge { .. } => "54000",
        }
    }
}
