//! CREATE PROCEDURE in all its forms.

use super::cursor::Cursor;
use super::ddl::partition_clause;
use super::{psm, query, statement, types};
use crate::sql::SqlError;
use crate::sql::ast::{Body, Ddl, Ident, Parameter, PartitionClause, Procedure, Statement};
use crate::types::{DataType, ElementType, Name};
use sqlparser::tokenizer::Token;

type Result<T> = std::result::Result<T, SqlError>;

/// What stands between a procedure's name and its body, in any order.
#[derive(Default)]
struct Clauses {
    partition: Option<PartitionClause>,
    returns: Option<DataType>,
    roles: Vec<Ident>,
}

/// What follows CREATE [OR REPLACE] [DIRECTED] PROCEDURE.
pub fn create(cursor: &mut Cursor<'_>, or_replace: bool, directed: bool) -> Result<Ddl> {
    // FROM CLASS has no name of its own.
    let anonymous = cursor.are(&["FROM", "CLASS"]) || cursor.are(&["PARTITION", "ON"]) || cursor.is("ALLOW");
    if anonymous {
        let clauses = clauses(cursor)?;
        cursor.expect_all(&["FROM", "CLASS"])?;
        let (class, partition) = (class(cursor)?, clauses.partition);
        return Ok(Ddl::ProcedureFromClass { class, partition, or_replace, directed, roles: clauses.roles });
    }
    let name = cursor.ident("the name of the procedure")?;
    if cursor.is_token(&Token::Period) {
        return Err(SqlError::new(
            "a procedure's name has no dot: such names are those of the tables' own procedures",
            name.span,
        ));
    }
    let parameters = if cursor.is_token(&Token::LParen) { Some(parameters(cursor)?) } else { None };
    let clauses = clauses(cursor)?;
    if cursor.are(&["FROM", "CLASS"]) {
        return Err(SqlError::new("a procedure FROM CLASS has the name of its class: leave the name out", name.span));
    }
    // AS may be missing before BEGIN.
    if !cursor.take("AS") && !cursor.is("BEGIN") {
        return Err(cursor.expected("AS, PARTITION ON TABLE or RETURNS"));
    }
    let body = body(cursor)?;
    let Clauses { partition, returns, roles } = clauses;
    if let (true, Some(partition)) = (directed, &partition) {
        let message = "a DIRECTED procedure runs at every partition: it takes no PARTITION ON";
        return Err(SqlError::new(message, partition.table.span));
    }
    Ok(Ddl::CreateProcedure(Procedure { name, or_replace, directed, roles, parameters, partition, returns, body }))
}

fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Parameter>> {
    if cursor.nth_is_token(1, &Token::RParen) {
        cursor.advance();
        cursor.advance();
        return Ok(Vec::new());
    }
    cursor.parenthesized(|c| {
        // The standard's IN is what all parameters are.
        c.take("IN");
        if c.is("OUT") || c.is("INOUT") {
            return Err(SqlError::new(
                "OUT parameters are not supported: use RETURN, or a query in the body",
                c.span(),
            ));
        }
        let name = c.ident("the name of a parameter")?;
        let start = c.span();
        let mut data_type = types::parse(c)?;
        let brackets = c.is_token(&Token::LBracket) && c.nth_is_token(1, &Token::RBracket);
        if brackets || c.is("ARRAY") {
            (0..1 + usize::from(brackets)).for_each(|_| c.advance());
            let Some(element) = ElementType::of(data_type) else {
                return Err(SqlError::new(format!("there are no arrays of {data_type}"), start));
            };
            data_type = DataType::Array(element);
        }
        let default = if c.take("DEFAULT") { Some(query::parse_expr(c)?) } else { None };
        Ok(Parameter { name, data_type, default })
    })
}

fn clauses(cursor: &mut Cursor<'_>) -> Result<Clauses> {
    let mut clauses = Clauses::default();
    loop {
        let span = cursor.span();
        if cursor.take_all(&["PARTITION", "ON"]) {
            if clauses.partition.replace(partition_clause(cursor)?).is_some() {
                return Err(SqlError::new("PARTITION ON is written twice", span));
            }
        } else if cursor.take("RETURNS") {
            if clauses.returns.replace(types::parse(cursor)?).is_some() {
                return Err(SqlError::new("RETURNS is written twice", span));
            }
        } else if cursor.take("ALLOW") {
            // Roles are kept and shown: everyone may call everything here.
            clauses.roles.extend(cursor.comma_separated(|c| c.ident("the name of a role"))?);
        } else if cursor.take_all(&["LANGUAGE", "SQL"]) || cursor.take_all(&["MODIFIES", "SQL", "DATA"]) {
            // The standard's words for what is the case anyway.
        } else {
            return Ok(clauses);
        }
    }
}

/// `a.b.Name`
fn class(cursor: &mut Cursor<'_>) -> Result<Ident> {
    let first = cursor.ident("the name of a class")?;
    let (mut name, mut span) = (first.name.as_str().to_owned(), first.span);
    while cursor.take_token(&Token::Period) {
        let part = cursor.ident("a name after the dot")?;
        name = format!("{name}.{}", part.name);
        span = span.to(part.span);
    }
    Ok(Ident { name: Name::new(&name), span })
}

fn body(cursor: &mut Cursor<'_>) -> Result<Body> {
    if cursor.is("BEGIN") {
        return Ok(Body::Block(psm::block(cursor)?));
    }
    let start = cursor.span();
    match statement(cursor)? {
        Statement::Ddl(_) | Statement::Exec(_) | Statement::Explain(_) => {
            let message = "a procedure's body is a query, a change of data, or BEGIN .. END";
            Err(SqlError::new(message, cursor.span_from(start)))
        }
        statement => Ok(Body::Statement(Box::new(statement))),
    }
}
