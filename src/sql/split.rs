//! A script to its statements: where each starts and ends, and whether its `;` has been seen.
//!
//! A `;` ends a statement unless it stands in a string, a comment, or the BEGIN .. END body of a procedure.

use super::Span;
use super::lexer::{self, Kind, Token};

/// One statement of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// From its first token to its last, without comments around it and without its `;`.
    pub span: Span,
    /// False if the text ended before its `;`: a prompt reads on. Only the last piece can be incomplete.
    pub complete: bool,
}

/// Cuts `text` at the `;` that end statements. Pieces with nothing but comments are dropped, but for a comment that
/// isn't closed: that is an incomplete piece.
pub fn split(text: &str) -> Vec<Piece> {
    cut(text, &lexer::tokens(text)).into_iter().map(|(piece, _)| piece).collect()
}

/// The pieces with their tokens, given those of the whole text.
pub(super) fn cut<'t>(text: &str, tokens: &'t [Token]) -> Vec<(Piece, &'t [Token])> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize, complete: bool| {
        let kept = trim_comments(&tokens[from..to]);
        if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
            let complete = complete && last.kind != Kind::Unterminated;
            pieces.push((Piece { span: first.span.to(last.span), complete }, kept));
        }
    };
    let mut body = Body::default();
    for (i, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Comment {
            continue;
        }
        if body.is_left_open_before(text, token) {
            push(start, i, true);
            start = i;
            body = Body::default();
        }
        if token.is_operator(text, ";") && body.depth == 0 {
            push(start, i, true);
            start = i + 1;
            body = Body::default();
        } else {
            let called = tokens.get(i + 1).is_some_and(|next| next.is_operator(text, "("));
            body.take(text, token, called);
        }
    }
    push(start, tokens.len(), false);
    pieces
}

fn trim_comments(mut tokens: &[Token]) -> &[Token] {
    while let [Token { kind: Kind::Comment, .. }, rest @ ..] = tokens {
        tokens = rest;
    }
    while let [rest @ .., Token { kind: Kind::Comment, .. }] = tokens {
        tokens = rest;
    }
    tokens
}

/// Where a statement stands: has it turned out to be a procedure, and how many blocks are open in its body?
#[derive(Default)]
struct Body {
    head: Head,
    /// Open BEGIN, IF, CASE, WHILE, FOR, LOOP, REPEAT.
    depth: usize,
    previous: Previous,
}

#[derive(Default, PartialEq)]
enum Head {
    #[default]
    Start,
    /// CREATE, and OR REPLACE, DIRECTED, COMPOUND.
    Create,
    Procedure,
    Other,
}

/// What stands before the next token, as far as that decides whether it opens a block.
#[derive(Default, PartialEq, Clone, Copy)]
enum Previous {
    #[default]
    Other,
    End,
    /// A `;` or a word after which a statement of the body starts.
    StatementStart,
    Semicolon,
}

impl Body {
    /// `called`: a parenthesis follows.
    fn take(&mut self, text: &str, token: &Token, called: bool) {
        let word = match token.kind {
            Kind::Keyword | Kind::Identifier => token.text(text),
            _ => "",
        };
        let is = |candidates: &[&str]| candidates.iter().any(|c| c.eq_ignore_ascii_case(word));
        match self.head {
            Head::Start => self.head = if is(&["CREATE"]) { Head::Create } else { Head::Other },
            Head::Create if is(&["PROCEDURE", "FUNCTION"]) => self.head = Head::Procedure,
            Head::Create if !is(&["OR", "REPLACE", "DIRECTED", "COMPOUND"]) => self.head = Head::Other,
            // REPEAT is a function, too.
            Head::Procedure if called && is(&["REPEAT"]) => {}
            Head::Procedure => self.count(&is),
            _ => {}
        }
        self.previous = if is(&["END"]) {
            Previous::End
        } else if token.is_operator(text, ";") {
            Previous::Semicolon
        } else if is(&["THEN", "ELSE", "DO", "BEGIN", "ATOMIC", "LOOP", "REPEAT"])
            || is(&["FOUND", "VIOLATION", "SQLEXCEPTION"])
            || token.is_operator(text, ":")
        {
            Previous::StatementStart
        } else {
            Previous::Other
        };
    }

    fn count(&mut self, is: &impl Fn(&[&str]) -> bool) {
        let starts_statement = matches!(self.previous, Previous::StatementStart | Previous::Semicolon);
        if is(&["BEGIN"]) {
            self.depth += 1;
        } else if self.depth == 0 {
            // A single statement: no block of its can hold a `;`.
        } else if is(&["END"]) {
            self.depth -= 1;
        } else if (is(&["CASE"]) && self.previous != Previous::End)
            || (starts_statement && is(&["IF", "WHILE", "FOR", "LOOP", "REPEAT"]))
        {
            self.depth += 1;
        }
    }

    /// No body has a CREATE or DROP: its END was forgotten, and what follows is the script's next statement.
    fn is_left_open_before(&self, text: &str, token: &Token) -> bool {
        self.depth > 0
            && self.previous == Previous::Semicolon
            && (token.is_word(text, "CREATE") || token.is_word(text, "DROP"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(&str, bool)> {
        split(text).iter().map(|p| (&text[p.span.start..p.span.end], p.complete)).collect()
    }

    #[test]
    fn semicolons_in_strings_names_and_comments_end_nothing() {
        let text = "SELECT ';''' , \";\" -- ;\n /* ; */ FROM t;\n // a; b\n// c;\nSELECT 2 ;;\n-- the end";
        assert_eq!(pieces(text), [("SELECT ';''' , \";\" -- ;\n /* ; */ FROM t", true), ("SELECT 2", true)]);
    }

    #[test]
    fn the_rest_without_its_semicolon_is_incomplete() {
        assert_eq!(pieces("SELECT 1; SELECT\n2"), [("SELECT 1", true), ("SELECT\n2", false)]);
        assert_eq!(pieces("SELECT 'a;"), [("SELECT 'a;", false)]);
        assert_eq!(pieces("/* a; "), [("/* a; ", false)]);
        assert_eq!(pieces(" -- a\n"), []);
    }

    #[test]
    fn a_body_is_one_statement() {
        let body = "CREATE OR REPLACE PROCEDURE p (a INT) AS BEGIN ATOMIC\n\
                    IF a = 1 THEN SET a = CASE WHEN a > 1 THEN 2 ELSE 3 END; ELSEIF a = 2 THEN RETURN 1; END IF;\n\
                    CASE a WHEN 1 THEN SELECT 1; ELSE IF a = 3 THEN RETURN; END IF; END CASE;\n\
                    w: WHILE a < 3 DO SET a = a + 1; END WHILE;\n\
                    FOR r AS SELECT a FROM t DO DELETE FROM t; END FOR;\n\
                    l:LOOP BEGIN LEAVE l; END; END LOOP;\n\
                    END";
        let text = format!("{body};SELECT 1;");
        assert_eq!(pieces(&text), [(body, true), ("SELECT 1", true)]);
        // Without the last END the next `;` does not end it.
        assert_eq!(pieces(&text[..body.len() - 3]).len(), 1);
        assert!(!pieces(&text[..body.len() - 3])[0].1);
    }

    #[test]
    fn a_single_statement_procedure_ends_at_its_semicolon() {
        let text = "CREATE PROCEDURE p AS SELECT CASE WHEN a = 1 THEN 1 END FROM t; SELECT 1";
        assert_eq!(pieces(text).len(), 2);
    }

    #[test]
    fn begin_and_if_outside_of_procedures_open_nothing() {
        assert_eq!(pieces("DROP TABLE t IF EXISTS; CREATE TABLE IF NOT EXISTS t (begin INT); SELECT 1;").len(), 3);
    }

    #[test]
    fn a_forgotten_end_does_not_swallow_the_next_create() {
        let text = "CREATE PROCEDURE p AS BEGIN IF a = 1 THEN SELECT 1; END; \nCREATE TABLE t (a INT);";
        assert_eq!(pieces(text).len(), 2);
    }
}
