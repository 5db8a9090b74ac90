//! Materialized views: CREATE VIEW over one table, or an inner join of several.

use super::alter::follow_index;
use super::index::{check_key_count, column_key, constraint_index};
use super::table::{COLUMNS_MAX, bind_ttl, free_name, slice};
use super::{DdlOutcome, check_stored};
use crate::catalog::{Catalog, CatalogChange, Column, Index, Table, View, ViewAggregate, ViewAggregateKind};
use crate::expr::AggregateKind;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::planner::bind::group::{aggregate_kind, aggregate_type, has_aggregate};
use crate::planner::binder::{self, Binder};
use crate::planner::environment::Environment;
use crate::planner::error::{Result, fail, type_name};
use crate::planner::from::From;
use crate::planner::lower::predicate;
use crate::planner::plan::JoinKind;
use crate::planner::registers::replace;
use crate::planner::scope::Scope;
use crate::sql::ast::{self, CreateView, ExprKind as Ast, Ident, Query, QueryBody, Select, SelectItem, Statement};
use crate::sql::{Span, parse_statement};
use crate::types::{DataType, Name, Reg};
use std::sync::Arc;

const GROUPS_FIRST: &str =
    "a materialized view selects all of its GROUP BY expressions, in their order, before the aggregates";

/// Adds a materialized view. Fails for a query that can't be kept up to date row by row.
pub(super) fn create(catalog: &mut Catalog, create: &CreateView, text: &str) -> Result<DdlOutcome> {
    let query = &create.query;
    let mut table = define(catalog, &create.name, &create.columns, query, slice(text, query.span))?;
    if let Some(ttl) = &create.ttl {
        table.ttl = Some(bind_ttl(&table, ttl)?);
    }
    let id = table.id;
    for source in table.view.as_ref().expect("a view").sources() {
        let mut changed = catalog.table_by_id(source).as_ref().clone();
        changed.views.push(id);
        catalog.put_table(changed);
    }
    catalog.put_table(table);
    Ok(DdlOutcome::done("view created", vec![CatalogChange::CreateTable(id)]))
}

/// ALTER VIEW .. USING TTL, and DROP TTL.
pub(super) fn set_ttl(catalog: &mut Catalog, name: &Ident, ttl: Option<&ast::Ttl>) -> Result<DdlOutcome> {
    let table = binder::table(catalog, name)?;
    if !table.is_view() {
        return fail(format!("{} is a table, not a view: ALTER TABLE {}", table.name, table.name), name.span);
    }
    let mut changed = table.as_ref().clone();
    changed.ttl = match ttl {
        Some(ttl) => Some(bind_ttl(&table, ttl)?),
        None if table.ttl.is_none() => return fail(format!("{} has no TTL", table.name), name.span),
        None => None,
    };
    catalog.put_table(changed);
    Ok(DdlOutcome::done("view altered", vec![CatalogChange::Redefine(table.id)]))
}

/// A view bound anew from its text, after a change of its tables: its columns keep their names, and its indexes stay.
pub(super) fn rebuild(catalog: &Catalog, old: &Table) -> Result<Table> {
    let text = &old.view.as_ref().expect("called for materialized views").text;
    let Ok(Statement::Query(query)) = parse_statement(text) else {
        return fail("its text is no query", Span::NONE);
    };
    let ident = |name: &Name| Ident { name: name.clone(), span: Span::NONE };
    let names: Vec<Ident> = old.visible_columns().iter().map(|column| ident(&column.name)).collect();
    let mut table = define(catalog, &ident(&old.name), &names, &query, text.clone())?;
    table.id = old.id;
    table.ttl = old.ttl;
    if old.ttl.is_some_and(|ttl| table.columns[ttl.column].ty != DataType::Timestamp) {
        return fail("its rows expire by a column that would not be TIMESTAMP any more", Span::NONE);
    }
    let stay: Vec<Option<usize>> = (0..old.columns.len()).map(|i| Some(i).filter(|&i| i < old.visible)).collect();
    for (at, index) in old.indexes.iter().enumerate() {
        if index.constraint && at < table.indexes.len() {
            let groups = Index { name: index.name.clone(), ..table.indexes[at].as_ref().clone() };
            table.indexes[at] = Arc::new(groups);
            continue;
        }
        let retyped = (0..old.visible).any(|i| table.columns[i].ty != old.columns[i].ty);
        if retyped && (index.filter.is_some() || index.columns().is_none()) {
            return fail(format!("its index {} computes with columns that change", index.name), Span::NONE);
        }
        table.indexes.extend(follow_index(index, &stay, &table).map(Arc::new));
    }
    Ok(table)
}

/// The table of a view, not yet in the catalog.
fn define(catalog: &Catalog, name: &Ident, names: &[Ident], query: &Query, text: String) -> Result<Table> {
    let select = plain_select(query)?;
    let env = Environment::ad_hoc(catalog);
    let mut binder = Binder::new(&env, 0);
    binder.plain = Some("a materialized view");
    binder.scopes.push(Scope::new());
    let mut conditions = Vec::new();
    inner_joins(binder.bind_from(&select.from)?, &mut conditions, select.span)?;
    let scope = binder.scope();
    scope.no_aggregates = Some("a materialized view");
    scope.no_windows = scope.no_aggregates;
    let sources = sources(&binder, select)?;
    let mut definition = Definition {
        binder,
        sources: &sources,
        columns: Vec::new(),
        view: View {
            source: sources[0].id,
            joined: sources[1..].iter().map(|table| table.id).collect(),
            filter: None,
            groups: Vec::new(),
            aggregates: Vec::new(),
            count_column: usize::MAX,
            text,
        },
    };
    definition.bind(select, conditions)?;
    let visible = definition.columns.len();
    definition.rename(names)?;
    definition.hide();
    definition.number_columns();
    let Definition { columns, view, .. } = definition;
    let partition_column = partition_column(&view, &sources, name.span)?;
    let mut table = Table {
        id: catalog.next_table_id(),
        name: name.name.clone(),
        columns,
        visible,
        partition_column,
        spread: sources.iter().any(|source| source.spread),
        primary_key: None,
        indexes: Vec::new(),
        checks: Vec::new(),
        view: Some(view),
        views: Vec::new(),
        ttl: None,
    };
    let groups = table.view.as_ref().map_or(0, |view| view.groups.len());
    if groups > 0 {
        check_key_count(groups, name.span)?;
        let keys = (0..groups).map(|column| column_key(&table, column)).collect();
        let index = free_name(catalog, &[], &format!("v_{}_groups", name.name));
        table.indexes.push(Arc::new(constraint_index(index, keys, false)));
    }
    Ok(table)
}

/// The conditions of inner joins; any other shape of FROM can't be materialized.
fn inner_joins(from: From, conditions: &mut Vec<Expr>, span: Span) -> Result<()> {
    match from {
        From::Table(_) => Ok(()),
        From::Join { kind: JoinKind::Inner, left, right, on } => {
            inner_joins(*left, conditions, span)?;
            inner_joins(*right, conditions, span)?;
            conditions.extend(on);
            Ok(())
        }
        From::One => fail("a materialized view needs a FROM", span),
        From::Join { .. } => fail("a materialized view can't have outer joins", span),
        _ => fail("a materialized view reads tables, not subqueries or other views", span),
    }
}

/// The tables of FROM in order.
fn sources(binder: &Binder<'_>, select: &Select) -> Result<Vec<Arc<Table>>> {
    let sources: Vec<Arc<Table>> = binder.instances.iter().map(|instance| Arc::clone(&instance.table)).collect();
    for (at, source) in sources.iter().enumerate() {
        if source.is_view() {
            let message = format!("a materialized view can't read another view, and {} is one", source.name);
            return fail(message, select.span);
        }
        if sources[..at].iter().any(|other| other.id == source.id) {
            return fail(format!("a materialized view can't read {} twice", source.name), select.span);
        }
    }
    Ok(sources)
}

/// The group that says where a view's row is, if one does. Partitioned tables must meet on their partition columns:
/// otherwise rows of different partitions would have to.
fn partition_column(view: &View, sources: &[Arc<Table>], span: Span) -> Result<Option<usize>> {
    let mut partitioned: Vec<Reg> = Vec::new();
    let mut offset = 0;
    for source in sources {
        partitioned.extend(source.partition_column.filter(|_| source.spread).map(|column| (offset + column) as Reg));
        offset += source.columns.len();
    }
    let Some(&first) = partitioned.first() else { return Ok(None) };
    let mut equal = vec![first];
    let terms: &[Expr] = match &view.filter {
        Some(Expr { kind: ExprKind::And(terms), .. }) => terms,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    // Each round finds one more; there are no more than there are terms.
    for _ in 0..terms.len() {
        for term in terms {
            let ExprKind::Compare { op: Comparison::Eq, left, right } = &term.kind else { continue };
            let (Some(left), Some(right)) = (left.as_reg(), right.as_reg()) else { continue };
            match (equal.contains(&left), equal.contains(&right)) {
                (true, false) => equal.push(right),
                (false, true) => equal.push(left),
                _ => {}
            }
        }
    }
    if partitioned.iter().any(|column| !equal.contains(column)) {
        return fail("a materialized view joins partitioned tables on their partition columns", span);
    }
    Ok(view.groups.iter().position(|group| group.as_reg().is_some_and(|reg| equal.contains(&reg))))
}

/// SELECT .. FROM .. [WHERE ..] [GROUP BY ..], and nothing else.
fn plain_select(query: &Query) -> Result<&Select> {
    let QueryBody::Select(select) = &query.body else {
        return fail("a materialized view is one SELECT: set operations can't be kept up to date", query.span);
    };
    let unfit = [
        (!query.with.is_empty(), "WITH"),
        (!query.order_by.is_empty(), "ORDER BY"),
        (query.limit.is_some() || query.offset.is_some(), "LIMIT or OFFSET"),
        (select.having.is_some(), "HAVING"),
        (select.distinct, "DISTINCT"),
    ];
    match unfit.iter().find(|(there, _)| *there) {
        Some((_, what)) => fail(
            format!("a materialized view can't have {what}; write it in the queries that read the view"),
            query.span,
        ),
        None => Ok(select),
    }
}

struct Definition<'a> {
    binder: Binder<'a>,
    sources: &'a [Arc<Table>],
    columns: Vec<Column>,
    view: View,
}

impl<'a> Definition<'a> {
    fn bind(&mut self, select: &'a Select, mut conditions: Vec<Expr>) -> Result<()> {
        if let Some(filter) = &select.filter {
            let predicate = self.binder.predicate(filter, "WHERE")?;
            check_stored(&self.binder, &predicate, "WHERE of a view", filter.span)?;
            match predicate.kind {
                ExprKind::And(terms) => conditions.extend(terms),
                _ => conditions.push(predicate),
            }
        }
        self.view.filter = predicate(conditions);
        for e in &select.group_by {
            let group = self.group(e, &select.items)?;
            self.view.groups.push(group);
        }
        for item in &select.items {
            let SelectItem::Expr { expr, alias } = item else {
                return fail("a materialized view lists its columns: * is no column", select.span);
            };
            self.item(expr, alias.as_ref(), select.group_by.len())?;
        }
        if self.columns.len() < self.view.groups.len() {
            return fail(GROUPS_FIRST, select.span);
        }
        Ok(())
    }

    /// The name as a table has it, if one has such a column.
    fn declared(&self, name: &Name) -> Option<&Name> {
        self.sources.iter().find_map(|table| table.column(name).map(|at| &table.columns[at].name))
    }

    /// Registers were given out as columns were met; from now on they are the columns' numbers, over all tables.
    fn number_columns(&mut self) {
        let mut numbers = Vec::new();
        let mut offset = 0;
        for instance in &self.binder.instances {
            numbers.extend(instance.columns.iter().map(|&(column, reg)| (reg, (offset + column) as Reg)));
            offset += instance.table.columns.len();
        }
        let number = |expr: &mut Expr| {
            replace(expr, &|part| {
                let reg = part.as_reg()?;
                let &(_, number) = numbers.iter().find(|&&(from, _)| from == reg)?;
                Some(Expr::reg(number, part.ty, part.nullable))
            });
        };
        let View { filter, groups, aggregates, .. } = &mut self.view;
        filter.iter_mut().chain(groups).for_each(number);
        aggregates.iter_mut().filter_map(|aggregate| aggregate.argument.as_mut()).for_each(number);
    }

    /// An expression of GROUP BY; an alias stands for the item of that name.
    fn group(&mut self, e: &'a ast::Expr, items: &'a [SelectItem]) -> Result<Expr> {
        let item = match &e.kind {
            Ast::Literal(crate::types::Value::Int(n)) => {
                usize::try_from(*n).ok().and_then(|n| items.get(n.wrapping_sub(1)))
            }
            Ast::Column { qualifier: None, column } if self.declared(&column.name).is_none() => items
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
            name = self.declared(&column.name).map_or(name, |declared| declared.to_string());
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
            let what = "after its groups a materialized view selects COUNT, SUM, MIN and MAX only";
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
                return fail(format!("a materialized view can't have {}{hint}", kind.name()), e.span);
            }
        };
        if function.distinct {
            return fail("a materialized view can't have DISTINCT aggregates", e.span);
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
