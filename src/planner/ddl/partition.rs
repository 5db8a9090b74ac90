//! PARTITION TABLE and REPLICATE TABLE.

use super::index::check_partition;
use super::{DdlOutcome, base_table, view};
use crate::catalog::{Catalog, CatalogChange, Table};
use crate::planner::bind::insert::target_column;
use crate::planner::error::{BindError, Result, fail};
use crate::sql::Span;
use crate::sql::ast::Ident;
use std::sync::Arc;

pub(super) fn partition(catalog: &mut Catalog, name: &Ident, column: &Ident) -> Result<DdlOutcome> {
    let table = base_table(catalog, name, "PARTITION TABLE")?;
    let at = target_column(&table, column)?;
    let of = &table.columns[at];
    if !(of.ty.is_integer() || of.ty.is_bytes()) {
        let message = format!(
            "{} can't be partitioned on {}: it is {}, and must be an integer, VARCHAR or VARBINARY",
            table.name, of.name, of.ty
        );
        return fail(message, column.span);
    }
    if of.nullable {
        return fail(format!("{} can't be partitioned on {}: it must be NOT NULL", table.name, of.name), column.span);
    }
    if table.partition_column == Some(at) {
        let note = format!("{} is partitioned on {} already", table.name, of.name);
        return Ok(DdlOutcome::nothing("table partitioned", note));
    }
    if let Some(procedure) = catalog.procedures().find(|procedure| is_on(procedure, &table)) {
        let message = format!("procedure {} is partitioned on {}: drop it first", procedure.name, table.name);
        return fail(message, name.span);
    }
    let mut changed = table.as_ref().clone();
    changed.partition_column = Some(at);
    changed.spread = true;
    for index in &changed.indexes {
        check_partition(&changed, index).map_err(|message| BindError::new(message, column.span))?;
    }
    let outcome = DdlOutcome::done("table partitioned", vec![CatalogChange::Repartition(table.id)]);
    put_with_views(catalog, changed, name.span)?;
    Ok(outcome)
}

pub(super) fn replicate(catalog: &mut Catalog, name: &Ident) -> Result<DdlOutcome> {
    let table = base_table(catalog, name, "REPLICATE TABLE")?;
    if !table.spread {
        return Ok(DdlOutcome::nothing("table replicated", format!("{} is replicated already", table.name)));
    }
    let single = catalog.procedures().find(|procedure| is_on(procedure, &table));
    if let Some(procedure) = single {
        return fail(
            format!("procedure {} is partitioned on {}: drop it first", procedure.name, table.name),
            name.span,
        );
    }
    let mut changed = table.as_ref().clone();
    changed.partition_column = None;
    changed.spread = false;
    let outcome = DdlOutcome::done("table replicated", vec![CatalogChange::Repartition(table.id)]);
    put_with_views(catalog, changed, name.span)?;
    Ok(outcome)
}

/// True for a procedure that runs where rows of `table` are.
pub(super) fn is_on(procedure: &crate::catalog::Procedure, table: &Table) -> bool {
    use crate::catalog::ProcedurePartitioning::Single;
    matches!(procedure.partitioning, Single { table: of, .. } if of == table.id)
}

/// Puts a table whose partitioning has changed; its views follow.
fn put_with_views(catalog: &mut Catalog, table: Table, span: Span) -> Result<()> {
    let views = table.views.clone();
    let mut next = catalog.clone();
    next.put_table(table);
    for id in views {
        let old = Arc::clone(next.table_by_id(id));
        let view = view::rebuild(&next, &old)
            .map_err(|error| BindError::new(format!("view {}: {}", old.name, error.message), span))?;
        next.put_table(view);
    }
    *catalog = next;
    Ok(())
}
