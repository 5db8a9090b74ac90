//! EXPECT .. at the end of a statement of a body: found among the tokens, as sqlparser knows nothing of it.

use super::literal;
use super::source::Source;
use crate::sql::ast::{Expect, ExpectKind, Expr, ExprKind};
use crate::sql::lexer::{Kind, Token};
use crate::types::Value;

/// Every EXPECT that is followed by words which make it one.
pub fn find(source: &Source<'_>) -> Vec<Expect> {
    let mut found = Vec::new();
    let mut at = 1;
    while at < source.tokens.len() {
        if source.tokens[at].is_word(source.text, "EXPECT")
            && let Some((kind, taken)) = kind(source, at + 1)
        {
            let span = source.tokens[at].span.to(source.tokens[at + taken].span);
            found.push(Expect { kind, span });
            at += taken;
        }
        at += 1;
    }
    found
}

/// What the tokens from `at` on say, and how many there are of them.
fn kind(source: &Source<'_>, at: usize) -> Option<(ExpectKind, usize)> {
    let is = |n: usize, word: &str| source.tokens.get(at + n).is_some_and(|t| t.is_word(source.text, word));
    let row = |n: usize| is(n, "ROW") || is(n, "ROWS");
    let rows = |least: u64, most: Option<u64>| ExpectKind::Rows { least, most };
    if (is(0, "ZERO") || is(0, "ONE")) && is(1, "OR") {
        return match is(0, "ZERO") {
            true if is(2, "ONE") && row(3) => Some((rows(0, Some(1)), 4)),
            false if is(2, "MORE") && row(3) => Some((rows(1, None), 4)),
            _ => None,
        };
    }
    if is(0, "AT") && (is(1, "LEAST") || is(1, "MOST")) {
        let count = number(source, at + 2)?;
        let bounds = if is(1, "LEAST") { rows(count, None) } else { rows(0, Some(count)) };
        return row(3).then_some((bounds, 4));
    }
    if is(0, "SCALAR") {
        let equals = source.tokens.get(at + 1).is_some_and(|t| t.is_operator(source.text, "="));
        let value = source.tokens.get(at + 1 + usize::from(equals)).and_then(|token| scalar(source, token));
        return match value {
            Some(value) => Some((ExpectKind::Scalar(Some(value)), 2 + usize::from(equals))),
            None if equals => None,
            None => Some((ExpectKind::Scalar(None), 1)),
        };
    }
    let count = number(source, at)?;
    row(1).then_some((rows(count, Some(count)), 2))
}

/// A number of rows, in digits or as a word.
fn number(source: &Source<'_>, at: usize) -> Option<u64> {
    let token = source.tokens.get(at)?;
    let is = |word: &str| token.is_word(source.text, word);
    match token.kind {
        Kind::Number => token.text(source.text).parse().ok(),
        _ if is("ZERO") || is("NO") => Some(0),
        _ if is("ONE") => Some(1),
        _ => None,
    }
}

/// A literal or a variable.
fn scalar(source: &Source<'_>, token: &Token) -> Option<Expr> {
    let text = token.text(source.text);
    let kind = match token.kind {
        Kind::Number => ExprKind::Literal(literal::number(text, false, token.span).ok()?),
        Kind::String if text.starts_with('\'') => ExprKind::Literal(Value::Text(super::source::unquote(text))),
        Kind::Identifier => ExprKind::Column { qualifier: None, column: source.ident(token) },
        Kind::Placeholder => {
            let name = text.strip_prefix(':').filter(|name| !name.is_empty())?;
            let column = crate::sql::ast::Ident { name: crate::types::Name::new(name), span: token.span };
            ExprKind::Column { qualifier: None, column }
        }
        _ => return None,
    };
    Some(Expr { kind, span: token.span })
}
