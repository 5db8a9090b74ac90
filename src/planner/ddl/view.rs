//! CREATE VIEW: a materialized view over one table.

use super::index::{check_key_count, column_key, constraint_index};
use super::partition::view_partition_column;
use super::table::{COLUMNS_MAX, free_name, slice};
use super::{DdlOutcome, check_stored, column_binder, column_environment};
use crate::catalog::{Catalog, CatalogChange, Column, Table, View, ViewAggregate, ViewAggregateKind};
use crate::expr::AggregateKind;
use crate::expr::expr::Expr;
use crate::planner::bind::group::{aggregate_kind, aggregate_type, has_aggregate};
use crate::planner::binder::{self, Binder};
use crate::planner::error::{Result, fail, type_name};
use crate::sql::Span;
use crate::sql::ast::{self, ExprKind as Ast, Ident, Query, QueryBody, Select, SelectItem, TableRef};
use crate::types::{DataType, Name};
use std::sync::Arc;

const GROUPS_FIRST: &str = "a view selects all of its GROUP BY expressions, in their order, before the aggregates";

pub(super) fn create(
    catalog: &mut Catalog,
    name: &Ident,
    names: &[Ident],
    query: &Query,
    text: &str,
) -> Result<DdlOutcome> {
    if let Some(other) = catalog.table(&name.name) {
        let what = if other.is_view() { "view" } else { "table" };
        return fail(format!("{what} {} is there already", other.name), name.span);
    }
    let select = plain_select(query)?;
    let (source, alias) = view_source(catalog, select)?;
    let env = column_environment(catalog, &source);
    let mut definition = Definition {
        binder: column_binder(&env, &source, alias, "a view"),
        source: &source,
        columns: Vec::new(),
        view: View {
            source: source.id,
            filter: None,
            groups: Vec::new(),
            aggregates: Vec::new(),
            count_column: usize::MAX,
            text: slice(text, query.span),
        },
    };
    definition.bind(select)?;
    let visible = definition.columns.len();
    definition.rename(names)?;
    definition.hide();
    let Definition { columns, view, .. } = definition;
    let mut table = Table {
        id: catalog.next_table_id(),
        name: name.name.clone(),
        columns,
        visible,
        partition_column: None,
        spread: source.spread,
        primary_key: None,
        indexes: Vec::new(),
        checks: Vec::new(),
        view: Some(view),
        views: Vec::new(),
    };
    table.partition_column = view_partition_column(&table, &source);
    let groups = table.view.as_ref().map_or(0, |view| view.groups.len());
    if groups > 0 {
        check_key_count(groups, name.span)?;
        let keys = (0..groups).map(|column| column_key(&table, column)).collect();
        let index = free_name(catalog, &[], &format!("v_{}_groups", name.name));
        table.indexes.push(Arc::new(constraint_index(index, keys, false)));
    }
    let id = table.id;
    let mut changed = source.as_ref().clone();
    changed.views.push(id);
    catalog.put_table(changed);
    catalog.put_table(table);
    Ok(DdlOutcome::done("view created", vec![CatalogChange::CreateTable(id)]))
}

/// SELECT .. FROM .. [WHERE ..] [GROUP BY ..], and nothing else.
fn plain_select(query: &Query) -> Result<&Select> {
    let QueryBody::Select(select) = &query.body else {
        return fail("a view is one SELECT: set operations can't be kept up to date", query.span);
    };
    let unfit = [
        (!query.with.is_empty(), "WITH"),
        (!query.order_by.is_empty(), "ORDER BY"),
        (query.limit.is_some() || query.offset.is_some(), "LIMIT or OFFSET"),
        (select.having.is_some(), "HAVING"),
        (select.distinct, "DISTINCT"),
    ];
    match unfit.iter().find(|(there, _)| *there) {
        Some((_, what)) => {
            fail(format!("a view can't have {what}; write it in the queries that read the view"), query.span)
        }
        None => Ok(select),
    }
}

fn view_source<'s>(catalog: &Catalog, select: &'s Select) -> Result<(Arc<Table>, &'s Name)> {
    match select.from.as_slice() {
        [] => fail("a view needs a FROM", select.span),
        [TableRef::Table { name, alias }] => {
            let table = binder::table(catalog, name)?;
            if table.is_view() {
                return fail(format!("a view can't read another view, and {} is one", table.name), name.span);
            }
            Ok((table, &alias.as_ref().unwrap_or(name).name))
        }
        [TableRef::Subquery { span, .. }] => fail("a view reads a table, not a subquery", *span),
        _ => fail("views over joins are not supported yet: a view reads one table", select.span),
    }
}

struct Definition<'a> {
    binder: Binder<'a>,
    source: &'a Table,
    columns: Vec<Column>,
    view: View,
}

impl<'a> Definition<'a> {
    fn bind(&mut self, select: &'a Select) -> Result<()> {
        if let Some(filter) = &select.filter {
            let predicate = self.binder.predicate(filter, "WHERE")?;
            check_stored(&self.binder, &predicate, "WHERE of a view", filter.span)?;
            self.view.filter = Some(predicate);
        }
        for e in &select.group_by {
            let group = self.group(e, &select.items)?;
            self.view.groups.push(group);
        }
        for item in &select.items {
            let SelectItem::Expr { expr, alias } = item else {
                return fail("a view lists its columns: * is no column", select.span);
            };
            self.item(expr, alias.as_ref(), select.group_by.len())?;
        }
        if self.columns.len() < self.view.groups.len() {
            return fail(GROUPS_FIRST, select.span);
        }
        Ok(())
    }

    /// An expression of GROUP BY; an alias stands for the item of that name.
    fn group(&mut self, e: &'a ast::Expr, items: &'a [SelectItem]) -> Result<Expr> {
        let item = match &e.kind {
            Ast::Literal(crate::types::Value::Int(n)) => {
                usize::try_from(*n).ok().and_then(|n| items.get(n.wrapping_sub(1)))
            }
            Ast::Column { qualifier: None, column } if self.source.column(&column.name).is_none() => items
                .iter()
                .find(|item| matches!(item, SelectItem::Expr { alias: Some(alias), .. } if alias.name == column.name)),
            _ => None,
        };
        let e = match item {
            Some(SelectItem::Expr { expr, .. }) => expr,
            _ => e,
        };
        let bound = self.binder.expr(e)?;
        check_stored(&self.binder, &bound, "GROUP BY of a view", e.span)?;
        Ok(bound)
    }

    fn item(&mut self, e: &'a ast::Expr, alias: Option<&Ident>, groups: usize) -> Result<()> {
        let at = self.columns.len();
        let mut name = format!("C{}", at + 1);
        if let Ast::Column { column, .. } = &e.kind {
            let declared = self.source.column(&column.name).map(|c| self.source.columns[c].name.to_string());
            name = declared.unwrap_or(name);
        }
        let name = alias.map_or(Name::new(&name), |alias| alias.name.clone());
        if self.columns.iter().any(|other| other.name == name) {
            return fail(format!("column {name} is there twice: give one of them another name"), e.span);
        }
        let (ty, nullable) = if at < groups {
            if has_aggregate(e) {
                return fail(GROUPS_FIRST, e.span);
            }
            let bound = self.binder.expr(e)?;
            if bound.kind != self.view.groups[at].kind {
                return fail(GROUPS_FIRST, e.span);
            }
            (bound.ty, bound.nullable)
        } else {
            self.aggregate(e, at)?
        };
        self.columns.push(Column { name, ty, nullable, default: None });
        Ok(())
    }

    fn aggregate(&mut self, e: &'a ast::Expr, column: usize) -> Result<(DataType, bool)> {
        let function = match &e.kind {
            Ast::Function(function) if function.over.is_none() => Some(function),
            _ => None,
        };
        let Some((function, kind)) = function.and_then(|f| Some((f, aggregate_kind(f)?))) else {
            let what = "after its groups a view selects COUNT, SUM, MIN and MAX only";
            return fail(format!("{what}: this is neither a group nor an aggregate"), e.span);
        };
        let view_kind = match kind {
            AggregateKind::CountStar => ViewAggregateKind::CountStar,
            AggregateKind::Count => ViewAggregateKind::Count,
            AggregateKind::Sum => ViewAggregateKind::Sum,
            AggregateKind::Min => ViewAggregateKind::Min,
            AggregateKind::Max => ViewAggregateKind::Max,
            AggregateKind::Avg
            | AggregateKind::ApproxCountDistinct
            | AggregateKind::VarPop
            | AggregateKind::VarSamp
            | AggregateKind::StddevPop
            | AggregateKind::StddevSamp
            | AggregateKind::StringAgg { .. } => {
                let hint =
                    if kind == AggregateKind::Avg { ": select SUM and COUNT, and divide in the query" } else { "" };
                return fail(format!("a view can't have {}{hint}", kind.name()), e.span);
            }
        };
        if function.distinct {
            return fail("a view can't have DISTINCT aggregates", e.span);
        }
        let (argument, ty, nullable) = self.argument(kind, function, e.span)?;
        self.view.aggregates.push(ViewAggregate { kind: view_kind, argument, column, count_column: None });
        Ok((ty, nullable))
    }

    fn argument(
        &mut self,
        kind: AggregateKind,
        function: &'a ast::Function,
        span: Span,
    ) -> Result<(Option<Expr>, DataType, bool)> {
        if kind == AggregateKind::CountStar {
            return Ok((None, DataType::BigInt, false));
        }
        let name = function.name.name.as_str().to_uppercase();
        let [e] = function.arguments.as_slice() else {
            return fail(format!("{name} takes 1 argument, not {}", function.arguments.len()), span);
        };
        let bound = self.binder.expr(e)?;
        check_stored(&self.binder, &bound, "an aggregate of a view", e.span)?;
        let Some(ty) = aggregate_type(kind, bound.ty) else {
            return fail(format!("{name} needs a number, not {}", type_name(bound.ty)), e.span);
        };
        // Without groups the one row is there also when the table is empty.
        let nullable = kind != AggregateKind::Count && (bound.nullable || self.view.groups.is_empty());
        Ok((Some(bound), ty, nullable))
    }

    fn rename(&mut self, names: &[Ident]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        if names.len() != self.columns.len() {
            let message = format!("{} column names for {} columns", names.len(), self.columns.len());
            return fail(message, names[0].span.to(names[names.len() - 1].span));
        }
        for (at, name) in names.iter().enumerate() {
            if names[..at].iter().any(|other| other.name == name.name) {
                return fail(format!("column {} is there twice", name.name), name.span);
            }
            self.columns[at].name = name.name.clone();
        }
        Ok(())
    }

    /// The bookkeeping: a COUNT(*) if none is selected, and the counts of values that are not NULL.
    fn hide(&mut self) {
        let star = self.view.aggregates.iter().find(|a| a.kind == ViewAggregateKind::CountStar).map(|a| a.column);
        self.view.count_column = star.unwrap_or_else(|| self.hidden(ViewAggregateKind::CountStar, None));
        for at in 0..self.view.aggregates.len() {
            let ViewAggregate { kind, argument, .. } = &self.view.aggregates[at];
            let counts = matches!(kind, ViewAggregateKind::CountStar | ViewAggregateKind::Count);
            let Some(argument) = argument.clone().filter(|argument| argument.nullable && !counts) else { continue };
            let same = self.view.aggregates.iter().find(|a| {
                a.kind == ViewAggregateKind::Count && a.argument.as_ref().is_some_and(|a| a.kind == argument.kind)
            });
            let column = same.map(|a| a.column);
            let column = column.unwrap_or_else(|| self.hidden(ViewAggregateKind::Count, Some(argument)));
            self.view.aggregates[at].count_column = Some(column);
        }
        debug_assert!(self.columns.len() <= 3 * COLUMNS_MAX);
    }

    fn hidden(&mut self, kind: ViewAggregateKind, argument: Option<Expr>) -> usize {
        let column = self.columns.len();
        let name = Name::new(&format!("$count{column}"));
        self.columns.push(Column { name, ty: DataType::BigInt, nullable: false, default: None });
        self.view.aggregates.push(ViewAggregate { kind, argument, column, count_column: None });
        column
    }
}
