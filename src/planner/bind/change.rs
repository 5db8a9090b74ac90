//! UPDATE, DELETE and TRUNCATE.

use super::insert::{default_value, is_default, refuse_view, target_column};
use super::query::{Tail, sort_key};
use crate::catalog::Table;
use crate::expr::expr::Expr;
use crate::planner::binder::Binder;
use crate::planner::error::{Result, fail};
use crate::planner::from::From;
use crate::planner::plan::{Node, PlanKind};
use crate::planner::scope::{Relation, Scope, Source};
use crate::sql::ast::{self, Delete, Ident, Update};
use crate::types::{Name, Reg};
use std::sync::Arc;

impl<'a> Binder<'a> {
    pub(in crate::planner) fn update(&mut self, update: &'a Update) -> Result<PlanKind> {
        let table = self.table(&update.table)?;
        refuse_view(&table, "UPDATE", &update.table)?;
        let alias = update.alias.as_ref().unwrap_or(&update.table);
        let instance = self.target(&table, alias);
        let outcome = self.update_in_scope(update, &table, instance);
        self.scopes.pop();
        let (source, target, assignments) = outcome?;
        let returning = self.returning(&table, alias, &update.returning)?;
        Ok(PlanKind::Update { table: table.id, source, target, assignments, returning })
    }

    #[allow(clippy::type_complexity)] // the parts of the plan, put together by the only caller
    fn update_in_scope(
        &mut self,
        update: &'a Update,
        table: &Arc<Table>,
        instance: usize,
    ) -> Result<(Node, Reg, Vec<(usize, Expr)>)> {
        self.scope().no_aggregates = Some("SET");
        self.scope().no_windows = Some("SET");
        let assignments = self.assignments(table, &update.assignments, instance)?;
        let from = self.filtered_target(update.filter.as_ref(), instance)?;
        let target = self.instances[instance].row.expect("a target has its row's place");
        Ok((self.lower(from), target, assignments))
    }

    /// SET: columns and new values. One that gives a partition column its own value is left out.
    pub(super) fn assignments(
        &mut self,
        table: &Arc<Table>,
        written: &'a [(Ident, ast::Expr)],
        instance: usize,
    ) -> Result<Vec<(usize, Expr)>> {
        let mut assignments: Vec<(usize, Expr)> = Vec::with_capacity(written.len());
        for (column, e) in written {
            let at = target_column(table, column)?;
            if assignments.iter().any(|(other, _)| *other == at) {
                return fail(format!("column {} is set twice", column.name), column.span);
            }
            let is_default = is_default(e) && table.column(&column_name(e)).is_none();
            let value = if is_default { default_value(table, at, e.span)? } else { self.expr(e)? };
            if table.partition_column == Some(at) && value.as_reg() == Some(self.column_reg(instance, at)) {
                continue;
            }
            assignments.push((at, self.assigned(table, at, value, e.span)?));
        }
        Ok(assignments)
    }

    pub(in crate::planner) fn delete(&mut self, delete: &'a Delete) -> Result<PlanKind> {
        let table = self.table(&delete.table)?;
        refuse_view(&table, "DELETE", &delete.table)?;
        let alias = delete.alias.as_ref().unwrap_or(&delete.table);
        let instance = self.target(&table, alias);
        let outcome = self.delete_in_scope(delete, instance);
        self.scopes.pop();
        let (source, target) = outcome?;
        let returning = self.returning(&table, alias, &delete.returning)?;
        Ok(PlanKind::Delete { table: table.id, source, target, returning })
    }

    fn delete_in_scope(&mut self, delete: &'a Delete, instance: usize) -> Result<(Node, Reg)> {
        let from = self.filtered_target(delete.filter.as_ref(), instance)?;
        self.scope().no_aggregates = Some("ORDER BY of DELETE");
        self.scope().no_windows = Some("ORDER BY of DELETE");
        let mut keys = Vec::with_capacity(delete.order_by.len());
        for key in &delete.order_by {
            keys.push(sort_key(self.expr(&key.expr)?, key));
        }
        let tail = Tail { order_by: &delete.order_by, limit: delete.limit.as_ref(), offset: delete.offset.as_ref() };
        if !keys.is_empty() && tail.limit.is_none() && tail.offset.is_none() {
            return fail(
                "ORDER BY of DELETE says which rows LIMIT keeps: without LIMIT leave it out",
                delete.order_by[0].expr.span,
            );
        }
        let from = self.sort_and_limit(from, keys, tail)?;
        let target = self.instances[instance].row.expect("a target has its row's place");
        Ok((self.lower(from), target))
    }

    pub(in crate::planner) fn truncate(&mut self, name: &Ident) -> Result<PlanKind> {
        let table = self.table(name)?;
        refuse_view(&table, "TRUNCATE", name)?;
        Ok(PlanKind::Truncate { table: table.id })
    }

    /// Opens the scope of a change: its table alone.
    fn target(&mut self, table: &Arc<Table>, alias: &Ident) -> usize {
        let instance = self.add_instance(Arc::clone(table));
        self.instances[instance].row = Some(self.fresh());
        let mut scope = Scope::new();
        scope.relations.push(Relation { alias: alias.name.clone(), source: Source::Table(instance), nullable: false });
        self.scopes.push(scope);
        instance
    }

    fn filtered_target(&mut self, filter: Option<&'a ast::Expr>, instance: usize) -> Result<From> {
        self.scope().no_aggregates = Some("WHERE");
        self.scope().no_windows = Some("WHERE");
        let conjuncts = match filter {
            Some(filter) => self.conjuncts(filter, "WHERE")?,
            None => Vec::new(),
        };
        Ok(From::Table(instance).filter(conjuncts))
    }
}

/// The name of a bare column.
fn column_name(e: &ast::Expr) -> Name {
    match &e.kind {
        ast::ExprKind::Column { column, .. } => column.name.clone(),
        _ => Name::new(""),
    }
}
