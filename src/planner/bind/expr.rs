//! Expressions: names to registers, operators to typed nodes.

use super::coerce::{cast, cast_literal, fits, fold};
use crate::expr::castable;
use crate::expr::expr::{Arithmetic, Comparison, Expr, ExprKind};
use crate::expr::function::Function;
use crate::planner::binder::Binder;
use crate::planner::error::{Result, did_you_mean, fail, type_name};
use crate::sql::Span;
use crate::sql::ast::{self, BinaryOp, ExprKind as Ast, UnaryOp};
use crate::types::{DataType, ElementType, Value};

/// Terms that a chain like `a + b + c ..` may have; AND, OR and || have no such limit.
const CHAIN_MAX: usize = 1000;

impl<'a> Binder<'a> {
    /// An expression of any type; DataType::Null where only its context can tell.
    pub(in crate::planner) fn expr(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        match &e.kind {
            Ast::Literal(value) => Ok(bind_literal(value)),
            Ast::Column { qualifier, column } => match self.resolve(qualifier.as_ref(), column) {
                // PI is also written without parentheses, where no column has that name.
                Err(_) if qualifier.is_none() && column.name.folded() == "pi" => {
                    self.call_registry("pi", Vec::new(), e.span)
                }
                resolved => resolved,
            },
            Ast::Placeholder(index) => Ok(self.placeholder_expr(*index, e.span)),
            Ast::Variable(name) => self.variable_expr(name),
            _ => self.nested(e.span, |binder| binder.compound(e)),
        }
    }

    fn compound(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        match &e.kind {
            Ast::Literal(_) | Ast::Column { .. } | Ast::Placeholder(_) | Ast::Variable(_) => {
                unreachable!("these have no parts")
            }
            Ast::Unary { op, operand } => self.unary(*op, operand),
            Ast::Binary { op, left, right } => self.binary(e, *op, left, right),
            Ast::IsNull { operand, negated } => self.is_null(operand, *negated),
            Ast::IsTruth { operand, truth, negated } => {
                let bound = self.predicate(operand, "IS TRUE, IS FALSE or IS UNKNOWN")?;
                let node =
                    Expr { kind: ExprKind::IsTruth(Box::new(bound), *truth), ty: DataType::Boolean, nullable: false };
                Ok(fold(negate_if(node, *negated)))
            }
            Ast::Between { operand, low, high, negated } => self.between(operand, low, high, *negated),
            Ast::InList { operand, list, negated } => self.in_list(operand, list, *negated),
            Ast::InSubquery { operand, query, negated } => {
                let bound = self.in_subquery(operand, query, e.span)?;
                Ok(negate_if(bound, *negated))
            }
            Ast::Like { operand, pattern, escape, negated, case_insensitive } => {
                let like = self.like(operand, pattern, escape.as_deref(), *case_insensitive)?;
                Ok(fold(negate_if(like, *negated)))
            }
            Ast::StartsWith { operand, prefix, negated } => {
                let left = self.text(operand, "STARTS WITH")?;
                let right = self.text(prefix, "STARTS WITH")?;
                let nullable = left.nullable || right.nullable;
                let kind = ExprKind::StartsWith { operand: Box::new(left), prefix: Box::new(right) };
                Ok(fold(negate_if(Expr { kind, ty: DataType::Boolean, nullable }, *negated)))
            }
            Ast::Case { operand, branches, otherwise } => self.case(operand.as_deref(), branches, otherwise.as_deref()),
            Ast::Cast { operand, data_type } => self.cast(operand, *data_type),
            Ast::Function(function) => self.function(function, e.span),
            Ast::Exists { query, negated } => {
                let bound = self.exists(query)?;
                Ok(negate_if(bound, *negated))
            }
            Ast::Scalar(query) => self.scalar_subquery(query, e.span),
            Ast::Quantified { left, op, all, query } => self.quantified(left, *op, *all, query, e.span),
            Ast::Row(_) => fail("a row stands only beside a comparison or IN", e.span),
        }
    }

    /// A truth value; `what` says who needs it.
    pub(in crate::planner) fn predicate(&mut self, e: &'a ast::Expr, what: &str) -> Result<Expr> {
        let bound = self.expr(e)?;
        self.coerce_boolean(bound, what, e.span)
    }

    /// The terms of a condition that all must hold, each bound.
    pub(in crate::planner) fn conjuncts(&mut self, e: &'a ast::Expr, what: &str) -> Result<Vec<Expr>> {
        let mut out = Vec::new();
        for term in chain(e, BinaryOp::And) {
            match self.predicate(term, what)? {
                Expr { kind: ExprKind::And(terms), .. } => out.extend(terms),
                Expr { kind: ExprKind::Literal(Value::Bool(true)), .. } => {}
                bound => out.push(bound),
            }
        }
        Ok(out)
    }

    fn placeholder_expr(&mut self, index: usize, span: Span) -> Expr {
        if index >= self.placeholders.len() {
            self.placeholders.resize(index + 1, Default::default());
        }
        let placeholder = &mut self.placeholders[index];
        placeholder.span = span;
        let ty = placeholder.ty.unwrap_or(DataType::Null);
        Expr::reg(self.env.placeholders.base.wrapping_add(index as u16), ty, true)
    }

    fn variable_expr(&mut self, name: &ast::Ident) -> Result<Expr> {
        self.variable(None, &name.name).map_or_else(
            || {
                let names = self.env.variables.iter().filter(|v| v.qualifier.is_none()).map(|v| v.name.as_str());
                let hint = did_you_mean(name.name.as_str(), names);
                fail(format!("no variable or parameter {}{hint}", name.name), name.span)
            },
            Ok,
        )
    }

    fn unary(&mut self, op: UnaryOp, operand: &'a ast::Expr) -> Result<Expr> {
        if op == UnaryOp::Not {
            let bound = self.predicate(operand, "NOT")?;
            return Ok(fold(negate_if(bound, true)));
        }
        // -9223372036854775808 is written as the negative of a number that is no BIGINT.
        if let (UnaryOp::Minus, Ast::Literal(Value::Decimal(v))) = (op, &operand.kind)
            && v.scaled() == -(i64::MIN as i128) * crate::types::Decimal::ONE
        {
            return Ok(Expr::int(i64::MIN));
        }
        let bound = self.expr(operand)?;
        // A sign that changes nothing is taken before columns of any type.
        let is_literal = matches!(bound.kind, ExprKind::Literal(_));
        if op == UnaryOp::Plus && !is_literal {
            return Ok(bound);
        }
        let bound = self.numeric(bound, operand.span, if op == UnaryOp::Minus { "-" } else { "+" })?;
        if op == UnaryOp::Plus {
            return Ok(bound);
        }
        if bound.ty == DataType::Timestamp {
            return fail("- needs a number, not TIMESTAMP", operand.span);
        }
        let (ty, small) = (if bound.ty.is_integer() { DataType::BigInt } else { bound.ty }, is_small(bound.ty));
        let nullable = bound.nullable;
        let folded = fold(Expr { kind: ExprKind::Negate(Box::new(bound)), ty, nullable });
        Ok(if small { retyped(folded) } else { folded })
    }

    /// Text literals beside arithmetic operators are read as numbers.
    fn numeric(&mut self, expr: Expr, span: Span, op: &str) -> Result<Expr> {
        match expr.ty {
            ty if ty.is_numeric() || matches!(ty, DataType::Null | DataType::Timestamp) => Ok(expr),
            DataType::Varchar { .. } => match &expr.kind {
                ExprKind::Literal(value) => {
                    let whole = cast_literal(value, expr.ty, DataType::BigInt, span);
                    whole.or_else(|_| cast_literal(value, expr.ty, DataType::Decimal, span))
                }
                _ => fail(format!("{op} needs a number, not VARCHAR: write CAST(.. AS BIGINT)"), span),
            },
            DataType::Varbinary { .. } if hex_integer(&expr).is_some() => Ok(hex_integer(&expr).expect("just seen")),
            ty => fail(format!("{op} needs a number, not {}", type_name(ty)), span),
        }
    }

    fn binary(&mut self, e: &'a ast::Expr, op: BinaryOp, left: &'a ast::Expr, right: &'a ast::Expr) -> Result<Expr> {
        match op {
            BinaryOp::And | BinaryOp::Or => self.logic(e, op),
            BinaryOp::Concat => self.concat(e),
            BinaryOp::JsonGet | BinaryOp::JsonGetText => {
                self.json_get(op == BinaryOp::JsonGetText, left, right, e.span)
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                self.arithmetic_chain(e)
            }
            _ => match (&left.kind, &right.kind) {
                (Ast::Row(a), Ast::Row(b)) => self.compare_rows(op, a, b, e.span),
                (Ast::Row(_), _) | (_, Ast::Row(_)) => fail("a row can only be compared with a row", e.span),
                _ => {
                    let l = self.expr(left)?;
                    let r = self.expr(right)?;
                    self.compare(comparison(op), (l, left.span), (r, right.span))
                }
            },
        }
    }

    /// AND and OR of any number of terms, without recursion along the chain.
    fn logic(&mut self, e: &'a ast::Expr, op: BinaryOp) -> Result<Expr> {
        let mut terms = Vec::new();
        for term in chain(e, op) {
            terms.push(self.predicate(term, op.symbol())?);
        }
        Ok(logic_of(terms, op == BinaryOp::And))
    }

    fn concat(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let mut arguments = Vec::new();
        for term in chain(e, BinaryOp::Concat) {
            arguments.push((self.expr(term)?, term.span));
        }
        self.call_registry("concat", arguments, e.span)
    }

    /// `document -> key`, or the number of an element.
    fn json_get(&mut self, plain: bool, left: &'a ast::Expr, right: &'a ast::Expr, span: Span) -> Result<Expr> {
        let document = (self.expr(left)?, left.span);
        let key = (self.expr(right)?, right.span);
        let name = match (key.0.ty.is_integer(), plain) {
            (false, false) => "json_get",
            (false, true) => "json_get_text",
            (true, false) => "json_element",
            (true, true) => "json_element_text",
        };
        self.call_registry(name, vec![document, key], span)
    }

    /// `a + b - c * d ..`: the left spine by a loop.
    fn arithmetic_chain(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let mut spine = Vec::new();
        let mut at = e;
        while let Ast::Binary { op, left, right } = &at.kind {
            let Some(op) = arithmetic(*op) else { break };
            spine.push((op, right.as_ref(), at.span));
            at = left;
        }
        if spine.len() > CHAIN_MAX {
            return fail(format!("an arithmetic expression has at most {CHAIN_MAX} operators in a row"), e.span);
        }
        let mut bound = self.expr(at)?;
        let mut left_span = at.span;
        while let Some((op, right, span)) = spine.pop() {
            let r = self.expr(right)?;
            bound = self.arithmetic((bound, left_span), op, (r, right.span))?;
            left_span = span;
        }
        Ok(bound)
    }

    fn arithmetic(&mut self, left: (Expr, Span), op: Arithmetic, right: (Expr, Span)) -> Result<Expr> {
        let symbol = arithmetic_symbol(op);
        let mut l = self.numeric(left.0, left.1, symbol)?;
        let mut r = self.numeric(right.0, right.1, symbol)?;
        let wide = |ty: DataType| if ty.is_integer() || ty == DataType::Timestamp { DataType::BigInt } else { ty };
        match (l.ty, r.ty) {
            (DataType::Null, ty) if ty != DataType::Null => self.infer(&mut l, wide(ty)),
            (ty, DataType::Null) if ty != DataType::Null => self.infer(&mut r, wide(ty)),
            _ => {}
        }
        let times = usize::from(l.ty == DataType::Timestamp) + usize::from(r.ty == DataType::Timestamp);
        let ty = match (l.ty, r.ty) {
            (DataType::Null, _) => DataType::Null,
            (a, b) if times > 0 => {
                let other = if a == DataType::Timestamp { b } else { a };
                let moves = matches!(op, Arithmetic::Add | Arithmetic::Subtract);
                if !moves || !(other.is_integer() || other == DataType::Timestamp) {
                    let message = format!("cannot compute {} {symbol} {}", type_name(a), type_name(b));
                    return fail(message, left.1.to(right.1));
                }
                if times == 1 { DataType::Timestamp } else { DataType::BigInt }
            }
            (DataType::Float, _) | (_, DataType::Float) => DataType::Float,
            (DataType::Decimal, _) | (_, DataType::Decimal) => DataType::Decimal,
            _ => DataType::BigInt,
        };
        if matches!(ty, DataType::Float | DataType::Decimal) {
            l = self.coerce(l, ty, left.1)?;
            r = self.coerce(r, ty, right.1)?;
        }
        let (nullable, small) = (l.nullable || r.nullable, is_small(l.ty) && is_small(r.ty));
        let folded =
            fold(Expr { kind: ExprKind::Arithmetic { op, left: Box::new(l), right: Box::new(r) }, ty, nullable });
        Ok(if small { retyped(folded) } else { folded })
    }

    pub(in crate::planner) fn compare(
        &mut self,
        op: Comparison,
        left: (Expr, Span),
        right: (Expr, Span),
    ) -> Result<Expr> {
        let (left, right) = self.coerce_pair(left, right)?;
        let null_safe = matches!(op, Comparison::IsDistinct | Comparison::IsNotDistinct);
        let nullable = !null_safe && (left.nullable || right.nullable);
        let kind = ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) };
        Ok(fold(Expr { kind, ty: DataType::Boolean, nullable }))
    }

    /// Equality member by member; order by the first members that differ.
    fn compare_rows(&mut self, op: BinaryOp, a: &'a [ast::Expr], b: &'a [ast::Expr], span: Span) -> Result<Expr> {
        if a.len() != b.len() {
            return fail(format!("a row of {} compared with a row of {}", a.len(), b.len()), span);
        }
        let mut pairs = Vec::with_capacity(a.len());
        for (x, y) in a.iter().zip(b) {
            let l = self.expr(x)?;
            let r = self.expr(y)?;
            pairs.push(((l, x.span), (r, y.span)));
        }
        let op = comparison(op);
        let strict = match op {
            Comparison::Eq | Comparison::IsNotDistinct => {
                let terms: Result<Vec<Expr>> = pairs.into_iter().map(|(l, r)| self.compare(op, l, r)).collect();
                return Ok(logic_of(terms?, true));
            }
            Comparison::NotEq | Comparison::IsDistinct => {
                let terms: Result<Vec<Expr>> = pairs.into_iter().map(|(l, r)| self.compare(op, l, r)).collect();
                return Ok(logic_of(terms?, false));
            }
            Comparison::Lt | Comparison::LtEq => Comparison::Lt,
            Comparison::Gt | Comparison::GtEq => Comparison::Gt,
        };
        let (l, r) = pairs.pop().expect("rows have two members at least");
        let mut bound = self.compare(op, l, r)?;
        for (l, r) in pairs.into_iter().rev() {
            let before = self.compare(strict, l.clone(), r.clone())?;
            let same = self.compare(Comparison::Eq, l, r)?;
            bound = logic_of(vec![before, logic_of(vec![same, bound], true)], false);
        }
        Ok(bound)
    }

    fn is_null(&mut self, operand: &'a ast::Expr, negated: bool) -> Result<Expr> {
        let mut bound = self.expr(operand)?;
        if bound.ty == DataType::Null && !matches!(bound.kind, ExprKind::Literal(_)) {
            // Any type will do for a `?` that is only asked whether it is NULL, but the caller must be told one.
            return fail("the type of ? is not known here: write CAST(? AS type)", operand.span);
        }
        self.infer(&mut bound, DataType::BigInt);
        let node = Expr { kind: ExprKind::IsNull(Box::new(bound)), ty: DataType::Boolean, nullable: false };
        Ok(fold(negate_if(node, negated)))
    }

    /// `low <= x AND x <= high`, so that both ends can become bounds of an index range.
    fn between(
        &mut self,
        operand: &'a ast::Expr,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
        negated: bool,
    ) -> Result<Expr> {
        let x = self.expr(operand)?;
        let low = (self.expr(low)?, low.span);
        let high = (self.expr(high)?, high.span);
        let from = self.compare(Comparison::GtEq, (x.clone(), operand.span), low)?;
        let to = self.compare(Comparison::LtEq, (x, operand.span), high)?;
        Ok(negate_if(logic_of(vec![from, to], true), negated))
    }

    fn in_list(&mut self, operand: &'a ast::Expr, list: &'a [ast::Expr], negated: bool) -> Result<Expr> {
        if let Ast::Row(members) = &operand.kind {
            let mut terms = Vec::with_capacity(list.len());
            for item in list {
                let Ast::Row(values) = &item.kind else {
                    return fail("a row can only be compared with a row", item.span);
                };
                terms.push(self.compare_rows(BinaryOp::Eq, members, values, item.span)?);
            }
            return Ok(negate_if(logic_of(terms, false), negated));
        }
        if let [ast::Expr { kind: Ast::Row(only), .. }] = list
            && let [array] = only.as_slice()
        {
            return self.in_array(operand, array, negated);
        }
        let mut x = self.expr(operand)?;
        let mut values = Vec::with_capacity(list.len());
        for item in list {
            values.push((self.expr(item)?, item.span));
        }
        if let [_] = values.as_slice() {
            let only = values.pop().expect("it has one");
            let equal = self.compare(Comparison::Eq, (x, operand.span), only)?;
            return Ok(negate_if(equal, negated));
        }
        let mut all = values.clone();
        all.push((x.clone(), operand.span));
        let ty = self.meet(&all)?;
        self.infer(&mut x, ty);
        let x = self.in_family(x, ty, operand.span)?;
        let mut out = Vec::with_capacity(values.len());
        for (mut value, span) in values {
            self.infer(&mut value, ty);
            out.push(self.in_family(value, ty, span)?);
        }
        let nullable = x.nullable || out.iter().any(|value| value.nullable);
        let kind = ExprKind::InList { operand: Box::new(x), list: out };
        Ok(negate_if(Expr { kind, ty: DataType::Boolean, nullable }, negated))
    }

    /// `operand IN ?`, where the parameter is an array of the operand's type.
    fn in_array(&mut self, operand: &'a ast::Expr, array: &'a ast::Expr, negated: bool) -> Result<Expr> {
        let x = self.expr(operand)?;
        let Some(element) = ElementType::of(x.ty) else {
            return fail(format!("there are no arrays of {}: write IN (..)", type_name(x.ty)), operand.span);
        };
        let mut list = self.expr(array)?;
        self.infer(&mut list, DataType::Array(element));
        let DataType::Array(given) = list.ty else {
            return fail("IN takes an array, or a list in parentheses", array.span);
        };
        let family = |e: ElementType| (e.data_type().is_integer(), e.data_type().is_text());
        if given != element && (family(given) == (false, false) || family(given) != family(element)) {
            let message = format!("an array of {} cannot hold {}", given.data_type(), type_name(x.ty));
            return fail(message, array.span);
        }
        let nullable = x.nullable || list.nullable;
        let arguments = vec![x, list];
        let kind = ExprKind::Function { function: Function::InArray, arguments };
        Ok(negate_if(Expr { kind, ty: DataType::Boolean, nullable }, negated))
    }

    /// A VARCHAR; `what` says who needs it.
    fn text(&mut self, e: &'a ast::Expr, what: &str) -> Result<Expr> {
        let mut bound = self.expr(e)?;
        self.infer(&mut bound, DataType::TEXT);
        match bound.ty {
            ty if ty.is_text() => Ok(bound),
            ty => fail(format!("{what} needs VARCHAR, not {}", type_name(ty)), e.span),
        }
    }

    fn like(
        &mut self,
        operand: &'a ast::Expr,
        pattern: &'a ast::Expr,
        escape: Option<&'a ast::Expr>,
        case_insensitive: bool,
    ) -> Result<Expr> {
        let left = self.text(operand, "LIKE")?;
        let right = self.text(pattern, "LIKE")?;
        let escape = match escape {
            None => None,
            Some(e) => match &e.kind {
                Ast::Literal(Value::Text(text)) if text.chars().count() == 1 => text.chars().next(),
                _ => return fail("ESCAPE needs one character in quotes", e.span),
            },
        };
        let nullable = left.nullable || right.nullable;
        let kind = ExprKind::Like { operand: Box::new(left), pattern: Box::new(right), escape, case_insensitive };
        Ok(Expr { kind, ty: DataType::Boolean, nullable })
    }

    fn case(
        &mut self,
        operand: Option<&'a ast::Expr>,
        branches: &'a [(ast::Expr, ast::Expr)],
        otherwise: Option<&'a ast::Expr>,
    ) -> Result<Expr> {
        let operand = match operand {
            Some(e) => Some((self.expr(e)?, e.span)),
            None => None,
        };
        let mut conditions = Vec::with_capacity(branches.len());
        let mut values = Vec::with_capacity(branches.len() + 1);
        for (when, then) in branches {
            conditions.push(match &operand {
                Some(operand) => {
                    let value = self.expr(when)?;
                    self.compare(Comparison::Eq, operand.clone(), (value, when.span))?
                }
                None => self.predicate(when, "WHEN")?,
            });
            values.push((self.expr(then)?, then.span));
        }
        if let Some(e) = otherwise {
            values.push((self.expr(e)?, e.span));
        }
        self.case_of(conditions, values)
    }

    /// CASE from its conditions and values: one value more is the ELSE.
    pub(super) fn case_of(&mut self, conditions: Vec<Expr>, values: Vec<(Expr, Span)>) -> Result<Expr> {
        let (mut values, ty) = self.coerce_all(values)?;
        let otherwise = if values.len() > conditions.len() { values.pop() } else { None };
        let nullable = otherwise.as_ref().is_none_or(|e| e.nullable) || values.iter().any(|e| e.nullable);
        let kind = ExprKind::Case {
            branches: conditions.into_iter().zip(values).collect(),
            otherwise: otherwise.map(Box::new),
        };
        Ok(Expr { kind, ty, nullable })
    }

    fn cast(&mut self, operand: &'a ast::Expr, to: DataType) -> Result<Expr> {
        let mut bound = self.expr(operand)?;
        if bound.ty == DataType::Null {
            self.infer(&mut bound, to);
            return Ok(bound);
        }
        if let Some(instead) = no_cast(bound.ty, to) {
            let message = format!("cannot cast {} to {}: {instead}", type_name(bound.ty), type_name(to));
            return fail(message, operand.span);
        }
        if let ExprKind::Literal(value) = &bound.kind {
            return cast_literal(value, bound.ty, to, operand.span);
        }
        if fits(bound.ty, to) {
            bound.ty = to;
            return Ok(bound);
        }
        if !castable(bound.ty, to) {
            return fail(format!("cannot cast {} to {}", type_name(bound.ty), type_name(to)), operand.span);
        }
        Ok(cast(bound, to))
    }
}

fn bind_literal(value: &Value) -> Expr {
    let ty = match value {
        Value::Null => DataType::Null,
        Value::Bool(_) => DataType::Boolean,
        Value::Int(v) => integer_type(*v),
        Value::Float(_) => DataType::Float,
        Value::Decimal(_) => DataType::Decimal,
        Value::Text(text) => DataType::Varchar {
            max: text.chars().count().clamp(1, crate::types::VARCHAR_CHARS_MAX as usize) as u32,
            bytes: false,
        },
        Value::Bytes(_) => DataType::Varbinary { max: crate::types::BYTES_MAX },
        Value::Timestamp(_) => DataType::Timestamp,
        Value::Array(_) => unreachable!("no literal is an array"),
    };
    Expr::literal(value.clone(), ty)
}

/// The type of an integer literal: INTEGER if that holds it.
fn integer_type(v: i64) -> DataType {
    if i32::try_from(v).is_ok() { DataType::Integer } else { DataType::BigInt }
}

fn is_small(ty: DataType) -> bool {
    ty.is_integer() && ty != DataType::BigInt
}

/// What came of computing with INTEGER literals has the type of a literal again.
fn retyped(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Literal(Value::Int(v)) => Expr { ty: integer_type(v), ..expr },
        _ => expr,
    }
}

/// X'..' of one to eight bytes where an integer is needed: two's complement, as a BIGINT.
pub(in crate::planner) fn hex_integer(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Literal(Value::Bytes(bytes)) if (1..=8).contains(&bytes.len()) => {
            Some(Expr::int(bytes.iter().fold(0u64, |v, b| v << 8 | u64::from(*b)) as i64))
        }
        _ => None,
    }
}

/// What to write in place of a CAST between a number and a point in time, which could mean any unit.
fn no_cast(from: DataType, to: DataType) -> Option<&'static str> {
    match (from, to) {
        (from, DataType::Timestamp) if from.is_numeric() => Some("write TO_TIMESTAMP(MICROSECOND, ..) or another unit"),
        (DataType::Timestamp, to) if to.is_numeric() => Some("write SINCE_EPOCH(MICROSECOND, ..) or another unit"),
        _ => None,
    }
}

/// The terms of a chain of one associative operator, left to right.
pub(in crate::planner) fn chain(e: &ast::Expr, op: BinaryOp) -> Vec<&ast::Expr> {
    let mut terms = Vec::new();
    let mut stack = vec![e];
    while let Some(term) = stack.pop() {
        match &term.kind {
            Ast::Binary { op: o, left, right } if *o == op => {
                stack.push(right);
                stack.push(left);
            }
            _ => terms.push(term),
        }
    }
    terms
}

/// AND or OR of conditions; chains of the same kind become one.
pub(in crate::planner) fn logic_of(terms: Vec<Expr>, and: bool) -> Expr {
    let mut flat = Vec::with_capacity(terms.len());
    for term in terms {
        match term.kind {
            ExprKind::And(inner) if and => flat.extend(inner),
            ExprKind::Or(inner) if !and => flat.extend(inner),
            // The neutral element says nothing.
            ExprKind::Literal(Value::Bool(v)) if v == and => {}
            _ => flat.push(term),
        }
    }
    match flat.len() {
        0 => Expr::literal(Value::Bool(and), DataType::Boolean),
        1 => flat.pop().expect("it has one"),
        _ => {
            let nullable = flat.iter().any(|term| term.nullable);
            let kind = if and { ExprKind::And(flat) } else { ExprKind::Or(flat) };
            Expr { kind, ty: DataType::Boolean, nullable }
        }
    }
}

pub(in crate::planner) fn negate_if(expr: Expr, negated: bool) -> Expr {
    if !negated {
        return expr;
    }
    let nullable = expr.nullable;
    Expr { kind: ExprKind::Not(Box::new(expr)), ty: DataType::Boolean, nullable }
}

fn arithmetic(op: BinaryOp) -> Option<Arithmetic> {
    match op {
        BinaryOp::Add => Some(Arithmetic::Add),
        BinaryOp::Subtract => Some(Arithmetic::Subtract),
        BinaryOp::Multiply => Some(Arithmetic::Multiply),
        BinaryOp::Divide => Some(Arithmetic::Divide),
        BinaryOp::Modulo => Some(Arithmetic::Modulo),
        _ => None,
    }
}

pub(in crate::planner) fn arithmetic_symbol(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Modulo => "%",
    }
}

/// The comparison that an operator is (asserted: arithmetic and logic are none).
pub(super) fn comparison(op: BinaryOp) -> Comparison {
    match op {
        BinaryOp::Eq => Comparison::Eq,
        BinaryOp::NotEq => Comparison::NotEq,
        BinaryOp::Lt => Comparison::Lt,
        BinaryOp::LtEq => Comparison::LtEq,
        BinaryOp::Gt => Comparison::Gt,
        BinaryOp::GtEq => Comparison::GtEq,
        BinaryOp::IsDistinctFrom => Comparison::IsDistinct,
        BinaryOp::IsNotDistinctFrom => Comparison::IsNotDistinct,
        _ => unreachable!("{} is no comparison", op.symbol()),
    }
}
