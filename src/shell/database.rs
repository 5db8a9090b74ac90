//! What the shell asks of a database: the whole of its view downwards.

use crate::types::{ResultSet, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A database that the shell can talk to. One statement runs at a time.
pub trait ShellDatabase {
    /// Runs one statement, without its semicolon: SQL, DDL, or `EXEC name arguments` as written.
    fn execute(&mut self, text: &str) -> Result<Outcome, StatementError>;

    /// Runs one statement with a value for each `?`. Fast when the same text comes again and again.
    fn execute_with(&mut self, text: &str, values: &[Value]) -> Result<Outcome, StatementError>;

    /// An empty database of the same kind, to try things on; None where there is no such thing.
    fn scratch(&self) -> Option<Box<dyn ShellDatabase>>;

    /// Runs the DDL statements of `text` as one batch: all of them or none. Gives what is worth telling about them, or
    /// every error there is, its span in `text`.
    fn execute_batch(&mut self, text: &str) -> Result<Vec<String>, Vec<StatementError>>;

    /// Tables and views, by name.
    fn tables(&self) -> Vec<TableSummary>;

    /// Stored procedures, by name.
    fn procedures(&self) -> Vec<ProcedureSummary>;

    /// Set from a signal handler while a statement runs: the statement should fail soon. The database clears it before the
    /// next one.
    fn cancel_flag(&self) -> Arc<AtomicBool>;

    /// One line that says what this is, for the first prompt.
    fn banner(&self) -> String;
}

/// What a statement gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub results: Vec<ResultSet>,
    pub tag: Tag,
    pub elapsed: Duration,
    /// Where it ran: `partition p1 (hash of phone_number)`, `all partitions`.
    pub partition: Option<String>,
    /// Things to know that are no errors.
    pub notes: Vec<String>,
}

/// The kind of answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Tag {
    /// The result sets are the answer.
    #[default]
    Rows,
    /// So many rows were inserted, updated or deleted.
    Modified(u64),
    /// A definition took effect: `table created`.
    Done(String),
}

/// Why a statement has no outcome.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct StatementError {
    pub message: String,
    /// First byte, and byte after the last, of the offending part of the text that was given.
    pub span: Option<(usize, usize)>,
    pub sqlstate: Option<String>,
    /// What would be right, where `message` does not say it.
    pub hint: Option<String>,
    /// What else is wrong.
    pub more: Vec<StatementError>,
}

impl StatementError {
    pub fn new(message: impl Into<String>) -> StatementError {
        StatementError { message: message.into(), ..StatementError::default() }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableKind {
    #[default]
    Table,
    View,
}

impl TableKind {
    pub fn name(self) -> &'static str {
        match self {
            TableKind::Table => "table",
            TableKind::View => "view",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableSummary {
    pub name: String,
    pub kind: TableKind,
    /// The column whose value decides about the partition, if there is one.
    pub partitioned_on: Option<String>,
    /// Without such a column: each partition has rows of its own (a view whose groups span partitions), not the same ones.
    pub is_spread: bool,
    pub columns: Vec<ColumnSummary>,
    /// Columns of the primary key, in its order; empty without one.
    pub primary_key: Vec<String>,
    pub row_count: u64,
    pub indexes: Vec<IndexSummary>,
    /// For a view: its SELECT as it was written.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexSummary {
    pub name: String,
    /// Columns or expressions, as SQL writes them.
    pub columns: String,
    pub is_unique: bool,
    /// It belongs to the primary key or to a UNIQUE constraint: nobody created it by name.
    pub is_of_constraint: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSummary {
    pub name: String,
    /// As SQL writes it: `VARCHAR(50)`.
    pub type_text: String,
    pub nullable: bool,
    /// As SQL writes it: `'NY'`, `NOW`.
    pub default_text: Option<String>,
    /// `partition column`, `unique`, and the like; may be empty.
    pub remarks: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcedureSummary {
    pub name: String,
    pub parameters: Vec<ParameterSummary>,
    /// Where it runs: `one, by phone_number`, `all`.
    pub partition_text: String,
    /// What it returns, as SQL writes types; empty if only result sets.
    pub returns: String,
    /// The CREATE PROCEDURE as it was written; may be empty.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterSummary {
    pub name: String,
    pub type_text: String,
}
