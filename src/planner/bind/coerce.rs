//! Which types meet in what, and the casts that this implies.

use super::expr::hex_integer;
use crate::expr::eval::eval;
use crate::expr::expr::{Expr, ExprKind};
use crate::expr::{NoHost, cast_datum, castable, common_type};
use crate::planner::binder::Binder;
use crate::planner::error::{BindError, Result, fail, type_name};
use crate::planner::registers::operands;
use crate::sql::Span;
use crate::types::{DataType, Frame, Value, datum_value};

/// What types have in common that are compared without a cast.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::planner) enum Family {
    Null,
    Integer,
    Float,
    Decimal,
    Text,
    Bytes,
    Timestamp,
    Boolean,
}

impl Family {
    pub fn of(ty: DataType) -> Family {
        match ty {
            DataType::Null => Family::Null,
            DataType::Boolean => Family::Boolean,
            DataType::TinyInt | DataType::SmallInt | DataType::Integer | DataType::BigInt => Family::Integer,
            DataType::Float => Family::Float,
            DataType::Decimal => Family::Decimal,
            DataType::Varchar { .. } => Family::Text,
            DataType::Varbinary { .. } | DataType::Array(_) => Family::Bytes,
            DataType::Timestamp => Family::Timestamp,
        }
    }
}

/// True if every value of `from` is a value of `to` as it is.
pub(in crate::planner) fn fits(from: DataType, to: DataType) -> bool {
    match (from, to) {
        (DataType::Null, _) => true,
        (DataType::Varchar { max: a, bytes: false }, DataType::Varchar { max: b, bytes: false }) => a <= b,
        (DataType::Varchar { .. }, DataType::Varchar { max: b, bytes: true }) => {
            b >= crate::types::BYTES_MAX || from.bytes_max().is_some_and(|a| a <= b)
        }
        (DataType::Varchar { max: a, bytes: true }, DataType::Varchar { max: b, bytes: false }) => a <= b,
        (DataType::Varbinary { max: a }, DataType::Varbinary { max: b }) => a <= b,
        (a, b) => match (a.integer_range(), b.integer_range()) {
            (Some(a), Some(b)) => a.0 >= b.0 && a.1 <= b.1,
            _ => a == b,
        },
    }
}

/// The type that a `?` gets where it is compared with, or computed on beside, a value of type `ty`.
fn widest(ty: DataType) -> DataType {
    match ty {
        ty if ty.is_integer() => DataType::BigInt,
        DataType::Varchar { .. } => DataType::TEXT,
        DataType::Varbinary { .. } => DataType::Varbinary { max: crate::types::BYTES_MAX },
        ty => ty,
    }
}

fn literal(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Literal(value) => Some(value),
        _ => None,
    }
}

/// CAST of a literal, done now.
pub(in crate::planner) fn cast_literal(value: &Value, from: DataType, to: DataType, span: Span) -> Result<Expr> {
    if !castable(from, to) {
        return fail(format!("cannot cast {} to {to}", type_name(from)), span);
    }
    let mut frame = Frame::default();
    let datum = frame.datum(value);
    match cast_datum(datum, from, to, &mut frame.arena) {
        Ok(datum) => Ok(Expr::literal(datum_value(datum, to, &frame.arena), to)),
        Err(error) => Err(BindError::new(error.to_string(), span).with_sqlstate(error.sqlstate())),
    }
}

/// The value of an expression over literals, where it has one; otherwise (1 / 0) it is left to fail when it is run.
pub(in crate::planner) fn fold(expr: Expr) -> Expr {
    if matches!(
        expr.kind,
        ExprKind::Literal(_) | ExprKind::Reg(_) | ExprKind::Now | ExprKind::Subquery { .. } | ExprKind::InList { .. }
    ) {
        return expr;
    }
    let mut constant = true;
    operands(&expr, &mut |operand| constant = constant && literal(operand).is_some());
    if !constant {
        return expr;
    }
    let mut frame = Frame::default();
    match eval(&expr, &mut frame, &mut NoHost::default()) {
        Ok(datum) => Expr::literal(datum_value(datum, expr.ty, &frame.arena), expr.ty),
        Err(_) => expr,
    }
}

impl Binder<'_> {
    /// Gives a value of unknown type (NULL, `?`, and what is made of them) the type that its place demands.
    pub(in crate::planner) fn infer(&mut self, expr: &mut Expr, ty: DataType) {
        if expr.ty != DataType::Null {
            return;
        }
        expr.ty = ty;
        match &mut expr.kind {
            ExprKind::Reg(reg) => {
                let reg = *reg;
                if let Some(placeholder) = self.placeholder(reg) {
                    placeholder.ty.get_or_insert(ty);
                }
            }
            ExprKind::Arithmetic { left, right, .. } => {
                self.infer(left, ty);
                self.infer(right, ty);
            }
            ExprKind::Negate(operand) => self.infer(operand, ty),
            ExprKind::Coalesce(list) => list.iter_mut().for_each(|e| self.infer(e, ty)),
            ExprKind::Case { branches, otherwise } => {
                branches.iter_mut().for_each(|(_, e)| self.infer(e, ty));
                otherwise.iter_mut().for_each(|e| self.infer(e, ty));
            }
            _ => {}
        }
    }

    fn placeholder(&mut self, reg: crate::types::Reg) -> Option<&mut crate::planner::binder::Placeholder> {
        let index = reg.checked_sub(self.env.placeholders.base)?;
        self.placeholders.get_mut(index as usize)
    }

    /// `expr` as a value of exactly a type that fits `to`: as an assignment does it. `span` is what was written.
    pub(in crate::planner) fn coerce(&mut self, mut expr: Expr, to: DataType, span: Span) -> Result<Expr> {
        if expr.ty == DataType::Null {
            self.infer(&mut expr, to);
        }
        if fits(expr.ty, to) {
            return Ok(expr);
        }
        if let (true, Some(integer)) = (to.is_integer(), hex_integer(&expr)) {
            return self.coerce(integer, to, span);
        }
        if let Some(value) = literal(&expr) {
            return cast_literal(value, expr.ty, to, span);
        }
        if !castable(expr.ty, to) {
            return fail(format!("{} is no {}", type_name(expr.ty), type_name(to)), span);
        }
        Ok(cast(expr, to))
    }

    /// A truth value: `what` needs it.
    pub(in crate::planner) fn coerce_boolean(&mut self, mut expr: Expr, what: &str, span: Span) -> Result<Expr> {
        self.infer(&mut expr, DataType::Boolean);
        match expr.ty {
            DataType::Boolean => Ok(expr),
            ty => fail(format!("{what} needs a condition, not a value of type {}", type_name(ty)), span),
        }
    }

    /// Both operands of a comparison in one type family.
    pub(in crate::planner) fn coerce_pair(
        &mut self,
        (mut left, left_span): (Expr, Span),
        (mut right, right_span): (Expr, Span),
    ) -> Result<(Expr, Expr)> {
        if left.ty == DataType::Null {
            let ty = widest(right.ty);
            self.infer(&mut left, ty);
        }
        if right.ty == DataType::Null {
            let ty = widest(left.ty);
            self.infer(&mut right, ty);
        }
        let (l, r) = (Family::of(left.ty), Family::of(right.ty));
        if l == r {
            return Ok((left, right));
        }
        if let Some(value) = literal(&right)
            && let Some(adapted) = adapt(value, right.ty, left.ty, right_span)?
        {
            return Ok((left, adapted));
        }
        if let Some(value) = literal(&left)
            && let Some(adapted) = adapt(value, left.ty, right.ty, left_span)?
        {
            return Ok((adapted, right));
        }
        let Some(common) = common_type(left.ty, right.ty) else {
            let message = format!("cannot compare {} with {}", type_name(left.ty), type_name(right.ty));
            return fail(message, left_span.to(right_span));
        };
        Ok((self.in_family(left, common, left_span)?, self.in_family(right, common, right_span)?))
    }

    /// Casts only if the family differs: INTEGER and BIGINT are computed on alike.
    pub(in crate::planner) fn in_family(&mut self, expr: Expr, to: DataType, span: Span) -> Result<Expr> {
        if Family::of(expr.ty) == Family::of(to) { Ok(expr) } else { self.coerce(expr, to, span) }
    }

    /// The type in which all these meet: text literals go with the others. DataType::Null if none says anything.
    pub(in crate::planner) fn meet(&self, values: &[(Expr, Span)]) -> Result<DataType> {
        let mut met = DataType::Null;
        let mut text = DataType::Null;
        for (value, span) in values {
            if matches!(value.kind, ExprKind::Literal(Value::Text(_))) {
                text = common_type(text, value.ty).unwrap_or(DataType::TEXT);
                continue;
            }
            met = match common_type(met, value.ty) {
                Some(ty) => ty,
                None => {
                    let message = format!("{} and {} are no values of one type", type_name(met), type_name(value.ty));
                    return fail(message, *span);
                }
            };
        }
        Ok(if met == DataType::Null || met.is_text() { common_type(met, text).unwrap_or(DataType::TEXT) } else { met })
    }

    /// All of one type family, which is also given.
    pub(in crate::planner) fn coerce_all(&mut self, values: Vec<(Expr, Span)>) -> Result<(Vec<Expr>, DataType)> {
        let ty = self.meet(&values)?;
        let mut out = Vec::with_capacity(values.len());
        for (mut value, span) in values {
            self.infer(&mut value, ty);
            out.push(self.in_family(value, ty, span)?);
        }
        Ok((out, ty))
    }
}

pub(in crate::planner) fn cast(expr: Expr, to: DataType) -> Expr {
    let nullable = expr.nullable;
    Expr { kind: ExprKind::Cast(Box::new(expr)), ty: to, nullable }
}

/// A literal as a value of the other operand's type: '5' beside an integer, 5.0 beside an integer (but not 5.5), 5 beside
/// a DECIMAL. None if it isn't one, and both must meet elsewhere.
fn adapt(value: &Value, from: DataType, to: DataType, span: Span) -> Result<Option<Expr>> {
    let to = widest(to);
    match (value, to) {
        (Value::Decimal(v), DataType::BigInt) => {
            let whole = v.scaled() % crate::types::Decimal::ONE == 0;
            Ok(cast_literal(value, from, to, span).ok().filter(|_| whole))
        }
        (Value::Bytes(_), DataType::BigInt) => Ok(hex_integer(&Expr::literal(value.clone(), from))),
        (Value::Int(_), DataType::Float | DataType::Decimal)
        | (Value::Decimal(_), DataType::Float)
        | (Value::Text(_), _) => {
            let has_type = !matches!(to, DataType::Null | DataType::Varbinary { .. });
            if has_type { cast_literal(value, from, to, span).map(Some) } else { Ok(None) }
        }
        _ => Ok(None),
    }
}
