//! Data changes as written.

use super::{Expr, Ident, OrderBy, Query, SelectItem};

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub table: Ident,
    /// Empty: all columns in table order.
    pub columns: Vec<Ident>,
    pub source: InsertSource,
    /// UPSERT INTO.
    pub upsert: bool,
    pub returning: Vec<SelectItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    Values(Vec<Vec<Expr>>),
    Query(Box<Query>),
    /// INSERT INTO t DEFAULT VALUES.
    Defaults,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub table: Ident,
    pub alias: Option<Ident>,
    pub assignments: Vec<(Ident, Expr)>,
    pub filter: Option<Expr>,
    pub returning: Vec<SelectItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub table: Ident,
    pub alias: Option<Ident>,
    pub filter: Option<Expr>,
    pub order_by: Vec<OrderBy>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    pub returning: Vec<SelectItem>,
}
