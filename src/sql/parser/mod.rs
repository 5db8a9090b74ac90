//! Tokens to AST.
//!
//! A [`cursor::Cursor`] goes over a statement's tokens. Expressions and queries are read by sqlparser under our
//! dialect and translated (`expr`, `function`, `query`); everything else is read here, a file for each family of
//! statements. sqlparser's types are seen in this folder only.

mod alter;
mod cursor;
mod ddl;
mod dialect;
mod dml;
mod exec;
mod expect;
mod expr;
mod function;
mod handler;
mod literal;
mod procedure;
mod psm;
mod query;
mod source;
mod types;

#[cfg(test)]
mod tests;

use super::ast::{Ddl, Expr, Statement};
use super::lexer::{self, Token};
use super::split;
use super::{Span, SqlError, nearest};
use cursor::Cursor;
use source::Source;

/// The one statement that `text` is; a `;` may end it. Spans are bytes of `text`.
pub fn parse_statement(text: &str) -> Result<Statement, SqlError> {
    parse_tokens(text, &source::statement_tokens(text)).map_err(first)
}

/// As [`parse_statement`], but with every error of a procedure's body.
pub fn parse_all(text: &str) -> Result<Statement, Vec<SqlError>> {
    parse_tokens(text, &source::statement_tokens(text))
}

/// Every statement of a script with its span (without its `;`), and every error: reading goes on after the `;` of a
/// statement that is wrong, in a procedure's body after that of the inner statement. Spans are bytes of `text`.
pub fn parse_script(text: &str) -> (Vec<(Statement, Span)>, Vec<SqlError>) {
    let tokens = lexer::tokens(text);
    let (mut statements, mut errors) = (Vec::new(), Vec::new());
    for (piece, tokens) in split::cut(text, &tokens) {
        match parse_tokens(text, tokens) {
            Ok(statement) => statements.push((statement, piece.span)),
            Err(wrong) => errors.extend(wrong),
        }
    }
    (statements, errors)
}

/// The one expression that `text` is.
pub fn parse_expression(text: &str) -> Result<Expr, SqlError> {
    let source = Source::new(text, &source::statement_tokens(text))?;
    with_stack(&source, || {
        let mut cursor = Cursor::new(&source);
        let expr = query::parse_expr(&mut cursor)?;
        if !cursor.at_end() {
            return Err(cursor.expected("the end of the expression"));
        }
        check_intos(&cursor)?;
        Ok(expr)
    })
}

/// Chains up to this long are read on the caller's stack.
const CHAIN_ON_STACK_MAX: usize = 200;
/// For the chains that are read on a stack of their own.
const STACK_BYTES_PER_OPERATOR: usize = 8 << 10;

/// Runs `read` where its recursion has room: sqlparser builds, and on an error drops, chains of operators that are as
/// deep as they are long.
fn with_stack<T: Send>(source: &Source<'_>, read: impl FnOnce() -> T + Send) -> T {
    if source.longest_chain <= CHAIN_ON_STACK_MAX {
        return read();
    }
    let bytes = source::OPERATORS_MAX * STACK_BYTES_PER_OPERATOR;
    std::thread::scope(|scope| {
        let reader =
            std::thread::Builder::new().name("sql-parser".to_owned()).stack_size(bytes).spawn_scoped(scope, read);
        let reader = reader.expect("the system has room for one more thread");
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn first(errors: Vec<SqlError>) -> SqlError {
    errors.into_iter().next().expect("a failure has an error")
}

/// One statement without its `;`, or what is wrong with it: at least one error.
fn parse_tokens(text: &str, tokens: &[Token]) -> Result<Statement, Vec<SqlError>> {
    let source = Source::new(text, tokens).map_err(|error| vec![error])?;
    with_stack(&source, || parse_source(&source))
}

fn parse_source(source: &Source<'_>) -> Result<Statement, Vec<SqlError>> {
    let mut cursor = Cursor::new(source);
    let result = statement(&mut cursor).and_then(|statement| {
        if !cursor.at_end() {
            return Err(cursor.expected("the end of the statement"));
        }
        check_intos(&cursor)?;
        Ok(statement)
    });
    let mut errors = std::mem::take(&mut cursor.errors);
    match result {
        Ok(statement) if errors.is_empty() => Ok(statement),
        Ok(_) => Err(errors),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

/// Every INTO must be that of a SELECT that stands as a statement in a procedure's body.
fn check_intos(cursor: &Cursor<'_>) -> Result<(), SqlError> {
    if let Some(expect) = cursor.source.expects.get(cursor.expects_taken) {
        let message = "EXPECT stands at the end of a statement of a procedure's body, and can't stand here";
        return Err(SqlError::new(message, expect.span));
    }
    match cursor.source.intos.get(cursor.intos_taken) {
        None => Ok(()),
        Some(into) => {
            let message = "SELECT .. INTO is a statement of a procedure's body, and can't stand here";
            Err(SqlError::new(message, into.span))
        }
    }
}

/// The words that statements start with.
const LEADING: [&str; 20] = [
    "SELECT",
    "INSERT",
    "UPSERT",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "CREATE",
    "DROP",
    "PARTITION",
    "REPLICATE",
    "EXPLAIN",
    "EXPLAINPROC",
    "EXEC",
    "EXECUTE",
    "CALL",
    "WITH",
    "VALUES",
    "LOAD",
    "REMOVE",
    "ALTER",
];

/// Reads any statement but those that only a procedure's body has.
fn statement(cursor: &mut Cursor<'_>) -> Result<Statement, SqlError> {
    if let Some(statement) = data_statement(cursor)? {
        return Ok(statement);
    }
    let ddl = |ddl: Result<Ddl, SqlError>| ddl.map(Statement::Ddl);
    let word = cursor.peek_word().unwrap_or_default().to_ascii_uppercase();
    match word.as_str() {
        "ALTER" => ddl(alter::alter(cursor)),
        "CREATE" => ddl(ddl::create(cursor)),
        "DROP" => ddl(ddl::drop(cursor)),
        "PARTITION" => ddl(ddl::partition(cursor)),
        "REPLICATE" => ddl(ddl::replicate(cursor)),
        "LOAD" if cursor.nth_is(1, "PROCEDURES") => {
            cursor.advance();
            cursor.advance();
            let folder = cursor.string("a folder in quotes")?;
            Ok(Statement::LoadProcedures { folder })
        }
        "LOAD" | "REMOVE" => ddl(ddl::classes(cursor)),
        "EXEC" | "EXECUTE" => exec::exec(cursor).map(Statement::Exec),
        "CALL" => exec::call(cursor).map(Statement::Exec),
        "EXPLAINPROC" => {
            cursor.advance();
            exec::name(cursor).map(Statement::ExplainProcedure)
        }
        "EXPLAIN" => {
            cursor.advance();
            let calls = |at: usize| ["EXEC", "EXECUTE", "CALL"].iter().any(|word| cursor.nth_is(at, word));
            match cursor.is("ANALYZE") && calls(1) {
                true => {
                    cursor.advance();
                    let exec = if cursor.is("CALL") { exec::call(cursor)? } else { exec::exec(cursor)? };
                    return Ok(Statement::Trace(exec));
                }
                // A call has the plans of its procedure.
                false if calls(0) => {
                    let exec = if cursor.is("CALL") { exec::call(cursor)? } else { exec::exec(cursor)? };
                    return Ok(Statement::ExplainProcedure(exec.procedure));
                }
                false => {}
            }
            if cursor.is("EXPLAIN") {
                return Err(cursor.expected("a statement after EXPLAIN"));
            }
            Ok(Statement::Explain(Box::new(statement(cursor)?)))
        }
        _ => Err(unknown(cursor, &word)),
    }
}

/// A query or a change of data, if one comes next.
fn data_statement(cursor: &mut Cursor<'_>) -> Result<Option<Statement>, SqlError> {
    let word = cursor.peek_word().unwrap_or_default().to_ascii_uppercase();
    let statement = match word.as_str() {
        "SELECT" | "WITH" | "VALUES" => Statement::Query(query::parse(cursor)?),
        "" if cursor.is_token(&sqlparser::tokenizer::Token::LParen) => Statement::Query(query::parse(cursor)?),
        "INSERT" | "UPSERT" => Statement::Insert(dml::insert(cursor)?),
        "UPDATE" => Statement::Update(dml::update(cursor)?),
        "DELETE" => Statement::Delete(dml::delete(cursor)?),
        "TRUNCATE" => {
            cursor.advance();
            cursor.take("TABLE");
            Statement::Truncate { table: cursor.ident("the name of a table")? }
        }
        _ => return Ok(None),
    };
    Ok(Some(statement))
}

fn unknown(cursor: &Cursor<'_>, word: &str) -> SqlError {
    if cursor.at_end() {
        return cursor.expected("a statement");
    }
    let span = cursor.span();
    let written = cursor.source.token_at(span.start).map_or(word, |t| t.text(cursor.source.text));
    match nearest(word, LEADING) {
        Some(hint) => SqlError::new(format!("no statement starts with {written}; did you mean {hint}?"), span),
        None => SqlError::new(format!("no statement starts with {written}"), span),
    }
}
