//! Random queries of the dialect that SQLite shares with us: the same rows from SQLite, and from ours with 1, 2 and 7
//! partitions, with and without indexes.
//!
//! `DIFFERENTIAL_ROUNDS=N` runs N rounds of 40 queries, each on other rows (25 without it), `DIFFERENTIAL_SEED=N` starts at
//! that seed; a failure names its seed.

mod generate;

use generate::{INDEXES, PARTITIONING, Random, TABLES};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use votedb::{Config, Database, Value};

const QUERIES: usize = 40;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn sqlite_gives_the_same_rows_whatever_the_partitions_and_indexes() {
    let first = setting("DIFFERENTIAL_SEED", 1);
    for seed in first..first + setting("DIFFERENTIAL_ROUNDS", 25) {
        let mut random = Random::new(seed);
        let rows = generate::rows(&mut random);
        let sqlite = sqlite(&rows);
        let ours: Vec<(String, Database)> = [(1, false), (2, true), (7, false), (7, true)]
            .map(|(partitions, indexes)| {
                (format!("{partitions} partitions, indexes: {indexes}"), open(partitions, indexes, &rows))
            })
            .into();
        for _ in 0..QUERIES {
            let (sql, is_ordered) = generate::query(&mut random);
            let expected = rows_of_sqlite(&sqlite, &sql, is_ordered);
            for (what, db) in &ours {
                let got = rows_of_ours(db, &sql, is_ordered);
                assert!(
                    got.as_ref() == Ok(&expected),
                    "seed {seed}, {what}:\n{sql}\nSQLite: {expected:?}\nours:   {got:?}\nrows:\n{}",
                    rows.join(";\n")
                );
            }
        }
    }
}

fn sqlite(rows: &[String]) -> Connection {
    let connection = Connection::open_in_memory().expect("SQLite opens in memory");
    connection.execute_batch("PRAGMA case_sensitive_like = ON").expect("SQLite has this pragma");
    for statement in TABLES.iter().copied().chain(rows.iter().map(String::as_str)) {
        connection.execute(statement, []).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    connection
}

fn open(partitions: usize, indexes: bool, rows: &[String]) -> Database {
    let db = Database::open(Config::partitions(partitions)).expect("opens");
    let indexes: &[&str] = if indexes { &INDEXES } else { &[] };
    let rows = rows.iter().map(String::as_str);
    for statement in TABLES.iter().chain(&PARTITIONING).chain(indexes).copied().chain(rows) {
        db.execute(statement, &[]).unwrap_or_else(|error| panic!("{}", error.render(statement, None)));
    }
    db
}

fn rows_of_sqlite(connection: &Connection, sql: &str, is_ordered: bool) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let width = statement.column_count();
    let mut rows = statement.query([]).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut out = Vec::new();
    while let Some(row) = rows.next().unwrap_or_else(|error| panic!("{sql}: {error}")) {
        let values = (0..width).map(|i| match row.get_ref(i).expect("a column") {
            ValueRef::Null => "NULL".to_owned(),
            ValueRef::Integer(v) => v.to_string(),
            ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
            other => panic!("{sql}: {other:?} is no value of the shared dialect"),
        });
        out.push(values.collect::<Vec<_>>().join(", "));
    }
    if !is_ordered {
        out.sort();
    }
    out
}

fn rows_of_ours(db: &Database, sql: &str, is_ordered: bool) -> Result<Vec<String>, String> {
    let result = db.query(sql, &[]).map_err(|error| error.render(sql, None))?;
    let mut rows: Vec<String> = result
        .rows
        .iter()
        .map(|row| {
            let values = row.iter().map(|value| match value {
                Value::Text(text) => format!("'{text}'"),
                value => value.to_string(),
            });
            values.collect::<Vec<_>>().join(", ")
        })
        .collect();
    if !is_ordered {
        rows.sort();
    }
    Ok(rows)
}
