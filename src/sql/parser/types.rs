//! Type names.

use super::cursor::{Cursor, to_parser_error};
use super::source;
use crate::sql::{Span, SqlError, nearest};
use crate::types::{BYTES_MAX, DataType, VARCHAR_CHARS_MAX};
use sqlparser::ast::{self as theirs, CharLengthUnits, CharacterLength, ExactNumberInfo, ObjectName, TimezoneInfo};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

/// Length of VARCHAR and VARBINARY where none is written.
const LENGTH_DEFAULT: u32 = 2048;

const NAMES: [&str; 19] = [
    "BIGINT",
    "BOOLEAN",
    "CHAR",
    "CHARACTER",
    "DECIMAL",
    "DOUBLE",
    "FLOAT",
    "INT",
    "INTEGER",
    "NUMERIC",
    "REAL",
    "SMALLINT",
    "STRING",
    "TEXT",
    "TIMESTAMP",
    "TINYINT",
    "VARBINARY",
    "VARCHAR",
    "BYTES",
];

/// Reads a type; a name that is none is an error that suggests the nearest.
pub fn parse(cursor: &mut Cursor<'_>) -> Result<DataType, SqlError> {
    if cursor.peek_word().is_none() {
        return Err(cursor.expected("a type"));
    }
    let written = cursor.theirs(|parser| parse_for_sqlparser(parser).map_err(to_parser_error))?;
    translate(written, cursor.last_span())
}

/// Reads a type in sqlparser's form; a name that is no type of ours gives `Custom`.
pub fn parse_for_sqlparser(parser: &mut Parser) -> Result<theirs::DataType, SqlError> {
    let name = match &parser.peek_token_ref().token {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
        _ => return Err(unexpected(parser, "a type")),
    };
    let start = parser.peek_token_ref().span;
    parser.advance_token();
    let no_zone = TimezoneInfo::None;
    Ok(match name.as_str() {
        "TINYINT" => theirs::DataType::TinyInt(None),
        "SMALLINT" => theirs::DataType::SmallInt(None),
        "INT" | "INTEGER" => theirs::DataType::Integer(None),
        "BIGINT" => theirs::DataType::BigInt(None),
        "REAL" => theirs::DataType::Double(ExactNumberInfo::None),
        "FLOAT" | "DOUBLE" => {
            take_word(parser, "PRECISION");
            arguments(parser, 1)?;
            theirs::DataType::Double(ExactNumberInfo::None)
        }
        "DECIMAL" | "NUMERIC" => {
            arguments(parser, 2)?;
            theirs::DataType::Decimal(ExactNumberInfo::None)
        }
        "BOOLEAN" => theirs::DataType::Boolean,
        "TIMESTAMP" => theirs::DataType::Timestamp(None, no_zone),
        "TEXT" | "STRING" => varchar(BYTES_MAX, CharLengthUnits::Octets),
        "VARCHAR" | "CHAR" | "CHARACTER" => return character(parser, &name, source::span(start)),
        "VARBINARY" | "BYTES" => {
            let length = arguments(parser, 1)?.first().copied().unwrap_or(LENGTH_DEFAULT);
            check_length(length, BYTES_MAX, "bytes", source::span(start))?;
            theirs::DataType::Varbinary(Some(theirs::BinaryLength::IntegerLength { length: length.into() }))
        }
        _ => {
            let ident = theirs::Ident { value: name, quote_style: None, span: start };
            theirs::DataType::Custom(ObjectName::from(vec![ident]), Vec::new())
        }
    })
}

/// VARCHAR, CHAR, CHARACTER [VARYING], with `(n [BYTES|CHARACTERS])`.
fn character(parser: &mut Parser, name: &str, span: Span) -> Result<theirs::DataType, SqlError> {
    let varying = name == "VARCHAR" || take_word(parser, "VARYING");
    let mut length = if varying { LENGTH_DEFAULT } else { 1 };
    let mut unit = CharLengthUnits::Characters;
    if parser.peek_token_ref().token == Token::LParen {
        parser.advance_token();
        length = number(parser)?;
        if take_word(parser, "BYTES") {
            unit = CharLengthUnits::Octets;
        } else if !take_word(parser, "CHARACTERS") {
            take_word(parser, "CHARACTER");
        }
        close(parser)?;
    }
    match unit {
        CharLengthUnits::Octets => check_length(length, BYTES_MAX, "bytes", span)?,
        // VoltDB's rule: a longer one counts bytes.
        CharLengthUnits::Characters if length > VARCHAR_CHARS_MAX => {
            check_length(length, BYTES_MAX, "bytes", span)?;
            unit = CharLengthUnits::Octets;
        }
        CharLengthUnits::Characters => check_length(length, VARCHAR_CHARS_MAX, "characters", span)?,
    }
    Ok(varchar(length, unit))
}

fn varchar(length: u32, unit: CharLengthUnits) -> theirs::DataType {
    theirs::DataType::Varchar(Some(CharacterLength::IntegerLength { length: length.into(), unit: Some(unit) }))
}

fn check_length(length: u32, max: u32, unit: &str, span: Span) -> Result<(), SqlError> {
    match length {
        0 => Err(SqlError::new("a length must be at least 1", span)),
        length if length > max => {
            Err(SqlError::new(format!("the length {length} is over the limit of {max} {unit}"), span))
        }
        _ => Ok(()),
    }
}

/// `(n, ..)` if it is there: up to `most` numbers.
fn arguments(parser: &mut Parser, most: usize) -> Result<Vec<u32>, SqlError> {
    let mut numbers = Vec::new();
    if parser.peek_token_ref().token == Token::LParen {
        parser.advance_token();
        numbers.push(number(parser)?);
        while numbers.len() < most && parser.peek_token_ref().token == Token::Comma {
            parser.advance_token();
            numbers.push(number(parser)?);
        }
        close(parser)?;
    }
    Ok(numbers)
}

fn number(parser: &mut Parser) -> Result<u32, SqlError> {
    let token = parser.peek_token_ref();
    let Token::Number(digits, _) = &token.token else {
        return Err(unexpected(parser, "a length"));
    };
    match digits.parse() {
        Ok(number) => {
            parser.advance_token();
            Ok(number)
        }
        Err(_) => Err(SqlError::new(format!("{digits} is no length: write a whole number"), source::span(token.span))),
    }
}

fn close(parser: &mut Parser) -> Result<(), SqlError> {
    if parser.peek_token_ref().token != Token::RParen {
        return Err(unexpected(parser, ")"));
    }
    parser.advance_token();
    Ok(())
}

fn unexpected(parser: &Parser, what: &str) -> SqlError {
    let token = parser.peek_token_ref();
    SqlError::new(format!("Expected: {what}, found: {token}"), source::span(token.span))
}

fn take_word(parser: &mut Parser, word: &str) -> bool {
    let found = matches!(&parser.peek_token_ref().token, Token::Word(w) if w.value.eq_ignore_ascii_case(word));
    if found {
        parser.advance_token();
    }
    found
}

/// Our type for one that [`parse_for_sqlparser`] gave; `near` is where it stands if it can't say so itself.
pub fn translate(written: theirs::DataType, near: Span) -> Result<DataType, SqlError> {
    let length = |length: u64| u32::try_from(length).unwrap_or(BYTES_MAX);
    Ok(match written {
        theirs::DataType::TinyInt(_) => DataType::TinyInt,
        theirs::DataType::SmallInt(_) => DataType::SmallInt,
        theirs::DataType::Integer(_) => DataType::Integer,
        theirs::DataType::BigInt(_) => DataType::BigInt,
        theirs::DataType::Double(_) => DataType::Float,
        theirs::DataType::Decimal(_) => DataType::Decimal,
        theirs::DataType::Boolean => DataType::Boolean,
        theirs::DataType::Timestamp(None, TimezoneInfo::None) => DataType::Timestamp,
        theirs::DataType::Varchar(Some(CharacterLength::IntegerLength { length: n, unit })) => {
            DataType::Varchar { max: length(n), bytes: unit == Some(CharLengthUnits::Octets) }
        }
        theirs::DataType::Varbinary(Some(theirs::BinaryLength::IntegerLength { length: n })) => {
            DataType::Varbinary { max: length(n) }
        }
        theirs::DataType::Custom(name, _) => {
            let span = name.0.first().and_then(|p| p.as_ident()).map_or(near, |ident| source::span(ident.span));
            let name = name.to_string();
            let hint = match nearest(&name, NAMES) {
                Some(hint) => format!("; did you mean {hint}?"),
                None => {
                    "; the types are TINYINT, SMALLINT, INTEGER, BIGINT, FLOAT, DECIMAL, VARCHAR, VARBINARY, TIMESTAMP, BOOLEAN"
                        .to_owned()
                }
            };
            return Err(SqlError::new(format!("there is no type {name}{hint}"), span));
        }
        other => return Err(SqlError::new(format!("the type {other} is not supported"), near)),
    })
}
