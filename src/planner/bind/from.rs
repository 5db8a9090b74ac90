//! FROM: tables, subqueries and joins become relations of the scope and a tree.

use super::query::renamed;
use crate::catalog::{QueryView, Table, ViewAggregateKind};
use crate::expr::AggregateKind;
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::planner::binder::{Binder, Rows};
use crate::planner::error::{BindError, Result, did_you_mean, fail};
use crate::planner::from::From;
use crate::planner::plan::{AggregateCall, JoinKind, Node};
use crate::planner::scope::{Merged, Relation, Source};
use crate::sql::Span;
use crate::sql::ast::{self, Ident, JoinConstraint, TableRef};
use crate::types::Name;
use std::ops::Range;
use std::sync::Arc;

impl<'a> Binder<'a> {
    pub(in crate::planner) fn bind_from(&mut self, items: &'a [TableRef]) -> Result<From> {
        self.scope().no_aggregates = Some("ON");
        self.scope().no_windows = Some("ON");
        let mut from = From::One;
        for item in items {
            let right = self.table_ref(item)?;
            from = from.join(right);
        }
        Ok(from)
    }

    fn table_ref(&mut self, item: &'a TableRef) -> Result<From> {
        match item {
            TableRef::Table { name, alias } => self.named_table(name, alias.as_ref()),
            TableRef::Subquery { query, alias, columns, span } => {
                let none = Ident { name: Name::new(""), span: *span };
                let alias = alias.as_ref().unwrap_or(&none);
                self.scope().visible = false;
                let rows = self.query(query);
                self.scope().visible = true;
                let rows = renamed(rows?, columns, alias)?;
                self.add_rows(rows, alias)
            }
            TableRef::Join { left, right, kind, constraint } => {
                self.nested(Span::NONE, |binder| binder.join(left, right, *kind, constraint))
            }
        }
    }

    fn named_table(&mut self, name: &'a Ident, alias: Option<&'a Ident>) -> Result<From> {
        let alias = alias.unwrap_or(name);
        if let Some(at) = self.find_common_table(&name.name) {
            self.scope().visible = false;
            let rows = self.common_table(at, name);
            self.scope().visible = true;
            return self.add_rows(rows?, alias);
        }
        if let Some((_, table)) = name.name.as_str().split_once('.') {
            let short = Ident { name: Name::new(table), span: name.span };
            return self.system_table(name, if std::ptr::eq(alias, name) { &short } else { alias });
        }
        if let Some(view) = self.catalog.query_view(&name.name) {
            return self.query_view(view, name, alias);
        }
        let table = self.source_table(name)?;
        if table.is_view() && table.spread && table.partition_column.is_none() {
            return self.merged_view(table, alias);
        }
        let instance = self.add_instance(table);
        self.add_relation(alias, Source::Table(instance))?;
        Ok(From::Table(instance))
    }

    /// Its rows are made now, once for all the times that the statement is bound or names it.
    fn system_table(&mut self, name: &Ident, alias: &Ident) -> Result<From> {
        let Some(system) = self.env.system else {
            let message =
                format!("{} can only be read by statements of their own, not in procedures and views", name.name);
            return fail(message, name.span);
        };
        let Some(rows) = system.rows(&name.name) else {
            let names = system.names();
            let hint = did_you_mean(name.name.as_str(), names.iter().map(String::as_str));
            return fail(format!("no system table {}{hint} (sys.catalog lists them all)", name.name), name.span);
        };
        let mut columns = Vec::with_capacity(rows.columns.len());
        let mut filled = Vec::with_capacity(rows.columns.len());
        for (at, column) in rows.columns.iter().enumerate() {
            let reg = self.fresh();
            filled.push((at, reg));
            columns.push((Name::new(&column.name), Expr::reg(reg, column.data_type, true)));
        }
        self.add_relation(alias, Source::Columns(columns))?;
        Ok(From::Node(Node::Rows { name: name.name.clone(), rows, columns: filled }))
    }

    /// A view that is not materialized: its query, which sees nothing of what is around its name.
    fn query_view(&mut self, view: &'a QueryView, name: &Ident, alias: &Ident) -> Result<From> {
        if let Some(what) = self.plain {
            return fail(format!("{what} can't read {}: it is a view that is not materialized", view.name), name.span);
        }
        let common_tables = std::mem::take(&mut self.common_tables);
        let visible: Vec<bool> = self.scopes.iter().map(|scope| scope.visible).collect();
        self.scopes.iter_mut().for_each(|scope| scope.visible = false);
        let rows = self.nested(name.span, |binder| binder.query(&view.query));
        self.scopes.iter_mut().zip(visible).for_each(|(scope, visible)| scope.visible = visible);
        self.common_tables = common_tables;
        // Where it is wrong would be a place in another text.
        let mut rows = rows.map_err(|error| BindError { span: name.span, ..error })?;
        for (column, (name, _)) in rows.columns.iter_mut().zip(&view.columns) {
            column.name = name.to_string();
        }
        self.add_rows(rows, alias)
    }

    fn add_rows(&mut self, rows: Rows, alias: &Ident) -> Result<From> {
        let columns = rows.columns.iter().map(|c| (Name::new(&c.name), c.expr())).collect();
        self.add_relation(alias, Source::Columns(columns))?;
        Ok(rows.from)
    }

    fn add_relation(&mut self, alias: &Ident, source: Source) -> Result<()> {
        let relations = &mut self.scope().relations;
        if !alias.name.as_str().is_empty() && relations.iter().any(|r| r.alias == alias.name) {
            return fail(format!("{} stands twice in FROM: give one of them an alias", alias.name), alias.span);
        }
        // The alias is shown as it is written here.
        relations.push(Relation { alias: alias.name.clone(), source, nullable: false });
        Ok(())
    }

    /// A view whose groups span partitions: each partition has a part of every group.
    fn merged_view(&mut self, table: Arc<Table>, alias: &Ident) -> Result<From> {
        let view = table.view.as_ref().expect("only views have no partition column and are spread");
        let instance = self.add_instance(Arc::clone(&table));
        let groups = view.groups.len();
        let mut keys = Vec::with_capacity(groups);
        let mut calls = Vec::new();
        let mut columns = Vec::with_capacity(table.visible);
        for (at, column) in table.visible_columns().iter().enumerate() {
            let raw = self.instance_column(instance, at);
            let out = self.fresh();
            let mut nullable = raw.nullable;
            if at < groups {
                keys.push((out, raw));
            } else {
                let aggregate = view.aggregates.iter().find(|a| a.column == at).expect("a view's columns are these");
                let kind = match aggregate.kind {
                    ViewAggregateKind::CountStar | ViewAggregateKind::Count | ViewAggregateKind::Sum => {
                        AggregateKind::Sum
                    }
                    ViewAggregateKind::Min => AggregateKind::Min,
                    ViewAggregateKind::Max => AggregateKind::Max,
                };
                let counts = matches!(aggregate.kind, ViewAggregateKind::CountStar | ViewAggregateKind::Count);
                nullable = !counts && (nullable || groups == 0);
                calls.push(AggregateCall { kind, distinct: false, argument: Some(raw), ty: column.ty, out });
            }
            columns.push((column.name.clone(), Expr::reg(out, column.ty, nullable)));
        }
        self.add_relation(alias, Source::Columns(columns))?;
        Ok(From::Aggregate { input: Box::new(From::Table(instance)), keys, calls })
    }

    fn join(
        &mut self,
        left: &'a TableRef,
        right: &'a TableRef,
        kind: ast::JoinKind,
        constraint: &'a JoinConstraint,
    ) -> Result<From> {
        let start = self.scope().relations.len();
        let left = self.table_ref(left)?;
        let middle = self.scope().relations.len();
        let right = self.table_ref(right)?;
        let end = self.scope().relations.len();
        let on = self.join_condition(start..middle, middle..end, kind, constraint)?;
        let mut nullable = |range: Range<usize>| {
            let scope = self.scope();
            let inside = |m: &&mut Merged| m.members.iter().any(|(relation, _)| range.contains(relation));
            scope.merged.iter_mut().filter(inside).for_each(|merged| merged.value.nullable = true);
            scope.relations[range.clone()].iter_mut().for_each(|relation| relation.nullable = true);
        };
        let (kind, left, right) = match kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross => (JoinKind::Inner, left, right),
            ast::JoinKind::Left => {
                nullable(middle..end);
                (JoinKind::Left, left, right)
            }
            ast::JoinKind::Right => {
                nullable(start..middle);
                (JoinKind::Left, right, left)
            }
            ast::JoinKind::Full => {
                nullable(start..end);
                (JoinKind::Full, left, right)
            }
        };
        if kind == JoinKind::Full && !self.has_equality(&on, &left, &right) {
            return fail("FULL JOIN needs an equality between columns of both sides in ON", Span::NONE);
        }
        Ok(From::Join { kind, left: Box::new(left), right: Box::new(right), on })
    }

    fn has_equality(&self, on: &[Expr], left: &From, right: &From) -> bool {
        let (left, right) = (left.fills(&self.instances), right.fills(&self.instances));
        on.iter().any(|conjunct| self.as_equality(conjunct, &left, &right).is_some())
    }

    fn join_condition(
        &mut self,
        left: Range<usize>,
        right: Range<usize>,
        kind: ast::JoinKind,
        constraint: &'a JoinConstraint,
    ) -> Result<Vec<Expr>> {
        match constraint {
            JoinConstraint::None => Ok(Vec::new()),
            JoinConstraint::On(e) => {
                // ON sees the two sides of its join only.
                let hidden: Vec<Relation> = self.scope().relations.drain(..left.start).collect();
                if !hidden.is_empty() {
                    // Positions in `merged` would shift: put the relations back under names that nobody writes.
                    let placeholders = hidden.iter().map(|_| Relation {
                        alias: Name::new(""),
                        source: Source::Columns(Vec::new()),
                        nullable: false,
                    });
                    let placeholders: Vec<Relation> = placeholders.collect();
                    self.scope().relations.splice(0..0, placeholders);
                }
                let bound = self.conjuncts(e, "ON");
                hidden.into_iter().enumerate().for_each(|(i, relation)| self.scope().relations[i] = relation);
                bound
            }
            JoinConstraint::Using(columns) => {
                columns.iter().map(|column| self.merge_column(column, &left, &right, kind)).collect()
            }
            JoinConstraint::Natural => {
                let names = |binder: &Self, range: &Range<usize>| -> Vec<Name> {
                    let relations = &binder.scopes.last().expect("FROM is bound in its scope").relations;
                    relations[range.clone()].iter().flat_map(|r| binder.relation_columns(r)).collect()
                };
                let (ours, theirs) = (names(self, &left), names(self, &right));
                let mut common: Vec<Name> = Vec::new();
                for name in ours {
                    if theirs.contains(&name) && !common.contains(&name) {
                        common.push(name);
                    }
                }
                let idents = common.into_iter().map(|name| Ident { name, span: Span::NONE });
                idents.map(|column| self.merge_column(&column, &left, &right, kind)).collect()
            }
        }
    }

    /// `left.c = right.c`, and `c` alone means both from now on.
    fn merge_column(
        &mut self,
        column: &Ident,
        left: &Range<usize>,
        right: &Range<usize>,
        kind: ast::JoinKind,
    ) -> Result<Expr> {
        let (l, mut members) = self.side_column(column, left)?;
        let (r, others) = self.side_column(column, right)?;
        members.extend(others);
        let condition = self.compare(Comparison::Eq, (l.clone(), column.span), (r.clone(), column.span))?;
        let value = match kind {
            ast::JoinKind::Right => r,
            ast::JoinKind::Full => {
                let (mut values, ty) = self.coerce_all(vec![(l, column.span), (r, column.span)])?;
                values.iter_mut().for_each(|value| value.nullable = true);
                Expr { kind: ExprKind::Coalesce(values), ty, nullable: true }
            }
            _ => l,
        };
        let scope = self.scope();
        scope.merged.retain(|merged| merged.name != column.name || !merged.members.iter().any(|m| members.contains(m)));
        scope.merged.push(Merged { name: column.name.clone(), value, members });
        Ok(condition)
    }

    /// The one column of that name on a side of a join, and the columns that it stands for.
    fn side_column(&mut self, column: &Ident, side: &Range<usize>) -> Result<(Expr, Vec<(usize, usize)>)> {
        let scope = self.scopes.last().expect("FROM is bound in its scope");
        let merged =
            scope.merged.iter().find(|m| m.name == column.name && m.members.iter().all(|(r, _)| side.contains(r)));
        let members = merged.map_or(Vec::new(), |merged| merged.members.clone());
        let value = merged.map(|merged| merged.value.clone());
        let mut found = Vec::new();
        for relation in side.clone() {
            for (at, name) in self.relation_columns(&scope.relations[relation]).into_iter().enumerate() {
                if name == column.name && !members.contains(&(relation, at)) {
                    found.push((relation, at));
                }
            }
        }
        if found.len() + usize::from(value.is_some()) > 1 {
            return fail(format!("column {} of USING is ambiguous on one side of the join", column.name), column.span);
        }
        if let Some(value) = value {
            return Ok((value, members));
        }
        match found.first() {
            Some(&(relation, at)) => {
                let depth = self.scopes.len() - 1;
                Ok((self.relation_column(depth, relation, at), vec![(relation, at)]))
            }
            None => {
                let relations = &scope.relations[side.clone()];
                let names: Vec<&str> = relations.iter().map(|r| r.alias.as_str()).collect();
                let columns: Vec<Name> = relations.iter().flat_map(|r| self.relation_columns(r)).collect();
                let hint = did_you_mean(column.name.as_str(), columns.iter().map(Name::as_str));
                fail(format!("no column {} of USING in {}{hint}", column.name, names.join(", ")), column.span)
            }
        }
    }
}
