//! Constant folding: parts of a tree that have the same value for every row are computed once.

use super::eval::eval;
use super::expr::{Expr, ExprKind};
use super::host::NoHost;
use crate::types::{DataType, Frame, Value, datum_value};

/// `expr` with its constant parts as literals. A constant part that fails stays as it is, to fail when, and only if, it is
/// run. Operands of AND and OR that cannot matter are dropped.
pub fn fold(expr: &Expr) -> Expr {
    let kind = match &expr.kind {
        kind @ (ExprKind::Literal(_) | ExprKind::Reg(_) | ExprKind::Now | ExprKind::Subquery { .. }) => {
            return with_kind(expr, kind.clone());
        }
        ExprKind::Arithmetic { op, left, right } => {
            ExprKind::Arithmetic { op: *op, left: boxed(left), right: boxed(right) }
        }
        ExprKind::Negate(operand) => ExprKind::Negate(boxed(operand)),
        ExprKind::Compare { op, left, right } => ExprKind::Compare { op: *op, left: boxed(left), right: boxed(right) },
        ExprKind::And(operands) => ExprKind::And(junction(operands, false)),
        ExprKind::Or(operands) => ExprKind::Or(junction(operands, true)),
        ExprKind::Not(operand) => ExprKind::Not(boxed(operand)),
        ExprKind::IsNull(operand) => ExprKind::IsNull(boxed(operand)),
        ExprKind::IsTruth(operand, truth) => ExprKind::IsTruth(boxed(operand), *truth),
        ExprKind::InList { operand, list } => ExprKind::InList { operand: boxed(operand), list: all(list) },
        ExprKind::Case { branches, otherwise } => ExprKind::Case {
            branches: branches.iter().map(|(condition, value)| (fold(condition), fold(value))).collect(),
            otherwise: otherwise.as_ref().map(|value| boxed(value)),
        },
        ExprKind::Coalesce(operands) => ExprKind::Coalesce(all(operands)),
        ExprKind::Cast(operand) => ExprKind::Cast(boxed(operand)),
        ExprKind::Like { operand, pattern, escape, case_insensitive } => ExprKind::Like {
            operand: boxed(operand),
            pattern: boxed(pattern),
            escape: *escape,
            case_insensitive: *case_insensitive,
        },
        ExprKind::StartsWith { operand, prefix } => {
            ExprKind::StartsWith { operand: boxed(operand), prefix: boxed(prefix) }
        }
        ExprKind::Function { function, arguments } => {
            ExprKind::Function { function: *function, arguments: all(arguments) }
        }
    };
    let folded = with_kind(expr, kind);
    if has_literals_only(&folded) { value_of(&folded).unwrap_or(folded) } else { folded }
}

fn with_kind(expr: &Expr, kind: ExprKind) -> Expr {
    Expr { kind, ty: expr.ty, nullable: expr.nullable }
}

fn boxed(expr: &Expr) -> Box<Expr> {
    Box::new(fold(expr))
}

fn all(exprs: &[Expr]) -> Vec<Expr> {
    exprs.iter().map(fold).collect()
}

/// Operands of an AND, or an OR: without those that change nothing, and up to the first that decides it.
fn junction(operands: &[Expr], decisive: bool) -> Vec<Expr> {
    let mut kept = Vec::with_capacity(operands.len());
    for operand in operands.iter().map(fold) {
        match operand.kind {
            ExprKind::Literal(Value::Bool(truth)) if truth != decisive => {}
            ExprKind::Literal(Value::Bool(_)) => {
                kept.push(operand);
                break;
            }
            _ => kept.push(operand),
        }
    }
    kept
}

/// True if all children are literals.
fn has_literals_only(expr: &Expr) -> bool {
    let literal = |e: &Expr| matches!(e.kind, ExprKind::Literal(_));
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Reg(_) | ExprKind::Now | ExprKind::Subquery { .. } => false,
        ExprKind::Arithmetic { left, right, .. } | ExprKind::Compare { left, right, .. } => {
            literal(left) && literal(right)
        }
        ExprKind::Negate(e) | ExprKind::Not(e) | ExprKind::IsNull(e) | ExprKind::IsTruth(e, _) | ExprKind::Cast(e) => {
            literal(e)
        }
        ExprKind::And(es) | ExprKind::Or(es) | ExprKind::Coalesce(es) => es.iter().all(literal),
        ExprKind::InList { operand, list } => literal(operand) && list.iter().all(literal),
        ExprKind::Case { branches, otherwise } => {
            branches.iter().all(|(condition, value)| literal(condition) && literal(value))
                && otherwise.as_ref().is_none_or(|e| literal(e))
        }
        ExprKind::Like { operand, pattern, .. } => literal(operand) && literal(pattern),
        ExprKind::StartsWith { operand, prefix } => literal(operand) && literal(prefix),
        ExprKind::Function { arguments, .. } => arguments.iter().all(literal),
    }
}

/// The value of an expression that reads no register, as a literal; None if it fails, or is too long to keep.
fn value_of(expr: &Expr) -> Option<Expr> {
    const BYTES_MAX: usize = 4096;
    let mut frame = Frame::default();
    let datum = eval(expr, &mut frame, &mut NoHost::default()).ok()?;
    if expr.ty.is_bytes() && !datum.is_null() && datum.byte_len() > BYTES_MAX {
        return None;
    }
    // A NULL keeps the type of what it came from: its consumer was bound for that.
    let value = if expr.ty == DataType::Null { Value::Null } else { datum_value(datum, expr.ty, &frame.arena) };
    Some(Expr::literal(value, expr.ty))
}
