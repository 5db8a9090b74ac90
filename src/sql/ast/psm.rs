//! Stored procedures as written: SQL/PSM, and VoltDB's forms with `?`.

use super::{Exec, Expr, Ident, PartitionClause, Query, Statement};
use crate::sql::Span;
use crate::types::DataType;

#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    pub name: Ident,
    pub or_replace: bool,
    /// CREATE DIRECTED PROCEDURE: runs at each partition apart.
    pub directed: bool,
    /// ALLOW role, ..
    pub roles: Vec<Ident>,
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
    /// DECLARE r ROW (a TYPE, ..), or ROW OF table
    DeclareRow {
        names: Vec<Ident>,
        columns: RowColumns,
    },
    /// DECLARE name CONDITION FOR SQLSTATE '..'
    DeclareCondition {
        name: Ident,
        sqlstate: String,
    },
    /// DECLARE EXIT | CONTINUE HANDLER FOR condition, .. statement
    DeclareHandler {
        exit: bool,
        conditions: Vec<Condition>,
        body: Vec<Psm>,
    },
    /// DECLARE c CURSOR FOR query
    DeclareCursor {
        name: Ident,
        query: Query,
    },
    Open {
        cursor: Ident,
    },
    Fetch {
        cursor: Ident,
        targets: Vec<Ident>,
    },
    Close {
        cursor: Ident,
    },
    /// SET x = expr, SET r.a = expr
    Set {
        row: Option<Ident>,
        target: Ident,
        value: Expr,
    },
    /// SELECT .. INTO a, b FROM ..: no row gives NULLs, a second row is an error.
    SelectInto {
        targets: Vec<Ident>,
        query: Query,
        expect: Option<Expect>,
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
    /// REPEAT body UNTIL condition END REPEAT
    Repeat {
        label: Option<Ident>,
        body: Vec<Psm>,
        until: Expr,
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
    /// SIGNAL SQLSTATE 'xxxxx' [SET MESSAGE_TEXT = expr], SIGNAL condition ..
    Signal {
        state: SignalState,
        message: Option<Expr>,
    },
    /// RESIGNAL [SQLSTATE 'xxxxx'] [SET MESSAGE_TEXT = expr], in a handler
    Resignal {
        state: Option<SignalState>,
        message: Option<Expr>,
    },
    /// GET DIAGNOSTICS x = item, ..
    Diagnostics(Vec<(Ident, Diagnostic)>),
    /// SET STATUS code [, text]: what the client is told beside the results.
    Status {
        code: Expr,
        text: Option<Expr>,
    },
    /// CALL p(..) [INTO x]
    Call {
        exec: Exec,
        into: Option<Ident>,
    },
    /// An SQL statement; a query here yields a result set of the procedure.
    Sql {
        statement: Statement,
        expect: Option<Expect>,
    },
}

/// The columns of a row variable.
#[derive(Clone, Debug, PartialEq)]
pub enum RowColumns {
    Listed(Vec<(Ident, DataType)>),
    /// Those of a table or view.
    Of(Ident),
}

/// What a handler is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    SqlState(String),
    Named(Ident),
    NotFound,
    UniqueViolation,
    SqlException,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SignalState {
    SqlState(String),
    /// A condition that was declared.
    Named(Ident),
}

/// What GET DIAGNOSTICS can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnostic {
    RowCount,
    SqlState,
    MessageText,
}

/// EXPECT after a statement: a breach aborts the transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    pub kind: ExpectKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExpectKind {
    /// From `least` to `most` rows; of a data change: rows changed.
    Rows { least: u64, most: Option<u64> },
    /// One row of one column, with this value if there is one; of a data change: as many rows changed.
    Scalar(Option<Expr>),
}
