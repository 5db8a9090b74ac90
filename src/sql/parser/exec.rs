//! EXEC and CALL.

use super::cursor::Cursor;
use super::{literal, query};
use crate::sql::SqlError;
use crate::sql::ast::{Exec, Expr, ExprKind, Ident};
use crate::sql::lexer::Kind;
use crate::types::{Name, Value};
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// `EXEC name args`: apart by blanks or commas, or in parentheses. A bare word is text, as in VoltDB's shell.
pub fn exec(cursor: &mut Cursor<'_>) -> Result<Exec> {
    cursor.advance();
    let procedure = name(cursor)?;
    if cursor.is_token(&Token::LParen) {
        return parenthesized(cursor, procedure);
    }
    let mut exec = Exec { procedure, arguments: Vec::new(), names: Vec::new() };
    while !cursor.at_end() {
        if !exec.arguments.is_empty() && cursor.take_token(&Token::Comma) && cursor.at_end() {
            return Err(cursor.expected("an argument"));
        }
        let name = parameter_name(cursor);
        let argument = if cursor.is_token(&Token::LBracket) { array(cursor)? } else { argument(cursor)? };
        push(&mut exec, name, argument)?;
    }
    Ok(exec)
}

/// `CALL name(args)`, `CALL name`
pub fn call(cursor: &mut Cursor<'_>) -> Result<Exec> {
    cursor.advance();
    let procedure = name(cursor)?;
    if cursor.is_token(&Token::LParen) {
        return parenthesized(cursor, procedure);
    }
    Ok(Exec { procedure, arguments: Vec::new(), names: Vec::new() })
}

/// `name =>`, if it comes next.
fn parameter_name(cursor: &mut Cursor<'_>) -> Option<Ident> {
    if !cursor.nth_is_token(1, &Token::RArrow) {
        return None;
    }
    let word = cursor.peek_word()?;
    let name = Ident { name: Name::new(word), span: cursor.span() };
    cursor.advance();
    cursor.advance();
    Some(name)
}

fn push(exec: &mut Exec, name: Option<Ident>, argument: Expr) -> Result<()> {
    if name.is_none() && exec.names.iter().any(Option::is_some) {
        return Err(SqlError::new("after a named argument all are named: name => value", argument.span));
    }
    exec.names.push(name);
    exec.arguments.push(argument);
    Ok(())
}

/// A procedure's name; those that come with a table have a dot (`votes.insert`), the system's an @.
pub fn name(cursor: &mut Cursor<'_>) -> Result<Ident> {
    let mut ident = cursor.ident("the name of a procedure")?;
    while cursor.take_token(&Token::Period) {
        // INSERT and the like are reserved, but not after the dot.
        let Some(part) = cursor.peek_word().map(str::to_owned) else {
            return Err(cursor.expected("a name after the dot"));
        };
        let name = format!("{}.{part}", ident.name);
        cursor.advance();
        ident = Ident { name: Name::new(&name), span: ident.span.to(cursor.last_span()) };
    }
    Ok(ident)
}

fn parenthesized(cursor: &mut Cursor<'_>, procedure: Ident) -> Result<Exec> {
    let mut exec = Exec { procedure, arguments: Vec::new(), names: Vec::new() };
    if cursor.nth_is_token(1, &Token::RParen) {
        cursor.advance();
        cursor.advance();
        return Ok(exec);
    }
    cursor.parenthesized(|c| {
        let name = parameter_name(c);
        let argument = match bare_word(c) {
            Some(expr) => expr,
            None if c.is_token(&Token::LBracket) => array(c)?,
            None => constant(query::parse_expr(c)?)?,
        };
        push(&mut exec, name, argument)
    })?;
    Ok(exec)
}

/// `CALL name(args)` within a body: the arguments are expressions.
pub fn inner_call(cursor: &mut Cursor<'_>) -> Result<Exec> {
    cursor.advance();
    let procedure = name(cursor)?;
    let mut exec = Exec { procedure, arguments: Vec::new(), names: Vec::new() };
    if !cursor.is_token(&Token::LParen) {
        return Ok(exec);
    }
    if cursor.nth_is_token(1, &Token::RParen) {
        cursor.advance();
        cursor.advance();
        return Ok(exec);
    }
    cursor.parenthesized(|c| {
        let name = parameter_name(c);
        let argument = query::parse_expr(c)?;
        push(&mut exec, name, argument)
    })?;
    Ok(exec)
}

/// `[1, 2, 3]`: a list for an array parameter.
fn array(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let start = cursor.span();
    cursor.expect_token(&Token::LBracket)?;
    let mut items = Vec::new();
    while !cursor.is_token(&Token::RBracket) {
        items.push(argument(cursor)?);
        if !cursor.take_token(&Token::Comma) && !cursor.is_token(&Token::RBracket) {
            return Err(cursor.expected(", or ]"));
        }
    }
    cursor.advance();
    Ok(Expr { kind: ExprKind::Row(items), span: cursor.span_from(start) })
}

/// Arguments are literals and calls of functions on them, as in `CALL p(NOW(), 3)`.
fn constant(expr: Expr) -> Result<Expr> {
    match &expr.kind {
        ExprKind::Column { qualifier: None, column } => {
            let kind = ExprKind::Literal(Value::Text(column.name.as_str().to_owned()));
            Ok(Expr { kind, span: expr.span })
        }
        _ => Ok(expr),
    }
}

/// One argument that stands among blanks: a literal, a placeholder or a bare word.
fn argument(cursor: &mut Cursor<'_>) -> Result<Expr> {
    if let Some(expr) = bare_word(cursor) {
        return Ok(expr);
    }
    let start = cursor.span();
    let negative = cursor.is_token(&Token::Minus);
    if negative || cursor.is_token(&Token::Plus) {
        cursor.advance();
    }
    let Some(token) = cursor.source.token_at(cursor.span().start).copied() else {
        return Err(cursor.expected("an argument"));
    };
    let text = token.text(cursor.source.text);
    let span = start.to(token.span);
    match token.kind {
        Kind::Number => {
            cursor.advance();
            Ok(Expr { kind: ExprKind::Literal(literal::number(text, negative, span)?), span })
        }
        Kind::String | Kind::Placeholder | Kind::Keyword | Kind::Identifier if start == token.span => {
            // A prefix only: `EXEC p 'a' -1` has two arguments.
            let written = cursor.theirs(|parser| parser.parse_prefix())?;
            super::expr::Translator::new(cursor.source).expr(written)
        }
        _ => Err(cursor.expected("an argument (a literal, or a word)")),
    }
}

/// A word that isn't a literal of its own, taken as text: not NULL, TRUE, FALSE, nor the name of a function or type
/// before its argument.
fn bare_word(cursor: &mut Cursor<'_>) -> Option<Expr> {
    let token = *cursor.source.token_at(cursor.span().start)?;
    let text = token.text(cursor.source.text);
    if !matches!(token.kind, Kind::Keyword | Kind::Identifier) || text.starts_with('"') {
        return None;
    }
    let literal = ["NULL", "TRUE", "FALSE", "NOW", "CURRENT_TIMESTAMP"].iter().any(|w| text.eq_ignore_ascii_case(w));
    let stamp = text.eq_ignore_ascii_case("TIMESTAMP");
    let prefix = cursor.nth_is_token(1, &Token::LParen)
        || (stamp && cursor.source.text[token.span.end..].trim_start().starts_with('\''));
    if literal || prefix {
        return None;
    }
    cursor.advance();
    Some(Expr { kind: ExprKind::Literal(Value::Text(text.to_owned())), span: token.span })
}
