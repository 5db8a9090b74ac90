//! CREATE VIEW: decides whether a view is materialized, and keeps those that are not.
//!
//! What VoltDB could materialize is; any other query becomes a name for it, put in where it is read.

use super::table::slice;
use super::{DdlOutcome, drop, refuse_taken, view};
use crate::catalog::{Catalog, CatalogChange, QueryView};
use crate::planner::binder::Binder;
use crate::planner::environment::Environment;
use crate::planner::error::{BindError, Result, fail};
use crate::planner::plan_query;
use crate::sql::Span;
use crate::sql::ast::{self, CreateView, QueryBody};
use crate::types::{DataType, Name};
use std::sync::Arc;

pub(super) fn create(catalog: &mut Catalog, create: &CreateView, text: &str) -> Result<DdlOutcome> {
    let mut next = catalog.clone();
    let mut outcome = DdlOutcome::default();
    let name = &create.name;
    let replaces = create.or_replace
        && (next.query_view(&name.name).is_some() || next.table(&name.name).is_some_and(|table| table.is_view()));
    if replaces {
        outcome.changes = drop::view(&mut next, name, false)?.changes;
    }
    refuse_taken(&next, name)?;
    match view::create(&mut next, create, text) {
        Ok(done) => {
            outcome.tag = done.tag;
            outcome.changes.extend(done.changes);
        }
        Err(unfit) if create.materialized || is_for_the_view_only(&create.query) => return Err(unfit),
        Err(unfit) => {
            define(&mut next, create, text, &unfit)?;
            let note =
                format!("view {} is not materialized, its query runs when it is read: {}", name.name, unfit.message);
            outcome.notes.push(note);
            outcome.tag = "view created".to_owned();
            outcome.changes.push(CatalogChange::QueryView);
        }
    }
    if replaces {
        check_all(&mut next, name.span, false, &mut outcome)?;
    }
    *catalog = next;
    Ok(outcome)
}

/// Nothing here yet that only a materialized view may be: kept apart so that the rule has one place.
fn is_for_the_view_only(query: &ast::Query) -> bool {
    // A query without FROM never changes; as in VoltDB there is no view of it.
    matches!(&query.body, QueryBody::Select(select) if select.from.is_empty())
}

fn define(catalog: &mut Catalog, create: &CreateView, text: &str, unfit: &BindError) -> Result<()> {
    if let Some(ttl) = &create.ttl {
        let message =
            format!("USING TTL is for tables and materialized views, and this one can't be: {}", unfit.message);
        return fail(message, ttl.column.span);
    }
    let plan_columns = columns_of(catalog, &create.query)?;
    if !create.columns.is_empty() && create.columns.len() != plan_columns.len() {
        let message = format!("{} column names for {} columns", create.columns.len(), plan_columns.len());
        return fail(message, create.columns[0].span.to(create.columns[create.columns.len() - 1].span));
    }
    let mut columns: Vec<(Name, DataType)> = Vec::with_capacity(plan_columns.len());
    for (at, (name, ty)) in plan_columns.into_iter().enumerate() {
        let written = create.columns.get(at);
        let name = written.map_or(name, |ident| ident.name.clone());
        if columns.iter().any(|(other, _)| *other == name) {
            let span = written.map_or(create.query.span, |ident| ident.span);
            return fail(format!("column {name} is there twice: give one of them another name"), span);
        }
        if ty == DataType::Null {
            return fail(format!("column {name} is always NULL: CAST it to a type"), create.query.span);
        }
        columns.push((name, ty));
    }
    catalog.put_query_view(QueryView {
        name: create.name.name.clone(),
        columns,
        query: Arc::new(create.query.as_ref().clone()),
        text: slice(text, create.query.span),
    });
    Ok(())
}

/// What a query gives; a view's query has no `?` and no variables.
fn columns_of(catalog: &Catalog, query: &ast::Query) -> Result<Vec<(Name, DataType)>> {
    let env = Environment::ad_hoc(catalog);
    let mut binder = Binder::new(&env, 0);
    let rows = binder.query(query)?;
    if let Some(placeholder) = binder.placeholders.first() {
        return fail("a view can't have ?", placeholder.span);
    }
    Ok(rows.columns.iter().map(|column| (Name::new(&column.name), column.ty)).collect())
}

/// After a change of the catalog: views that are queries must still mean what they did. One that doesn't is named, or
/// with `cascade` dropped.
pub(super) fn check_all(catalog: &mut Catalog, span: Span, cascade: bool, outcome: &mut DdlOutcome) -> Result<()> {
    // One that goes may take others along that read it.
    loop {
        let views: Vec<Arc<QueryView>> = catalog.query_views().cloned().collect();
        let Some((view, error)) = views.iter().find_map(|view| Some((view, check(catalog, view).err()?))) else {
            return Ok(());
        };
        if !cascade {
            let message = format!("view {} depends on this ({error}): drop it first", view.name);
            return fail(message, span);
        }
        catalog.remove_query_view(&view.name);
        outcome.changes.push(CatalogChange::QueryView);
        outcome.notes.push(format!("view {} is dropped too", view.name));
    }
}

fn check(catalog: &Catalog, view: &QueryView) -> std::result::Result<(), String> {
    plan_query(&view.query, &Environment::ad_hoc(catalog)).map_err(|error| error.message)?;
    let columns = columns_of(catalog, &view.query).map_err(|error| error.message)?;
    if columns.len() != view.columns.len() {
        return Err(format!("it has {} columns, and would have {}", view.columns.len(), columns.len()));
    }
    let same = |((name, before), (_, after)): (&(Name, DataType), &(Name, DataType))| {
        let fits =
            crate::planner::bind::coerce::Family::of(*before) == crate::planner::bind::coerce::Family::of(*after);
        if fits { Ok(()) } else { Err(format!("its column {name} is {before}, and would be {after}")) }
    };
    view.columns.iter().zip(&columns).try_for_each(same)
}
