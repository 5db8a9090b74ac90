//! Schema changes: what is written to the next version of the catalog, and what each partition's store must do.
//!
//! Each change is checked against the whole catalog first; one that fails has changed nothing. Procedures are not here.

mod alter;
mod drop;
mod index;
mod partition;
mod query_view;
mod table;
mod view;

#[cfg(test)]
mod tests;

use super::binder::Binder;
use super::environment::Environment;
use super::error::{Result, did_you_mean, fail};
use super::scope::{Relation, Scope, Source};
use crate::catalog::{Catalog, CatalogChange, Table};
use crate::expr::expr::Expr;
use crate::sql::Span;
use crate::sql::ast::{AlterTable, Ddl, Ident, ObjectKind};
use crate::types::{DataType, Name, Reg};
use std::sync::Arc;

/// What a schema change came to.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DdlOutcome {
    /// In the order in which they must be done; empty if nothing is to be done (IF EXISTS, IF NOT EXISTS).
    pub changes: Vec<CatalogChange>,
    /// For the user: what was done besides, or why nothing was.
    pub notes: Vec<String>,
    /// "table created"
    pub tag: String,
}

impl DdlOutcome {
    fn done(tag: &str, changes: Vec<CatalogChange>) -> DdlOutcome {
        DdlOutcome { changes, notes: Vec::new(), tag: tag.to_owned() }
    }
    fn nothing(tag: &str, note: String) -> DdlOutcome {
        DdlOutcome { changes: Vec::new(), notes: vec![note], tag: tag.to_owned() }
    }
}

/// Applies a schema change to `catalog`, a working copy; `text` is the source that the spans point into. Fails with a
/// [`super::BindError`], and then `catalog` is as it was. Statements about procedures fail: they aren't handled here.
pub fn apply(catalog: &mut Catalog, ddl: &Ddl, text: &str) -> Result<DdlOutcome> {
    match ddl {
        Ddl::CreateTable(create) => table::create(catalog, create, text),
        Ddl::PartitionTable { table, column } => partition::partition(catalog, table, column),
        Ddl::ReplicateTable { table } => partition::replicate(catalog, table),
        Ddl::CreateIndex(create) => index::create(catalog, create),
        Ddl::CreateView(create) => query_view::create(catalog, create, text),
        Ddl::AlterTable { table, action } => {
            let cascade = matches!(**action, AlterTable::DropColumn { cascade: true, .. });
            checked(catalog, table.span, cascade, |catalog| alter::alter(catalog, table, action, text))
        }
        Ddl::AlterView { view, ttl } => view::set_ttl(catalog, view, ttl.as_ref()),
        Ddl::Drop { kind: ObjectKind::Table, name, if_exists, cascade } => {
            checked(catalog, name.span, *cascade, |catalog| drop::table(catalog, name, *if_exists, *cascade))
        }
        Ddl::Drop { kind: ObjectKind::View, name, if_exists, cascade } => {
            checked(catalog, name.span, *cascade, |catalog| drop::view(catalog, name, *if_exists))
        }
        Ddl::Drop { kind: ObjectKind::Index, name, if_exists, .. } => drop::index(catalog, name, *if_exists),
        Ddl::Drop { kind: ObjectKind::Procedure, name, .. } => not_ours(name.span),
        Ddl::CreateProcedure(procedure) => not_ours(procedure.name.span),
        Ddl::ProcedureFromClass { class, .. } => not_ours(class.span),
        Ddl::PartitionProcedure { name, .. } => not_ours(name.span),
        Ddl::LoadClasses { .. } => not_ours(Span::NONE),
    }
}

/// Makes a change that may take something away from views that are queries: they are named, or with `cascade` dropped.
fn checked(
    catalog: &mut Catalog,
    span: Span,
    cascade: bool,
    change: impl FnOnce(&mut Catalog) -> Result<DdlOutcome>,
) -> Result<DdlOutcome> {
    let mut next = catalog.clone();
    let mut outcome = change(&mut next)?;
    query_view::check_all(&mut next, span, cascade, &mut outcome)?;
    *catalog = next;
    Ok(outcome)
}

/// A new table or view needs a name of its own.
fn refuse_taken(catalog: &Catalog, name: &Ident) -> Result<()> {
    let other = match (catalog.table(&name.name), catalog.query_view(&name.name)) {
        (Some(table), _) => format!("{} {}", if table.is_view() { "view" } else { "table" }, table.name),
        (None, Some(view)) => format!("view {}", view.name),
        (None, None) => return Ok(()),
    };
    fail(format!("{other} is there already"), name.span)
}

fn not_ours(span: Span) -> Result<DdlOutcome> {
    fail("a change of procedures, not of tables", span)
}

/// The table of that name, no view; `verb` is what it is wanted for.
fn base_table(catalog: &Catalog, name: &Ident, verb: &str) -> Result<Arc<Table>> {
    let table = match catalog.table(&name.name) {
        Some(table) => Arc::clone(table),
        None if catalog.query_view(&name.name).is_some() => {
            return fail(format!("{verb} needs a table, and {} is a view", name.name), name.span);
        }
        None => {
            let names = catalog.tables().filter(|table| !table.is_view()).map(|table| table.name.as_str());
            let hint = did_you_mean(name.name.as_str(), names);
            return fail(format!("no table {}{hint}", name.name), name.span);
        }
    };
    if table.is_view() {
        return fail(format!("{verb} needs a table, and {} is a view", table.name), name.span);
    }
    Ok(table)
}

/// The table that has the index of that name, and the index's position.
fn find_index(catalog: &Catalog, name: &Name) -> Option<(Arc<Table>, usize)> {
    catalog.tables().find_map(|table| {
        let at = table.indexes.iter().position(|index| index.name == *name)?;
        Some((Arc::clone(table), at))
    })
}

/// A binder for expressions over the columns of one table: register `i` is column `i`. `what` can have no subqueries and
/// no NOW. `env` must come from [`column_environment`].
fn column_binder<'a>(env: &'a Environment<'a>, table: &Arc<Table>, alias: &Name, what: &'static str) -> Binder<'a> {
    let mut binder = Binder::new(env, 0);
    let instance = binder.add_instance(Arc::clone(table));
    binder.instances[instance].columns = (0..table.columns.len()).map(|i| (i, i as Reg)).collect();
    let mut scope = Scope::new();
    scope.no_aggregates = Some(what);
    scope.no_windows = Some(what);
    scope.relations.push(Relation { alias: alias.clone(), source: Source::Table(instance), nullable: false });
    binder.scopes.push(scope);
    binder.plain = Some(what);
    binder
}

fn column_environment<'a>(catalog: &'a Catalog, table: &Table) -> Environment<'a> {
    Environment { first_register: table.columns.len() as Reg, ..Environment::ad_hoc(catalog) }
}

/// Refuses `?` and values that no column could hold.
fn check_stored(binder: &Binder<'_>, expr: &Expr, what: &str, span: Span) -> Result<()> {
    if !binder.placeholders.is_empty() {
        return fail(format!("{what} can't have ?"), span);
    }
    if expr.ty == DataType::Null {
        return fail(format!("{what} is always NULL"), span);
    }
    Ok(())
}
