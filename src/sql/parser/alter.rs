//! ALTER TABLE and ALTER VIEW, and USING TTL.

use super::cursor::Cursor;
use super::{ddl, types};
use crate::sql::SqlError;
use crate::sql::ast::{AlterTable, Ddl, Ident, Ttl};

type Result<T> = std::result::Result<T, SqlError>;

const BATCH_SIZE_DEFAULT: u32 = 1000;

/// ALTER TABLE t .., ALTER VIEW v ..
pub fn alter(cursor: &mut Cursor<'_>) -> Result<Ddl> {
    cursor.advance();
    if cursor.take("VIEW") {
        let view = cursor.ident("the name of a view")?;
        if cursor.take_all(&["DROP", "TTL"]) {
            return Ok(Ddl::AlterView { view, ttl: None });
        }
        if !cursor.take("ADD") && !cursor.take("ALTER") {
            return Err(cursor.expected("ADD USING TTL, ALTER USING TTL or DROP TTL"));
        }
        let ttl = using_ttl(cursor)?.ok_or_else(|| cursor.expected("USING TTL: the rest of a view is its query"))?;
        return Ok(Ddl::AlterView { view, ttl: Some(ttl) });
    }
    if !cursor.take("TABLE") {
        return Err(cursor.expected("TABLE or VIEW after ALTER"));
    }
    let table = cursor.ident("the name of a table")?;
    let action = if cursor.take("ADD") {
        add(cursor)?
    } else if cursor.take("DROP") {
        drop(cursor)?
    } else if cursor.take("ALTER") {
        change(cursor)?
    } else if cursor.take("RENAME") {
        rename(cursor)?
    } else {
        return Err(cursor.expected("ADD, DROP, ALTER or RENAME"));
    };
    Ok(Ddl::AlterTable { table, action: Box::new(action) })
}

fn add(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    if let Some(ttl) = using_ttl(cursor)? {
        return Ok(AlterTable::SetTtl(ttl));
    }
    if !cursor.take("COLUMN")
        && let Some(constraint) = ddl::constraint(cursor)?
    {
        return Ok(AlterTable::AddConstraint(constraint));
    }
    let if_not_exists = cursor.take_all(&["IF", "NOT", "EXISTS"]);
    let column = ddl::column(cursor)?;
    let before = if cursor.take("BEFORE") { Some(cursor.ident("the name of a column")?) } else { None };
    Ok(AlterTable::AddColumn { column, before, if_not_exists })
}

fn drop(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    let span = cursor.span();
    if cursor.take_all(&["PRIMARY", "KEY"]) {
        return Ok(AlterTable::DropPrimaryKey(cursor.span_from(span)));
    }
    if cursor.is("TTL") && !cursor.nth_is(1, "CASCADE") {
        cursor.advance();
        return Ok(AlterTable::DropTtl);
    }
    if cursor.take("CONSTRAINT") {
        let mut if_exists = cursor.take_all(&["IF", "EXISTS"]);
        let name = cursor.ident("the name of a constraint")?;
        if_exists |= cursor.take_all(&["IF", "EXISTS"]);
        cursor.take("CASCADE");
        return Ok(AlterTable::DropConstraint { name, if_exists });
    }
    cursor.take("COLUMN");
    let mut if_exists = cursor.take_all(&["IF", "EXISTS"]);
    let column = cursor.ident("the name of a column")?;
    let mut cascade = false;
    loop {
        if cursor.take_all(&["IF", "EXISTS"]) {
            if_exists = true;
        } else if cursor.take("CASCADE") {
            cascade = true;
        } else {
            return Ok(AlterTable::DropColumn { column, if_exists, cascade });
        }
    }
}

fn change(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    if let Some(ttl) = using_ttl(cursor)? {
        return Ok(AlterTable::SetTtl(ttl));
    }
    let with_word = cursor.take("COLUMN");
    if cursor.nth_is(1, "RENAME") && cursor.nth_is(2, "TO") {
        let from = cursor.ident("the name of a column")?;
        if !with_word {
            let message = format!("write RENAME COLUMN {} TO .. to give a column another name", from.name);
            return Err(SqlError::new(message, from.span));
        }
        cursor.expect_all(&["RENAME", "TO"])?;
        return Ok(AlterTable::RenameColumn { from, to: cursor.ident("the new name")? });
    }
    if cursor.nth_is(1, "SET") || cursor.nth_is(1, "DROP") || cursor.nth_is(1, "TYPE") {
        let column = cursor.ident("the name of a column")?;
        return part(cursor, column);
    }
    Ok(AlterTable::RedefineColumn(ddl::column(cursor)?))
}

/// SET DEFAULT v, SET [NOT] NULL, DROP DEFAULT, DROP NOT NULL, [SET DATA] TYPE t
fn part(cursor: &mut Cursor<'_>, column: Ident) -> Result<AlterTable> {
    if cursor.take_all(&["DROP", "DEFAULT"]) {
        return Ok(AlterTable::SetDefault { column, default: None });
    }
    if cursor.take_all(&["DROP", "NOT", "NULL"]) || cursor.take_all(&["SET", "NULL"]) {
        return Ok(AlterTable::SetNotNull { column, not_null: false });
    }
    if cursor.take_all(&["SET", "NOT", "NULL"]) {
        return Ok(AlterTable::SetNotNull { column, not_null: true });
    }
    if cursor.take_all(&["SET", "DEFAULT"]) {
        return Ok(AlterTable::SetDefault { column, default: Some(ddl::default(cursor)?) });
    }
    if cursor.take("TYPE") || cursor.take_all(&["SET", "DATA", "TYPE"]) {
        return Ok(AlterTable::SetType { column, data_type: types::parse(cursor)? });
    }
    cursor.advance();
    Err(cursor.expected("DEFAULT, NULL, NOT NULL or TYPE"))
}

/// RENAME TO name, RENAME [COLUMN] a TO b
fn rename(cursor: &mut Cursor<'_>) -> Result<AlterTable> {
    if cursor.take("TO") {
        return Ok(AlterTable::RenameTable(cursor.ident("the new name")?));
    }
    cursor.take("COLUMN");
    let from = cursor.ident("the name of a column")?;
    cursor.expect("TO")?;
    Ok(AlterTable::RenameColumn { from, to: cursor.ident("the new name")? })
}

/// USING TTL n [unit] ON COLUMN c [BATCH_SIZE b] [MAX_FREQUENCY f], if it comes next.
pub fn using_ttl(cursor: &mut Cursor<'_>) -> Result<Option<Ttl>> {
    if !cursor.take("USING") {
        return Ok(None);
    }
    cursor.expect("TTL")?;
    let value = u64::from(cursor.unsigned("how long rows live, as a number")?);
    let units = [("SECONDS", 1), ("MINUTES", 60), ("HOURS", 3600), ("DAYS", 86_400)];
    let unit = units.into_iter().find(|(word, _)| cursor.take(word)).map_or(1, |(_, seconds)| seconds);
    cursor.expect_all(&["ON", "COLUMN"])?;
    let column = cursor.ident("the name of a column")?;
    let (mut batch_size, mut max_frequency) = (None, None);
    loop {
        let span = cursor.span();
        let (option, what) = if cursor.take("BATCH_SIZE") {
            (&mut batch_size, "BATCH_SIZE")
        } else if cursor.take("MAX_FREQUENCY") {
            (&mut max_frequency, "MAX_FREQUENCY")
        } else {
            break;
        };
        let number = cursor.unsigned("a number above 0")?;
        if number == 0 {
            return Err(SqlError::new(format!("{what} must be above 0"), cursor.last_span()));
        }
        if option.replace(number).is_some() {
            return Err(SqlError::new(format!("{what} is written twice"), span));
        }
    }
    Ok(Some(Ttl {
        seconds: value * unit,
        column,
        batch_size: batch_size.unwrap_or(BATCH_SIZE_DEFAULT),
        max_frequency: max_frequency.unwrap_or(1),
    }))
}
