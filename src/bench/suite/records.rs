//! Records: the seventeen scenarios of a document store's report, beside the figures that were published of it.
//!
//! A record has an account number from 13,000,000,000 on, a session, a status and a context: about 200 bytes as JSON.
//! It is kept as columns or, as a document, as one JSON text beside its key. A call is a transaction, through a stored
//! procedure; "several processes" are clients in threads.

use std::fmt::Write as _;

use crate::bench::random::Random;
use crate::bench::results::{Entry, Published};
use crate::bench::suite::work::{Measured, Until, Worker, check, drive, entry};
use crate::client::{Config, Database, Prepared, Session, SessionOptions};
use crate::types::Value;

const FIRST: i64 = 13_000_000_000;
const BATCH: usize = 2_000;
/// Records of the published writes, and of the reads and updates.
const WRITES: f64 = 1e6;
const STORED: f64 = 1e7;
/// Bytes that a record takes at most, with its index: what the default size is chosen by.
const RECORD_BYTES: u64 = 700;

/// How a record is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Columns,
    Document,
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Shape::Columns => "columns",
            Shape::Document => "JSON documents",
        }
    }

    fn schema(self) -> &'static str {
        match self {
            Shape::Columns => {
                "CREATE TABLE records (acc_no BIGINT NOT NULL PRIMARY KEY, session_id VARCHAR(24) NOT NULL,
                   status INTEGER NOT NULL, context VARCHAR(80) NOT NULL);
                 PARTITION TABLE records ON COLUMN acc_no;
                 CREATE PROCEDURE PutRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 0
                   AS INSERT INTO records VALUES (?, ?, ?, ?);
                 CREATE PROCEDURE GetRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 0
                   AS SELECT acc_no, session_id, status, context FROM records WHERE acc_no = ?;
                 CREATE PROCEDURE SetRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 2
                   AS UPDATE records SET status = ?, context = ? WHERE acc_no = ?;"
            }
            Shape::Document => {
                "CREATE TABLE records (acc_no BIGINT NOT NULL PRIMARY KEY, document VARCHAR(400) NOT NULL);
                 PARTITION TABLE records ON COLUMN acc_no;
                 CREATE PROCEDURE PutRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 0
                   AS INSERT INTO records VALUES (?, ?);
                 CREATE PROCEDURE GetRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 0
                   AS SELECT acc_no, document FROM records WHERE acc_no = ?;
                 CREATE PROCEDURE SetRecord PARTITION ON TABLE records COLUMN acc_no PARAMETER 1
                   AS UPDATE records SET document = ? WHERE acc_no = ?;"
            }
        }
    }

    /// A record's values, its key first.
    fn put(self, number: u64, status: i64) -> Vec<Value> {
        let key = FIRST + number as i64;
        match self {
            Shape::Columns => {
                vec![Value::Int(key), session(number).into(), Value::Int(status), context(number, status).into()]
            }
            Shape::Document => vec![Value::Int(key), document(number, status).into()],
        }
    }

    /// The arguments of an update.
    fn set(self, number: u64, status: i64) -> Vec<Value> {
        let key = FIRST + number as i64;
        match self {
            Shape::Columns => vec![Value::Int(status), context(number, status).into(), Value::Int(key)],
            Shape::Document => vec![document(number, status).into(), Value::Int(key)],
        }
    }

    /// A query over every record, with an aggregate that has to read what is not the key.
    fn scan(self) -> &'static str {
        match self {
            Shape::Columns => "SELECT COUNT(*), SUM(status) FROM records",
            Shape::Document => "SELECT COUNT(*), MAX(CHAR_LENGTH(document)) FROM records",
        }
    }
}

fn session(number: u64) -> String {
    format!("sid:{}", 10_000_000 + number)
}

fn context(number: u64, status: i64) -> String {
    format!("context of account {number:011} as of its change to status {status:07} here")
}

fn document(number: u64, status: i64) -> String {
    let mut text = String::with_capacity(220);
    let _ = write!(
        text,
        "{{\"acc_no\": {}, \"session_id\": \"{}\", \"status\": {status}, \"context\": \"{}\", \"kind\": \"subscriber session\"}}",
        FIRST + number as i64,
        session(number),
        context(number, status)
    );
    text
}

/// Another order of the numbers below `n`: each comes once, neighbours lie far apart.
fn shuffled(i: u64, n: u64) -> u64 {
    // A prime above any number of records, so that the multiples run through all remainders.
    (i as u128 * 1_000_000_000_039 % n as u128) as u64
}

/// What a scenario does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Each insert waits for its commit.
    InsertEach,
    /// Inserts with many calls in flight.
    InsertMany,
    InsertBatches,
    Read,
    Scan,
    Update,
}

/// One of the seventeen.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    does: Does,
    random: bool,
    clients: usize,
    /// 0: as many as asked for.
    partitions: usize,
    pub published: f64,
}

const fn scenario(
    name: &'static str,
    does: Does,
    random: bool,
    clients: usize,
    partitions: usize,
    published: f64,
) -> Scenario {
    Scenario { name, does, random, clients, partitions, published }
}

/// The seventeen, in the report's order, each with its published figure in records a second.
pub const SCENARIOS: [Scenario; 17] = [
    scenario("sequential insert, a commit each", Does::InsertEach, false, 1, 0, 2109.0),
    scenario("random insert, a commit each", Does::InsertEach, true, 1, 0, 2004.0),
    scenario("sequential insert", Does::InsertMany, false, 1, 0, 6250.0),
    scenario("random insert", Does::InsertMany, true, 1, 0, 5692.0),
    scenario("insert in batches of 2,000", Does::InsertBatches, false, 1, 0, 40160.0),
    scenario("2 writers", Does::InsertMany, false, 2, 0, 10094.0),
    scenario("4 writers", Does::InsertMany, false, 4, 0, 18068.0),
    scenario("9 writers", Does::InsertMany, false, 9, 0, 19584.0),
    scenario("sequential point reads", Does::Read, false, 1, 0, 3189.0),
    scenario("random point reads", Does::Read, true, 1, 0, 2539.0),
    scenario("full scan", Does::Scan, false, 1, 0, 544623.0),
    scenario("2 random readers on 2 partitions", Does::Read, true, 2, 2, 5016.0),
    scenario("4 random readers on 2 partitions", Does::Read, true, 4, 2, 8961.0),
    scenario("8 random readers on 2 partitions", Does::Read, true, 8, 2, 13321.0),
    scenario("8 random readers on 4 partitions", Does::Read, true, 8, 4, 12366.0),
    scenario("sequential updates", Does::Update, false, 1, 0, 4147.0),
    scenario("random updates", Does::Update, true, 1, 0, 4019.0),
];

/// How much is run.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Records that a scenario of writes inserts, and calls of the others.
    pub writes: u64,
    /// Records that reads and updates find.
    pub stored: u64,
}

impl Size {
    /// `scale` as a multiple of the published sizes; none: those, as far as `memory_bytes` allow.
    pub fn of(scale: Option<f64>, memory_bytes: u64) -> Size {
        let scaled = |n: f64| ((n * scale.unwrap_or(1.0)) as u64).max(BATCH as u64);
        let room = if scale.is_some() || memory_bytes == 0 { u64::MAX } else { memory_bytes / 2 / RECORD_BYTES };
        Size { writes: scaled(WRITES).min(room), stored: scaled(STORED).min(room) }
    }
}

/// Runs the scenarios one after the other; `told` gets each entry as it is done. A signal ends the list.
pub fn run(
    shape: Shape,
    size: Size,
    partitions: usize,
    seed: u64,
    told: &mut dyn FnMut(&Entry),
) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    // Readers share a store as long as they want the same partitions.
    let mut store: Option<(usize, Database)> = None;
    for scenario in &SCENARIOS {
        let partitions = if scenario.partitions == 0 { partitions } else { scenario.partitions };
        let inserts = matches!(scenario.does, Does::InsertEach | Does::InsertMany | Does::InsertBatches);
        let db = match &store {
            Some((of, db)) if !inserts && *of == partitions => db.clone(),
            _ => {
                drop(store.take());
                let db = open(shape, partitions)?;
                if !inserts {
                    fill(&db, shape, size.stored)?;
                    store = Some((partitions, db.clone()));
                }
                db
            }
        };
        let (measured, broken) = measure(scenario, &db, shape, size, seed)?;
        let interrupted = measured.interrupted;
        let unit = "records/s";
        let mut entry = entry(&format!("{}: {}", shape.name(), scenario.name), shape.name(), unit, &[measured], broken);
        entry.x = entries.len() as f64 + 1.0;
        entry.published = vec![Published { of: String::new(), value: scenario.published }];
        entry.note = note(scenario, partitions, size);
        told(&entry);
        entries.push(entry);
        if interrupted {
            break;
        }
    }
    Ok(entries)
}

fn note(scenario: &Scenario, partitions: usize, size: Size) -> String {
    let how = match scenario.does {
        Does::InsertEach => "each call waits for its commit; in memory, nothing synchronous on disk",
        Does::InsertMany => {
            "many calls in flight, a transaction each; latencies are those of handing a call over; in memory"
        }
        Does::InsertBatches => "one statement of 2,000 rows, one transaction on all partitions; in memory",
        Does::Read | Does::Update => "each call waits for its answer",
        Does::Scan => "one query over all records, repeated",
    };
    let records = match scenario.does {
        Does::InsertEach | Does::InsertMany | Does::InsertBatches => size.writes,
        _ => size.stored,
    };
    format!("{records} records, {} client(s), {partitions} partition(s); {how}", scenario.clients)
}

fn open(shape: Shape, partitions: usize) -> Result<Database, String> {
    let db = Database::open(Config { timeout: None, ..Config::partitions(partitions) }).map_err(|e| e.to_string())?;
    let schema = shape.schema();
    db.execute_script(schema).map_err(|error| error.render(schema, None))?;
    Ok(db)
}

fn fill(db: &Database, shape: Shape, records: u64) -> Result<(), String> {
    let mut inserts = Inserts::new(db, shape, 0, records, 1, false)?;
    for _ in 0..records {
        inserts.step()?;
    }
    inserts.finish().map(|_| ())
}

fn measure(
    scenario: &Scenario,
    db: &Database,
    shape: Shape,
    size: Size,
    seed: u64,
) -> Result<(Measured, Vec<String>), String> {
    let (clients, n) = (scenario.clients as u64, size.writes);
    let share = n / clients;
    let mut workers: Vec<Box<dyn Worker>> = Vec::new();
    let mut steps = share;
    for client in 0..clients {
        let of = |name: &str| db.procedure(name).map_err(|error| error.to_string());
        let random = Random::stream(seed, client);
        workers.push(match scenario.does {
            Does::InsertEach => {
                Box::new(InsertEach { put: of("PutRecord")?, shape, next: 0, n, random: scenario.random })
            }
            Does::InsertMany => Box::new(Inserts::new(db, shape, client, n, clients, scenario.random)?),
            Does::InsertBatches => {
                steps = n / BATCH as u64;
                Box::new(Batches { db: db.clone(), shape, next: 0, sql: batch_sql(shape) })
            }
            Does::Read => {
                let order = if scenario.random { Some(random) } else { None };
                Box::new(Reads { get: of("GetRecord")?, stored: size.stored, next: 0, random: order })
            }
            Does::Scan => {
                steps = 3;
                Box::new(Scans { db: db.clone(), sql: shape.scan(), stored: size.stored as i64 })
            }
            Does::Update => {
                let order = if scenario.random { Some(random) } else { None };
                Box::new(Updates { set: of("SetRecord")?, shape, stored: size.stored, next: 0, random: order })
            }
        });
    }
    let measured = drive(workers, Until::Steps(steps))?;
    let mut broken = Vec::new();
    match scenario.does {
        Does::InsertEach | Does::InsertMany | Does::InsertBatches => {
            let told = measured.units as i64;
            check(db, "SELECT COUNT(*) FROM records", told, &mut broken);
            check(db, "SELECT MIN(acc_no) FROM records", FIRST, &mut broken);
        }
        Does::Update => check(db, "SELECT COUNT(*) FROM records", size.stored as i64, &mut broken),
        Does::Read | Does::Scan => {}
    }
    Ok((measured, broken))
}

struct InsertEach {
    put: Prepared,
    shape: Shape,
    next: u64,
    n: u64,
    random: bool,
}

impl Worker for InsertEach {
    fn step(&mut self) -> Result<u64, String> {
        let number = if self.random { shuffled(self.next, self.n) } else { self.next };
        self.next += 1;
        self.put.call(&self.shape.put(number, 1)).map(|_| 1).map_err(|error| error.to_string())
    }
}

/// Inserts every `clients`-th record with many calls in flight.
struct Inserts {
    put: Prepared,
    session: Session,
    shape: Shape,
    next: u64,
    n: u64,
    clients: u64,
    random: bool,
    failed: Option<String>,
}

impl Inserts {
    fn new(db: &Database, shape: Shape, client: u64, n: u64, clients: u64, random: bool) -> Result<Inserts, String> {
        let put = db.procedure("PutRecord").map_err(|error| error.to_string())?;
        let session = db.session(SessionOptions { in_flight_max: 1024, batch: 128 });
        Ok(Inserts { put, session, shape, next: client, n, clients, random, failed: None })
    }

    fn outcome(&mut self, answered: usize) -> Result<u64, String> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(answered as u64),
        }
    }
}

impl Worker for Inserts {
    fn step(&mut self) -> Result<u64, String> {
        let number = if self.random { shuffled(self.next, self.n) } else { self.next };
        self.next += self.clients;
        self.session.submit(&self.put, &self.shape.put(number, 1), number).map_err(|error| error.to_string())?;
        let failed = &mut self.failed;
        let answered = self.session.take_ready(|_, answer| {
            if let Err(error) = answer {
                failed.get_or_insert_with(|| error.to_string());
            }
        });
        self.outcome(answered)
    }

    fn finish(&mut self) -> Result<u64, String> {
        let (failed, mut answered) = (&mut self.failed, 0);
        self.session.drain(|_, answer| {
            answered += 1;
            if let Err(error) = answer {
                failed.get_or_insert_with(|| error.to_string());
            }
        });
        self.outcome(answered)
    }
}

fn batch_sql(shape: Shape) -> String {
    let row = if shape == Shape::Columns { "(?, ?, ?, ?)" } else { "(?, ?)" };
    format!("INSERT INTO records VALUES {}", vec![row; BATCH].join(", "))
}

struct Batches {
    db: Database,
    shape: Shape,
    next: u64,
    sql: String,
}

impl Worker for Batches {
    fn step(&mut self) -> Result<u64, String> {
        let values: Vec<Value> =
            (self.next..self.next + BATCH as u64).flat_map(|number| self.shape.put(number, 1)).collect();
        self.next += BATCH as u64;
        self.db.execute(&self.sql, &values).map_err(|error| error.message)?;
        Ok(BATCH as u64)
    }
}

/// The next number below `stored`: in order, or by chance.
fn choose(stored: u64, next: &mut u64, random: &mut Option<Random>) -> u64 {
    match random {
        Some(random) => random.below(stored),
        None => {
            *next += 1;
            (*next - 1) % stored
        }
    }
}

struct Reads {
    get: Prepared,
    stored: u64,
    next: u64,
    random: Option<Random>,
}

impl Worker for Reads {
    fn step(&mut self) -> Result<u64, String> {
        let key = FIRST + choose(self.stored, &mut self.next, &mut self.random) as i64;
        let answer = self.get.call(&[Value::Int(key)]).map_err(|error| error.to_string())?;
        match answer.results.first().map(|found| &found.rows[..]) {
            Some([row]) if row[0] == Value::Int(key) => Ok(1),
            _ => Err(format!("no single record {key}")),
        }
    }
}

struct Scans {
    db: Database,
    sql: &'static str,
    stored: i64,
}

impl Worker for Scans {
    fn step(&mut self) -> Result<u64, String> {
        let rows = self.db.query(self.sql, &[]).map_err(|error| error.render(self.sql, None))?;
        match rows.rows.first().and_then(|row| row[0].as_i64()) {
            Some(count) if count == self.stored => Ok(count as u64),
            other => Err(format!("the scan saw {other:?} of {} records", self.stored)),
        }
    }
}

struct Updates {
    set: Prepared,
    shape: Shape,
    stored: u64,
    next: u64,
    random: Option<Random>,
}

impl Worker for Updates {
    fn step(&mut self) -> Result<u64, String> {
        let number = choose(self.stored, &mut self.next, &mut self.random);
        let answer = self.set.call(&self.shape.set(number, 2)).map_err(|error| error.to_string())?;
        match answer.results.first().and_then(|changed| changed.scalar_value()).and_then(Value::as_i64) {
            Some(1) => Ok(1),
            other => Err(format!("an update changed {other:?} records")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_about_200_bytes_as_json() {
        let text = document(77, 3);
        assert!((180..=230).contains(&text.len()), "{}", text.len());
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["acc_no"], &json["session_id"]), (&13_000_000_077i64.into(), &"sid:10000077".into()));
        assert!((60..=75).contains(&context(77, 3).len()));
    }

    #[test]
    fn the_other_order_has_every_number_once() {
        for n in [1, 7, 2_000, 10_007] {
            let mut seen: Vec<u64> = (0..n).map(|i| shuffled(i, n)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n));
        }
    }

    #[test]
    fn all_seventeen_run_in_both_shapes_and_their_checks_hold() {
        for shape in [Shape::Columns, Shape::Document] {
            let size = Size { writes: 4_000, stored: 4_000 };
            let entries = run(shape, size, 2, 1, &mut |_| {}).unwrap();
            assert_eq!(entries.len(), 17);
            for entry in entries {
                assert!(entry.verified && entry.throughput > 0.0, "{entry:?}");
            }
        }
    }

    #[test]
    fn sizes_follow_the_scale_or_the_memory() {
        let size = Size::of(Some(0.01), 1);
        assert_eq!((size.writes, size.stored), (10_000, 100_000));
        assert_eq!(Size::of(None, 1_400_000_000).stored, 1_000_000);
        assert_eq!(Size::of(None, 0).stored, 10_000_000);
    }
}
