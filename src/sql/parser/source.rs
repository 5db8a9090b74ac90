//! The text under the parser: its tokens, in our form and in sqlparser's, and where things stand in it.
//!
//! sqlparser's locations are lines and columns; here line is always 1 and the column is the byte offset plus one, so that
//! its errors and its trees lead back to bytes without a search.

use crate::sql::ast::{Expect, Ident};
use crate::sql::lexer::{self, Kind, Token};
use crate::sql::{Span, SqlError};
use crate::types::Name;
use sqlparser::tokenizer::{self as theirs, Location, TokenWithSpan, Word};

/// A statement's text and tokens. Comments are not among the tokens.
pub struct Source<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    /// `INTO a, b` of SELECT .. INTO, which sqlparser doesn't know: taken out of what it sees.
    pub intos: Vec<Into>,
    /// EXPECT .. after a statement of a body, which sqlparser would take for an alias: taken out, too.
    pub expects: Vec<Expect>,
    /// Operators in the longest row of them: no tree gets deeper than this and the nesting.
    pub longest_chain: usize,
}

/// `INTO a, b` within a SELECT.
pub struct Into {
    pub span: Span,
    pub targets: Vec<Ident>,
}

/// Operators in a row, without a comma or parenthesis between them: sqlparser makes a chain of nodes of them, and drops
/// that chain by recursion.
pub const OPERATORS_MAX: usize = 10_000;

impl<'a> Source<'a> {
    /// Checks what the lexer let pass, and that no chain of operators is too long.
    pub fn new(text: &'a str, tokens: &[Token]) -> Result<Source<'a>, SqlError> {
        let tokens: Vec<Token> = tokens.iter().copied().filter(|t| t.kind != Kind::Comment).collect();
        if let Some(open) = tokens.iter().find(|t| t.kind == Kind::Unterminated) {
            return Err(unterminated(text, open));
        }
        let mut source = Source { text, tokens, intos: Vec::new(), expects: Vec::new(), longest_chain: 0 };
        source.longest_chain = source.check_chains()?;
        source.intos = source.find_intos();
        source.expects = super::expect::find(&source);
        Ok(source)
    }

    fn check_chains(&self) -> Result<usize, SqlError> {
        let mut longest = 0;
        // Operators so far in each open parenthesis.
        let mut counts = vec![0usize];
        for token in &self.tokens {
            match (token.kind, token.text(self.text)) {
                (Kind::Operator, "(") => counts.push(0),
                (Kind::Operator, ")") if counts.len() > 1 => {
                    counts.pop();
                }
                (Kind::Operator, "," | ";") => *counts.last_mut().expect("never empty") = 0,
                (Kind::Operator | Kind::Keyword, _) => {
                    let count = counts.last_mut().expect("never empty");
                    *count += 1;
                    longest = longest.max(*count);
                    if *count > OPERATORS_MAX {
                        let message =
                            format!("the expression is too long: more than {OPERATORS_MAX} operators in a row");
                        return Err(SqlError::new(message, token.span));
                    }
                }
                _ => {}
            }
        }
        Ok(longest)
    }

    /// INTO and its targets, wherever it doesn't follow INSERT or UPSERT.
    fn find_intos(&self) -> Vec<Into> {
        let mut intos = Vec::new();
        let mut i = 1;
        while i < self.tokens.len() {
            let before = &self.tokens[i - 1];
            let inserts = before.is_word(self.text, "INSERT") || before.is_word(self.text, "UPSERT");
            if self.tokens[i].is_word(self.text, "INTO") && !inserts {
                let start = i;
                let mut targets = Vec::new();
                while let Some(target) = self.tokens.get(i + 1).and_then(|t| self.target(t)) {
                    targets.push(target);
                    i += 2;
                    if !self.tokens.get(i).is_some_and(|t| t.is_operator(self.text, ",")) {
                        break;
                    }
                }
                if let Some(last) = targets.last() {
                    intos.push(Into { span: self.tokens[start].span.to(last.span), targets });
                    continue;
                }
            }
            i += 1;
        }
        intos
    }

    /// A variable after INTO: `name` or `:name`.
    fn target(&self, token: &Token) -> Option<Ident> {
        match token.kind {
            Kind::Identifier => Some(self.ident(token)),
            Kind::Keyword if !super::dialect::is_reserved(token.text(self.text)) => Some(self.ident(token)),
            Kind::Placeholder => {
                let name = token.text(self.text).strip_prefix(':')?;
                Some(Ident { name: Name::new(name), span: token.span })
            }
            _ => None,
        }
    }

    /// The identifier in this token, without its quotes.
    pub fn ident(&self, token: &Token) -> Ident {
        Ident { name: Name::new(&unquote(token.text(self.text))), span: token.span }
    }

    /// The tokens that sqlparser sees: INTO and its targets are left out, `?` is numbered, `TOP ?` and `IN ?` get the parentheses
    /// that sqlparser wants around anything but a number, `TRIM(LEADING FROM s)` the blank that it means.
    pub fn for_sqlparser(&self) -> Vec<TokenWithSpan> {
        let mut out = Vec::with_capacity(self.tokens.len() + 1);
        let mut placeholders = 0;
        let mut left_out: Vec<Span> =
            self.intos.iter().map(|into| into.span).chain(self.expects.iter().map(|expect| expect.span)).collect();
        left_out.sort_by_key(|span| span.start);
        let mut left_out = left_out.into_iter().peekable();
        let mut previous = "";
        for token in &self.tokens {
            while left_out.peek().is_some_and(|span| span.end <= token.span.start) {
                left_out.next();
            }
            if left_out.peek().is_some_and(|span| span.start <= token.span.start) {
                continue;
            }
            let theirs = self.convert(token, &mut placeholders);
            let after = |words: &[&str]| words.iter().any(|word| previous.eq_ignore_ascii_case(word));
            let wrapped = token.kind == Kind::Placeholder && after(&["TOP", "IN"]);
            if token.is_word(self.text, "FROM") && after(&["LEADING", "TRAILING", "BOTH"]) {
                out.push(located(theirs::Token::SingleQuotedString(" ".to_owned()), token.span));
            }
            previous = token.text(self.text);
            if wrapped {
                out.push(located(theirs::Token::LParen, token.span));
            }
            out.push(located(theirs, token.span));
            if wrapped {
                out.push(located(theirs::Token::RParen, token.span));
            }
        }
        out.push(located(theirs::Token::EOF, self.end()));
        out
    }

    fn convert(&self, token: &Token, placeholders: &mut usize) -> theirs::Token {
        use theirs::Token as T;
        let text = token.text(self.text);
        match token.kind {
            Kind::Keyword => T::make_word(text, None),
            Kind::Identifier if text.starts_with('"') => T::Word(Word {
                value: unquote(text),
                quote_style: Some('"'),
                keyword: sqlparser::keywords::Keyword::NoKeyword,
            }),
            Kind::Identifier => T::make_word(text, None),
            Kind::Number => T::Number(text.to_owned(), false),
            Kind::String if text.starts_with('\'') => T::SingleQuotedString(unquote(text)),
            Kind::String => T::HexStringLiteral(unquote(&text[1..])),
            Kind::Placeholder if text == "?" => {
                *placeholders += 1;
                T::Placeholder(format!("?{}", *placeholders - 1))
            }
            Kind::Placeholder => T::Placeholder(text.to_owned()),
            Kind::Comment | Kind::Unterminated => unreachable!("taken out by Source::new"),
            Kind::Operator => operator(text),
        }
    }

    /// The empty span after the last token.
    pub fn end(&self) -> Span {
        let end = self.tokens.last().map_or(0, |t| t.span.end);
        Span::new(end, end)
    }

    /// Index of the first token that starts at or after byte `at`.
    fn index_from(&self, at: usize) -> usize {
        self.tokens.partition_point(|t| t.span.start < at)
    }

    /// The token that starts at byte `at`.
    pub fn token_at(&self, at: usize) -> Option<&Token> {
        self.tokens.get(self.index_from(at)).filter(|t| t.span.start == at)
    }

    /// The last token that ends at or before byte `at`.
    pub fn token_before(&self, at: usize) -> Option<&Token> {
        let index = self.tokens.partition_point(|t| t.span.end <= at);
        index.checked_sub(1).map(|i| &self.tokens[i])
    }

    /// `span` and the parentheses right around it, if there are any.
    pub fn with_parentheses(&self, span: Span) -> Span {
        let before = self.token_before(span.start).filter(|t| t.is_operator(self.text, "("));
        let after = self.tokens.get(self.index_from(span.end)).filter(|t| t.is_operator(self.text, ")"));
        match (before, after) {
            (Some(open), Some(close)) => open.span.to(close.span),
            _ => span,
        }
    }

    /// The first token from byte `at` on that closes a parenthesis opened before `at`.
    fn closing(&self, at: usize) -> Option<&Token> {
        let mut depth = 0;
        self.tokens[self.index_from(at)..].iter().find(|token| {
            if token.is_operator(self.text, "(") {
                depth += 1;
            } else if token.is_operator(self.text, ")") {
                if depth == 0 {
                    return true;
                }
                depth -= 1;
            }
            false
        })
    }

    /// From `span` to the end of the parenthesis that it stands in.
    pub fn to_closing(&self, span: Span) -> Span {
        self.closing(span.end).map_or(span, |close| span.to(close.span))
    }

    /// From the name of a call to its closing parenthesis.
    pub fn call(&self, name: Span) -> Span {
        match self.tokens.get(self.index_from(name.end)) {
            Some(open) if open.is_operator(self.text, "(") => self.to_closing(name.to(open.span)),
            _ => name,
        }
    }

    /// The call, name and parentheses, in whose arguments `inner` stands.
    pub fn call_around(&self, inner: Span) -> Span {
        let mut depth = 0;
        for index in (0..self.index_from(inner.start)).rev() {
            let token = &self.tokens[index];
            if token.is_operator(self.text, ")") {
                depth += 1;
            } else if token.is_operator(self.text, "(") {
                if depth == 0 {
                    let name = index.checked_sub(1).map_or(token.span, |i| self.tokens[i].span);
                    return self.to_closing(name.to(inner));
                }
                depth -= 1;
            }
        }
        inner
    }

    /// From `span` through the next token that is one of these words.
    pub fn through_word(&self, span: Span, words: &[&str]) -> Span {
        let rest = &self.tokens[self.index_from(span.end)..];
        rest.iter().find(|t| words.iter().any(|w| t.is_word(self.text, w))).map_or(span, |t| span.to(t.span))
    }

    /// From `span` through the token after the next `::`.
    pub fn through_cast(&self, span: Span) -> Span {
        let rest = &self.tokens[self.index_from(span.end)..];
        let colons = rest.iter().position(|t| t.is_operator(self.text, "::"));
        colons.and_then(|i| rest.get(i + 1)).map_or(span, |t| span.to(self.call(t.span)))
    }

    /// From byte `start` to the last token before the parenthesis around it closes, or to the end of the statement.
    pub fn query_from(&self, start: usize) -> Span {
        let end = self.closing(start).map_or(self.end().end, |close| close.span.start);
        let last = self.token_before(end).map_or(end, |t| t.span.end);
        Span::new(start, last.max(start))
    }
}

fn unterminated(text: &str, token: &Token) -> SqlError {
    let what = match token.text(text).chars().next() {
        Some('/') => "the comment is not closed: */ is missing",
        Some('"') => "the quoted name is not closed: \" is missing",
        _ => "the string is not closed: ' is missing",
    };
    SqlError::new(what, Span::new(token.span.start, token.span.start + 1))
}

/// Without its quotes, and with one for each doubled one; as it is if it has none.
pub fn unquote(text: &str) -> String {
    for quote in ["'", "\""] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner.replace(&quote.repeat(2), quote);
        }
    }
    text.to_owned()
}

fn operator(text: &str) -> theirs::Token {
    use theirs::Token as T;
    match text {
        "," => T::Comma,
        "(" => T::LParen,
        ")" => T::RParen,
        ";" => T::SemiColon,
        "." => T::Period,
        "*" => T::Mul,
        "+" => T::Plus,
        "-" => T::Minus,
        "/" => T::Div,
        "%" => T::Mod,
        "=" => T::Eq,
        "==" => T::DoubleEq,
        "<>" | "!=" => T::Neq,
        "<" => T::Lt,
        "<=" => T::LtEq,
        ">" => T::Gt,
        ">=" => T::GtEq,
        "||" => T::StringConcat,
        "->" => T::Arrow,
        "->>" => T::LongArrow,
        "::" => T::DoubleColon,
        ":=" => T::Assignment,
        ":" => T::Colon,
        "=>" => T::RArrow,
        "[" => T::LBracket,
        "]" => T::RBracket,
        other => T::Char(other.chars().next().unwrap_or(' ')),
    }
}

fn located(token: theirs::Token, span: Span) -> TokenWithSpan {
    let location = |at: usize| Location { line: 1, column: at as u64 + 1 };
    TokenWithSpan { token, span: theirs::Span { start: location(span.start), end: location(span.end) } }
}

/// Back from sqlparser's span; [`Span::NONE`] where it has none.
pub fn span(theirs: theirs::Span) -> Span {
    if theirs.start.line == 0 || theirs.end.line == 0 {
        return Span::NONE;
    }
    Span::new(theirs.start.column as usize - 1, theirs.end.column as usize - 1)
}

/// The tokens of a text that is one statement, without the `;` that may end it.
pub fn statement_tokens(text: &str) -> Vec<Token> {
    let mut tokens = lexer::tokens(text);
    while tokens.last().is_some_and(|t| t.kind == Kind::Comment || t.is_operator(text, ";")) {
        tokens.pop();
    }
    tokens
}
