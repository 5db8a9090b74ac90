//! Stored procedures as written: SQL/PSM, and VoltDB's forms with `?`.

use super::{Expr, Ident, PartitionClause, Query, Statement};
use crate::sql::Span;
use crate::types::DataType;

#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    pub name: Ident,
    pub or_replace: bool,
    /// `CREATE PROCEDURE p (name TYPE, ..)`; None where no list is written (the forms with `?`).
    pub parameters: Option<Vec<Parameter>>,
    pub partition: Option<PartitionClause>,
    pub returns: Option<DataType>,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Ident,
    pub data_type: DataType,
    pub default: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// AS BEGIN .. END; a list of plain statements with `?` is the same with no control flow in it.
    Block(Vec<Psm>),
    /// AS statement
    Statement(Box<Statement>),
}

/// One statement of a procedure's body.
#[derive(Clone, Debug, PartialEq)]
pub struct Psm {
    pub kind: PsmKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PsmKind {
    /// DECLARE a, b TYPE [DEFAULT expr]
    Declare {
        names: Vec<Ident>,
        data_type: DataType,
        default: Option<Expr>,
    },
    /// SET x = expr
    Set {
        target: Ident,
        value: Expr,
    },
    /// SELECT .. INTO a, b FROM ..: no row gives NULLs, a second row is an error.
    SelectInto {
        targets: Vec<Ident>,
        query: Query,
    },
    /// IF and ELSEIF: (condition, body) in order; ELSE.
    If {
        branches: Vec<(Expr, Vec<Psm>)>,
        otherwise: Vec<Psm>,
    },
    /// CASE statement: `operand` None for the searched form. No ELSE: `otherwise` None, and no match is an error (20000).
    Case {
        operand: Option<Expr>,
        branches: Vec<(Expr, Vec<Psm>)>,
        otherwise: Option<Vec<Psm>>,
    },
    While {
        label: Option<Ident>,
        condition: Expr,
        body: Vec<Psm>,
    },
    /// FOR row AS query DO body END FOR: columns are `row.column`, and `column` where no other name is meant.
    For {
        label: Option<Ident>,
        row: Ident,
        query: Query,
        body: Vec<Psm>,
    },
    /// LOOP body END LOOP
    Loop {
        label: Option<Ident>,
        body: Vec<Psm>,
    },
    /// `LEAVE [label]`, `ITERATE [label]`
    Leave {
        label: Option<Ident>,
    },
    Iterate {
        label: Option<Ident>,
    },
    /// BEGIN .. END inside a body: a scope of its own.
    Block(Vec<Psm>),
    /// `RETURN [expr]`
    Return(Option<Expr>),
    /// SIGNAL SQLSTATE 'xxxxx' [SET MESSAGE_TEXT = expr]
    Signal {
        sqlstate: String,
        message: Option<Expr>,
    },
    /// An SQL statement; a query here yields a result set of the procedure.
    Sql(Statement),
}
