//! Handlers of a block, and SQLSTATEs.

use super::cursor::Cursor;
use super::psm::Reader;
use crate::sql::SqlError;
use crate::sql::ast::{Condition, PsmKind};

type Result<T> = std::result::Result<T, SqlError>;

/// From EXIT or CONTINUE on: HANDLER FOR condition, .. statement
pub fn declare(reader: &mut Reader<'_, '_>) -> Result<PsmKind> {
    let span = reader.cursor.span();
    let exit = reader.cursor.take("EXIT");
    if !exit && !reader.cursor.take("CONTINUE") {
        return Err(SqlError::new(
            "UNDO handlers are not supported: the failed statement alone is undone, in EXIT too",
            span,
        ));
    }
    reader.cursor.advance();
    reader.cursor.expect("FOR")?;
    let conditions = reader.cursor.comma_separated(condition)?;
    let body = vec![reader.statement()?];
    Ok(PsmKind::DeclareHandler { exit, conditions, body })
}

fn condition(cursor: &mut Cursor<'_>) -> Result<Condition> {
    if cursor.is("SQLSTATE") {
        return sqlstate(cursor).map(Condition::SqlState);
    }
    if cursor.take_all(&["NOT", "FOUND"]) {
        return Ok(Condition::NotFound);
    }
    if cursor.take_all(&["UNIQUE", "VIOLATION"]) || cursor.take("UNIQUE_VIOLATION") {
        return Ok(Condition::UniqueViolation);
    }
    if cursor.take("SQLEXCEPTION") {
        return Ok(Condition::SqlException);
    }
    let what = "SQLSTATE '..', NOT FOUND, UNIQUE VIOLATION, SQLEXCEPTION or the name of a condition";
    cursor.ident(what).map(Condition::Named)
}

/// SQLSTATE [VALUE] 'xxxxx'
pub fn sqlstate(cursor: &mut Cursor<'_>) -> Result<String> {
    cursor.expect("SQLSTATE")?;
    cursor.take("VALUE");
    let span = cursor.span();
    let sqlstate = cursor.string("an SQLSTATE: five characters in quotes")?;
    if sqlstate.len() != 5 || !sqlstate.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) {
        let message = format!("'{sqlstate}' is no SQLSTATE: it has five characters, digits or capital letters");
        return Err(SqlError::new(message, span));
    }
    if sqlstate == "00000" {
        return Err(SqlError::new("'00000' means success: it cannot be raised or handled", span));
    }
    Ok(sqlstate)
}
