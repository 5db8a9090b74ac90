//! What can be wrong with a data folder.

use std::fmt;
use std::io;

/// Why a data folder could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum DurabilityError {
    #[error("cannot {doing} {file}: {source}")]
    Io { doing: &'static str, file: String, source: io::Error },
    #[error("{folder} is in use by another process; a data folder belongs to one process at a time")]
    Locked { folder: String },
    /// What is at `offset` of `file` is not what was written there.
    #[error(
        "{file} is damaged at byte {offset}: {problem}. Nothing was opened. `votedb-shell --check DIR` looks at every file; \
         {way_out}"
    )]
    Corrupt { file: String, offset: u64, problem: Problem, way_out: String },
    #[error(
        "{file} has format version {found}, this program reads up to {known}: open it with the program that wrote it, or newer"
    )]
    Newer { file: String, found: u32, known: u32 },
    #[error("{file} is missing from the log: its neighbours are there. Put it back, or go on with {way_out}")]
    MissingSegment { file: String, way_out: String },
    /// A transaction that committed before does not commit again.
    #[error("transaction {transaction} of the log, {what}, failed when it was done again: {message}")]
    Replay { transaction: u64, what: String, message: String },
    #[error("the target {asked} lies before the snapshot, which holds transactions up to {first}")]
    TargetTooEarly { asked: String, first: u64 },
}

/// What is wrong with some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    Header,
    Checksum,
    Order,
    Truncated,
    Content,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::Header => "its header is not one of ours",
            Problem::Checksum => "a checksum does not match, and intact blocks follow",
            Problem::Order => "a block is missing or out of order",
            Problem::Truncated => "it ends too early",
            Problem::Content => "a checksum matches but the content cannot be read",
        })
    }
}

impl DurabilityError {
    pub fn io(doing: &'static str, file: impl Into<String>, source: io::Error) -> DurabilityError {
        DurabilityError::Io { doing, file: file.into(), source }
    }
}
