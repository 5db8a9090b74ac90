//! Reads of many rows: the engine, a loop by hand over the same rows, and SQLite in memory, in one process and one run.
//!
//! ```text
//! cargo bench --bench analytics                  1 million rows scanned and joined, 10 million grouped, three repetitions
//! cargo bench --bench analytics -- 200000 1      that many rows (ten times as many grouped), that many repetitions
//! ```
//!
//! One partition, one thread, statements prepared or cached on both sides. Each repetition measures all of them one after
//! the other; ratios are taken within a repetition, and the median counts.

use rusqlite::Connection;
use std::collections::HashMap;
use std::time::Instant;
use votedb::{Config, Database, SessionOptions, Value};

/// Length of the text that makes a scanned row about 200 bytes long.
const NOTE_BYTES: usize = 160;
const GROUPS: u64 = 1_000;

struct Row {
    id: i64,
    kind: i32,
    amount: i64,
    price: f64,
    note: String,
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let rows = numbers.first().copied().unwrap_or(1_000_000);
    let repetitions = numbers.get(1).copied().unwrap_or(3);
    let only = std::env::args().find(|arg| ["scan", "group", "join"].contains(&arg.as_str()));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    println!("{rows} rows, {repetitions} repetitions; milliseconds\n");
    if wanted("scan") {
        scan(rows, repetitions);
    }
    if wanted("group") {
        group(rows * 10, repetitions);
    }
    if wanted("join") {
        join(rows, repetitions);
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Milliseconds that `work` takes, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = work();
    (started.elapsed().as_secs_f64() * 1e3, result)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures by hand, the engine and SQLite in turn; all must give the same row.
fn compare(
    name: &str,
    repetitions: usize,
    by_hand: impl Fn() -> Vec<i64>,
    db: &Database,
    sqlite: &Connection,
    sql: &str,
) {
    let mut prepared = sqlite.prepare(sql).expect("SQLite knows the statement");
    let columns = prepared.column_count();
    let mut times: Vec<[f64; 3]> = Vec::new();
    for repetition in 0..=repetitions {
        let (hand_ms, wanted) = timed(&by_hand);
        let (engine_ms, answer) = timed(|| db.query(sql, &[]).expect("the statement runs"));
        let (sqlite_ms, theirs) = timed(|| {
            let mut rows = prepared.query([]).expect("the statement runs");
            let mut all: Vec<i64> = Vec::new();
            while let Some(row) = rows.next().expect("a row") {
                all.extend((0..columns).map(|i| row.get::<_, i64>(i).expect("an integer")));
            }
            all
        });
        let ours: Vec<i64> = answer.rows.iter().flatten().map(integer).collect();
        assert_eq!(ours, wanted, "{name}: the engine against the loop");
        assert_eq!(theirs, wanted, "{name}: SQLite against the loop");
        // The first round warms all three up.
        if repetition > 0 {
            println!("  {name}: by hand {hand_ms:.1}   engine {engine_ms:.1}   SQLite {sqlite_ms:.1}");
            times.push([hand_ms, engine_ms, sqlite_ms]);
        }
    }
    let hand = median(times.iter().map(|t| t[0] / t[1]).collect());
    let lite = median(times.iter().map(|t| t[2] / t[1]).collect());
    println!("  {name}: {hand:.2} of the speed by hand, {lite:.1} times SQLite\n");
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        Value::Decimal(value) => value.to_string().parse().expect("a whole number"),
        other => panic!("{other:?} is not an integer"),
    }
}

/// Fills `table` of both databases: `row(i)` gives the values of row `i`.
fn fill(
    db: &Database,
    sqlite: &Connection,
    table: &str,
    count: usize,
    columns: usize,
    row: impl Fn(usize) -> Vec<Value>,
) {
    let procedure = db.procedure(&format!("add_{table}")).expect("the schema has it");
    let mut session = db.session(SessionOptions::default());
    let marks = vec!["?"; columns].join(", ");
    sqlite.execute_batch("BEGIN").expect("a transaction");
    let mut insert = sqlite.prepare(&format!("INSERT INTO {table} VALUES ({marks})")).expect("the table is there");
    for i in 0..count {
        let values = row(i);
        insert
            .execute(rusqlite::params_from_iter(values.iter().map(|value| -> rusqlite::types::Value {
                match value {
                    Value::Int(v) => (*v).into(),
                    Value::Float(v) => (*v).into(),
                    Value::Text(v) => v.to_string().into(),
                    other => panic!("{other:?} is not used here"),
                }
            })))
            .expect("the row is stored");
        session.submit(&procedure, &values, i as u64).expect("the arguments fit");
        session.take_ready(|_, answer| drop(answer.expect("the row is stored")));
    }
    session.drain(|_, answer| drop(answer.expect("the row is stored")));
    drop(insert);
    sqlite.execute_batch("COMMIT").expect("a transaction");
}

fn open(ddl: &str, sqlite_ddl: &str) -> (Database, Connection) {
    let db = Database::open(Config::partitions(1)).expect("an empty database");
    db.execute_script(ddl).expect("the schema is right");
    let sqlite = Connection::open_in_memory().expect("SQLite opens");
    sqlite.execute_batch(sqlite_ddl).expect("the schema is right");
    (db, sqlite)
}

/// A full scan with a filter and an aggregate.
fn scan(count: usize, repetitions: usize) {
    let mut seed = 1;
    let rows: Vec<Row> = (0..count)
        .map(|i| {
            let random = next(&mut seed);
            Row {
                id: i as i64,
                kind: (random % 1_000) as i32,
                amount: (random >> 20) as i64 % 1_000_000,
                price: (random >> 40) as f64 / 8.0,
                note: format!("{:0width$}", random, width = NOTE_BYTES),
            }
        })
        .collect();
    let columns = "id BIGINT NOT NULL, kind INTEGER NOT NULL, amount BIGINT NOT NULL, price FLOAT NOT NULL";
    let (db, sqlite) = open(
        &format!(
            "CREATE TABLE sale ({columns}, note VARCHAR(200) NOT NULL);
             PARTITION TABLE sale ON COLUMN id;
             CREATE PROCEDURE add_sale PARTITION ON TABLE sale COLUMN id AS INSERT INTO sale VALUES (?, ?, ?, ?, ?);"
        ),
        &format!("CREATE TABLE sale ({columns}, note TEXT NOT NULL)"),
    );
    fill(&db, &sqlite, "sale", count, 5, |i| {
        let row = &rows[i];
        vec![
            Value::Int(row.id),
            Value::Int(row.kind.into()),
            Value::Int(row.amount),
            Value::Float(row.price),
            Value::Text(row.note.clone()),
        ]
    });
    let by_hand = || {
        let (mut n, mut sum, mut largest) = (0, 0, 0);
        for row in &rows {
            if row.kind < 300 && row.price > 1_000.0 {
                n += 1;
                sum += row.amount;
                largest = largest.max(row.id);
            }
        }
        std::hint::black_box(rows.iter().map(|r| r.note.as_ptr()).next());
        vec![n, sum, largest]
    };
    let sql = "SELECT COUNT(*), SUM(amount), MAX(id) FROM sale WHERE kind < 300 AND price > 1000.0";
    compare("filter and aggregate", repetitions, by_hand, &db, &sqlite, sql);
}

/// GROUP BY into a thousand groups.
fn group(count: usize, repetitions: usize) {
    let mut seed = 2;
    let rows: Vec<(i64, i32, i64)> =
        (0..count).map(|i| (i as i64, (next(&mut seed) % GROUPS) as i32, (next(&mut seed) % 1_000) as i64)).collect();
    let columns = "id BIGINT NOT NULL, kind INTEGER NOT NULL, amount BIGINT NOT NULL";
    let (db, sqlite) = open(
        &format!(
            "CREATE TABLE item ({columns});
             PARTITION TABLE item ON COLUMN id;
             CREATE PROCEDURE add_item PARTITION ON TABLE item COLUMN id AS INSERT INTO item VALUES (?, ?, ?);"
        ),
        &format!("CREATE TABLE item ({columns})"),
    );
    fill(&db, &sqlite, "item", count, 3, |i| {
        vec![Value::Int(rows[i].0), Value::Int(rows[i].1.into()), Value::Int(rows[i].2)]
    });
    let by_hand = || {
        let mut groups: HashMap<i32, (i64, i64)> = HashMap::new();
        for &(_, kind, amount) in &rows {
            let group = groups.entry(kind).or_default();
            group.0 += 1;
            group.1 += amount;
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable();
        groups.into_iter().flat_map(|(kind, (n, sum))| [kind.into(), n, sum]).collect()
    };
    let sql = "SELECT kind, COUNT(*), SUM(amount) FROM item GROUP BY kind ORDER BY kind";
    compare("group", repetitions, by_hand, &db, &sqlite, sql);
}

/// A join of two tables of the same size, without an index on the key.
fn join(count: usize, repetitions: usize) {
    let mut seed = 3;
    let mut keys: Vec<i64> = (0..count as i64).collect();
    for at in (1..count).rev() {
        keys.swap(at, (next(&mut seed) % (at as u64 + 1)) as usize);
    }
    let right: Vec<(i64, i64)> = keys.iter().map(|&key| (key, (next(&mut seed) % 1_000) as i64)).collect();
    let left: Vec<(i64, i64)> = (0..count).map(|i| (i as i64, (next(&mut seed) % count as u64) as i64)).collect();
    let tables = "CREATE TABLE l (id BIGINT NOT NULL, r_key BIGINT NOT NULL);
                  CREATE TABLE r (r_key BIGINT NOT NULL, amount BIGINT NOT NULL);";
    let (db, sqlite) = open(
        &format!(
            "{tables} PARTITION TABLE l ON COLUMN id; PARTITION TABLE r ON COLUMN r_key;
             CREATE PROCEDURE add_l PARTITION ON TABLE l COLUMN id AS INSERT INTO l VALUES (?, ?);
             CREATE PROCEDURE add_r PARTITION ON TABLE r COLUMN r_key AS INSERT INTO r VALUES (?, ?);"
        ),
        tables,
    );
    fill(&db, &sqlite, "l", count, 2, |i| vec![Value::Int(left[i].0), Value::Int(left[i].1)]);
    fill(&db, &sqlite, "r", count, 2, |i| vec![Value::Int(right[i].0), Value::Int(right[i].1)]);
    let by_hand = || {
        let table: HashMap<i64, i64> = right.iter().copied().collect();
        let (mut n, mut sum) = (0, 0);
        for (_, key) in &left {
            if let Some(amount) = table.get(key) {
                n += 1;
                sum += amount;
            }
        }
        vec![n, sum]
    };
    let sql = "SELECT COUNT(*), SUM(r.amount) FROM l JOIN r ON l.r_key = r.r_key";
    compare("hash join", repetitions, by_hand, &db, &sqlite, sql);
}
