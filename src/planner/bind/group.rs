//! GROUP BY, aggregates and window functions.

use crate::expr::AggregateKind;
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::binder::{Binder, ungrouped};
use crate::planner::error::{Result, fail, type_name};
use crate::planner::plan::{AggregateCall, SubqueryKind};
use crate::planner::registers::{any_part, replace};
use crate::planner::scope::Grouping;
use crate::sql::Span;
use crate::sql::ast::{self, ExprKind as Ast, SelectItem};
use crate::types::{DataType, Reg, Value};

/// The aggregate function of that name.
pub(in crate::planner) fn aggregate_kind(function: &ast::Function) -> Option<AggregateKind> {
    match AggregateKind::lookup(function.name.name.folded())? {
        AggregateKind::Count if function.star => Some(AggregateKind::CountStar),
        AggregateKind::StringAgg { .. } => {
            let separator_len = function.arguments.get(1).and_then(separator).map_or(0, |text| text.len() as u32);
            Some(AggregateKind::StringAgg { separator_len })
        }
        kind => Some(kind),
    }
}

/// What STRING_AGG puts between two texts.
fn separator(e: &ast::Expr) -> Option<&str> {
    match &e.kind {
        Ast::Literal(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// True if an aggregate that belongs to this SELECT stands in `e`.
pub(in crate::planner) fn has_aggregate(e: &ast::Expr) -> bool {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let Ast::Function(function) = &e.kind
            && function.over.is_none()
            && aggregate_kind(function).is_some()
        {
            return true;
        }
        parts(e, &mut stack);
    }
    false
}

/// Appends the direct parts of an expression, subqueries excluded.
fn parts<'e>(e: &'e ast::Expr, out: &mut Vec<&'e ast::Expr>) {
    match &e.kind {
        Ast::Literal(_) | Ast::Placeholder(_) | Ast::Variable(_) | Ast::Column { .. } => {}
        Ast::Exists { .. } | Ast::Scalar(_) => {}
        Ast::Unary { operand, .. }
        | Ast::IsNull { operand, .. }
        | Ast::IsTruth { operand, .. }
        | Ast::InSubquery { operand, .. }
        | Ast::Cast { operand, .. }
        | Ast::Quantified { left: operand, .. } => out.push(operand),
        Ast::Binary { left, right, .. } => out.extend([left.as_ref(), right]),
        Ast::Between { operand, low, high, .. } => out.extend([operand.as_ref(), low, high]),
        Ast::InList { operand, list, .. } => {
            out.push(operand);
            out.extend(list);
        }
        Ast::Like { operand, pattern, .. } => out.extend([operand.as_ref(), pattern]),
        Ast::StartsWith { operand, prefix, .. } => out.extend([operand.as_ref(), prefix]),
        Ast::Case { operand, branches, otherwise } => {
            out.extend(operand.as_deref());
            out.extend(branches.iter().flat_map(|(when, then)| [when, then]));
            out.extend(otherwise.as_deref());
        }
        Ast::Function(function) => {
            out.extend(&function.arguments);
            if let Some(window) = &function.over {
                out.extend(&window.partition_by);
                out.extend(window.order_by.iter().map(|key| &key.expr));
            }
        }
        Ast::Row(members) => out.extend(members),
    }
}

impl<'a> Binder<'a> {
    /// Binds GROUP BY; from here on columns stand for groups.
    pub(super) fn group_by(&mut self, select: &'a ast::Select) -> Result<()> {
        let scope = self.scope();
        scope.no_aggregates = Some("GROUP BY");
        scope.no_windows = Some("GROUP BY");
        let mut keys: Vec<(Reg, Expr)> = Vec::new();
        for e in &select.group_by {
            let key = self.group_key(e, &select.items)?;
            if !keys.iter().any(|(_, other)| other.kind == key.kind) {
                keys.push((self.fresh(), key));
            }
        }
        let scope = self.scope();
        scope.no_aggregates = None;
        scope.grouping = Some(Grouping { keys, active: true, ..Grouping::default() });
        Ok(())
    }

    /// An expression, the position of a select item, or the alias of one where no column has that name.
    fn group_key(&mut self, e: &'a ast::Expr, items: &'a [SelectItem]) -> Result<Expr> {
        match &e.kind {
            Ast::Literal(Value::Int(n)) => {
                let item = usize::try_from(*n).ok().and_then(|n| items.get(n.wrapping_sub(1)));
                match item {
                    Some(SelectItem::Expr { expr, .. }) => self.expr(expr),
                    Some(_) => fail("GROUP BY by position counts columns, not *", e.span),
                    None => fail(position("GROUP BY", *n, items.len()), e.span),
                }
            }
            Ast::Column { qualifier: None, column } => {
                let alias = items.iter().find_map(|item| match item {
                    SelectItem::Expr { expr, alias: Some(alias) } if alias.name == column.name => Some(expr),
                    _ => None,
                });
                match (self.expr(e), alias) {
                    // The nearest name of an unknown column matters less than the alias that is there.
                    (Err(_), Some(expr)) if !self.column_in_scope(column) => self.expr(expr),
                    (bound, _) => bound,
                }
            }
            _ => self.expr(e),
        }
    }

    fn column_in_scope(&self, column: &ast::Ident) -> bool {
        let scope = self.scopes.last().expect("GROUP BY is bound in its scope");
        scope.relations.iter().any(|relation| self.relation_columns(relation).contains(&column.name))
    }

    /// Puts group keys where they stand in `expr`, and refuses columns that are left.
    pub(super) fn regroup(&mut self, expr: &mut Expr) -> Result<()> {
        let Some(grouping) = self.scopes.last().and_then(|scope| scope.grouping.as_ref()) else { return Ok(()) };
        let keys = &grouping.keys;
        let as_key = |part: &Expr| {
            let (reg, key) = keys.iter().find(|(_, key)| key.kind == part.kind)?;
            Some(Expr::reg(*reg, key.ty, key.nullable))
        };
        replace(expr, &as_key);
        let mut left = None;
        let mut inner = Vec::new();
        let look = std::cell::RefCell::new((&mut left, &mut inner));
        any_part(expr, &|part| {
            match part.kind {
                ExprKind::Reg(reg) => {
                    if let Some(met) = grouping.ungrouped.iter().rfind(|(r, ..)| *r == reg) {
                        *look.borrow_mut().0 = Some(met.clone());
                    }
                }
                ExprKind::Subquery { index, .. } => look.borrow_mut().1.push(index),
                _ => {}
            }
            false
        });
        if let Some((_, column, span)) = left {
            return fail(ungrouped(&column), span);
        }
        for index in inner {
            self.regroup_subquery(index)?;
        }
        Ok(())
    }

    /// Operands of IN and ANY are part of the outer query.
    fn regroup_subquery(&mut self, index: usize) -> Result<()> {
        let mut kind = std::mem::replace(&mut self.subqueries[index].kind, SubqueryKind::Exists);
        let outcome = match &mut kind {
            SubqueryKind::In { operands, .. } => operands.iter_mut().try_for_each(|e| self.regroup(e)),
            SubqueryKind::Quantified { test, .. } => self.regroup(test),
            SubqueryKind::Scalar { .. } | SubqueryKind::Exists => Ok(()),
        };
        self.subqueries[index].kind = kind;
        outcome
    }

    /// An aggregate function of the innermost SELECT.
    pub(super) fn aggregate(&mut self, kind: AggregateKind, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let name = f.name.name.as_str().to_uppercase();
        let Some(scope) = self.scopes.last_mut() else {
            return fail(format!("{name} needs a FROM: it is an aggregate function"), span);
        };
        if let Some(clause) = scope.no_aggregates {
            let hint = if clause == "WHERE" { "; use HAVING, or a subquery" } else { "" };
            return fail(format!("aggregate function {name} can't stand in {clause}{hint}"), span);
        }
        let Some(grouping) = &mut scope.grouping else {
            return fail(format!("aggregate function {name} can't stand here"), span);
        };
        if std::mem::replace(&mut grouping.inside_aggregate, true) {
            return fail(format!("aggregate function {name} can't stand inside another"), span);
        }
        let argument = self.aggregate_argument(kind, f, &name, span);
        let grouping = self.scope().grouping.as_mut().expect("it was there before the argument");
        grouping.inside_aggregate = false;
        let (argument, ty) = argument?;
        let distinct = f.distinct && !matches!(kind, AggregateKind::Min | AggregateKind::Max);
        let counts = matches!(kind, AggregateKind::Count | AggregateKind::CountStar);
        let nullable = !counts && (grouping.keys.is_empty() || argument.as_ref().is_none_or(|a| a.nullable));
        let same = grouping.calls.iter().find(|c| c.kind == kind && c.distinct == distinct && c.argument == argument);
        if let Some(call) = same {
            return Ok(Expr::reg(call.out, ty, nullable));
        }
        let out = self.fresh();
        let grouping = self.scope().grouping.as_mut().expect("it was there before the argument");
        grouping.calls.push(AggregateCall { kind, distinct, argument, ty, out });
        Ok(Expr::reg(out, ty, nullable))
    }

    /// The argument, and the type of the result.
    pub(super) fn aggregate_argument(
        &mut self,
        kind: AggregateKind,
        f: &'a ast::Function,
        name: &str,
        span: Span,
    ) -> Result<(Option<Expr>, DataType)> {
        if kind == AggregateKind::CountStar {
            return Ok((None, DataType::BigInt));
        }
        if matches!(kind, AggregateKind::StringAgg { .. }) {
            return self.string_agg_argument(f, span).map(|bound| (Some(bound), DataType::TEXT));
        }
        let [argument] = f.arguments.as_slice() else {
            return fail(format!("{name} takes 1 argument, not {}", f.arguments.len()), span);
        };
        let mut bound = self.expr(argument)?;
        self.infer(&mut bound, DataType::BigInt);
        let ty = aggregate_type(kind, bound.ty);
        match ty {
            Some(DataType::Float) if bound.ty != DataType::Float => {
                let bound = self.coerce(bound, DataType::Float, argument.span)?;
                Ok((Some(bound), DataType::Float))
            }
            Some(ty) => Ok((Some(bound), ty)),
            None if kind == AggregateKind::ApproxCountDistinct => {
                let message = format!("{name} takes integers, DECIMAL and TIMESTAMP, not {}", type_name(bound.ty));
                fail(message, argument.span)
            }
            None => fail(format!("{name} needs a number, not {}", type_name(bound.ty)), argument.span),
        }
    }

    /// Each text with the separator before it.
    fn string_agg_argument(&mut self, f: &'a ast::Function, span: Span) -> Result<Expr> {
        let [argument, between] = f.arguments.as_slice() else {
            return fail(
                format!("STRING_AGG takes 2 arguments, not {}: values and a separator", f.arguments.len()),
                span,
            );
        };
        if separator(between).is_none() {
            return fail("the separator of STRING_AGG must be a text in quotes", between.span);
        }
        let parts = vec![(self.expr(between)?, between.span), (self.expr(argument)?, argument.span)];
        self.call_registry("concat", parts, span)
    }
}

/// "GROUP BY 4, but there are 2 columns"
pub(super) fn position(clause: &str, n: i64, columns: usize) -> String {
    format!("{clause} position {n} is not among the {columns} columns of the SELECT")
}

/// Result type of an aggregate over `argument`; None if it takes no such type.
pub(in crate::planner) fn aggregate_type(kind: AggregateKind, argument: DataType) -> Option<DataType> {
    kind.result_type(argument).ok()
}
