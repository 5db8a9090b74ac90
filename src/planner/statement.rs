//! A whole statement: bound, pruned, its registers counted, its partitions known.

use super::binder::{Binder, Rows};
use super::environment::Environment;
use super::error::{Result, fail};
use super::partitioning::{decide, mark_scans};
use super::plan::{Node, Output, Partitioning, Plan, PlanKind, Returning, Subquery};
use super::prune::Pruner;
use super::registers::RegSet;
use crate::sql::Span;
use crate::sql::ast::{self, Statement};
use crate::types::DataType;

/// Plans a query or a data change. Fails with a [`super::BindError`], also for statements that have no plan (DDL, EXEC):
/// those are somebody else's.
pub fn plan_statement(statement: &Statement, env: &Environment<'_>) -> Result<Plan> {
    match statement {
        Statement::Query(query) => plan_query(query, env),
        Statement::Insert(insert) => plan_with(env, |binder| binder.insert(insert)),
        Statement::Update(update) => plan_with(env, |binder| binder.update(update)),
        Statement::Delete(delete) => plan_with(env, |binder| binder.delete(delete)),
        Statement::Truncate { table } => plan_with(env, |binder| binder.truncate(table)),
        Statement::Explain(inner) => plan_statement(inner, env),
        Statement::Ddl(_) => fail("a schema change has no plan", Span::NONE),
        Statement::Exec(exec) | Statement::Trace(exec) => fail("a procedure call has no plan", exec.procedure.span),
        Statement::LoadProcedures { .. } => fail("a schema change has no plan", Span::NONE),
        Statement::ExplainProcedure(name) => fail("a procedure has no plan of its own", name.span),
    }
}

/// Plans a query: also that of FOR and SELECT INTO.
pub fn plan_query(query: &ast::Query, env: &Environment<'_>) -> Result<Plan> {
    plan_with(env, |binder| {
        let Rows { from, columns } = binder.query(query)?;
        let root = binder.lower(from);
        let output = columns.into_iter().map(|c| Output { name: c.name, ty: c.ty, reg: c.reg }).collect();
        Ok(PlanKind::Query { root, output })
    })
}

/// Plans one expression of a procedure. With `cast_to` its value is converted as an assignment to a variable of that type
/// does it.
pub fn plan_expression(expr: &ast::Expr, env: &Environment<'_>, cast_to: Option<DataType>) -> Result<Plan> {
    plan_with(env, |binder| {
        let bound = binder.expr(expr)?;
        Ok(PlanKind::Expression(match cast_to {
            Some(DataType::Boolean) => binder.coerce_boolean(bound, "this", expr.span)?,
            Some(ty) => binder.coerce(bound, ty, expr.span)?,
            None => bound,
        }))
    })
}

/// Binds with as many registers kept for placeholders as there turn out to be.
fn plan_with<'a>(env: &'a Environment<'a>, mut bind: impl FnMut(&mut Binder<'a>) -> Result<PlanKind>) -> Result<Plan> {
    let mut kept = env.placeholders.types.len();
    loop {
        let mut binder = Binder::new(env, kept);
        let first = binder.constants;
        let kind = bind(&mut binder)?;
        if binder.placeholders.len() <= kept {
            return finish(binder, kind, first);
        }
        // Placeholders beyond those that were announced: they need registers of their own.
        kept = binder.placeholders.len();
    }
}

fn finish(binder: Binder<'_>, mut kind: PlanKind, constants: usize) -> Result<Plan> {
    let mut placeholders = Vec::with_capacity(binder.placeholders.len());
    for (i, placeholder) in binder.placeholders.iter().enumerate() {
        match placeholder.ty {
            Some(ty) => placeholders.push(ty),
            // One of another statement of the same body.
            None if placeholder.span == Span::NONE => placeholders.push(DataType::Null),
            None => {
                return fail(
                    format!("the type of ? number {} is not known: write CAST(? AS type)", i + 1),
                    placeholder.span,
                );
            }
        }
    }
    let registers = binder.registers()?;
    let catalog = binder.catalog;
    let mut subqueries = binder.subqueries;
    prune(&mut kind, &mut subqueries, true);
    let read_only = matches!(kind, PlanKind::Query { .. } | PlanKind::Expression(_));
    let mut plan = Plan { kind, subqueries, registers, placeholders, partitioning: Partitioning::Any, read_only };
    plan.partitioning = decide(&plan, catalog, constants);
    mark(&mut plan.kind, &mut plan.subqueries, catalog);
    prune(&mut plan.kind, &mut plan.subqueries, false);
    Ok(plan)
}

fn prune(kind: &mut PlanKind, subqueries: &mut Vec<Subquery>, keep_columns: bool) {
    let mut pruner = Pruner { subqueries, used: RegSet::default(), keep_columns };
    match kind {
        PlanKind::Query { root, output } => {
            output.iter().for_each(|column| pruner.used.insert(column.reg));
            pruner.node(root);
        }
        PlanKind::Expression(expr) => pruner.expr(expr),
        PlanKind::Insert { source, row, conflict, returning, .. } => {
            returned(&mut pruner, returning.as_ref());
            conflict.iter().flat_map(|c| c.exprs()).for_each(|expr| pruner.expr(expr));
            row.iter().for_each(|expr| pruner.expr(expr));
            pruner.node(source);
        }
        PlanKind::Update { source, target, assignments, returning, .. } => {
            returned(&mut pruner, returning.as_ref());
            pruner.used.insert(*target);
            assignments.iter().for_each(|(_, expr)| pruner.expr(expr));
            pruner.node(source);
        }
        PlanKind::Delete { source, target, returning, .. } => {
            returned(&mut pruner, returning.as_ref());
            pruner.used.insert(*target);
            pruner.node(source);
        }
        PlanKind::Truncate { .. } => {}
    }
}

fn returned(pruner: &mut Pruner<'_>, returning: Option<&Returning>) {
    returning.iter().flat_map(|r| &r.exprs).for_each(|(_, expr)| pruner.expr(expr));
}

fn mark(kind: &mut PlanKind, subqueries: &mut [Subquery], catalog: &crate::catalog::Catalog) {
    for at in 0..subqueries.len() {
        let mut root = std::mem::replace(&mut subqueries[at].root, Node::One);
        mark_scans(&mut root, catalog, subqueries);
        subqueries[at].root = root;
    }
    match kind {
        PlanKind::Query { root, .. } => mark_scans(root, catalog, subqueries),
        PlanKind::Insert { source, .. } | PlanKind::Update { source, .. } | PlanKind::Delete { source, .. } => {
            mark_scans(source, catalog, subqueries);
        }
        PlanKind::Expression(_) | PlanKind::Truncate { .. } => {}
    }
}
