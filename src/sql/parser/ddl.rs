//! Schema changes, but for procedures.

use super::cursor::Cursor;
use super::dialect::Votedb;
use super::{alter, procedure, query, types};
use crate::sql::ast::{
    ColumnDef, ConstraintKind, CreateIndex, CreateTable, CreateView, Ddl, Expr, Ident, KeyKind, ObjectKind,
    PartitionClause, TableConstraint,
};
use crate::sql::{SqlError, nearest};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// CREATE TABLE, INDEX, VIEW, PROCEDURE.
pub fn create(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    cursor.advance();
    let or_replace = cursor.is("OR");
    if cursor.take("OR") {
        cursor.expect("REPLACE")?;
    }
    if cursor.is("COMPOUND") {
        let message = "COMPOUND procedures are not supported: CALL runs one procedure in another's transaction";
        return Err(SqlError::new(message, cursor.span()));
    }
    let directed = cursor.take("DIRECTED");
    if directed && !cursor.is("PROCEDURE") {
        return Err(cursor.expected("PROCEDURE after DIRECTED"));
    }
    if cursor.take("PROCEDURE") {
        return procedure::create(cursor, or_replace, directed);
    }
    let materialized = cursor.take("MATERIALIZED");
    if cursor.take("VIEW") {
        return create_view(cursor, or_replace, materialized).map(Ddl::CreateView);
    }
    if materialized {
        return Err(cursor.expected("VIEW after CREATE MATERIALIZED"));
    }
    if or_replace {
        return Err(SqlError::new(
            "OR REPLACE is for procedures and views: write CREATE OR REPLACE PROCEDURE or VIEW",
            cursor.span(),
        ));
    }
    if cursor.take("TABLE") {
        return create_table(cursor).map(Ddl::CreateTable);
    }
    let unique = cursor.take("UNIQUE");
    let assume_unique = !unique && cursor.take("ASSUMEUNIQUE");
    if cursor.take("INDEX") {
        return create_index(cursor, unique, assume_unique).map(Ddl::CreateIndex);
    }
    if unique || assume_unique {
        return Err(cursor.expected("INDEX"));
    }
    let mut error = cursor.expected("TABLE, VIEW, INDEX, UNIQUE INDEX or PROCEDURE after CREATE");
    let objects = ["TABLE", "VIEW", "INDEX", "PROCEDURE", "UNIQUE", "ASSUMEUNIQUE"];
    if let Some(hint) = cursor.peek_word().and_then(|word| nearest(word, objects)) {
        error = SqlError::new(
            format!("there is no CREATE {}; did you mean {hint}?", cursor.peek_word().unwrap_or_default()),
            cursor.span(),
        );
    }
    Err(error)
}

fn create_view(cursor: &mut Cursor<'_>, or_replace: bool, materialized: bool) -> Result<CreateView> {
    let name = cursor.ident("the name of the view")?;
    let columns = if cursor.is_token(&Token::LParen) { columns(cursor)? } else { Vec::new() };
    cursor.expect("AS")?;
    let query = Box::new(query::parse(cursor)?);
    let ttl = alter::using_ttl(cursor)?;
    Ok(CreateView { name, or_replace, materialized, columns, query, ttl })
}

fn columns(cursor: &mut Cursor<'_>) -> Result<Vec<Ident>> {
    cursor.parenthesized(|c| c.ident("the name of a column"))
}

fn create_table(cursor: &mut Cursor<'_>) -> Result<CreateTable> {
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.ident("the name of the table")?;
    let mut table =
        CreateTable { name, if_not_exists, like: None, columns: Vec::new(), constraints: Vec::new(), ttl: None };
    if cursor.take("LIKE") {
        table.like = Some(cursor.ident("the name of a table")?);
        return Ok(table);
    }
    if cursor.is("AS") {
        return Err(SqlError::new(
            "CREATE TABLE .. AS is not supported: create it with its columns, then INSERT .. SELECT",
            cursor.span(),
        ));
    }
    cursor.expect_token(&Token::LParen)?;
    if cursor.is("LIKE") && cursor.nth_is_token(2, &Token::RParen) {
        cursor.advance();
        table.like = Some(cursor.ident("the name of a table")?);
        cursor.expect_token(&Token::RParen)?;
        return Ok(table);
    }
    loop {
        match constraint(cursor)? {
            Some(constraint) => table.constraints.push(constraint),
            None => table.columns.push(column(cursor)?),
        }
        let comma = cursor.take_token(&Token::Comma);
        if cursor.take_token(&Token::RParen) {
            break;
        }
        if !comma {
            return Err(cursor.expected(", or ) or a column's option (DEFAULT, NOT NULL, PRIMARY KEY, UNIQUE, ..)"));
        }
    }
    if cursor.is("EXPORT") || cursor.is("MIGRATE") {
        return Err(SqlError::new("EXPORT TO and MIGRATE TO are not supported", cursor.span()));
    }
    table.ttl = alter::using_ttl(cursor)?;
    Ok(table)
}

/// A constraint of the table, if one comes next rather than a column.
pub(super) fn constraint(cursor: &mut Cursor<'_>) -> Result<Option<TableConstraint>> {
    let name = if cursor.take("CONSTRAINT") { Some(cursor.ident("the name of the constraint")?) } else { None };
    let kind = if cursor.is("CHECK") && cursor.nth_is_token(1, &Token::LParen) {
        cursor.advance();
        ConstraintKind::Check(check(cursor)?)
    } else if cursor.are(&["FOREIGN", "KEY"]) {
        return Err(SqlError::new("FOREIGN KEY is not supported", cursor.span()));
    } else if cursor.is("LIMIT") && cursor.nth_is(1, "PARTITION") {
        return Err(SqlError::new("LIMIT PARTITION ROWS is not supported", cursor.span()));
    } else {
        // A column could bear such a name: then a type follows, not a list.
        let words = if cursor.are(&["PRIMARY", "KEY"]) { 2 } else { 1 };
        if name.is_none() && !cursor.nth_is_token(words, &Token::LParen) {
            return Ok(None);
        }
        match key(cursor)? {
            Some(kind) => ConstraintKind::Key { kind, columns: cursor.parenthesized(query::parse_expr)? },
            None if name.is_some() => return Err(cursor.expected("PRIMARY KEY, UNIQUE, ASSUMEUNIQUE or CHECK")),
            None => return Ok(None),
        }
    };
    Ok(Some(TableConstraint { name, kind }))
}

fn key(cursor: &mut Cursor<'_>) -> Result<Option<KeyKind>> {
    Ok(if cursor.take("PRIMARY") {
        cursor.expect("KEY")?;
        Some(KeyKind::PrimaryKey)
    } else if cursor.take("UNIQUE") {
        Some(KeyKind::Unique)
    } else if cursor.take("ASSUMEUNIQUE") {
        Some(KeyKind::AssumeUnique)
    } else {
        None
    })
}

fn check(cursor: &mut Cursor<'_>) -> Result<Expr> {
    cursor.expect_token(&Token::LParen)?;
    let condition = query::parse_expr(cursor)?;
    cursor.expect_token(&Token::RParen)?;
    Ok(condition)
}

pub(super) fn column(cursor: &mut Cursor<'_>) -> Result<ColumnDef> {
    let name = cursor.ident("the name of a column")?;
    let data_type = types::parse(cursor)?;
    let mut column = ColumnDef { name, data_type, not_null: false, default: None, key: None, check: None };
    let mut null = false;
    loop {
        let span = cursor.span();
        let twice = |what: &str| SqlError::new(format!("{what} is written twice"), span);
        if cursor.take("DEFAULT") {
            if column.default.replace(default(cursor)?).is_some() {
                return Err(twice("DEFAULT"));
            }
        } else if cursor.take_all(&["NOT", "NULL"]) {
            column.not_null = true;
        } else if cursor.take("NULL") {
            null = true;
        } else if cursor.is("CHECK") {
            cursor.advance();
            if column.check.replace(check(cursor)?).is_some() {
                return Err(twice("CHECK"));
            }
        } else if cursor.is("REFERENCES") {
            return Err(SqlError::new("REFERENCES is not supported", span));
        } else if let Some(kind) = key(cursor)? {
            if column.key.replace(kind).is_some() {
                return Err(SqlError::new("a column is one of PRIMARY KEY, UNIQUE and ASSUMEUNIQUE", span));
            }
        } else {
            break;
        }
        if null && column.not_null {
            return Err(SqlError::new("a column is either NULL or NOT NULL", span));
        }
    }
    Ok(column)
}

/// An expression of operators that bind more tightly than NOT: in `DEFAULT 1 NOT NULL` that starts the next option.
pub(super) fn default(cursor: &mut Cursor<'_>) -> Result<Expr> {
    let written = cursor.theirs(|parser| parser.parse_subexpr(Votedb.prec_value(Precedence::Between)))?;
    super::expr::Translator::new(cursor.source).expr(written)
}

fn create_index(cursor: &mut Cursor<'_>, unique: bool, assume_unique: bool) -> Result<CreateIndex> {
    let name = cursor.ident("the name of the index")?;
    cursor.expect("ON")?;
    let table = cursor.ident("the name of a table")?;
    let mut hash = false;
    if cursor.take("USING") {
        hash = cursor.take("HASH");
        if !hash && !cursor.take("BTREE") && !cursor.take("TREE") {
            return Err(cursor.expected("HASH or BTREE"));
        }
    }
    let columns = cursor.parenthesized(|c| {
        let expr = query::parse_expr(c)?;
        // An index is read in both directions, so its own doesn't matter.
        if !c.take("ASC") {
            c.take("DESC");
        }
        Ok(expr)
    })?;
    let filter = if cursor.take("WHERE") { Some(query::parse_expr(cursor)?) } else { None };
    Ok(CreateIndex { name, table, unique, assume_unique, hash, columns, filter })
}

/// DROP TABLE|VIEW|INDEX|PROCEDURE with IF EXISTS before or after the name.
pub fn drop(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    cursor.advance();
    let kind = if cursor.take("TABLE") {
        ObjectKind::Table
    } else if cursor.take("VIEW") {
        ObjectKind::View
    } else if cursor.take("INDEX") {
        ObjectKind::Index
    } else if cursor.take("PROCEDURE") {
        ObjectKind::Procedure
    } else {
        return Err(cursor.expected("TABLE, VIEW, INDEX or PROCEDURE after DROP"));
    };
    let mut if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let name = cursor.ident("the name of what to drop")?;
    let mut cascade = false;
    loop {
        if cursor.take_all(&["IF", "EXISTS"]) {
            if_exists = true;
        } else if cursor.take("CASCADE") {
            cascade = true;
        } else {
            return Ok(Ddl::Drop { kind, name, if_exists, cascade });
        }
    }
}

/// PARTITION TABLE t ON COLUMN c; PARTITION PROCEDURE p ON TABLE t COLUMN c [PARAMETER k]
pub fn partition(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    cursor.advance();
    if cursor.take("TABLE") {
        let table = cursor.ident("the name of a table")?;
        cursor.expect_all(&["ON", "COLUMN"])?;
        return Ok(Ddl::PartitionTable { table, column: cursor.ident("the name of a column")? });
    }
    if cursor.take("PROCEDURE") {
        let name = cursor.ident("the name of a procedure")?;
        cursor.expect("ON")?;
        return Ok(Ddl::PartitionProcedure { name, partition: partition_clause(cursor)? });
    }
    Err(cursor.expected("TABLE or PROCEDURE after PARTITION"))
}

/// TABLE t COLUMN c [PARAMETER k], what follows PARTITION ON.
pub fn partition_clause(cursor: &mut Cursor<'_>) -> Result<PartitionClause> {
    cursor.expect("TABLE")?;
    let table = cursor.ident("the name of a table")?;
    cursor.expect("COLUMN")?;
    let column = cursor.ident("the name of a column")?;
    let parameter = match cursor.take("PARAMETER") {
        true => Some(cursor.unsigned("the position of the parameter, from 0")? as usize),
        false => None,
    };
    if cursor.are(&["AND", "ON"]) {
        return Err(SqlError::new("procedures of two partitions (AND ON TABLE) are not supported", cursor.span()));
    }
    Ok(PartitionClause { table, column, parameter })
}

/// REPLICATE TABLE t
pub fn replicate(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    cursor.advance();
    cursor.expect("TABLE")?;
    Ok(Ddl::ReplicateTable { table: cursor.ident("the name of a table")? })
}

/// LOAD CLASSES file, REMOVE CLASSES pattern: the file's name is no token of SQL, so all that is left is taken.
pub fn classes(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    let start = cursor.span();
    cursor.advance();
    cursor.expect("CLASSES")?;
    if cursor.at_end() {
        return Err(cursor.expected("a file or a pattern"));
    }
    while !cursor.at_end() {
        cursor.advance();
    }
    let end = cursor.source.end().end;
    Ok(Ddl::LoadClasses { text: cursor.source.text[start.start..end].to_owned() })
}
