//! Data changes as written.

use super::{Expr, Ident, OrderBy, Query, SelectItem};
use crate::sql::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub table: Ident,
    /// Empty: all columns in table order.
    pub columns: Vec<Ident>,
    pub source: InsertSource,
    /// UPSERT INTO.
    pub upsert: bool,
    pub conflict: Option<OnConflict>,
    pub returning: Vec<SelectItem>,
}

/// ON CONFLICT [(columns)] DO NOTHING | DO UPDATE SET ..
#[derive(Clone, Debug, PartialEq)]
pub struct OnConflict {
    /// The columns of a unique key; none: any.
    pub target: Vec<Ident>,
    /// None: DO NOTHING.
    pub update: Option<ConflictUpdate>,
    pub span: Span,
}

/// DO UPDATE SET c = e, .. [WHERE ..]: over the row that is there, and `excluded`, the one that was to be inserted.
#[derive(Clone, Debug, PartialEq)]
pub struct ConflictUpdate {
    pub assignments: Vec<(Ident, Expr)>,
    pub filter: Option<Expr>,
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
