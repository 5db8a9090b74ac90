//! The names that are visible at a point of a statement.

use super::plan::{AggregateCall, WindowCall};
use crate::expr::expr::Expr;
use crate::sql::Span;
use crate::types::{Name, Reg};

/// The FROM items of one SELECT (or the target of a data change), and what its clauses have added so far.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub relations: Vec<Relation>,
    /// Columns that USING or NATURAL made one, found by their bare name.
    pub merged: Vec<Merged>,
    /// False while a FROM subquery is bound: it doesn't see its neighbours.
    pub visible: bool,
    pub grouping: Option<Grouping>,
    /// Names of select items, for clauses that may use them.
    pub aliases: Vec<(Name, Expr)>,
    pub windows: Vec<WindowGroup>,
    /// Where aggregates may stand now; the clause's name where they may not.
    pub no_aggregates: Option<&'static str>,
    pub no_windows: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct Relation {
    pub alias: Name,
    pub source: Source,
    /// On the null side of an outer join: its columns may be NULL whatever they are declared.
    pub nullable: bool,
}

#[derive(Debug)]
pub(super) enum Source {
    /// An instance of a table; its columns get registers when they are first read.
    Table(usize),
    /// A subquery's columns.
    Columns(Vec<(Name, Expr)>),
}

#[derive(Debug)]
pub(super) struct Merged {
    pub name: Name,
    pub value: Expr,
    /// The columns that became one: relation, column.
    pub members: Vec<(usize, usize)>,
}

/// GROUP BY and the aggregates of one SELECT.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    pub keys: Vec<(Reg, Expr)>,
    pub calls: Vec<AggregateCall>,
    /// The keys are known: columns stand for groups now.
    pub active: bool,
    /// Within an aggregate's argument columns stand for rows.
    pub inside_aggregate: bool,
    /// Columns that are no group key, where they were last met.
    pub ungrouped: Vec<(Reg, String, Span)>,
}

/// Window functions over the same partitions in the same order.
#[derive(Debug)]
pub(super) struct WindowGroup {
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<super::plan::SortKey>,
    pub calls: Vec<WindowCall>,
}

impl Scope {
    pub fn new() -> Scope {
        Scope { visible: true, no_aggregates: Some("WHERE"), no_windows: Some("WHERE"), ..Scope::default() }
    }
}
