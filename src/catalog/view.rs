//! The definitions of views: materialized ones, and those that are a query under a name.

use super::TableId;
use crate::expr::expr::Expr;
use crate::sql::ast;
use crate::types::{DataType, Name};
use std::sync::Arc;

/// A view that is not materialized: a query that is put in where its name is read.
#[derive(Clone, Debug)]
pub struct QueryView {
    pub name: Name,
    /// What the query gives, under the names that the view gives them.
    pub columns: Vec<(Name, DataType)>,
    pub query: Arc<ast::Query>,
    /// The SELECT as it was written.
    pub text: String,
}

/// The view's table has these columns: the groups in order, the aggregates in the order of the SELECT list, then hidden
/// ones: non-NULL counts that SUM, MIN and MAX need, and a COUNT(*) where the list has none. `aggregates` lists them all,
/// in column order after the groups. Index 0 of the view's table is a unique hash index on the groups (none without
/// GROUP BY: then there is exactly one row, always).
#[derive(Clone, Debug)]
pub struct View {
    /// The table that it is over; of a join the first.
    pub source: TableId,
    /// The other tables of an inner join, each another one, in order. In the view's expressions the columns of all
    /// tables follow each other: register `i` is column `i` of the first, and so on.
    pub joined: Vec<TableId>,
    /// WHERE, and the conditions of the joins.
    pub filter: Option<Expr>,
    pub groups: Vec<Expr>,
    pub aggregates: Vec<ViewAggregate>,
    /// Column with the COUNT(*) of the group: the group's row goes when it reaches 0.
    pub count_column: usize,
    /// The SELECT as it was written.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct ViewAggregate {
    pub kind: ViewAggregateKind,
    /// None for COUNT(*).
    pub argument: Option<Expr>,
    /// Column of the view's table.
    pub column: usize,
    /// For SUM, MIN, MAX over a nullable argument: the hidden column that counts its non-NULL values.
    pub count_column: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAggregateKind {
    CountStar,
    Count,
    Sum,
    Min,
    Max,
}

impl View {
    /// All tables that it reads, in order.
    pub fn sources(&self) -> impl Iterator<Item = TableId> {
        std::iter::once(self.source).chain(self.joined.iter().copied())
    }
}
