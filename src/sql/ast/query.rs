//! Queries as written.

use super::{Expr, Ident, OrderBy};
use crate::sql::Span;

/// `[WITH ..] body [ORDER BY ..] [LIMIT ..] [OFFSET ..]`
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub with: Vec<CommonTable>,
    pub recursive: bool,
    pub body: QueryBody,
    pub order_by: Vec<OrderBy>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    pub name: Ident,
    pub columns: Vec<Ident>,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub enum QueryBody {
    Select(Box<Select>),
    /// VALUES (..), (..)
    Values(Vec<Vec<Expr>>),
    SetOperation {
        op: SetOp,
        all: bool,
        left: Box<QueryBody>,
        right: Box<QueryBody>,
    },
    /// A query in parentheses, with its own ORDER BY or LIMIT.
    Nested(Box<Query>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOp {
    Union,
    Intersect,
    Except,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    pub distinct: bool,
    pub items: Vec<SelectItem>,
    /// Comma-separated; empty without FROM.
    pub from: Vec<TableRef>,
    pub filter: Option<Expr>,
    pub group_by: Vec<Expr>,
    pub having: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// `*`
    Wildcard(Span),
    /// `t.*`
    QualifiedWildcard(Ident),
    Expr {
        expr: Expr,
        alias: Option<Ident>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableRef {
    Table { name: Ident, alias: Option<Ident> },
    Subquery { query: Box<Query>, alias: Option<Ident>, columns: Vec<Ident>, span: Span },
    Join { left: Box<TableRef>, right: Box<TableRef>, kind: JoinKind, constraint: JoinConstraint },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

#[derive(Clone, Debug, PartialEq)]
pub enum JoinConstraint {
    None,
    On(Expr),
    Using(Vec<Ident>),
    Natural,
}
