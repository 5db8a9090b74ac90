//! Why a row, or a schema change, was refused.

use crate::expr::EvalError;
use crate::types::Name;

/// The kind of rule that a row broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    PrimaryKey,
    Unique,
    NotNull,
    Check,
}

/// A change that cannot be made. A failing insert, update or delete of a table without views has changed nothing; with
/// views, the statement's savepoint must be rolled back to (see `Store::insert_can_fail_after_write`).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StorageError {
    /// `constraint` is the index, the check, or for NOT NULL the column. `key` is for people: `a = 1, b = 'x'`, or a
    /// check's text.
    #[error("{}", violation(table, constraint, *kind, key))]
    ConstraintViolation { table: Name, constraint: Name, kind: ConstraintKind, key: String },
    /// A table, an index or a string size class has no numbers left (about 4 thousand million).
    #[error("{table} is full: a table holds at most 4294967294 rows per partition")]
    Full { table: Name },
    /// A CHECK, an index key or a view's expression failed on the row, or a view's SUM left its type's range.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

fn violation(table: &Name, constraint: &Name, kind: ConstraintKind, key: &str) -> String {
    match kind {
        ConstraintKind::PrimaryKey | ConstraintKind::Unique => {
            format!("duplicate key in {table}: {constraint} already has {key}")
        }
        ConstraintKind::NotNull => format!("column {constraint} of {table} must not be NULL"),
        ConstraintKind::Check => format!("a row of {table} violates {constraint}: CHECK ({key}) must not be false"),
    }
}

impl StorageError {
    /// The SQLSTATE: 23000 for constraints, 54000 for limits, else the expression's.
    pub fn sqlstate(&self) -> &'static str {
        match self {
            StorageError::ConstraintViolation { .. } => "23000",
            StorageError::Full { .. } => "54000",
            StorageError::Eval(error) => error.sqlstate(),
        }
    }
}
