//! The bound expression tree: columns, parameters and variables are registers; every node has its type.

use super::function::Function;
use crate::types::{DataType, Reg, Value};

/// A bound expression. `bind` has checked it: operands have the types that the node demands, with casts put in where
/// they were implied, so evaluation never meets a type error.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: DataType,
    /// False if the value is never NULL.
    pub nullable: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Literal(Value),
    /// The value of a register: a column of the row at hand, a parameter, a variable.
    Reg(Reg),
    /// Both operands of one type; TIMESTAMP counts as BIGINT. Integers are BIGINT here, whatever their column's width.
    Arithmetic {
        op: Arithmetic,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Negate(Box<Expr>),
    /// Both operands of one type family (integer, FLOAT, DECIMAL, text, bytes, TIMESTAMP, BOOLEAN). Gives BOOLEAN.
    Compare {
        op: Comparison,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Three-valued; operands are evaluated left to right and no further than needed.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    IsNull(Box<Expr>),
    /// IS TRUE (`Some(true)`), IS FALSE, IS UNKNOWN (`None`).
    IsTruth(Box<Expr>, Option<bool>),
    /// `operand IN (list)`, three-valued. All of one type family. Constant lists may be long (thousands).
    InList {
        operand: Box<Expr>,
        list: Vec<Expr>,
    },
    /// WHEN condition THEN value, ..; a simple CASE was rewritten to comparisons. No ELSE: NULL.
    Case {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// The first that is not NULL; no further one is evaluated.
    Coalesce(Vec<Expr>),
    /// Checked conversion to `Expr::ty`: errors on overflow, bad text, and text that is too long for a VARCHAR(n).
    Cast(Box<Expr>),
    Like {
        operand: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<char>,
        case_insensitive: bool,
    },
    StartsWith {
        operand: Box<Expr>,
        prefix: Box<Expr>,
    },
    /// A scalar function of the registry.
    Function {
        function: Function,
        arguments: Vec<Expr>,
    },
    /// The transaction's time (TIMESTAMP).
    Now,
    /// Subquery number `n` of the statement: evaluating it makes the host run it; its value is then in `Reg`. What it is
    /// (scalar, EXISTS, IN ..) the plan says.
    Subquery {
        index: usize,
        result: Reg,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    /// NULL-safe: never NULL.
    IsDistinct,
    IsNotDistinct,
}

impl Expr {
    pub fn reg(reg: Reg, ty: DataType, nullable: bool) -> Expr {
        Expr { kind: ExprKind::Reg(reg), ty, nullable }
    }
    pub fn literal(value: Value, ty: DataType) -> Expr {
        let nullable = value.is_null();
        Expr { kind: ExprKind::Literal(value), ty, nullable }
    }
    pub fn int(v: i64) -> Expr {
        Expr::literal(Value::Int(v), DataType::BigInt)
    }
    /// Calls `f` for each direct operand.
    pub fn operands(&self, f: &mut dyn FnMut(&Expr)) {
        use ExprKind::*;
        match &self.kind {
            Literal(_) | Reg(_) | Now | Subquery { .. } => {}
            Arithmetic { left, right, .. } | Compare { left, right, .. } => {
                f(left);
                f(right);
            }
            Negate(a) | Not(a) | IsNull(a) | IsTruth(a, _) | Cast(a) => f(a),
            And(list) | Or(list) | Coalesce(list) | Function { arguments: list, .. } => list.iter().for_each(f),
            InList { operand, list } => {
                f(operand);
                list.iter().for_each(f);
            }
            Case { branches, otherwise } => {
                for (condition, value) in branches {
                    f(condition);
                    f(value);
                }
                if let Some(value) = otherwise {
                    f(value);
                }
            }
            Like { operand, pattern, .. } => {
                f(operand);
                f(pattern);
            }
            StartsWith { operand, prefix } => {
                f(operand);
                f(prefix);
            }
        }
    }

    /// The register, if this is nothing but one.
    pub fn as_reg(&self) -> Option<Reg> {
        match self.kind {
            ExprKind::Reg(reg) => Some(reg),
            _ => None,
        }
    }
}
