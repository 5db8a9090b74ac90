//! YCSB, the core workloads A to F: records of ten fields of 100 bytes under a text key, asked for by a Zipf distribution.
//!
//! The check: rows are those loaded plus the inserts, and the records' versions add up to the updates that the clients were
//! told of.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::bench::random::Random;
use crate::bench::suite::work::{Worker, check};
use crate::client::{Database, Prepared};
use crate::types::Value;

/// Records at scale 1.
const RECORDS: f64 = 100_000.0;
const FIELDS: usize = 10;
const FIELD_BYTES: usize = 100;
/// Longest scan of workload E.
const SCAN_MAX: u64 = 100;

/// What of a hundred operations are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mix {
    read: u64,
    update: u64,
    insert: u64,
    scan: u64,
    /// The rest: read, then update.
    latest: bool,
}

fn mix(letter: char) -> Option<Mix> {
    let of = |read, update, insert, scan, latest| Some(Mix { read, update, insert, scan, latest });
    match letter {
        'a' => of(50, 50, 0, 0, false),
        'b' => of(95, 5, 0, 0, false),
        'c' => of(100, 0, 0, 0, false),
        'd' => of(95, 0, 5, 0, true),
        'e' => of(0, 0, 5, 95, false),
        'f' => of(50, 0, 0, 0, false),
        _ => None,
    }
}

/// The letters of the workloads.
pub const LETTERS: [char; 6] = ['a', 'b', 'c', 'd', 'e', 'f'];

fn schema() -> String {
    let fields: Vec<String> = (0..FIELDS).map(|i| format!("field{i} VARCHAR({FIELD_BYTES}) NOT NULL")).collect();
    let marks = ["?"; FIELDS + 2].join(", ");
    format!(
        "CREATE TABLE usertable (ycsb_key VARCHAR(24) NOT NULL PRIMARY KEY, version BIGINT NOT NULL, {});
         PARTITION TABLE usertable ON COLUMN ycsb_key;
         CREATE PROCEDURE YcsbInsert PARTITION ON TABLE usertable COLUMN ycsb_key PARAMETER 0
           AS INSERT INTO usertable VALUES ({marks});
         CREATE PROCEDURE YcsbRead PARTITION ON TABLE usertable COLUMN ycsb_key PARAMETER 0
           AS SELECT * FROM usertable WHERE ycsb_key = ?;
         CREATE PROCEDURE YcsbUpdate PARTITION ON TABLE usertable COLUMN ycsb_key PARAMETER 1
           AS UPDATE usertable SET field0 = ?, version = version + 1 WHERE ycsb_key = ?;
         CREATE PROCEDURE YcsbScan AS SELECT * FROM usertable WHERE ycsb_key >= ? ORDER BY ycsb_key LIMIT ?;",
        fields.join(", ")
    )
}

fn key(number: u64) -> Value {
    // Hashed, so that neighbours in time are none in order.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    number.to_le_bytes().iter().for_each(|byte| hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    format!("user{:019}", hash >> 1).into()
}

fn field(number: u64, at: usize) -> Value {
    let mut random = Random::stream(number, at as u64);
    (0..FIELD_BYTES).map(|_| char::from(b'a' + random.below(26) as u8)).collect::<String>().into()
}

fn record(number: u64) -> Vec<Value> {
    let mut values = vec![key(number), Value::Int(0)];
    values.extend((0..FIELDS).map(|at| field(number, at)));
    values
}

/// Numbers below `n`, small ones more often: the Zipf distribution with exponent 0.99, by the method of Gray and others.
#[derive(Debug, Clone)]
pub struct Zipf {
    n: f64,
    zeta: f64,
    alpha: f64,
    eta: f64,
}

const THETA: f64 = 0.99;

impl Zipf {
    pub fn new(n: u64) -> Zipf {
        let zeta = (1..=n).map(|i| (i as f64).powf(-THETA)).sum::<f64>();
        let zeta2 = 1.0 + 0.5f64.powf(THETA);
        let n = n as f64;
        Zipf { n, zeta, alpha: 1.0 / (1.0 - THETA), eta: (1.0 - (2.0 / n).powf(1.0 - THETA)) / (1.0 - zeta2 / zeta) }
    }

    pub fn next(&self, random: &mut Random) -> u64 {
        let u = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let uz = u * self.zeta;
        if uz < 1.0 {
            return 0;
        }
        if uz < 1.0 + 0.5f64.powf(THETA) {
            return 1;
        }
        ((self.n * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as u64).min(self.n as u64 - 1)
    }
}

/// A loaded table, and what the clients were told.
pub struct Ycsb {
    letter: char,
    loaded: u64,
    zipf: Zipf,
    /// Numbers handed out to inserts, and those that are surely there.
    next: Arc<AtomicU64>,
    inserted: Arc<AtomicI64>,
    updated: Arc<AtomicI64>,
}

impl Ycsb {
    pub fn load(db: &Database, letter: char, scale: f64) -> Result<Ycsb, String> {
        let schema = schema();
        db.execute_script(&schema).map_err(|error| error.render(&schema, None))?;
        let loaded = ((RECORDS * scale) as u64).max(10);
        let mut insert = db.procedure("YcsbInsert").map_err(|error| error.to_string())?;
        for number in 0..loaded {
            insert.call(&record(number)).map_err(|error| error.to_string())?;
        }
        let next = Arc::new(AtomicU64::new(loaded));
        Ok(Ycsb { letter, loaded, zipf: Zipf::new(loaded), next, inserted: Arc::default(), updated: Arc::default() })
    }

    pub fn worker(&self, db: &Database, seed: u64, client: u64) -> Result<Box<dyn Worker>, String> {
        let of = |name: &str| db.procedure(name).map_err(|error| error.to_string());
        Ok(Box::new(User {
            mix: mix(self.letter).ok_or_else(|| format!("no workload ycsb-{}; there is: a to f", self.letter))?,
            read: of("YcsbRead")?,
            update: of("YcsbUpdate")?,
            insert: of("YcsbInsert")?,
            scan: of("YcsbScan")?,
            random: Random::stream(seed, client),
            zipf: self.zipf.clone(),
            loaded: self.loaded,
            next: Arc::clone(&self.next),
            counts: (0, 0),
            inserted: Arc::clone(&self.inserted),
            updated: Arc::clone(&self.updated),
        }))
    }

    /// The promises that the database broke.
    pub fn check(&self, db: &Database) -> Vec<String> {
        let mut broken = Vec::new();
        let rows = self.loaded as i64 + self.inserted.load(Relaxed);
        check(db, "SELECT COUNT(*) FROM usertable", rows, &mut broken);
        check(db, "SELECT SUM(version) FROM usertable", self.updated.load(Relaxed), &mut broken);
        broken
    }
}

struct User {
    mix: Mix,
    read: Prepared,
    update: Prepared,
    insert: Prepared,
    scan: Prepared,
    random: Random,
    zipf: Zipf,
    loaded: u64,
    next: Arc<AtomicU64>,
    /// Inserts and updates that this client was told of.
    counts: (i64, i64),
    inserted: Arc<AtomicI64>,
    updated: Arc<AtomicI64>,
}

impl User {
    fn chosen(&mut self) -> Value {
        let rank = self.zipf.next(&mut self.random);
        if self.mix.latest {
            // What another client is just inserting may not be there yet, so the newest that was loaded leads.
            return key(self.loaded - 1 - rank);
        }
        // Popular records lie anywhere.
        key(rank.wrapping_mul(0x9E37_79B1) % self.loaded)
    }

    fn read(&mut self, key: Value) -> Result<u64, String> {
        let answer = self.read.call(&[key]).map_err(|error| error.to_string())?;
        match answer.results.first().map(|found| found.rows.len()) {
            Some(1) => Ok(1),
            other => Err(format!("a read found {other:?} records")),
        }
    }

    fn update(&mut self, key: Value) -> Result<u64, String> {
        let value = field(self.random.next_u64(), 0);
        self.update.call(&[value, key]).map_err(|error| error.to_string())?;
        self.counts.1 += 1;
        Ok(1)
    }
}

impl Worker for User {
    fn step(&mut self) -> Result<u64, String> {
        let (mix, dice) = (self.mix, self.random.below(100));
        if dice < mix.insert {
            let number = self.next.fetch_add(1, Relaxed);
            self.insert.call(&record(number)).map_err(|error| error.to_string())?;
            self.counts.0 += 1;
            return Ok(1);
        }
        let key = self.chosen();
        if dice < mix.insert + mix.scan {
            let limit = Value::Int(1 + self.random.below(SCAN_MAX) as i64);
            let answer = self.scan.call(&[key, limit]).map_err(|error| error.to_string())?;
            return if answer.results.iter().any(|found| !found.rows.is_empty()) {
                Ok(1)
            } else {
                Err("an empty scan".to_owned())
            };
        }
        match dice - mix.insert - mix.scan {
            dice if dice < mix.read => self.read(key),
            dice if dice < mix.read + mix.update => self.update(key),
            _ => {
                self.read(key.clone())?;
                self.update(key)
            }
        }
    }

    fn finish(&mut self) -> Result<u64, String> {
        self.inserted.fetch_add(std::mem::take(&mut self.counts.0), Relaxed);
        self.updated.fetch_add(std::mem::take(&mut self.counts.1), Relaxed);
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_zipf_distribution_come_as_often_as_they_should() {
        let (zipf, mut random) = (Zipf::new(1_000), Random::new(5));
        let mut counts = vec![0u32; 1_000];
        (0..200_000).for_each(|_| counts[zipf.next(&mut random) as usize] += 1);
        let share = counts[0] as f64 / 200_000.0;
        assert!((share * zipf.zeta - 1.0).abs() < 0.05, "{share}");
        assert!(counts[0] > counts[10] && counts[10] > counts[500]);
    }

    #[test]
    fn mixes_add_up_to_a_hundred_but_for_read_and_update() {
        for letter in LETTERS {
            let mix = mix(letter).unwrap();
            let sum = mix.read + mix.update + mix.insert + mix.scan;
            assert_eq!(sum, if letter == 'f' { 50 } else { 100 }, "{letter}");
        }
        assert_eq!(mix('g'), None);
    }
}
