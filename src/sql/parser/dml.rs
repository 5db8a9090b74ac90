//! INSERT, UPSERT, UPDATE, DELETE.

use super::cursor::Cursor;
use super::query;
use crate::sql::SqlError;
use crate::sql::ast::{
    ConflictUpdate, Delete, Expr, Ident, Insert, InsertSource, OnConflict, QueryBody, SelectItem, Update,
};
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// INSERT INTO t [(c, ..)] VALUES .. | query | DEFAULT VALUES [ON CONFLICT ..] [RETURNING ..]; UPSERT INTO likewise, but
/// without ON CONFLICT.
pub fn insert(cursor: &mut Cursor<'_>) -> Result<Insert> {
    let upsert = cursor.is("UPSERT");
    cursor.advance();
    cursor.expect("INTO")?;
    let table = cursor.ident("the name of a table")?;
    let columns =
        if names_ahead(cursor) { cursor.parenthesized(|c| c.ident("the name of a column"))? } else { Vec::new() };
    let source = if cursor.take_all(&["DEFAULT", "VALUES"]) {
        InsertSource::Defaults
    } else if cursor.is("VALUES") || cursor.is("SELECT") || cursor.is("WITH") || cursor.is_token(&Token::LParen) {
        source(cursor)?
    } else {
        return Err(cursor.expected("VALUES, a query or DEFAULT VALUES"));
    };
    let conflict = if cursor.is("ON") && cursor.nth_is(1, "CONFLICT") { Some(on_conflict(cursor)?) } else { None };
    if let Some(conflict) = conflict.as_ref().filter(|_| upsert) {
        return Err(SqlError::new("UPSERT says itself what a conflict does: write INSERT", conflict.span));
    }
    Ok(Insert { table, columns, source, upsert, conflict, returning: returning(cursor)? })
}

/// ON CONFLICT [(c, ..)] DO NOTHING | DO UPDATE SET c = e, .. [WHERE ..]
fn on_conflict(cursor: &mut Cursor<'_>) -> Result<OnConflict> {
    let start = cursor.span();
    cursor.advance();
    let span = start.to(cursor.span());
    cursor.advance();
    let target = if cursor.is_token(&Token::LParen) {
        cursor.parenthesized(|c| c.ident("the name of a column"))?
    } else {
        Vec::new()
    };
    cursor.expect("DO")?;
    if cursor.take("NOTHING") {
        return Ok(OnConflict { target, update: None, span });
    }
    cursor.expect("UPDATE")?;
    cursor.expect("SET")?;
    let assignments = cursor.comma_separated(assignment)?;
    Ok(OnConflict { target, update: Some(ConflictUpdate { assignments, filter: filter(cursor)? }), span })
}

/// A list of columns rather than a query in parentheses?
fn names_ahead(cursor: &Cursor<'_>) -> bool {
    cursor.is_token(&Token::LParen)
        && !["SELECT", "WITH", "VALUES"].iter().any(|word| cursor.nth_is(1, word))
        && !cursor.nth_is_token(1, &Token::LParen)
}

fn source(cursor: &mut Cursor<'_>) -> Result<InsertSource> {
    let query = query::parse(cursor)?;
    let plain = query.with.is_empty() && query.order_by.is_empty() && query.limit.is_none() && query.offset.is_none();
    match query.body {
        QueryBody::Values(rows) if plain => Ok(InsertSource::Values(rows)),
        body => Ok(InsertSource::Query(Box::new(crate::sql::ast::Query { body, ..query }))),
    }
}

/// UPDATE t [[AS] a] SET c = e, .. [WHERE ..] [RETURNING ..]
pub fn update(cursor: &mut Cursor<'_>) -> Result<Update> {
    cursor.advance();
    let table = cursor.ident("the name of a table")?;
    let alias = alias(cursor)?;
    cursor.expect("SET")?;
    let assignments = cursor.comma_separated(assignment)?;
    if cursor.is("FROM") {
        return Err(SqlError::new("UPDATE .. FROM is not supported: use a query in SET or WHERE", cursor.span()));
    }
    Ok(Update { table, alias, assignments, filter: filter(cursor)?, returning: returning(cursor)? })
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<(Ident, Expr)> {
    let mut column = cursor.ident("the name of a column")?;
    if cursor.take_token(&Token::Period) {
        column = cursor.ident("the name of a column")?;
    }
    cursor.expect_token(&Token::Eq)?;
    Ok((column, query::parse_expr(cursor)?))
}

/// DELETE FROM t [[AS] a] [WHERE ..] [ORDER BY ..] [LIMIT ..] [OFFSET ..] [RETURNING ..]
pub fn delete(cursor: &mut Cursor<'_>) -> Result<Delete> {
    cursor.advance();
    cursor.expect("FROM")?;
    let table = cursor.ident("the name of a table")?;
    let alias = alias(cursor)?;
    if cursor.is("USING") {
        return Err(SqlError::new("DELETE .. USING is not supported: use a query in WHERE", cursor.span()));
    }
    let filter = filter(cursor)?;
    let order_by =
        if cursor.take_all(&["ORDER", "BY"]) { cursor.comma_separated(query::parse_order_by)? } else { Vec::new() };
    let limit = if cursor.take("LIMIT") { Some(query::parse_expr(cursor)?) } else { None };
    let offset = if cursor.take("OFFSET") { Some(query::parse_expr(cursor)?) } else { None };
    Ok(Delete { table, alias, filter, order_by, limit, offset, returning: returning(cursor)? })
}

fn alias(cursor: &mut Cursor<'_>) -> Result<Option<Ident>> {
    if cursor.take("AS") {
        return cursor.ident("an alias").map(Some);
    }
    let alias = cursor.peek_ident();
    if alias.is_some() {
        cursor.advance();
    }
    Ok(alias)
}

fn filter(cursor: &mut Cursor<'_>) -> Result<Option<Expr>> {
    if cursor.take("WHERE") { query::parse_expr(cursor).map(Some) } else { Ok(None) }
}

fn returning(cursor: &mut Cursor<'_>) -> Result<Vec<SelectItem>> {
    if cursor.take("RETURNING") { cursor.comma_separated(query::parse_select_item) } else { Ok(Vec::new()) }
}
