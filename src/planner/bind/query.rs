//! Queries around SELECT: WITH, set operations, VALUES, ORDER BY and LIMIT over them.

use super::coerce::Family;
use super::group::position;
use crate::expr::common_type;
use crate::expr::expr::{Arithmetic, Expr, ExprKind};
use crate::planner::binder::{Binder, CommonTable, CommonTableKind, OutColumn, Rows};
use crate::planner::error::{Result, did_you_mean, fail, type_name};
use crate::planner::from::From;
use crate::planner::plan::{Node, SortKey};
use crate::planner::scope::{Relation, Scope, Source};
use crate::sql::Span;
use crate::sql::ast::{self, ExprKind as Ast, Ident, OrderBy, QueryBody, SetOp};
use crate::types::{DataType, Name, Reg, Value};

/// ORDER BY, LIMIT and OFFSET of a query.
#[derive(Clone, Copy)]
pub(in crate::planner) struct Tail<'a> {
    pub order_by: &'a [OrderBy],
    pub limit: Option<&'a ast::Expr>,
    pub offset: Option<&'a ast::Expr>,
}

impl Tail<'_> {
    const NONE: Tail<'static> = Tail { order_by: &[], limit: None, offset: None };

    pub fn is_empty(&self) -> bool {
        self.order_by.is_empty() && self.limit.is_none() && self.offset.is_none()
    }
}

impl<'a> Binder<'a> {
    pub(in crate::planner) fn query(&mut self, query: &'a ast::Query) -> Result<Rows> {
        self.nested(query.span, |binder| {
            let outer = binder.common_tables.len();
            let rows = binder.query_with(query, outer);
            binder.common_tables.truncate(outer);
            rows
        })
    }

    fn query_with(&mut self, query: &'a ast::Query, outer: usize) -> Result<Rows> {
        for table in &query.with {
            if self.common_tables[outer..].iter().any(|other| other.name == table.name.name) {
                return fail(format!("WITH names {} twice", table.name.name), table.name.span);
            }
            self.common_tables.push(CommonTable {
                name: table.name.name.clone(),
                columns: &table.columns,
                kind: CommonTableKind::Query { query: &table.query, recursive: query.recursive },
                scopes: self.scopes.len(),
                common_tables: self.common_tables.len(),
            });
        }
        let tail = Tail { order_by: &query.order_by, limit: query.limit.as_ref(), offset: query.offset.as_ref() };
        self.body(&query.body, tail, query.span)
    }

    fn body(&mut self, body: &'a QueryBody, tail: Tail<'a>, span: Span) -> Result<Rows> {
        let rows = match body {
            QueryBody::Select(select) => return self.select(select, tail),
            QueryBody::Nested(query) => self.query(query)?,
            QueryBody::Values(rows) => self.values(rows, span)?,
            QueryBody::SetOperation { op, all, left, right } => {
                self.nested(span, |binder| binder.set_operation(*op, *all, left, right, span))?
            }
        };
        self.finish(rows, tail)
    }

    /// ORDER BY and LIMIT over columns that are there: of a set operation, VALUES, a query in parentheses.
    fn finish(&mut self, rows: Rows, tail: Tail<'a>) -> Result<Rows> {
        if tail.is_empty() {
            return Ok(rows);
        }
        let mut scope = Scope::new();
        scope.no_aggregates = Some("ORDER BY of a set operation");
        scope.no_windows = scope.no_aggregates;
        let columns = rows.columns.iter().map(|c| (Name::new(&c.name), c.expr())).collect();
        scope.relations.push(Relation {
            alias: Name::new("the query"),
            source: Source::Columns(columns),
            nullable: false,
        });
        self.scopes.push(scope);
        let keys = self.order_keys(tail.order_by, &rows.columns);
        self.scopes.pop();
        let from = self.sort_and_limit(rows.from, keys?, tail)?;
        Ok(Rows { from, columns: rows.columns })
    }

    fn order_keys(&mut self, order_by: &'a [OrderBy], columns: &[OutColumn]) -> Result<Vec<SortKey>> {
        let mut keys = Vec::with_capacity(order_by.len());
        for key in order_by {
            let expr = match &key.expr.kind {
                Ast::Literal(Value::Int(n)) => {
                    match usize::try_from(*n).ok().and_then(|n| columns.get(n.wrapping_sub(1))) {
                        Some(column) => column.expr(),
                        None => return fail(position("ORDER BY", *n, columns.len()), key.expr.span),
                    }
                }
                _ => self.expr(&key.expr)?,
            };
            keys.push(sort_key(expr, key));
        }
        Ok(keys)
    }

    /// Sort, with the number of rows wanted where LIMIT says it, and Limit above it.
    pub(super) fn sort_and_limit(&mut self, from: From, keys: Vec<SortKey>, tail: Tail<'a>) -> Result<From> {
        // A constant orders nothing.
        let keys: Vec<SortKey> =
            keys.into_iter().filter(|key| !matches!(key.expr.kind, ExprKind::Literal(_))).collect();
        let limit = self.count(tail.limit, "LIMIT")?;
        let offset = self.count(tail.offset, "OFFSET")?;
        let mut from = from;
        if !keys.is_empty() {
            let top = limit.clone().map(|limit| match &offset {
                Some(offset) => super::coerce::fold(add(limit, offset.clone())),
                None => limit,
            });
            from = From::Node(self.sorted(from, keys, top));
        }
        if limit.is_some() || offset.is_some() {
            let input = Box::new(self.lower(from));
            from = From::Node(Node::Limit { input, limit, offset });
        }
        Ok(from)
    }

    /// LIMIT or OFFSET: no columns, a BIGINT.
    fn count(&mut self, e: Option<&'a ast::Expr>, clause: &str) -> Result<Option<Expr>> {
        let Some(e) = e else { return Ok(None) };
        let scopes = std::mem::take(&mut self.scopes);
        let bound = self.expr(e);
        self.scopes = scopes;
        let mut bound = bound?;
        self.infer(&mut bound, DataType::BigInt);
        if !bound.ty.is_integer() {
            return fail(format!("{clause} needs a whole number, not {}", type_name(bound.ty)), e.span);
        }
        if let ExprKind::Literal(Value::Int(n)) = bound.kind
            && n < 0
        {
            return fail(format!("{clause} can't be negative"), e.span);
        }
        Ok(Some(bound))
    }

    fn values(&mut self, rows: &'a [Vec<ast::Expr>], span: Span) -> Result<Rows> {
        let width = rows.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<(Expr, Span)>> = vec![Vec::with_capacity(rows.len()); width];
        for row in rows {
            if row.len() != width {
                let at = row.first().map_or(span, |e| e.span);
                return fail(format!("rows of VALUES differ: {width} values first, then {}", row.len()), at);
            }
            for (e, column) in row.iter().zip(&mut columns) {
                column.push((self.expr(e)?, e.span));
            }
        }
        let mut out = Vec::with_capacity(width);
        let mut lanes = Vec::with_capacity(width);
        for (i, column) in columns.into_iter().enumerate() {
            let (column, ty) = self.coerce_all(column)?;
            let nullable = column.iter().any(|e| e.nullable);
            out.push(OutColumn { name: format!("C{}", i + 1), reg: self.fresh(), ty, nullable });
            lanes.push(column.into_iter());
        }
        let rows = rows.iter().map(|_| lanes.iter_mut().filter_map(Iterator::next).collect()).collect();
        let node = Node::Values { rows, out: out.iter().map(|c| c.reg).collect() };
        Ok(Rows { from: From::Node(node), columns: out })
    }

    fn set_operation(
        &mut self,
        op: SetOp,
        all: bool,
        left: &'a QueryBody,
        right: &'a QueryBody,
        span: Span,
    ) -> Result<Rows> {
        let left = self.body(left, Tail::NONE, span)?;
        let right = self.body(right, Tail::NONE, body_span(right, span))?;
        let word = match op {
            SetOp::Union => "UNION",
            SetOp::Intersect => "INTERSECT",
            SetOp::Except => "EXCEPT",
        };
        check_width(word, left.columns.len(), right.columns.len(), span)?;
        let mut columns = Vec::with_capacity(left.columns.len());
        let (mut left_columns, mut right_columns) = (Vec::new(), Vec::new());
        for (l, r) in left.columns.iter().zip(&right.columns) {
            let ty = self.united(word, l, r, span)?;
            left_columns.push(self.column_as(l, ty, span)?);
            right_columns.push(self.column_as(r, ty, span)?);
            let nullable = l.nullable || r.nullable;
            columns.push(OutColumn { name: l.name.clone(), reg: self.fresh(), ty, nullable });
        }
        let node = Node::SetOperation {
            op,
            all,
            left: Box::new(self.lower(left.from)),
            left_columns,
            right: Box::new(self.lower(right.from)),
            right_columns,
            out: columns.iter().map(|c| (c.reg, c.ty)).collect(),
        };
        Ok(Rows { from: From::Node(node), columns })
    }

    fn united(&self, word: &str, l: &OutColumn, r: &OutColumn, span: Span) -> Result<DataType> {
        match common_type(l.ty, r.ty) {
            Some(ty) => Ok(ty),
            None => fail(
                format!("{word} of column {}: {} and {} have no common type", l.name, type_name(l.ty), type_name(r.ty)),
                span,
            ),
        }
    }

    fn column_as(&mut self, column: &OutColumn, ty: DataType, span: Span) -> Result<Expr> {
        let expr = column.expr();
        if Family::of(expr.ty) == Family::of(ty) { Ok(expr) } else { self.coerce(expr, ty, span) }
    }

    /// The rows of a WITH table, bound where it is used, in the surroundings of its definition.
    pub(super) fn common_table(&mut self, at: usize, used: &Ident) -> Result<Rows> {
        let table = self.common_tables[at].clone();
        let rows = match &table.kind {
            CommonTableKind::Working { id, columns } => {
                let out: Vec<OutColumn> = columns
                    .iter()
                    .map(|(name, ty)| OutColumn { name: name.to_string(), reg: self.fresh(), ty: *ty, nullable: true })
                    .collect();
                let node = Node::Working { id: *id, out: out.iter().map(|c| c.reg).collect() };
                return Ok(Rows { from: From::Node(node), columns: out });
            }
            CommonTableKind::Query { query, recursive } => {
                let hidden: Vec<CommonTable<'a>> = self.common_tables.split_off(table.common_tables);
                let was_visible: Vec<bool> = self.scopes.iter().map(|scope| scope.visible).collect();
                self.scopes[table.scopes..].iter_mut().for_each(|scope| scope.visible = false);
                let rows = self.common_table_rows(&table, query, *recursive);
                self.scopes.iter_mut().zip(was_visible).for_each(|(scope, visible)| scope.visible = visible);
                self.common_tables.extend(hidden);
                rows?
            }
        };
        renamed(rows, table.columns, used)
    }

    fn common_table_rows(&mut self, table: &CommonTable<'a>, query: &'a ast::Query, recursive: bool) -> Result<Rows> {
        match &query.body {
            QueryBody::SetOperation { op: SetOp::Union, all, left, right }
                if recursive && query.with.is_empty() && mentions(right, &table.name) =>
            {
                if !query.order_by.is_empty() || query.limit.is_some() || query.offset.is_some() {
                    return fail("a recursive WITH query can't have ORDER BY or LIMIT", query.span);
                }
                self.nested(query.span, |binder| binder.recursive(table, *all, left, right, query.span))
            }
            _ => self.query(query),
        }
    }

    fn recursive(
        &mut self,
        table: &CommonTable<'a>,
        all: bool,
        base: &'a QueryBody,
        step: &'a QueryBody,
        span: Span,
    ) -> Result<Rows> {
        let id = self.recursive_ids;
        self.recursive_ids += 1;
        let base =
            renamed(self.body(base, Tail::NONE, span)?, table.columns, &Ident { name: table.name.clone(), span })?;
        let columns = base.columns.iter().map(|c| (Name::new(&c.name), c.ty)).collect();
        let mark = self.common_tables.len();
        self.common_tables.push(CommonTable {
            name: table.name.clone(),
            columns: &[],
            kind: CommonTableKind::Working { id, columns },
            scopes: self.scopes.len(),
            common_tables: mark,
        });
        let step = self.body(step, Tail::NONE, span);
        self.common_tables.truncate(mark);
        let step = step?;
        check_width("UNION", base.columns.len(), step.columns.len(), span)?;
        let mut step_columns = Vec::with_capacity(base.columns.len());
        for (b, s) in base.columns.iter().zip(&step.columns) {
            self.united("UNION", b, s, span)?;
            step_columns.push(self.coerce(s.expr(), b.ty, span)?);
        }
        let base_columns: Vec<Expr> = base.columns.iter().map(OutColumn::expr).collect();
        let out: Vec<(Reg, DataType)> = base.columns.iter().map(|c| (self.fresh(), c.ty)).collect();
        let columns = base
            .columns
            .iter()
            .zip(&out)
            .map(|(c, &(reg, ty))| OutColumn { name: c.name.clone(), reg, ty, nullable: true })
            .collect();
        let node = Node::Recursive {
            id,
            all,
            base: Box::new(self.lower(base.from)),
            base_columns,
            step: Box::new(self.lower(step.from)),
            step_columns,
            out,
        };
        Ok(Rows { from: From::Node(node), columns })
    }

    /// The WITH table of that name that is in sight, the innermost.
    pub(super) fn find_common_table(&self, name: &Name) -> Option<usize> {
        self.common_tables.iter().rposition(|table| table.name == *name)
    }

    /// "no table or view x", with the nearest of all names that could stand in FROM.
    pub(super) fn source_table(&self, name: &Ident) -> Result<std::sync::Arc<crate::catalog::Table>> {
        match self.catalog.table(&name.name) {
            Some(table) => Ok(std::sync::Arc::clone(table)),
            None => {
                let tables = self.catalog.tables().map(|table| table.name.as_str());
                let names = tables.chain(self.common_tables.iter().map(|table| table.name.as_str()));
                let names = names.chain(self.catalog.query_views().map(|view| view.name.as_str()));
                let hint = did_you_mean(name.name.as_str(), names);
                fail(format!("no table or view {}{hint}", name.name), name.span)
            }
        }
    }
}

/// Column names given in `WITH t (a, b)` or `(query) AS t (a, b)`.
pub(super) fn renamed(mut rows: Rows, names: &[Ident], table: &Ident) -> Result<Rows> {
    if names.is_empty() {
        return Ok(rows);
    }
    if names.len() != rows.columns.len() {
        return fail(
            format!("{} has {} column names for {} columns", table.name, names.len(), rows.columns.len()),
            names[0].span.to(names[names.len() - 1].span),
        );
    }
    rows.columns.iter_mut().zip(names).for_each(|(column, name)| column.name = name.name.to_string());
    Ok(rows)
}

fn check_width(word: &str, left: usize, right: usize, span: Span) -> Result<()> {
    if left == right {
        return Ok(());
    }
    fail(format!("{word} of {left} and {right} columns: both sides need the same number"), span)
}

fn body_span(body: &QueryBody, otherwise: Span) -> Span {
    match body {
        QueryBody::Select(select) => select.span,
        QueryBody::Nested(query) => query.span,
        _ => otherwise,
    }
}

pub(super) fn sort_key(expr: Expr, key: &OrderBy) -> SortKey {
    SortKey { expr, descending: key.descending, nulls_first: key.nulls_first.unwrap_or(!key.descending) }
}

fn add(a: Expr, b: Expr) -> Expr {
    let nullable = a.nullable || b.nullable;
    let kind = ExprKind::Arithmetic { op: Arithmetic::Add, left: Box::new(a), right: Box::new(b) };
    Expr { kind, ty: DataType::BigInt, nullable }
}

/// True if FROM of a body, or of a query inside its FROM, names the table: that makes a WITH query recursive.
fn mentions(body: &QueryBody, name: &Name) -> bool {
    match body {
        QueryBody::Select(select) => select.from.iter().any(|table| table_mentions(table, name)),
        QueryBody::Values(_) => false,
        QueryBody::SetOperation { left, right, .. } => mentions(left, name) || mentions(right, name),
        QueryBody::Nested(query) => mentions(&query.body, name),
    }
}

fn table_mentions(table: &ast::TableRef, name: &Name) -> bool {
    match table {
        ast::TableRef::Table { name: table, .. } => table.name == *name,
        ast::TableRef::Subquery { query, .. } => mentions(&query.body, name),
        ast::TableRef::Join { left, right, .. } => table_mentions(left, name) || table_mentions(right, name),
    }
}
