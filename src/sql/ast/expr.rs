//! Expressions as written.

use super::{Ident, Query};
use crate::sql::Span;
use crate::types::{DataType, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Digits only: `Value::Int` (`Decimal` if it does not fit); with a point: `Decimal`; with an exponent: `Float`.
    /// TRUE and FALSE: `Bool`. Quoted: `Text`. X'..': `Bytes`. `TIMESTAMP '..'`: `Timestamp`.
    Literal(Value),
    /// `?`, numbered from 0 through the whole statement, or body.
    Placeholder(usize),
    /// `:name`: a parameter or variable of the procedure, never a column.
    Variable(Ident),
    /// `column`, or `table.column`. In a procedure's body it may also be a parameter or variable, `row.column` too.
    Column {
        qualifier: Option<Ident>,
        column: Ident,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    IsNull {
        operand: Box<Expr>,
        negated: bool,
    },
    /// `IS [NOT] TRUE`, `FALSE`, `UNKNOWN` (`truth` None).
    IsTruth {
        operand: Box<Expr>,
        truth: Option<bool>,
        negated: bool,
    },
    Between {
        operand: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        negated: bool,
    },
    /// `list` of one row of one value: `IN ?`, where the value is an array.
    InList {
        operand: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    InSubquery {
        operand: Box<Expr>,
        query: Box<Query>,
        negated: bool,
    },
    Like {
        operand: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<Box<Expr>>,
        negated: bool,
        case_insensitive: bool,
    },
    /// `x STARTS WITH y`
    StartsWith {
        operand: Box<Expr>,
        prefix: Box<Expr>,
        negated: bool,
    },
    Case {
        operand: Option<Box<Expr>>,
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Cast {
        operand: Box<Expr>,
        data_type: DataType,
    },
    /// Any function call: scalar, aggregate or window. Special forms arrive as plain calls with plain arguments:
    /// EXTRACT(YEAR FROM t) as `extract('YEAR', t)`, SUBSTRING(s FROM a FOR b) as `substring(s, a, b)`,
    /// TRIM(LEADING x FROM s) as `ltrim(s, x)` (`rtrim`, `trim`), POSITION(a IN b) as `position(a, b)`,
    /// OVERLAY(s PLACING r FROM a FOR n) as `overlay(s, r, a, n)`, CURRENT_TIMESTAMP and NOW as `now()`,
    /// the unit of DATEADD, DATEDIFF, TRUNCATE, SINCE_EPOCH, TO_TIMESTAMP, TIME_WINDOW as a text literal in upper case,
    /// CEIL and FLOOR as `ceiling(x)`, `floor(x)`.
    /// `f(x) FILTER (WHERE c)` as `f(CASE WHEN c THEN x END)`.
    Function(Function),
    Exists {
        query: Box<Query>,
        negated: bool,
    },
    Scalar(Box<Query>),
    /// `left op ANY (query)`, `left op ALL (query)`.
    Quantified {
        left: Box<Expr>,
        op: BinaryOp,
        all: bool,
        query: Box<Query>,
    },
    /// `(a, b, ..)` with two or more members.
    Row(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: Ident,
    /// COUNT(*) has no arguments and `star`.
    pub star: bool,
    pub distinct: bool,
    pub arguments: Vec<Expr>,
    pub over: Option<Window>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<OrderBy>,
    pub frame: Option<WindowFrame>,
}

/// ROWS or RANGE between two bounds, as offsets from the current row.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFrame {
    pub unit: FrameUnit,
    pub start: FrameBound,
    pub end: FrameBound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    Rows,
    Range,
    Groups,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Box<Expr>),
    CurrentRow,
    Following(Box<Expr>),
    UnboundedFollowing,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OrderBy {
    pub expr: Expr,
    pub descending: bool,
    /// None: NULL sorts lowest.
    pub nulls_first: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Minus,
    Plus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    IsDistinctFrom,
    IsNotDistinctFrom,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Concat,
    /// `document -> key`: JSON.
    JsonGet,
    /// `document ->> key`: text.
    JsonGetText,
}

impl BinaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "OR",
            BinaryOp::And => "AND",
            BinaryOp::Eq => "=",
            BinaryOp::NotEq => "<>",
            BinaryOp::Lt => "<",
            BinaryOp::LtEq => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::GtEq => ">=",
            BinaryOp::IsDistinctFrom => "IS DISTINCT FROM",
            BinaryOp::IsNotDistinctFrom => "IS NOT DISTINCT FROM",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
            BinaryOp::Concat => "||",
            BinaryOp::JsonGet => "->",
            BinaryOp::JsonGetText => "->>",
        }
    }
}
