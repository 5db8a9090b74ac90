//! What was written: plain trees, nothing resolved, every name with its span.
//!
//! Our own AST, and the only one that later rooms see: `sql::parser` makes it, from sqlparser's where that knows the
//! syntax.

mod ddl;
mod dml;
mod expr;
mod psm;
mod query;

pub use ddl::*;
pub use dml::*;
pub use expr::*;
pub use psm::*;
pub use query::*;

use super::Span;
use crate::types::Name;

/// An identifier as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// One statement of a script or of a procedure's body.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and matching through boxes would cost readers more"
)]
pub enum Statement {
    Query(Query),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
    Truncate {
        table: Ident,
    },
    Ddl(Ddl),
    /// `EXEC name args`, `CALL name(args)`.
    Exec(Exec),
    Explain(Box<Statement>),
    /// LOAD PROCEDURES 'folder'
    LoadProcedures {
        folder: String,
    },
    /// EXPLAINPROC name
    ExplainProcedure(Ident),
    /// EXPLAIN ANALYZE EXEC ..: the call is carried out, and watched.
    Trace(Exec),
}

/// A call of a procedure by name with literal arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Exec {
    pub procedure: Ident,
    pub arguments: Vec<Expr>,
    /// For each argument, the parameter that it names (`name => value`). Once one is named, all after it are.
    pub names: Vec<Option<Ident>>,
}
