//! DROP TABLE, VIEW and INDEX.

use super::partition::is_on;
use super::{DdlOutcome, base_table, find_index};
use crate::catalog::{Catalog, CatalogChange, Table};
use crate::planner::error::{Result, did_you_mean, fail};
use crate::sql::ast::Ident;
use std::sync::Arc;

pub(super) fn table(catalog: &mut Catalog, name: &Ident, if_exists: bool, cascade: bool) -> Result<DdlOutcome> {
    if if_exists && catalog.table(&name.name).is_none() && catalog.query_view(&name.name).is_none() {
        return Ok(DdlOutcome::nothing("nothing dropped", format!("there is no table {}", name.name)));
    }
    // As in VoltDB, a view goes by either word.
    if catalog.query_view(&name.name).is_some() || catalog.table(&name.name).is_some_and(|table| table.is_view()) {
        return view(catalog, name, if_exists);
    }
    let table = base_table(catalog, name, "DROP TABLE")?;
    if let Some(procedure) = catalog.procedures().find(|procedure| is_on(procedure, &table)) {
        let message = format!("procedure {} is partitioned on {}: drop it first", procedure.name, table.name);
        return fail(message, name.span);
    }
    let views: Vec<Arc<Table>> = table.views.iter().map(|&id| Arc::clone(catalog.table_by_id(id))).collect();
    if !views.is_empty() && !cascade {
        let names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
        let (noun, verb, them) = if names.len() == 1 { ("view", "depends", "it") } else { ("views", "depend", "them") };
        let message =
            format!("{noun} {} {verb} on {}: drop {them} first, or add CASCADE", names.join(", "), table.name);
        return fail(message, name.span);
    }
    let mut outcome = DdlOutcome::done("table dropped", Vec::new());
    for view in views {
        outcome.notes.push(format!("view {} is dropped too", view.name));
        outcome.changes.push(CatalogChange::DropTable(view.id));
        remove_view(catalog, &view);
    }
    outcome.changes.push(CatalogChange::DropTable(table.id));
    catalog.remove_table(table.id);
    Ok(outcome)
}

/// Takes a materialized view, and its tables' knowledge of it, out of the catalog.
pub(super) fn remove_view(catalog: &mut Catalog, table: &Table) {
    let view = table.view.as_ref().expect("called for materialized views");
    for id in view.sources() {
        let mut source = catalog.table_by_id(id).as_ref().clone();
        source.views.retain(|&id| id != table.id);
        catalog.put_table(source);
    }
    catalog.remove_table(table.id);
}

pub(super) fn view(catalog: &mut Catalog, name: &Ident, if_exists: bool) -> Result<DdlOutcome> {
    if let Some(view) = catalog.remove_query_view(&name.name) {
        debug_assert_eq!(view.name, name.name);
        return Ok(DdlOutcome::done("view dropped", vec![CatalogChange::QueryView]));
    }
    let Some(table) = catalog.table(&name.name).cloned() else {
        if if_exists {
            return Ok(DdlOutcome::nothing("nothing dropped", format!("there is no view {}", name.name)));
        }
        let views = catalog.tables().filter(|table| table.is_view()).map(|table| table.name.as_str());
        let views = views.chain(catalog.query_views().map(|view| view.name.as_str()));
        let hint = did_you_mean(name.name.as_str(), views);
        return fail(format!("no view {}{hint}", name.name), name.span);
    };
    if !table.is_view() {
        return fail(format!("{} is a table, not a view: DROP TABLE {}", table.name, table.name), name.span);
    }
    remove_view(catalog, &table);
    Ok(DdlOutcome::done("view dropped", vec![CatalogChange::DropTable(table.id)]))
}

pub(super) fn index(catalog: &mut Catalog, name: &Ident, if_exists: bool) -> Result<DdlOutcome> {
    let Some((table, at)) = find_index(catalog, &name.name) else {
        if if_exists {
            return Ok(DdlOutcome::nothing("nothing dropped", format!("there is no index {}", name.name)));
        }
        let names = catalog.tables().flat_map(|table| &table.indexes).map(|index| index.name.as_str());
        let hint = did_you_mean(name.name.as_str(), names);
        return fail(format!("no index {}{hint}", name.name), name.span);
    };
    if table.indexes[at].constraint {
        let what = if table.is_view() { "the groups of view" } else { "a constraint of table" };
        let message = format!("index {} stands for {what} {}: it goes with it", table.indexes[at].name, table.name);
        return fail(message, name.span);
    }
    let mut changed = table.as_ref().clone();
    changed.indexes.remove(at);
    changed.primary_key = changed.primary_key.map(|key| if key > at { key - 1 } else { key });
    let outcome = DdlOutcome::done("index dropped", vec![CatalogChange::DropIndex(table.id, at)]);
    catalog.put_table(changed);
    Ok(outcome)
}
