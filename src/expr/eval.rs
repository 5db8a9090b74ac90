//! What a bound expression means: a plain walk over the tree.
//!
//! Compiled programs must agree with this on every value and error; constants are folded with it. Nothing here is made
//! for speed.

use super::arithmetic;
use super::compare::{Family, compare_known, is_in, outcomes};
use super::convert::cast_datum;
use super::expr::{Comparison, Expr, ExprKind};
use super::host::Host;
use super::like::{like, starts_with};
use super::logic::{and, not, or};
use crate::types::{Arena, DataType, Datum, Frame};

/// The value of `expr` on the registers of `frame`.
pub fn eval<H: Host>(expr: &Expr, frame: &mut Frame, host: &mut H) -> Result<Datum, H::Error> {
    Ok(match &expr.kind {
        ExprKind::Literal(value) => frame.datum(value),
        ExprKind::Reg(reg) => frame.get(*reg),
        ExprKind::Arithmetic { op, left, right } => {
            let family = Family::of_pair(left.ty, right.ty);
            let (a, b) = (eval(left, frame, host)?, eval(right, frame, host)?);
            arithmetic::apply(*op, family, a, b)?
        }
        ExprKind::Negate(operand) => arithmetic::negate(Family::of(operand.ty), eval(operand, frame, host)?)?,
        ExprKind::Compare { op, left, right } => {
            let family = Family::of_pair(left.ty, right.ty);
            let (a, b) = (eval(left, frame, host)?, eval(right, frame, host)?);
            compare(*op, family, a, b, &frame.arena)
        }
        ExprKind::And(operands) => {
            let mut all = Datum::TRUE;
            for operand in operands {
                all = and(all, eval(operand, frame, host)?);
                if all == Datum::FALSE {
                    break;
                }
            }
            all
        }
        ExprKind::Or(operands) => {
            let mut any = Datum::FALSE;
            for operand in operands {
                any = or(any, eval(operand, frame, host)?);
                if any == Datum::TRUE {
                    break;
                }
            }
            any
        }
        ExprKind::Not(operand) => not(eval(operand, frame, host)?),
        ExprKind::IsNull(operand) => Datum::bool(eval(operand, frame, host)?.is_null()),
        ExprKind::IsTruth(operand, Some(true)) => Datum::bool(eval_condition(operand, false, frame, host)?),
        ExprKind::IsTruth(operand, Some(false)) => Datum::bool(!eval_condition(operand, true, frame, host)?),
        ExprKind::IsTruth(operand, None) => Datum::bool(eval(operand, frame, host)?.is_null()),
        ExprKind::InList { operand, list } => in_list(operand, list, frame, host)?,
        ExprKind::Case { branches, otherwise } => {
            for (condition, value) in branches {
                if eval_condition(condition, false, frame, host)? {
                    return eval(value, frame, host);
                }
            }
            match otherwise {
                Some(value) => eval(value, frame, host)?,
                None => Datum::NULL,
            }
        }
        ExprKind::Coalesce(operands) => {
            for operand in operands {
                let value = eval(operand, frame, host)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Datum::NULL
        }
        ExprKind::Cast(operand) => {
            let value = eval(operand, frame, host)?;
            cast_datum(value, operand.ty, expr.ty, &mut frame.arena)?
        }
        ExprKind::Like { operand, pattern, escape, case_insensitive } => {
            let (text, pattern) = (eval(operand, frame, host)?, eval(pattern, frame, host)?);
            like(text, pattern, *escape, *case_insensitive, &frame.arena)?
        }
        ExprKind::StartsWith { operand, prefix } => {
            let (text, prefix) = (eval(operand, frame, host)?, eval(prefix, frame, host)?);
            starts_with(text, prefix, &frame.arena)
        }
        ExprKind::Function { function, arguments } => {
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push(eval(argument, frame, host)?);
            }
            function.call(family_of_arguments(arguments), &values, &mut frame.arena)?
        }
        ExprKind::Now => Datum::int(host.now()),
        ExprKind::Subquery { index, result } => {
            host.subquery(*index, frame)?;
            frame.get(*result)
        }
    })
}

/// The truth of `expr` where NULL counts as `null_as`: what a CASE, a filter, IS TRUE and IS FALSE ask for. AND and OR need
/// fewer of their operands here than for their value.
pub fn eval_condition<H: Host>(expr: &Expr, null_as: bool, frame: &mut Frame, host: &mut H) -> Result<bool, H::Error> {
    match &expr.kind {
        ExprKind::And(operands) => {
            for operand in operands {
                if !eval_condition(operand, null_as, frame, host)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        ExprKind::Or(operands) => {
            for operand in operands {
                if eval_condition(operand, null_as, frame, host)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        ExprKind::Not(operand) => Ok(!eval_condition(operand, !null_as, frame, host)?),
        _ => {
            let value = eval(expr, frame, host)?;
            Ok(if value.is_null() { null_as } else { value.lo != 0 })
        }
    }
}

/// The family that a function of mixed signature works in: that of its first argument that is not a bare NULL.
pub fn family_of_arguments(arguments: &[Expr]) -> Family {
    arguments.iter().map(|a| a.ty).find(|ty| *ty != DataType::Null).map_or(Family::Int, Family::of)
}

fn compare(op: Comparison, family: Family, a: Datum, b: Datum, arena: &Arena) -> Datum {
    let distinct = matches!(op, Comparison::IsDistinct | Comparison::IsNotDistinct);
    match (a.is_null(), b.is_null()) {
        (false, false) => Datum::bool(is_in(compare_known(family, a, b, arena), outcomes(op))),
        (a_null, b_null) if distinct => Datum::bool((a_null == b_null) == (op == Comparison::IsNotDistinct)),
        _ => Datum::NULL,
    }
}

fn in_list<H: Host>(operand: &Expr, list: &[Expr], frame: &mut Frame, host: &mut H) -> Result<Datum, H::Error> {
    let value = eval(operand, frame, host)?;
    if list.is_empty() {
        return Ok(Datum::FALSE);
    }
    if value.is_null() {
        return Ok(Datum::NULL);
    }
    let mut any = Datum::FALSE;
    for member in list {
        let family = Family::of_pair(operand.ty, member.ty);
        let member = eval(member, frame, host)?;
        any = or(any, compare(Comparison::Eq, family, value, member, &frame.arena));
        if any == Datum::TRUE {
            break;
        }
    }
    Ok(any)
}
