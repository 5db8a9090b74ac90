//! The parser's hand on the tokens: looks ahead, takes words, and says what it expected.

use super::dialect::{Votedb, is_reserved};
use super::source::{self, Source};
use crate::sql::ast::Ident;
use crate::sql::lexer::Kind;
use crate::sql::{Span, SqlError, nearest};
use crate::types::Name;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Expressions and queries may lie this deep in each other.
pub const NESTING_MAX: usize = 200;

/// A statement that is being read.
pub struct Cursor<'a> {
    pub source: &'a Source<'a>,
    pub parser: Parser<'a>,
    /// Which of `source.intos` a SELECT .. INTO has claimed.
    pub intos_taken: usize,
    /// The same of `source.expects`.
    pub expects_taken: usize,
    /// What was wrong in statements of a body that reading went on after.
    pub errors: Vec<SqlError>,
}

impl<'a> Cursor<'a> {
    pub fn new(source: &'a Source<'a>) -> Cursor<'a> {
        let parser =
            Parser::new(&Votedb).with_recursion_limit(NESTING_MAX).with_tokens_with_locations(source.for_sqlparser());
        Cursor { source, parser, intos_taken: 0, expects_taken: 0, errors: Vec::new() }
    }

    fn peek(&self, n: usize) -> &TokenWithSpan {
        self.parser.peek_nth_token_ref(n)
    }

    /// Where the next token stands.
    pub fn span(&self) -> Span {
        source::span(self.peek(0).span)
    }

    /// Where the token just taken stands.
    pub fn last_span(&self) -> Span {
        source::span(self.parser.get_current_token().span)
    }

    /// From `start` to the token just taken.
    pub fn span_from(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    pub fn advance(&mut self) {
        self.parser.advance_token();
    }

    pub fn at_end(&self) -> bool {
        self.peek(0).token == Token::EOF
    }

    /// Is the `n`th next token this unquoted word?
    pub fn nth_is(&self, n: usize, word: &str) -> bool {
        match &self.peek(n).token {
            Token::Word(w) => w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word),
            _ => false,
        }
    }

    pub fn is(&self, word: &str) -> bool {
        self.nth_is(0, word)
    }

    /// Are these words next?
    pub fn are(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(n, word)| self.nth_is(n, word))
    }

    /// Takes the word if it is next.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.advance();
        }
        found
    }

    /// Takes all of the words if they are next.
    pub fn take_all(&mut self, words: &[&str]) -> bool {
        let found = self.are(words);
        if found {
            words.iter().for_each(|_| self.advance());
        }
        found
    }

    pub fn expect(&mut self, word: &str) -> Result<(), SqlError> {
        if self.take(word) { Ok(()) } else { Err(self.expected(word)) }
    }

    pub fn expect_all(&mut self, words: &[&str]) -> Result<(), SqlError> {
        words.iter().try_for_each(|word| self.expect(word))
    }

    pub fn is_token(&self, token: &Token) -> bool {
        self.peek(0).token == *token
    }

    pub fn nth_is_token(&self, n: usize, token: &Token) -> bool {
        self.peek(n).token == *token
    }

    pub fn take_token(&mut self, token: &Token) -> bool {
        let found = self.is_token(token);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect_token(&mut self, token: &Token) -> Result<(), SqlError> {
        if self.take_token(token) { Ok(()) } else { Err(self.expected(&token.to_string())) }
    }

    /// A name: any word that isn't reserved, or a quoted one.
    pub fn ident(&mut self, what: &str) -> Result<Ident, SqlError> {
        match self.peek_ident() {
            Some(ident) => {
                self.advance();
                Ok(ident)
            }
            None => Err(self.expected(what)),
        }
    }

    /// The name that comes next, if one does.
    pub fn peek_ident(&self) -> Option<Ident> {
        match &self.peek(0).token {
            Token::Word(w) if w.quote_style.is_some() || !is_reserved(&w.value) => {
                Some(Ident { name: Name::new(&w.value), span: self.span() })
            }
            _ => None,
        }
    }

    /// Any word, reserved or not, as written.
    pub fn peek_word(&self) -> Option<&str> {
        match &self.peek(0).token {
            Token::Word(w) => Some(&w.value),
            _ => None,
        }
    }

    /// A whole number without a sign.
    pub fn unsigned(&mut self, what: &str) -> Result<u32, SqlError> {
        if let Token::Number(digits, _) = &self.peek(0).token
            && let Ok(number) = digits.parse()
        {
            self.advance();
            return Ok(number);
        }
        Err(self.expected(what))
    }

    /// A string's contents.
    pub fn string(&mut self, what: &str) -> Result<String, SqlError> {
        match &self.peek(0).token {
            Token::SingleQuotedString(text) => {
                let text = text.clone();
                self.advance();
                Ok(text)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// One or more of `item`, with commas between them.
    pub fn comma_separated<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let mut items = vec![item(self)?];
        while self.take_token(&Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `( item, .. )`
    pub fn parenthesized<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T, SqlError>) -> Result<Vec<T>, SqlError> {
        self.expect_token(&Token::LParen)?;
        let items = self.comma_separated(item)?;
        self.expect_token(&Token::RParen)?;
        Ok(items)
    }

    /// The error that `what` was expected where the next token stands.
    pub fn expected(&self, what: &str) -> SqlError {
        expected(self.source, what, self.span())
    }

    /// Runs a part of sqlparser, and says in our words why it failed.
    pub fn theirs<T>(&mut self, run: impl FnOnce(&mut Parser<'a>) -> Result<T, ParserError>) -> Result<T, SqlError> {
        let start = self.span();
        run(&mut self.parser).map_err(|error| from_parser_error(self.source, error, start))
    }
}

/// "expected .., found ..", with a suggestion if a word there, or the one before it, looks misspelled.
fn expected(source: &Source<'_>, what: &str, at: Span) -> SqlError {
    let token = source.token_at(at.start).filter(|t| t.span == at);
    let found = token.map_or("the end of the statement", |t| t.text(source.text));
    let mut message = format!("expected {what}, found {found}");
    for token in token.into_iter().chain(source.token_before(at.start)) {
        if let Some(word) = misspelled(source, token) {
            message.push_str(&format!("; did you mean {word} instead of {}?", token.text(source.text)));
            let span = if token.span.end <= at.start { token.span } else { at };
            return SqlError::new(message, span);
        }
    }
    SqlError::new(message, at)
}

/// Keywords between the parts of a statement, which a slip turns into a name.
const CLAUSES: [&str; 26] = [
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "UNION",
    "INNER",
    "LEFT",
    "JOIN",
    "VALUES",
    "INTO",
    "RETURNING",
    "SELECT",
    "BETWEEN",
    "EXISTS",
    "THEN",
    "ELSE",
    "ELSEIF",
    "TABLE",
    "COLUMN",
    "PARTITION",
    "PRIMARY",
    "RETURNS",
    "BEGIN",
];

fn misspelled(source: &Source<'_>, token: &crate::sql::lexer::Token) -> Option<&'static str> {
    let text = token.text(source.text);
    (token.kind == Kind::Identifier && text.len() >= 4).then(|| nearest(text, CLAUSES))?
}

/// Our error as one of sqlparser's, to pass through it and come back by [`from_parser_error`].
pub fn to_parser_error(error: SqlError) -> ParserError {
    ParserError::ParserError(format!("{} at Line: 1, Column: {}", error.message, error.span.start + 1))
}

/// sqlparser's error in our words; `start` is where it began to read.
fn from_parser_error(source: &Source<'_>, error: ParserError, start: Span) -> SqlError {
    let text = match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
        ParserError::RecursionLimitExceeded => return too_deep(start),
    };
    let (message, at) = match text.rsplit_once(" at Line: 1, Column: ") {
        Some((message, column)) => (message, column.parse::<usize>().ok().map(|column| column - 1)),
        None => (text.as_str(), None),
    };
    let span = match at {
        Some(at) => source.token_at(at).map_or(Span::new(at, at), |t| t.span),
        None => start,
    };
    match message.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: ")) {
        Some(("identifier", _)) => expected(source, "a name", span),
        Some((what, _)) if what.ends_with("after IS") => {
            expected(source, "[NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS", span)
        }
        Some((what, _)) => expected(source, what, span),
        None if message.to_lowercase().contains("infix parser") => {
            let token = source.token_at(span.start).map_or("this", |t| t.text(source.text));
            SqlError::new(format!("{token} is no operator here"), span)
        }
        None => SqlError::new(lower_first(message), span),
    }
}

pub fn too_deep(span: Span) -> SqlError {
    SqlError::new(format!("nested too deeply: the limit is {NESTING_MAX} levels"), span)
}

fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
