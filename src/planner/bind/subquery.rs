//! Queries inside expressions: scalar, EXISTS, IN, ANY and ALL.

use super::coerce::Family;
use super::expr::{comparison, negate_if};
use crate::expr::common_type;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::planner::binder::{Binder, Frame, Rows};
use crate::planner::error::{Result, fail, type_name};
use crate::planner::from::From;
use crate::planner::plan::{Subquery, SubqueryKind};
use crate::sql::Span;
use crate::sql::ast::{self, BinaryOp, ExprKind as Ast};
use crate::types::DataType;

impl<'a> Binder<'a> {
    /// The query's rows, and whether they depend on what is around it.
    fn inner_query(&mut self, query: &'a ast::Query) -> Result<(Rows, bool)> {
        if let Some(what) = self.plain {
            return fail(format!("{what} can't have subqueries"), query.span);
        }
        self.frames.push(Frame { base: self.scopes.len(), correlated: false });
        let rows = self.query(query);
        let frame = self.frames.pop().expect("it was pushed above");
        Ok((rows?, frame.correlated))
    }

    fn add_subquery(&mut self, from: From, kind: SubqueryKind, correlated: bool, ty: DataType, nullable: bool) -> Expr {
        let root = self.lower(from);
        let result = self.fresh();
        self.subqueries.push(Subquery { root, result, kind, correlated });
        let kind = ExprKind::Subquery { index: self.subqueries.len() - 1, result };
        Expr { kind, ty, nullable }
    }

    pub(super) fn exists(&mut self, query: &'a ast::Query) -> Result<Expr> {
        let (rows, correlated) = self.inner_query(query)?;
        Ok(self.add_subquery(rows.from, SubqueryKind::Exists, correlated, DataType::Boolean, false))
    }

    pub(super) fn scalar_subquery(&mut self, query: &'a ast::Query, span: Span) -> Result<Expr> {
        let (rows, correlated) = self.inner_query(query)?;
        let [column] = rows.columns.as_slice() else {
            return fail(format!("a query used as a value has one column, not {}", rows.columns.len()), span);
        };
        let (value, ty) = (column.reg, column.ty);
        Ok(self.add_subquery(rows.from, SubqueryKind::Scalar { value }, correlated, ty, true))
    }

    pub(super) fn in_subquery(&mut self, operand: &'a ast::Expr, query: &'a ast::Query, span: Span) -> Result<Expr> {
        let members: Vec<&'a ast::Expr> = match &operand.kind {
            Ast::Row(members) => members.iter().collect(),
            _ => vec![operand],
        };
        let mut operands = Vec::with_capacity(members.len());
        for member in &members {
            operands.push(self.expr(member)?);
        }
        let (rows, correlated) = self.inner_query(query)?;
        if rows.columns.len() != operands.len() {
            return fail(
                format!("{} compared with a query of {}", values(operands.len()), columns(rows.columns.len())),
                span,
            );
        }
        let mut from = rows.from;
        let mut out = Vec::with_capacity(operands.len());
        let mut casts = Vec::new();
        let mut nullable = false;
        for ((operand, member), column) in operands.iter_mut().zip(members).zip(&rows.columns) {
            self.infer(operand, column.ty);
            let mut value = column.expr();
            if Family::of(operand.ty) != Family::of(column.ty) {
                let left = (operand.clone(), member.span);
                let (left, right) = self.coerce_pair(left, (value, span))?;
                *operand = left;
                value = right;
            }
            nullable |= operand.nullable || value.nullable;
            let reg = value.as_reg().unwrap_or_else(|| self.fresh());
            out.push((reg, value.ty));
            if value.as_reg().is_none() {
                casts.push((reg, value));
            }
        }
        from = from.compute(casts);
        let kind = SubqueryKind::In { operands, columns: out };
        Ok(self.add_subquery(from, kind, correlated, DataType::Boolean, nullable))
    }

    /// `= ANY` is IN, `<> ALL` is NOT IN.
    pub(super) fn quantified(
        &mut self,
        left: &'a ast::Expr,
        op: BinaryOp,
        all: bool,
        query: &'a ast::Query,
        span: Span,
    ) -> Result<Expr> {
        let op = comparison(op);
        if matches!((op, all), (Comparison::Eq, false) | (Comparison::NotEq, true)) {
            return Ok(negate_if(self.in_subquery(left, query, span)?, all));
        }
        if let Ast::Row(_) = left.kind {
            return fail("a row can be compared with a query by IN, = ANY and <> ALL only", span);
        }
        let operand = self.expr(left)?;
        let (rows, correlated) = self.inner_query(query)?;
        let [column] = rows.columns.as_slice() else {
            return fail(format!("1 value compared with a query of {}", columns(rows.columns.len())), span);
        };
        if common_type(operand.ty, column.ty).is_none() {
            let message = format!("cannot compare {} with {}", type_name(operand.ty), type_name(column.ty));
            return fail(message, span);
        }
        let test = self.compare(op, (operand, left.span), (column.expr(), span))?;
        let nullable = test.nullable;
        let kind = SubqueryKind::Quantified { test, all };
        Ok(self.add_subquery(rows.from, kind, correlated, DataType::Boolean, nullable))
    }
}

fn values(n: usize) -> String {
    if n == 1 { "1 value".to_owned() } else { format!("a row of {n}") }
}

fn columns(n: usize) -> String {
    if n == 1 { "1 column".to_owned() } else { format!("{n} columns") }
}
