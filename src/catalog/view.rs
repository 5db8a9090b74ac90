//! The definition of a materialized view over one table.

use super::TableId;
use crate::expr::expr::Expr;

/// The view's table has these columns: the groups in order, the aggregates in the order of the SELECT list, then hidden
/// ones: non-NULL counts that SUM, MIN and MAX need, and a COUNT(*) where the list has none. `aggregates` lists them all,
/// in column order after the groups. Index 0 of the view's table is a unique hash index on the groups (none without
/// GROUP BY: then there is exactly one row, always).
#[derive(Clone, Debug)]
pub struct View {
    pub source: TableId,
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
