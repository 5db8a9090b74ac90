//! One case on a database, and what came of it.

use super::case::{Case, Expected, Parameter};
use super::compare::{difference, shown_table};
use super::errors::fits;
use super::rules;
use std::collections::BTreeMap;
use votedb::sql::ast::Statement;
use votedb::sql::{Span, parse_statement, split};
use votedb::types::{Decimal, Timestamp};
use votedb::{Config, Database, ResultSet, StatementError, Value};

/// How an answer compares with VoltDB's.
pub enum Verdict {
    Equal,
    /// It differs where it may: a case marked so, or one of the rules.
    OnPurpose,
    Wrong(String),
}

/// Databases after their setup, kept as long as nothing has changed them.
pub struct Bench {
    setups: BTreeMap<String, Vec<String>>,
    ready: BTreeMap<String, Database>,
}

type Answer = Result<Vec<ResultSet>, StatementError>;

impl Bench {
    pub fn new(setups: BTreeMap<String, Vec<String>>) -> Bench {
        Bench { setups, ready: BTreeMap::new() }
    }

    pub fn run(&mut self, case: &Case) -> Verdict {
        let db = match self.ready.remove(&case.setup).map_or_else(|| self.open(&case.setup), Ok) {
            Ok(db) => db,
            Err(error) => return Verdict::Wrong(format!("    setup {}: {error}", case.setup)),
        };
        for statement in &case.before {
            if let Err(error) = db.execute(statement, &[]) {
                return Verdict::Wrong(format!("    before, {statement}: {error}"));
            }
        }
        let answer = answer(&db, case);
        let reads = case.sql.as_ref().is_some_and(|sql| {
            split(sql).iter().all(|p| {
                matches!(
                    parse_statement(&sql[p.span.start..p.span.end]),
                    Ok(Statement::Query(_) | Statement::Explain(_))
                )
            })
        });
        let mut problems = String::new();
        if let Some(problem) = problem(&case.expected, &answer) {
            problems += &problem;
        }
        for check in &case.check {
            let state = db.execute(&check.sql, &[]).map(|done| done.results);
            if let Some(problem) = problem(&check.expected, &state) {
                problems += &format!("    check:    {}\n{problem}", check.sql);
            }
        }
        if reads && case.before.is_empty() {
            self.ready.insert(case.setup.clone(), db);
        }
        match problems.is_empty() {
            true => Verdict::Equal,
            false if case.quirk || rules::reason(case, &answer).is_some() => Verdict::OnPurpose,
            false => Verdict::Wrong(problems),
        }
    }

    fn open(&self, setup: &str) -> Result<Database, String> {
        let db = Database::open(Config::partitions(2)).map_err(|error| error.to_string())?;
        let statements = self.setups.get(setup).ok_or("no such block")?;
        let (rows, definitions): (Vec<&String>, Vec<&String>) =
            statements.iter().partition(|statement| statement.starts_with("INSERT"));
        let definitions: Vec<&str> = definitions.into_iter().map(String::as_str).collect();
        db.execute_batch(&definitions.join("\n")).map_err(|errors| errors[0].to_string())?;
        for row in rows {
            db.execute(row.trim_end_matches(';'), &[]).map_err(|error| format!("{row}: {error}"))?;
        }
        Ok(db)
    }
}

/// What differs, in the lines of a report, or nothing.
fn problem(expected: &Expected, answer: &Answer) -> Option<String> {
    let got = match (expected.tables(), answer) {
        (Some(tables), Ok(results)) => {
            let got = difference(&tables, results, expected.ordered)?;
            let wanted: Vec<String> = tables.iter().map(shown_table).collect();
            return Some(format!("    expected: {}\n    got:      {got}\n", wanted.join("; ")));
        }
        (None, Ok(results)) => {
            let rows: Vec<String> = results.iter().flat_map(|r| &r.rows).map(|row| format!("{row:?}")).collect();
            format!("success {}", rows.join(" "))
        }
        (None, Err(error)) if fits(error, expected) => return None,
        (_, Err(error)) => format!("error {}: {}", error.sqlstate, error.message),
    };
    let wanted = match expected.tables() {
        Some(tables) => tables.iter().map(shown_table).collect::<Vec<_>>().join("; "),
        None => format!("error {} {}", expected.class(), expected.sqlstate_or_null.as_deref().unwrap_or("")),
    };
    Some(format!("    expected: {}\n    got:      {got}\n", wanted.trim_end()))
}

fn answer(db: &Database, case: &Case) -> Answer {
    let values = case.params.iter().map(value_of).collect::<Result<Vec<Value>, StatementError>>()?;
    if let Some(name) = &case.call {
        let mut procedure = db.procedure(name).map_err(|error| StatementError::from(&*error))?;
        return Ok(procedure.call(&values).map_err(|error| StatementError::from(&*error))?.results);
    }
    let sql = case.sql.as_deref().expect("a case is a statement or a call");
    let pieces: Vec<&str> = split(sql).into_iter().map(|piece| &sql[piece.span.start..piece.span.end]).collect();
    match pieces.as_slice() {
        [] | [_] => Ok(db.execute(sql, &values)?.results),
        pieces if pieces.iter().all(|piece| matches!(parse_statement(piece), Ok(Statement::Ddl(_)))) => {
            db.execute_batch(sql).map(|_| Vec::new()).map_err(|mut errors| errors.swap_remove(0))
        }
        pieces => {
            let mut results = Vec::new();
            for piece in pieces {
                results.extend(db.execute(piece, &values)?.results);
            }
            Ok(results)
        }
    }
}

/// An argument as the library takes it.
fn value_of(parameter: &Parameter) -> Result<Value, StatementError> {
    let (ty, value) = parameter.parts();
    let bad = || StatementError::new(format!("no client sends {value} as {ty}"), Span::NONE);
    Ok(match (ty, value) {
        (_, serde_json::Value::Null) => Value::Null,
        (ty, serde_json::Value::Array(list)) => Value::Array(
            list.iter()
                .map(|value| value_of(&Parameter::Pair(ty.to_owned(), value.clone())))
                .collect::<Result<_, _>>()?,
        ),
        ("VARCHAR", value) => Value::Text(value.as_str().ok_or_else(bad)?.to_owned()),
        ("FLOAT", serde_json::Value::String(text)) => Value::Float(text.parse().map_err(|_| bad())?),
        ("FLOAT", value) => Value::Float(value.as_f64().ok_or_else(bad)?),
        ("DECIMAL", value) => Value::Decimal(value.as_str().ok_or_else(bad)?.parse::<Decimal>().map_err(|_| bad())?),
        ("TIMESTAMP", value) => {
            let text = value.as_str().ok_or_else(bad)?;
            Value::Timestamp(match text.strip_prefix("us:") {
                Some(micros) => Timestamp::from_micros(micros.parse().map_err(|_| bad())?),
                None => text.parse().map_err(|_| bad())?,
            })
        }
        ("VARBINARY", value) => {
            let hex = value.as_str().ok_or_else(bad)?;
            let bytes = (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16));
            Value::Bytes(bytes.collect::<Result<_, _>>().map_err(|_| bad())?)
        }
        (_, value) => Value::Int(value.as_i64().ok_or_else(bad)?),
    })
}
