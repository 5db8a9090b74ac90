//! Queries: sqlparser's tree to ours. Its structs are taken apart field by field, so that nothing it knows and we don't
//! is dropped without a word.

use super::cursor::Cursor;
use super::expr::{CHAIN_MAX, Translator, not_supported, unsupported};
use super::source;
use crate::sql::ast::{
    CommonTable, Expr, ExprKind, JoinConstraint, JoinKind, OrderBy, Query, QueryBody, Select, SelectItem, SetOp,
    TableRef,
};
use crate::sql::{Span, SqlError};
use crate::types::Value;
use sqlparser::ast as theirs;

type Result<T> = std::result::Result<T, SqlError>;

/// Reads a query; its span ends with the last token read.
pub fn parse(cursor: &mut Cursor<'_>) -> Result<Query> {
    let start = cursor.span();
    let written = cursor.theirs(|parser| parser.parse_query())?;
    let mut query = query(Translator::new(cursor.source), *written)?;
    query.span = cursor.span_from(start);
    Ok(query)
}

/// Reads an expression.
pub fn parse_expr(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let written = cursor.theirs(|parser| parser.parse_expr())?;
    Translator::new(cursor.source).expr(written)
}

/// Reads `expr [ASC|DESC] [NULLS FIRST|LAST]`.
pub fn parse_order_by(cursor: &mut Cursor<'_>) -> Result<OrderBy> {
    let written = cursor.theirs(|parser| parser.parse_order_by_expr())?;
    Translator::new(cursor.source).order_by(written)
}

/// Reads an item of a select list, as RETURNING has them too.
pub fn parse_select_item(cursor: &mut Cursor<'_>) -> Result<SelectItem> {
    let written = cursor.theirs(|parser| parser.parse_select_item())?;
    item(Translator::new(cursor.source), written)
}

fn refuse<T>(what: &str, span: Span) -> Result<T> {
    Err(not_supported(what, span))
}

pub fn query(tr: Translator<'_>, written: theirs::Query) -> Result<Query> {
    let tr = tr.deeper(1, Span::NONE)?;
    let start = start(&written);
    let span = tr.source.query_from(start);
    let theirs::Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = written;
    if !locks.is_empty() || for_clause.is_some() {
        return refuse("FOR UPDATE, or another FOR after a query,", span);
    }
    if settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
        return refuse("SETTINGS, FORMAT or |> after a query", span);
    }
    let (recursive, with) = match with {
        None => (false, Vec::new()),
        Some(with) => {
            let tables = with.cte_tables.into_iter().map(|t| common_table(tr, t));
            (with.recursive, tables.collect::<Result<_>>()?)
        }
    };
    let order_by = order_by.map_or(Ok(Vec::new()), |o| order(tr, o, span))?;
    let (mut limit, offset) = limits(tr, limit_clause, span)?;
    if let Some(fetch) = fetch {
        let rows = fetch_rows(tr, fetch, span)?;
        once(&mut limit, rows, span)?;
    }
    let (body, top) = match *body {
        theirs::SetExpr::Select(written) => {
            let (select, top) = select(tr, *written)?;
            (QueryBody::Select(Box::new(select)), top)
        }
        other => (set_expr(tr, other)?, None),
    };
    if let Some(top) = top {
        once(&mut limit, top, span)?;
    }
    Ok(Query { with, recursive, body, order_by, limit, offset, span })
}

fn once(limit: &mut Option<Expr>, rows: Expr, span: Span) -> Result<()> {
    if limit.is_some() {
        return Err(unsupported("the rows are limited twice: write only one of LIMIT, FETCH FIRST and TOP", span));
    }
    *limit = Some(rows);
    Ok(())
}

/// The byte that a query starts at.
fn start(query: &theirs::Query) -> usize {
    match &query.with {
        Some(with) => source::span(with.with_token.0.span).start,
        None => body_start(&query.body),
    }
}

fn body_start(mut body: &theirs::SetExpr) -> usize {
    loop {
        match body {
            theirs::SetExpr::Select(select) => return source::span(select.select_token.0.span).start,
            theirs::SetExpr::Query(query) => return start(query),
            theirs::SetExpr::SetOperation { left, .. } => body = left,
            theirs::SetExpr::Values(values) => {
                return values.rows.first().map_or(0, |row| source::span(row.opening_token.0.span).start);
            }
            _ => return 0,
        }
    }
}

fn common_table(tr: Translator<'_>, written: theirs::Cte) -> Result<CommonTable> {
    let theirs::Cte { alias, query: inner, from, materialized, .. } = written;
    let (name, columns) = alias_with_columns(tr, alias)?;
    if from.is_some() || materialized.is_some() {
        return refuse("FROM or MATERIALIZED at a common table", name.span);
    }
    Ok(CommonTable { query: query(tr, *inner)?, name, columns })
}

fn order(tr: Translator<'_>, written: theirs::OrderBy, span: Span) -> Result<Vec<OrderBy>> {
    let theirs::OrderBy { kind, interpolate } = written;
    match kind {
        theirs::OrderByKind::Expressions(exprs) if interpolate.is_none() => {
            exprs.into_iter().map(|e| tr.order_by(e)).collect()
        }
        _ => refuse("ORDER BY ALL or INTERPOLATE", span),
    }
}

fn limits(tr: Translator<'_>, clause: Option<theirs::LimitClause>, span: Span) -> Result<(Option<Expr>, Option<Expr>)> {
    match clause {
        None => Ok((None, None)),
        Some(theirs::LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => {
            let limit = limit.map(|e| tr.expr(e)).transpose()?;
            Ok((limit, offset.map(|o| tr.expr(o.value)).transpose()?))
        }
        Some(theirs::LimitClause::OffsetCommaLimit { .. }) => {
            Err(unsupported("LIMIT m, n is not supported: write LIMIT n OFFSET m", span))
        }
        Some(_) => refuse("LIMIT .. BY", span),
    }
}

fn fetch_rows(tr: Translator<'_>, fetch: theirs::Fetch, span: Span) -> Result<Expr> {
    if fetch.with_ties || fetch.percent {
        return refuse("FETCH .. PERCENT or WITH TIES", span);
    }
    fetch.quantity.map_or(Ok(Expr { kind: ExprKind::Literal(Value::Int(1)), span }), |e| tr.expr(e))
}

fn set_expr(tr: Translator<'_>, written: theirs::SetExpr) -> Result<QueryBody> {
    // Down the left side without recursion: a long chain of UNIONs leans to the left.
    let mut links = Vec::new();
    let mut first = written;
    while let theirs::SetExpr::SetOperation { left, op, set_quantifier, right } = first {
        links.push((op, set_quantifier, *right));
        first = *left;
    }
    let span = Span::new(body_start(&first), tr.source.end().end);
    if links.len() > CHAIN_MAX {
        return Err(unsupported(format!("the query is too long: more than {CHAIN_MAX} set operations in a row"), span));
    }
    let tr = tr.deeper(links.len() + 1, span)?;
    let mut body = term(tr, first)?;
    for (op, quantifier, right) in links.into_iter().rev() {
        let op = match op {
            theirs::SetOperator::Union => SetOp::Union,
            theirs::SetOperator::Intersect => SetOp::Intersect,
            theirs::SetOperator::Except | theirs::SetOperator::Minus => SetOp::Except,
        };
        let all = match quantifier {
            theirs::SetQuantifier::All => true,
            theirs::SetQuantifier::None | theirs::SetQuantifier::Distinct => false,
            _ => return refuse("BY NAME after a set operation", span),
        };
        body = QueryBody::SetOperation { op, all, left: Box::new(body), right: Box::new(set_expr(tr, right)?) };
    }
    Ok(body)
}

/// One operand of set operations.
fn term(tr: Translator<'_>, written: theirs::SetExpr) -> Result<QueryBody> {
    match written {
        theirs::SetExpr::Select(written) => {
            let (select, top) = select(tr, *written)?;
            let span = select.span;
            let body = QueryBody::Select(Box::new(select));
            Ok(match top {
                None => body,
                Some(_) => QueryBody::Nested(Box::new(Query {
                    with: Vec::new(),
                    recursive: false,
                    body,
                    order_by: Vec::new(),
                    limit: top,
                    offset: None,
                    span,
                })),
            })
        }
        theirs::SetExpr::Query(inner) => Ok(QueryBody::Nested(Box::new(query(tr, *inner)?))),
        theirs::SetExpr::Values(theirs::Values { explicit_row: false, rows, .. }) => {
            Ok(QueryBody::Values(rows.into_iter().map(|row| tr.exprs(row.content)).collect::<Result<_>>()?))
        }
        theirs::SetExpr::Table(_) => refuse("TABLE t as a query: write SELECT * FROM t", tr.source.query_from(0)),
        _ => refuse("this in the place of a query", tr.source.query_from(0)),
    }
}

/// The SELECT, and the rows that TOP keeps.
fn select(tr: Translator<'_>, written: theirs::Select) -> Result<(Select, Option<Expr>)> {
    let start = source::span(written.select_token.0.span);
    let span = tr.source.query_from(start.start);
    check_select(&written, start)?;
    let distinct = match written.distinct {
        None | Some(theirs::Distinct::All) => false,
        Some(theirs::Distinct::Distinct) => true,
        Some(theirs::Distinct::On(_)) => return refuse("DISTINCT ON", start),
    };
    let top = written.top.map(|top| top_rows(tr, top, start)).transpose()?;
    let items = written.projection.into_iter().map(|i| item(tr, i)).collect::<Result<Vec<_>>>()?;
    let from = written.from.into_iter().map(|t| joined(tr, t)).collect::<Result<Vec<_>>>()?;
    let filter = written.selection.map(|e| tr.expr(e)).transpose()?;
    let group_by = match written.group_by {
        theirs::GroupByExpr::Expressions(exprs, modifiers) if modifiers.is_empty() => tr.exprs(exprs)?,
        _ => return refuse("GROUP BY ALL or WITH ROLLUP, CUBE, TOTALS", start),
    };
    let having = written.having.map(|e| tr.expr(e)).transpose()?;
    Ok((Select { distinct, items, from, filter, group_by, having, span }, top))
}

/// Refuses the clauses that we don't have.
fn check_select(select: &theirs::Select, span: Span) -> Result<()> {
    let theirs::Select {
        select_token: _,
        optimizer_hints,
        distinct: _,
        select_modifiers,
        top: _,
        top_before_distinct: _,
        projection: _,
        exclude,
        into,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by: _,
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor,
    } = select;
    let found = [
        (!optimizer_hints.is_empty(), "an optimizer hint"),
        (select_modifiers.is_some(), "a modifier after SELECT"),
        (exclude.is_some(), "EXCLUDE"),
        (into.is_some(), "INTO here"),
        (!lateral_views.is_empty(), "LATERAL VIEW"),
        (prewhere.is_some(), "PREWHERE"),
        (!connect_by.is_empty(), "CONNECT BY: write WITH RECURSIVE"),
        (!cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(), "CLUSTER, DISTRIBUTE or SORT BY"),
        (!named_window.is_empty(), "WINDOW: write OVER (..)"),
        (qualify.is_some(), "QUALIFY"),
        (value_table_mode.is_some(), "SELECT AS"),
        (*flavor != theirs::SelectFlavor::Standard, "FROM before SELECT"),
    ];
    match found.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => refuse(what, span),
        None => Ok(()),
    }
}

fn top_rows(tr: Translator<'_>, top: theirs::Top, span: Span) -> Result<Expr> {
    if top.with_ties || top.percent {
        return refuse("TOP .. PERCENT or WITH TIES", span);
    }
    match top.quantity {
        Some(theirs::TopQuantity::Expr(expr)) => tr.expr(expr),
        Some(theirs::TopQuantity::Constant(rows)) => {
            let rows = i64::try_from(rows).map_err(|_| unsupported(format!("TOP {rows} is out of range"), span))?;
            Ok(Expr { kind: ExprKind::Literal(Value::Int(rows)), span })
        }
        None => refuse("TOP without a number", span),
    }
}

fn item(tr: Translator<'_>, written: theirs::SelectItem) -> Result<SelectItem> {
    use theirs::{SelectItem as I, SelectItemQualifiedWildcardKind as Q};
    Ok(match written {
        I::UnnamedExpr(expr) => SelectItem::Expr { expr: tr.expr(expr)?, alias: None },
        I::ExprWithAlias { expr, alias } => SelectItem::Expr { expr: tr.expr(expr)?, alias: Some(tr.ident(alias)) },
        I::ExprWithAliases { expr, .. } => return refuse("more than one alias", tr.expr(expr)?.span),
        I::Wildcard(options) => SelectItem::Wildcard(plain_wildcard(options)?),
        I::QualifiedWildcard(Q::ObjectName(name), options) => {
            plain_wildcard(options)?;
            SelectItem::QualifiedWildcard(tr.object_name(name)?)
        }
        I::QualifiedWildcard(Q::Expr(expr), _) => return refuse(".* after an expression", tr.expr(expr)?.span),
    })
}

fn plain_wildcard(options: theirs::WildcardAdditionalOptions) -> Result<Span> {
    let theirs::WildcardAdditionalOptions {
        wildcard_token,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    let span = source::span(wildcard_token.0.span);
    let plain = opt_ilike.is_none()
        && opt_exclude.is_none()
        && opt_except.is_none()
        && opt_replace.is_none()
        && opt_rename.is_none()
        && opt_alias.is_none();
    if plain { Ok(span) } else { refuse("a word after *", span) }
}

fn joined(tr: Translator<'_>, written: theirs::TableWithJoins) -> Result<TableRef> {
    let joins = written.joins.len();
    if joins > CHAIN_MAX {
        return Err(unsupported(format!("more than {CHAIN_MAX} joins in a row"), tr.source.end()));
    }
    let tr = tr.deeper(joins, Span::NONE)?;
    let mut left = table(tr, written.relation)?;
    for join in written.joins {
        let span = source::span(theirs::Spanned::span(&join.relation));
        let right = table(tr, join.relation)?;
        let (kind, constraint) = join_kind(tr, join.join_operator, span)?;
        left = TableRef::Join { left: Box::new(left), right: Box::new(right), kind, constraint };
    }
    Ok(left)
}

/// `right`: where the table on the right of the join stands.
fn join_kind(tr: Translator<'_>, operator: theirs::JoinOperator, right: Span) -> Result<(JoinKind, JoinConstraint)> {
    use theirs::JoinOperator as J;
    let (kind, constraint) = match operator {
        J::Join(c) | J::Inner(c) => (JoinKind::Inner, c),
        J::Left(c) | J::LeftOuter(c) => (JoinKind::Left, c),
        J::Right(c) | J::RightOuter(c) => (JoinKind::Right, c),
        J::FullOuter(c) => (JoinKind::Full, c),
        J::CrossJoin(c) => (JoinKind::Cross, c),
        _ => return refuse("this kind of join: write INNER, LEFT, RIGHT, FULL or CROSS JOIN", tr.source.end()),
    };
    let constraint = match constraint {
        // A forgotten condition would silently give every pair of rows.
        theirs::JoinConstraint::None if kind != JoinKind::Cross => {
            return Err(SqlError::new("this JOIN needs ON or USING; every pair of rows is CROSS JOIN", right));
        }
        theirs::JoinConstraint::None => JoinConstraint::None,
        theirs::JoinConstraint::Natural => JoinConstraint::Natural,
        theirs::JoinConstraint::On(expr) => JoinConstraint::On(tr.expr(expr)?),
        theirs::JoinConstraint::Using(columns) => {
            JoinConstraint::Using(columns.into_iter().map(|c| tr.object_name(c)).collect::<Result<_>>()?)
        }
        theirs::JoinConstraint::UsingAlias(_, alias) => return refuse("an alias after USING", tr.ident(alias).span),
    };
    Ok((kind, constraint))
}

fn table(tr: Translator<'_>, written: theirs::TableFactor) -> Result<TableRef> {
    use theirs::TableFactor as T;
    let tr = tr.deeper(1, Span::NONE)?;
    match written {
        T::Table {
            name,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_directives,
            inheritance,
        } => {
            let name = tr.table_name(name)?;
            let plain = args.is_none()
                && with_hints.is_empty()
                && version.is_none()
                && !with_ordinality
                && partitions.is_empty()
                && json_path.is_none()
                && sample.is_none()
                && index_directives.is_empty()
                && inheritance.is_none();
            if !plain {
                return refuse("anything but an alias after the name of a table", name.span);
            }
            let alias = match alias.map(|a| alias_with_columns(tr, a)).transpose()? {
                Some((alias, columns)) if !columns.is_empty() => {
                    return refuse("column names after a table's alias", alias.span);
                }
                alias => alias.map(|(alias, _)| alias),
            };
            Ok(TableRef::Table { name, alias })
        }
        T::Derived { lateral: false, subquery, alias, sample: None } => {
            let query = Box::new(query(tr, *subquery)?);
            let mut span = tr.source.with_parentheses(query.span);
            let (alias, columns) = match alias.map(|a| alias_with_columns(tr, a)).transpose()? {
                Some((alias, columns)) => (Some(alias), columns),
                None => (None, Vec::new()),
            };
            span = span.to(alias.as_ref().map_or(Span::NONE, |a| a.span));
            Ok(TableRef::Subquery { query, alias, columns, span })
        }
        T::NestedJoin { table_with_joins, alias: None } => joined(tr, *table_with_joins),
        T::NestedJoin { alias: Some(alias), .. } => refuse("an alias of a join", source::span(alias.name.span)),
        T::Derived { subquery, .. } => refuse("LATERAL or TABLESAMPLE", query(tr, *subquery)?.span),
        other => {
            let span = source::span(theirs::Spanned::span(&other));
            refuse("this in FROM: a table, a view or a query in parentheses can stand here", span)
        }
    }
}

type AliasWithColumns = (crate::sql::ast::Ident, Vec<crate::sql::ast::Ident>);

fn alias_with_columns(tr: Translator<'_>, alias: theirs::TableAlias) -> Result<AliasWithColumns> {
    let theirs::TableAlias { explicit: _, name, columns, at } = alias;
    let name = tr.ident(name);
    if at.is_some() || columns.iter().any(|c| c.data_type.is_some()) {
        return refuse("types, or AT, in an alias", name.span);
    }
    Ok((name, columns.into_iter().map(|c| tr.ident(c.name)).collect()))
}
