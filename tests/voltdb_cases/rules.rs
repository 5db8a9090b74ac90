//! Differences that are plainly better for the user, by kind: each stands in `docs/sql.md`.
//!
//! A rule names a class of error (or none, for a success that answers otherwise) and a shape of the statement, never a case.

use super::case::{Case, Table};
use serde_json::Value as Json;
use votedb::types::Decimal;
use votedb::{ResultSet, StatementError, Value};

/// What we do where VoltDB does something else.
enum Ours {
    /// We answer.
    Answer,
    /// We answer with values that pass this test.
    AnswerOf(fn(&[ResultSet]) -> bool),
    /// Beside VoltDB's answer ours passes this test.
    AnswerBeside(fn(&Table, &ResultSet) -> bool),
    /// We fail with this SQLSTATE.
    Fail(&'static str),
}

struct Rule {
    /// VoltDB's class of error; None: it succeeded.
    class: Option<&'static str>,
    /// Whether the statement, or `CALL` and the procedure's name, with its parameters behind it, in upper case, is of
    /// this kind.
    shape: fn(&str) -> bool,
    ours: Ours,
    reason: &'static str,
}

const fn lifted(class: &'static str, shape: fn(&str) -> bool, reason: &'static str) -> Rule {
    Rule { class: Some(class), shape, ours: Ours::Answer, reason }
}

const RULES: &[Rule] = &[
    lifted(
        "syntax",
        |sql| sql.starts_with("SELECT") && !sql.contains(" FROM "),
        "SELECT without FROM is a query of one row",
    ),
    lifted("syntax", |sql| sql.contains(" AS SELECT"), "after AS every word is a name"),
    lifted(
        "syntax",
        |sql| sql.matches('=').count() > 1 && !sql.contains(" AND ") && !sql.contains(" OR "),
        "comparisons are values: a = b = c compares the outcome of a = b with c",
    ),
    lifted("boolean_select", |sql| sql.starts_with("SELECT"), "conditions are values of type BOOLEAN"),
    lifted(
        "type_mismatch",
        |sql| sql.contains("CAST(TRUE") || sql.contains("CAST(FALSE"),
        "a BOOLEAN casts to 0 and 1",
    ),
    lifted("untyped_null_or_param", |sql| sql.contains("NULL"), "NULL has a type by where it stands, or none"),
    lifted("unknown_column", |sql| sql.contains('"'), "quoted names fold case, too"),
    lifted(
        "type_mismatch",
        |sql| sql.contains("CAST(") && (sql.contains("AS VARCHAR") || sql.contains("AS VARBINARY")),
        "VARCHAR and VARBINARY are cast into each other by hex digits",
    ),
    lifted(
        "bad_cast_text",
        |sql| sql.contains("AS DECIMAL"),
        "blanks around a number do not matter for DECIMAL either",
    ),
    lifted("type_mismatch", |sql| sql.contains("MOD("), "MOD takes DECIMALs, literals too"),
    lifted("type_mismatch", |sql| sql.contains("BIT"), "functions of bits take integers of any width"),
    Rule {
        class: Some("overflow"),
        shape: |_| true,
        ours: Ours::AnswerOf(|results| {
            let mut values = results.iter().flat_map(|result| result.rows.iter().flatten());
            values.any(|value| *value == Value::Int(i64::MIN))
        }),
        reason: "the smallest BIGINT is a value",
    },
    lifted(
        "overflow",
        |sql| ["-128", "-32768", "-2147483648", "-9223372036854775808"].iter().any(|least| sql.ends_with(least)),
        "the smallest integer of a type is a value",
    ),
    lifted(
        "param_conversion",
        |sql| sql.starts_with("CALL") && sql.contains("VARCHAR \" "),
        "blanks around a number do not matter for DECIMAL either",
    ),
    lifted(
        "param_conversion",
        |sql| {
            sql.starts_with("CALL")
                && sql.as_bytes().windows(3).any(|w| w[1] == b'T' && is_digit(w[0]) && is_digit(w[2]))
        },
        "a T may stand between date and time",
    ),
    lifted(
        "param_conversion",
        |sql| {
            let narrow = ["TINYINT", "SMALLINT", "INTEGER"].iter().any(|ty| sql.contains(&format!(", {ty} ")));
            sql.starts_with("CALL PUT_TIMESTAMP") && narrow
        },
        "an integer argument has no width: it is microseconds to TIMESTAMP",
    ),
    lifted(
        "param_conversion",
        |sql| sql.starts_with("CALL") && sql.ends_with("NULL NULL"),
        "NULL needs no type, for a partitioning parameter either",
    ),
    Rule {
        class: Some("overflow"),
        shape: |sql| sql.starts_with("INSERT") && sql.contains("-01"),
        ours: Ours::Fail("22018"),
        reason: "a text that is no timestamp is SQLSTATE 22018 wherever it stands",
    },
    Rule {
        class: None,
        shape: |sql| sql.starts_with("INSERT") && years(sql).any(|year| year < 1582),
        ours: Ours::AnswerOf(|_| true),
        reason: "the calendar is Gregorian before 1582, too",
    },
    lifted("overflow", |sql| sql.contains("FORMAT_CURRENCY("), "a number that needs no rounding is no overflow"),
    Rule {
        class: Some("overflow"),
        shape: |sql| sql.contains('/'),
        ours: Ours::Fail("22012"),
        reason: "division by zero is SQLSTATE 22012 for FLOAT, too",
    },
    Rule {
        class: None,
        shape: |sql| sql.contains("NOT IN (") && sql.contains("NULL"),
        ours: Ours::AnswerOf(|results| results.iter().all(|result| result.rows.is_empty())),
        reason: "nothing is NOT IN a list that holds a NULL",
    },
    Rule {
        class: None,
        shape: |sql| sql.contains("AVG("),
        ours: Ours::AnswerBeside(|table, result| same_but(table, result, truncates_to)),
        reason: "the average of integers is a DECIMAL",
    },
    Rule {
        class: None,
        shape: |sql| sql.contains("CASE"),
        ours: Ours::AnswerBeside(|table, result| same_but(table, result, is_same_integer)),
        reason: "CASE has the widest type of its branches",
    },
    Rule {
        class: None,
        shape: |sql| sql.contains("CAST(") && sql.contains("AS VARCHAR"),
        ours: Ours::AnswerBeside(|table, result| same_but(table, result, is_same_decimal)),
        reason: "DECIMAL literals become text as values of columns do, with 12 digits after the point",
    },
    Rule {
        class: None,
        shape: |sql| sql.contains("TRUNCATE(MIL"),
        ours: Ours::AnswerBeside(|table, result| same_but(table, result, is_a_millisecond_later)),
        reason: "whole milliseconds before 1970 are their own truncation",
    },
    lifted("not_plannable", |sql| sql.starts_with("SELECT"), "tables partitioned on different columns can be joined"),
    lifted("subquery_partitioned", |_| true, "subqueries may read partitioned tables"),
    lifted("setop_partitioned", |_| true, "every part of a set operation may read partitioned tables"),
    lifted(
        "cte_unsupported",
        |sql| sql.starts_with("WITH"),
        "WITH may have several queries, also over partitioned tables",
    ),
    lifted("multi_row_insert", |sql| sql.starts_with("INSERT"), "INSERT takes any number of rows"),
    lifted(
        "window_unsupported",
        |sql| sql.contains("OVER"),
        "windows may order by anything, have frames, and stand several in one SELECT",
    ),
    lifted(
        "view_rule",
        |sql| sql.starts_with("CREATE VIEW"),
        "a query that can't be kept up to date row by row is a view all the same: it runs when it is read",
    ),
    lifted(
        "table_not_empty",
        |sql| ["CREATE", "ALTER TABLE", "PARTITION TABLE"].iter().any(|word| sql.starts_with(word)),
        "a definition is carried out on the rows that are there, and refused only if one of them does not fit",
    ),
    lifted(
        "duplicate_object",
        |sql| sql.contains("DROP TABLE") && sql.contains("CREATE TABLE"),
        "a batch may drop a table and create another one of that name",
    ),
    lifted(
        "syntax",
        |sql| sql.starts_with("DROP") && sql.ends_with("IF EXISTS"),
        "IF EXISTS and CASCADE may stand in any order",
    ),
    lifted(
        "syntax",
        |sql| {
            sql.starts_with("CREATE TABLE") && (!sql.is_ascii() || sql.contains(" COUNT ") || sql.contains("(VALUE "))
        },
        "names may have letters of every language, and VALUE and COUNT are no reserved words",
    ),
];

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// Years of the dates that literals start with.
fn years(sql: &str) -> impl Iterator<Item = u32> {
    sql.split('\'').filter(|text| text.get(4..5) == Some("-")).filter_map(|text| text[..4].parse().ok())
}

/// The reason for which this answer may differ from VoltDB's.
pub fn reason(case: &Case, answer: &Result<Vec<ResultSet>, StatementError>) -> Option<&'static str> {
    let sql = case.text().to_uppercase();
    let class = case.expected.error_class.as_deref();
    let fits = |rule: &&Rule| rule.class == class && (rule.shape)(&sql) && fits(&rule.ours, case, answer);
    RULES.iter().find(fits).map(|rule| rule.reason)
}

fn fits(ours: &Ours, case: &Case, answer: &Result<Vec<ResultSet>, StatementError>) -> bool {
    match (ours, answer) {
        (Ours::Answer, Ok(_)) => true,
        (Ours::AnswerOf(test), Ok(results)) => test(results),
        (Ours::AnswerBeside(test), Ok(results)) => {
            let tables = case.expected.tables().unwrap_or_default();
            tables.len() == results.len() && tables.iter().zip(results).all(|(table, result)| test(table, result))
        }
        (Ours::Fail(sqlstate), Err(error)) => error.sqlstate == *sqlstate,
        _ => false,
    }
}

/// Whether the answers have the same shape, and values that are the same or differ as `may` says.
fn same_but(table: &Table, result: &ResultSet, may: fn(&Json, &Value) -> bool) -> bool {
    table.columns.len() == result.columns.len()
        && table.rows.len() == result.rows.len()
        && table.rows.iter().zip(&result.rows).all(|(expected, actual)| {
            expected
                .iter()
                .zip(actual)
                .all(|(expected, actual)| shown(expected) == actual.to_string() || may(expected, actual))
        })
}

fn shown(expected: &Json) -> String {
    match expected {
        Json::String(text) => text.clone(),
        Json::Null => "NULL".to_owned(),
        other => other.to_string(),
    }
}

fn truncates_to(expected: &Json, actual: &Value) -> bool {
    matches!(actual, Value::Decimal(v) if v.to_i64() == expected.as_i64() && expected.is_i64())
}

fn is_same_integer(expected: &Json, actual: &Value) -> bool {
    expected.is_i64() && expected.as_i64() == actual.as_i64()
}

fn is_same_decimal(expected: &Json, actual: &Value) -> bool {
    let decimal = |text: &str| text.parse::<Decimal>().ok();
    matches!((expected, actual), (Json::String(a), Value::Text(b)) if decimal(a).is_some() && decimal(a) == decimal(b))
}

fn is_a_millisecond_later(expected: &Json, actual: &Value) -> bool {
    let Value::Timestamp(actual) = actual else { return false };
    let expected = expected.as_str().and_then(|text| text.parse::<votedb::types::Timestamp>().ok());
    expected.is_some_and(|expected| actual.micros() < 0 && actual.micros() - expected.micros() == 1000)
}
