//! Bodies of procedures: SQL/PSM.

use super::cursor::{Cursor, NESTING_MAX, too_deep};
use super::{data_statement, exec, handler, query, types};
use crate::sql::ast::{Diagnostic, Expect, Expr, Ident, Psm, PsmKind, RowColumns, SignalState, Statement};
use crate::sql::{Span, SqlError, nearest};
use crate::types::Name;
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// The words that statements of a body start with.
const LEADING: [&str; 27] = [
    "SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "TRUNCATE", "DECLARE", "SET", "IF", "CASE", "WHILE", "FOR",
    "LOOP", "LEAVE", "ITERATE", "BEGIN", "RETURN", "SIGNAL", "WITH", "END", "REPEAT", "RESIGNAL", "CALL", "GET",
    "OPEN", "FETCH", "CLOSE",
];

/// Those that have no statements in them.
const SIMPLE: [&str; 16] = [
    "SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "TRUNCATE", "DECLARE", "SET", "RETURN", "SIGNAL", "RESIGNAL",
    "CALL", "GET", "OPEN", "FETCH", "CLOSE",
];

/// BEGIN [ATOMIC] .. END
pub fn block(cursor: &mut Cursor<'_>) -> Result<Vec<Psm>> {
    Reader { cursor, depth: 0 }.block()
}

pub(super) struct Reader<'c, 'a> {
    pub(super) cursor: &'c mut Cursor<'a>,
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
        if !SIMPLE.contains(&first.as_str()) {
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

    pub(super) fn statement(&mut self) -> Result<Psm> {
        let start = self.cursor.span();
        let label = self.label();
        let word = self.cursor.peek_word().unwrap_or_default().to_ascii_uppercase();
        let loops = matches!(word.as_str(), "WHILE" | "FOR" | "LOOP" | "REPEAT");
        if let (Some(label), false) = (&label, loops) {
            return Err(SqlError::new("a label stands before WHILE, FOR, LOOP or REPEAT", label.span));
        }
        let kind = match word.as_str() {
            "DECLARE" => self.declare()?,
            "SET" => self.set()?,
            "IF" => self.if_()?,
            "CASE" => self.case()?,
            "WHILE" | "FOR" | "LOOP" | "REPEAT" => self.loop_(label)?,
            "LEAVE" => PsmKind::Leave { label: self.target_label() },
            "ITERATE" => PsmKind::Iterate { label: self.target_label() },
            "BEGIN" => PsmKind::Block(self.block()?),
            "RETURN" => self.return_()?,
            "SIGNAL" => self.signal()?,
            "RESIGNAL" => self.resignal()?,
            "CALL" => self.call()?,
            "GET" => self.diagnostics()?,
            "OPEN" => {
                self.cursor.advance();
                PsmKind::Open { cursor: self.cursor.ident("the name of a cursor")? }
            }
            "CLOSE" => {
                self.cursor.advance();
                PsmKind::Close { cursor: self.cursor.ident("the name of a cursor")? }
            }
            "FETCH" => self.fetch()?,
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
        let handles = ["EXIT", "CONTINUE", "UNDO"].iter().any(|word| self.cursor.is(word));
        if handles && self.cursor.nth_is(1, "HANDLER") {
            return handler::declare(self);
        }
        let names = self.cursor.comma_separated(|c| c.ident("the name of a variable"))?;
        if let [name] = names.as_slice() {
            if self.cursor.take("CURSOR") {
                self.cursor.expect("FOR")?;
                return Ok(PsmKind::DeclareCursor { name: name.clone(), query: query::parse(self.cursor)? });
            }
            if self.cursor.take("CONDITION") {
                self.cursor.expect("FOR")?;
                return Ok(PsmKind::DeclareCondition { name: name.clone(), sqlstate: handler::sqlstate(self.cursor)? });
            }
        }
        if self.cursor.take("ROW") {
            return Ok(PsmKind::DeclareRow { names, columns: self.row_columns()? });
        }
        let data_type = types::parse(self.cursor)?;
        let default = if self.cursor.take("DEFAULT") { Some(self.expr()?) } else { None };
        Ok(PsmKind::Declare { names, data_type, default })
    }

    /// `(a TYPE, ..)` or `OF table`
    fn row_columns(&mut self) -> Result<RowColumns> {
        if self.cursor.take("OF") {
            return Ok(RowColumns::Of(self.cursor.ident("the name of a table")?));
        }
        let columns = self.cursor.parenthesized(|c| {
            let name = c.ident("the name of a column")?;
            Ok((name, types::parse(c)?))
        })?;
        Ok(RowColumns::Listed(columns))
    }

    /// SET x = expr, SET x := expr, SET r.a = expr, SET STATUS code [, text]
    fn set(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let assigns = self.cursor.nth_is_token(1, &Token::Eq) || self.cursor.nth_is_token(1, &Token::Assignment);
        if self.cursor.is("STATUS") && !assigns && !self.cursor.nth_is_token(1, &Token::Period) {
            self.cursor.advance();
            let code = self.expr()?;
            let text = if self.cursor.take_token(&Token::Comma) { Some(self.expr()?) } else { None };
            return Ok(PsmKind::Status { code, text });
        }
        let mut target = self.variable()?;
        let mut row = None;
        if self.cursor.take_token(&Token::Period) {
            row = Some(std::mem::replace(&mut target, self.cursor.ident("a column of the row")?));
        }
        if !self.cursor.take_token(&Token::Assignment) && !self.cursor.take_token(&Token::Eq) {
            return Err(self.cursor.expected("= or :="));
        }
        Ok(PsmKind::Set { row, target, value: self.expr()? })
    }

    /// FETCH [[NEXT] FROM] c INTO a, b: what stands after INTO was taken out of the tokens.
    fn fetch(&mut self) -> Result<PsmKind> {
        let start = self.cursor.span();
        self.cursor.advance();
        self.cursor.take("NEXT");
        self.cursor.take("FROM");
        let cursor = self.cursor.ident("the name of a cursor")?;
        match self.claim_into(start) {
            Some(targets) => Ok(PsmKind::Fetch { cursor, targets }),
            None => Err(self.cursor.expected("INTO and variables")),
        }
    }

    /// CALL p(..) [INTO x]
    fn call(&mut self) -> Result<PsmKind> {
        let start = self.cursor.span();
        let exec = exec::inner_call(self.cursor)?;
        let into = match self.claim_into(start) {
            Some(mut targets) if targets.len() == 1 => targets.pop(),
            Some(_) => return Err(SqlError::new("CALL .. INTO takes one variable: for what RETURN gives", start)),
            None => None,
        };
        Ok(PsmKind::Call { exec, into })
    }

    /// GET [CURRENT | STACKED] DIAGNOSTICS [CONDITION 1] x = ROW_COUNT, ..
    fn diagnostics(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        if !self.cursor.take("CURRENT") {
            self.cursor.take("STACKED");
        }
        self.cursor.expect("DIAGNOSTICS")?;
        if self.cursor.take("CONDITION") || self.cursor.take("EXCEPTION") {
            self.cursor.unsigned("1")?;
        }
        let mut items = Vec::new();
        loop {
            let target = self.variable()?;
            self.cursor.expect_token(&Token::Eq)?;
            let item = if self.cursor.take("ROW_COUNT") {
                Diagnostic::RowCount
            } else if self.cursor.take("RETURNED_SQLSTATE") {
                Diagnostic::SqlState
            } else if self.cursor.take("MESSAGE_TEXT") {
                Diagnostic::MessageText
            } else {
                return Err(self.cursor.expected("ROW_COUNT, RETURNED_SQLSTATE or MESSAGE_TEXT"));
            };
            items.push((target, item));
            if !self.cursor.take_token(&Token::Comma) {
                return Ok(PsmKind::Diagnostics(items));
            }
        }
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
            if self.cursor.nth_is(1, "CURSOR") && self.cursor.nth_is(2, "FOR") {
                // The cursor's name would be for WHERE CURRENT OF.
                (0..3).for_each(|_| self.cursor.advance());
            }
            let query = query::parse(self.cursor)?;
            self.cursor.expect("DO")?;
            let body = self.loop_body("FOR", &label)?;
            return Ok(PsmKind::For { label, row, query, body });
        }
        if self.cursor.take("REPEAT") {
            let body = self.statements(&["UNTIL", "END"])?;
            self.cursor.expect("UNTIL")?;
            let until = self.expr()?;
            self.end_of_loop("REPEAT", &label)?;
            return Ok(PsmKind::Repeat { label, body, until });
        }
        self.cursor.expect("LOOP")?;
        let body = self.loop_body("LOOP", &label)?;
        Ok(PsmKind::Loop { label, body })
    }

    /// Statements, END, the word, and the label once more if it is written.
    fn loop_body(&mut self, word: &str, label: &Option<Ident>) -> Result<Vec<Psm>> {
        let body = self.statements(&["END"])?;
        self.end_of_loop(word, label)?;
        Ok(body)
    }

    fn end_of_loop(&mut self, word: &str, label: &Option<Ident>) -> Result<()> {
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
        Ok(())
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
        let ends = ends || ["END", "ELSE", "ELSEIF", "WHEN", "UNTIL"].iter().any(|word| self.cursor.is(word));
        Ok(PsmKind::Return(if ends { None } else { Some(self.expr()?) }))
    }

    fn signal(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let state = match self.signal_state()? {
            Some(state) => state,
            None => return Err(self.cursor.expected("SQLSTATE or the name of a condition")),
        };
        Ok(PsmKind::Signal { state, message: self.message()? })
    }

    fn resignal(&mut self) -> Result<PsmKind> {
        self.cursor.advance();
        let state = self.signal_state()?;
        Ok(PsmKind::Resignal { state, message: self.message()? })
    }

    fn signal_state(&mut self) -> Result<Option<SignalState>> {
        if self.cursor.is("SQLSTATE") {
            return handler::sqlstate(self.cursor).map(|state| Some(SignalState::SqlState(state)));
        }
        match self.cursor.is("SET") {
            true => Ok(None),
            false => Ok(self.cursor.peek_ident().map(|name| {
                self.cursor.advance();
                SignalState::Named(name)
            })),
        }
    }

    fn message(&mut self) -> Result<Option<Expr>> {
        if !self.cursor.take("SET") {
            return Ok(None);
        }
        self.cursor.expect("MESSAGE_TEXT")?;
        self.cursor.expect_token(&Token::Eq)?;
        Ok(Some(self.expr()?))
    }

    /// The targets of the INTO that stands in, or right after, the statement that began at `start`.
    fn claim_into(&mut self, start: Span) -> Option<Vec<Ident>> {
        let span = self.cursor.span_from(start);
        let into = self.cursor.source.intos.get(self.cursor.intos_taken)?;
        if !within(into.span, span, self.cursor.span()) {
            return None;
        }
        self.cursor.intos_taken += 1;
        Some(into.targets.clone())
    }

    fn claim_expect(&mut self, start: Span) -> Option<Expect> {
        let span = self.cursor.span_from(start);
        let expect = self.cursor.source.expects.get(self.cursor.expects_taken)?;
        if !within(expect.span, span, self.cursor.span()) {
            return None;
        }
        self.cursor.expects_taken += 1;
        Some(expect.clone())
    }

    /// A query, SELECT .. INTO, or a change of data.
    fn sql(&mut self, word: &str) -> Result<PsmKind> {
        let start = self.cursor.span();
        let statement = match data_statement(self.cursor)? {
            Some(statement) => statement,
            None => return Err(self.unknown(word)),
        };
        let into = match &statement {
            Statement::Query(_) => self.claim_into(start),
            _ => None,
        };
        let expect = self.claim_expect(start);
        match (statement, into) {
            (Statement::Query(query), Some(targets)) => Ok(PsmKind::SelectInto { targets, query, expect }),
            (statement, _) => Ok(PsmKind::Sql { statement, expect }),
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
