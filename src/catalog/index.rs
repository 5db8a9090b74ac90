//! An index, also the one behind a PRIMARY KEY or UNIQUE constraint.

use crate::expr::expr::Expr;
use crate::types::{DataType, Name};

#[derive(Clone, Debug)]
pub struct Index {
    pub name: Name,
    pub kind: IndexKind,
    pub unique: bool,
    /// ASSUMEUNIQUE: unique within each partition only.
    pub assume_unique: bool,
    /// Made by a constraint: it goes with the table, not by DROP INDEX.
    pub constraint: bool,
    pub keys: Vec<Key>,
    /// Partial index: only rows for which this is true.
    pub filter: Option<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Equality on all keys.
    Hash,
    /// Equality on a prefix, then a range; in order.
    Ordered,
}

#[derive(Clone, Debug)]
pub struct Key {
    pub expr: Expr,
    /// The column, if the key is just one.
    pub column: Option<usize>,
    pub ty: DataType,
}

impl Index {
    /// The key columns' positions, if every key is a plain column.
    pub fn columns(&self) -> Option<Vec<usize>> {
        self.keys.iter().map(|k| k.column).collect()
    }
}
