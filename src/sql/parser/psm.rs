//! Bodies of procedures: SQL/PSM.

use super::cursor::{Cursor, NESTING_MAX, too_deep};
use super::{data_statement, query, types};
use crate::sql::ast::{Expr, Ident, Psm, PsmKind, Statement};
use crate::sql::{Span, SqlError, nearest};
use crate::types::Name;
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// The words that statements of a body start with.
const LEADING: [&str; 20] = [
    "SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "TRUNCATE", "DECLARE", "SET", "IF", "CASE", "WHILE", "FOR",
    "LOOP", "LEAVE", "ITERATE", "BEGIN", "RETURN", "SIGNAL", "WITH", "END",
];

/// BEGIN [ATOMIC] .. END
pub fn block(cursor: &mut Cursor<'_>) -> Result<Vec<Psm>> {
    Reader { cursor, depth: 0 }.block()
}

struct Reader<'c, 'a> {
    cursor: &'c mut Cursor<'a>,
    depth: usize,
}

impl Reader<'_, '_> {
    fn block(&mut self) -> Result<Vec<Psm>> {
        self.cursor.expect("BEGIN")?;
        self.cursor.take("ATOMIC");
        let body = self.statements(&["END"])?;
        self.cursor.expect("END")?;
        Ok(body)
    }

    /// Statements up to one of these words, each with its `;`; the last one's may be missing. One that is wrong is noted,
    /// and reading goes on behind it.
    fn statements(&mut self, ends: &[&str]) -> Result<Vec<Psm>> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(too_deep(self.cursor.span()));
        }
        let mut statements = Vec::new();
        while !ends.iter().any(|end| self.cursor.is(end)) {
            if self.cursor.at_end() {
                return Err(self.cursor.expected(&ends.join(" or ")));
            }
            if self.cursor.take_token(&Token::SemiColon) {
                continue;
            }
            let before = self.cursor.parser.index();
            match self.ended(ends) {
                Ok(statement) => statements.push(statement),
                Err(error) if self.skip(before) => self.cursor.errors.push(error),
                Err(error) => return Err(error),
            }
        }
        self.depth -= 1;
        Ok(statements)
    }

    fn ended(&mut self, ends: &[&str]) -> Result<Psm> {
        let statement = self.statement()?;
        // A text that just ends lacks more than a `;`: `statements` says so.
        let ended = self.cursor.take_token(&Token::SemiColon) || self.cursor.at_end();
        if !ended && !ends.iter().any(|end| self.cursor.is(end)) {
            return Err(self.cursor.expected("; after the statement"));
        }
        Ok(statement)
    }

    /// After an error in a simple statement that began at `before`: goes on behind its `;`. False if there is none, or if
    /// the statement has statements in it, whose ends can't be told from its own.
    fn skip(&mut self, before: usize) -> bool {
        let first = self.cursor.parser.token_at(before).token.to_string().to_ascii_uppercase();
        let simple =
            ["SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "TRUNCATE", "DECLARE", "SET", "RETURN", "SIGNAL"];
        if !simple.contains(&first.as_str()) {
            return false;
        }
        // The failed attempt may have gone past the `;`.
        while self.cursor.parser.index() > before {
            self.cursor.parser.prev_token();
        }
        while !self.cursor.at_end() {
            if self.cursor.take_token(&Token::SemiColon) {
                return true;
            }
            self.cursor.advance();
        }
        false
    }

    fn statement(&mut self) -> Result<Psm> {
        let start = self.cursor.span();
        let label = self.label();
        let word = self.cursor.peek_word().unwrap_or_default().to_ascii_uppercase();
        let loops = matches!(word.as_str(), "WHILE" | "FOR" | "LOOP");
        if let (Some(label), false) = (&label, loops) {
            return Err(SqlError::new("a label stands before WHILE, FOR or LOOP", label.span));
        }
        let kind = match word.as_str() {
            "DECLARE" => self.declare()?,
            "SET" => self.set()?,
            "IF" => self.if_()?,
            "CASE" => self.case()?,
            "WHILE" | "FOR" | "LOOP" => self.loop_(label)?,
            "LEAVE" => PsmKind::Leave { label: self.target_label() },
            "ITERATE" => PsmKind::Iterate { label: self.target_label() },
            "BEGIN" => PsmKind::Block(self.block()?),
            "RETURN" => self.return_()?,
            "SIGNAL" => self.signal()?,
            _ => self.sql(&word)?,
        };
        Ok(Psm { kind, span: self.cursor.span_from(start) })
    }

    fn label(&mut self) -> Option<Ident> {
        let label = self.cursor.peek_ident()?;
        if !self.cursor.nth_is_token(1, &Token::Colon) {
            return None;
        }
        self.cursor.advance();
        self.cursor.advance();
        Some(label)
    }

    fn declare(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let names = self.cursor.comma_separated(|c| c.ident("the name of a variable"))?;
        if self.cursor.is("CURSOR") || self.cursor.is("HANDLER") || self.cursor.is("CONDITION") {
            let message = "cursors, handlers and conditions are not supported: use FOR row AS query DO .. END FOR";
            return Err(SqlError::new(message, self.cursor.span()));
        }
        let data_type = types::parse(self.cursor)?;
        let default = if self.cursor.take("DEFAULT") { Some(self.expr()?) } else { None };
        Ok(PsmKind::Declare { names, data_type, default })
    }

    /// SET x = expr, SET x := expr
    fn set(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let target = self.variable()?;
        if !self.cursor.take_token(&Token::Assignment) && !self.cursor.take_token(&Token::Eq) {
            return Err(self.cursor.expected("= or :="));
        }
        Ok(PsmKind::Set { target, value: self.expr()? })
    }

    /// `name` or `:name`
    fn variable(&mut self) -> Result<Ident> {
        let token = self.cursor.source.token_at(self.cursor.span().start);
        let written = token.map_or("", |t| t.text(self.cursor.source.text));
        match written.strip_prefix(':').filter(|name| !name.is_empty()) {
            Some(name) => {
                let ident = Ident { name: Name::new(name), span: self.cursor.span() };
                self.cursor.advance();
                Ok(ident)
            }
            None => self.cursor.ident("the name of a variable"),
        }
    }

    fn if_(&mut self) -> Result<PsmKind> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        self.cursor.advance();
        loop {
            let condition = self.expr()?;
            self.cursor.expect("THEN")?;
            branches.push((condition, self.statements(&["ELSEIF", "ELSE", "END"])?));
            if !self.cursor.take("ELSEIF") {
                break;
            }
        }
        if self.cursor.take("ELSE") {
            otherwise = self.statements(&["END"])?;
        }
        self.end("IF")?;
        Ok(PsmKind::If { branches, otherwise })
    }

    fn case(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let operand = if self.cursor.is("WHEN") { None } else { Some(self.expr()?) };
        let mut branches = Vec::new();
        if !self.cursor.is("WHEN") {
            return Err(self.cursor.expected("WHEN"));
        }
        while self.cursor.take("WHEN") {
            let condition = self.expr()?;
            self.cursor.expect("THEN")?;
            branches.push((condition, self.statements(&["WHEN", "ELSE", "END"])?));
        }
        let otherwise = if self.cursor.take("ELSE") { Some(self.statements(&["END"])?) } else { None };
        self.end("CASE")?;
        Ok(PsmKind::Case { operand, branches, otherwise })
    }

    fn loop_(&mut self, label: Option<Ident>) -> Result<PsmKind> {
        if self.cursor.take("WHILE") {
            let condition = self.expr()?;
            self.cursor.expect("DO")?;
            let body = self.loop_body("WHILE", &label)?;
            return Ok(PsmKind::While { label, condition, body });
        }
        if self.cursor.take("FOR") {
            let row = self.cursor.ident("a name for the row")?;
            self.cursor.expect("AS")?;
            let query = query::parse(self.cursor)?;
            self.cursor.expect("DO")?;
            let body = self.loop_body("FOR", &label)?;
            return Ok(PsmKind::For { label, row, query, body });
        }
        self.cursor.expect("LOOP")?;
        let body = self.loop_body("LOOP", &label)?;
        Ok(PsmKind::Loop { label, body })
    }

    /// Statements, END, the word, and the label once more if it is written.
    fn loop_body(&mut self, word: &str, label: &Option<Ident>) -> Result<Vec<Psm>> {
        let body = self.statements(&["END"])?;
        self.end(word)?;
        if let Some(end) = self.cursor.peek_ident() {
            match label {
                Some(label) if label.name == end.name => self.cursor.advance(),
                Some(label) => {
                    return Err(SqlError::new(format!("the label is {}, not {}", label.name, end.name), end.span));
                }
                None => {}
            }
        }
        Ok(body)
    }

    /// END and the word that says of what.
    fn end(&mut self, word: &str) -> Result<()> {
        self.cursor.expect("END")?;
        if self.cursor.take(word) { Ok(()) } else { Err(self.cursor.expected(&format!("{word} after END"))) }
    }

    fn target_label(&mut self) -> Option<Ident> {
        self.cursor.advance();
        let label = self.cursor.peek_ident()?;
        self.cursor.advance();
        Some(label)
    }

    fn return_(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let ends = self.cursor.is_token(&Token::SemiColon) || self.cursor.at_end();
        let ends = ends || ["END", "ELSE", "ELSEIF", "WHEN"].iter().any(|word| self.cursor.is(word));
        Ok(PsmKind::Return(if ends { None } else { Some(self.expr()?) }))
    }

    fn signal(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        self.cursor.expect("SQLSTATE")?;
        self.cursor.take("VALUE");
        let span = self.cursor.span();
        let sqlstate = self.cursor.string("an SQLSTATE: five characters in quotes")?;
        if sqlstate.len() != 5 || !sqlstate.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) {
            let message = format!("'{sqlstate}' is no SQLSTATE: it has five characters, digits or capital letters");
            return Err(SqlError::new(message, span));
        }
        let message = if self.cursor.take("SET") {
            self.cursor.expect("MESSAGE_TEXT")?;
            self.cursor.expect_token(&Token::Eq)?;
            Some(self.expr()?)
        } else {
            None
        };
        Ok(PsmKind::Signal { sqlstate, message })
    }

    /// A query, SELECT .. INTO, or a change of data.
    fn sql(&mut self, word: &str) -> Result<PsmKind> {
        let start = self.cursor.span();
        let statement = match data_statement(self.cursor)? {
            Some(statement) => statement,
            None => return Err(self.unknown(word)),
        };
        let span = self.cursor.span_from(start);
        let intos = &self.cursor.source.intos;
        let claimed = intos.get(self.cursor.intos_taken).filter(|into| within(into.span, span, self.cursor.span()));
        match (statement, claimed) {
            (Statement::Query(query), Some(into)) => {
                let targets = into.targets.clone();
                self.cursor.intos_taken += 1;
                Ok(PsmKind::SelectInto { targets, query })
            }
            (statement, _) => Ok(PsmKind::Sql(statement)),
        }
    }

    fn unknown(&self, word: &str) -> SqlError {
        let span = self.cursor.span();
        if matches!(word, "CREATE" | "DROP" | "ALTER" | "PARTITION") {
            return SqlError::new("a procedure's body can't change the schema; is an END missing before it?", span);
        }
        match nearest(word, LEADING) {
            Some(hint) if !word.is_empty() && hint != word => {
                SqlError::new(format!("no statement starts with {word}; did you mean {hint}?"), span)
            }
            _ => self.cursor.expected("a statement or END"),
        }
    }

    fn expr(&mut self) -> Result<Expr> {
        query::parse_expr(self.cursor)
    }
}

/// INTO may be the last thing of a statement, after all that sqlparser has seen of it.
fn within(into: Span, statement: Span, next: Span) -> bool {
    statement.start <= into.start && (into.end <= statement.end || into.end <= next.start)
}
