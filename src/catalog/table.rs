//! A table, or the table that holds a materialized view.

use super::{Index, View};
use crate::expr::expr::Expr;
use crate::types::{DataType, Name, Value};
use std::sync::Arc;

/// Never reused; also the table's slot in each partition's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

#[derive(Clone, Debug)]
pub struct Table {
    pub id: TableId,
    pub name: Name,
    pub columns: Vec<Column>,
    /// How many of `columns`, from the first, a query can name. The rest is the bookkeeping of a view.
    pub visible: usize,
    /// Position of the column that the table is partitioned on; None: replicated, or a view whose groups span partitions
    /// (then `spread`).
    pub partition_column: Option<usize>,
    /// True where each partition holds different rows: a partitioned table, or a view over one.
    pub spread: bool,
    /// The primary key, if there is one, is the index of that position.
    pub primary_key: Option<usize>,
    pub indexes: Vec<Arc<Index>>,
    pub checks: Vec<Check>,
    /// Set for a materialized view.
    pub view: Option<View>,
    /// Views over this table, in order of creation.
    pub views: Vec<TableId>,
    /// USING TTL: when its rows expire.
    pub ttl: Option<Ttl>,
}

/// Rows whose `column` (TIMESTAMP) is more than `seconds` ago may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ttl {
    pub seconds: u64,
    pub column: usize,
    /// Rows that one round may delete in a partition; above 0.
    pub batch_size: u32,
    /// Rounds a second; above 0.
    pub max_frequency: u32,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: Name,
    pub ty: DataType,
    pub nullable: bool,
    pub default: Option<Default>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// Already of the column's type.
    Value(Value),
    /// The transaction's time.
    Now,
}

/// CHECK (predicate): violated only where FALSE.
#[derive(Clone, Debug)]
pub struct Check {
    pub name: Name,
    pub predicate: Expr,
    /// As it was written, for messages.
    pub text: String,
}

impl Table {
    /// Position of a visible column.
    pub fn column(&self, name: &Name) -> Option<usize> {
        self.columns[..self.visible].iter().position(|c| c.name == *name)
    }
    pub fn visible_columns(&self) -> &[Column] {
        &self.columns[..self.visible]
    }
    pub fn is_view(&self) -> bool {
        self.view.is_some()
    }
}
