//! Peers: the same calls on another database, in turn with ours, so that what changes on the machine meets both.

use std::sync::{Arc, Mutex};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::bench::database::{open_voter, run_voter};
use crate::bench::driver::{self, Flow, Observer, Sources};
use crate::bench::options::VoterOptions;
use crate::bench::results::Entry;
use crate::bench::run::Report;
use crate::bench::sampler::Sample;
use crate::bench::signals;
use crate::bench::target::{ACCEPTED, OVER_THE_LIMIT, UNKNOWN_CONTESTANT, VoteDone, VoteTarget};
use crate::bench::units;
use crate::bench::verify::{Stored, verify};
use crate::bench::workloads::voter::{area_codes, contestant_names};

struct Quiet(usize);

impl Observer for Quiet {
    fn sample(&mut self, _: &Sample) {}
    fn wait(&mut self, limit: std::time::Duration) -> Flow {
        std::thread::sleep(limit.min(std::time::Duration::from_millis(50)));
        if signals::count() > self.0 { Flow::Leave } else { Flow::Continue }
    }
}

/// SQLite in memory, as it does voter best: one connection, prepared statements, a transaction a call, and the two sums
/// kept in tables, as its applications would.
struct Sqlite {
    connection: Arc<Mutex<Connection>>,
    waiting: Vec<(u64, Result<VoteDone, String>)>,
}

const SCHEMA: &str = "
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;
CREATE TABLE contestants (contestant_number INTEGER PRIMARY KEY, contestant_name TEXT NOT NULL);
CREATE TABLE area_code_state (area_code INTEGER PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE votes (phone_number INTEGER NOT NULL, state TEXT NOT NULL, contestant_number INTEGER NOT NULL);
CREATE TABLE by_phone (phone_number INTEGER PRIMARY KEY, num_votes INTEGER NOT NULL);
CREATE TABLE by_state (contestant_number INTEGER NOT NULL, state TEXT NOT NULL, num_votes INTEGER NOT NULL,
  PRIMARY KEY (contestant_number, state)) WITHOUT ROWID;";

impl Sqlite {
    fn open(options: &VoterOptions) -> Result<Sqlite, rusqlite::Error> {
        let connection = Connection::open_in_memory()?;
        connection.set_prepared_statement_cache_capacity(16);
        connection.execute_batch(SCHEMA)?;
        for (at, name) in contestant_names().iter().take(options.contestants).enumerate() {
            connection.execute("INSERT INTO contestants VALUES (?1, ?2)", (at as i64 + 1, name))?;
        }
        for (code, state) in area_codes() {
            connection.execute("INSERT INTO area_code_state VALUES (?1, ?2)", (code, state))?;
        }
        Ok(Sqlite { connection: Arc::new(Mutex::new(connection)), waiting: Vec::new() })
    }

    fn another(&self) -> Sqlite {
        Sqlite { connection: Arc::clone(&self.connection), waiting: Vec::new() }
    }
}

fn vote(connection: &mut Connection, phone: i64, contestant: i32, limit: i64) -> Result<i64, rusqlite::Error> {
    let txn = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known: Option<i64> = txn
        .prepare_cached("SELECT 1 FROM contestants WHERE contestant_number = ?1")?
        .query_row((contestant,), |row| row.get(0))
        .optional()?;
    if known.is_none() {
        txn.commit()?;
        return Ok(UNKNOWN_CONTESTANT);
    }
    let votes: Option<i64> = txn
        .prepare_cached("SELECT num_votes FROM by_phone WHERE phone_number = ?1")?
        .query_row((phone,), |row| row.get(0))
        .optional()?;
    if votes.is_some_and(|votes| votes >= limit) {
        txn.commit()?;
        return Ok(OVER_THE_LIMIT);
    }
    let state: Option<String> = txn
        .prepare_cached("SELECT state FROM area_code_state WHERE area_code = ?1")?
        .query_row((phone / 10_000_000,), |row| row.get(0))
        .optional()?;
    let state = state.unwrap_or_else(|| "XX".to_owned());
    txn.prepare_cached("INSERT INTO votes VALUES (?1, ?2, ?3)")?.execute((phone, &state, contestant))?;
    txn.prepare_cached(
        "INSERT INTO by_phone VALUES (?1, 1) ON CONFLICT (phone_number) DO UPDATE SET num_votes = num_votes + 1",
    )?
    .execute((phone,))?;
    txn.prepare_cached(
        "INSERT INTO by_state VALUES (?1, ?2, 1) ON CONFLICT (contestant_number, state) DO UPDATE SET num_votes = num_votes + 1",
    )?
    .execute((contestant, &state))?;
    txn.commit()?;
    Ok(ACCEPTED)
}

impl VoteTarget for Sqlite {
    fn vote(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String> {
        let mut connection = self.connection.lock().map_err(|_| "another client panicked".to_owned())?;
        let answer = vote(&mut connection, phone, contestant, max_votes).map_err(|error| error.to_string())?;
        Ok(VoteDone { answer, partition: 0 })
    }

    fn submit(&mut self, phone: i64, contestant: i32, max_votes: i64, tag: u64) -> Result<(), String> {
        let answer = self.vote(phone, contestant, max_votes);
        self.waiting.push((tag, answer));
        Ok(())
    }

    fn poll(&mut self, _: bool, done: &mut dyn FnMut(u64, Result<VoteDone, String>)) -> usize {
        let ready = self.waiting.len();
        self.waiting.drain(..).for_each(|(tag, answer)| done(tag, answer));
        ready
    }

    fn in_flight(&self) -> usize {
        self.waiting.len()
    }

    fn flush(&mut self) {}
}

fn stored(connection: &Connection) -> Result<Stored, rusqlite::Error> {
    let one =
        |sql: &str| connection.query_row(sql, (), |row| row.get::<_, Option<i64>>(0)).map(|n| n.unwrap_or(0) as u64);
    let unknown =
        "SELECT COUNT(*) FROM votes WHERE contestant_number NOT IN (SELECT contestant_number FROM contestants)";
    Ok(Stored {
        rows: one("SELECT COUNT(*) FROM votes")?,
        views: vec![
            ("by_phone".to_owned(), one("SELECT SUM(num_votes) FROM by_phone")?),
            ("by_state".to_owned(), one("SELECT SUM(num_votes) FROM by_state")?),
        ],
        votes_per_phone_max: one("SELECT MAX(num_votes) FROM by_phone")?,
        votes_for_unknown: one(unknown)?,
    })
}

fn run_sqlite(options: &VoterOptions, seen: usize) -> Result<Report, String> {
    let options = VoterOptions { partitions: 1, durability: "SQLite in memory".to_owned(), ..options.clone() };
    let first = Sqlite::open(&options).map_err(|error| error.to_string())?;
    let targets = (0..options.clients).map(|_| Box::new(first.another()) as Box<dyn VoteTarget>).collect();
    let outcome =
        driver::run(&options, targets, Sources::default(), &mut Quiet(seen)).map_err(|error| error.to_string())?;
    let connection = first.connection.lock().map_err(|_| "a client panicked".to_owned())?;
    let stored = stored(&connection).map_err(|error| error.to_string())?;
    Ok(Report::new(&options, &outcome, verify(&outcome.told(), &stored, options.max_votes)))
}

/// Runs ours and the peer in turn, `repetitions` times; an entry for each, ours first. Also whether a signal ended it.
///
/// Fails with a message if there is no such peer.
pub fn run(
    peer: &str,
    options: &VoterOptions,
    repetitions: u32,
    told: &mut dyn FnMut(&str),
) -> Result<(Vec<Entry>, bool), String> {
    if peer != "sqlite" {
        return Err(format!("no peer {peer}; there is: sqlite"));
    }
    signals::watch();
    let seen = signals::count();
    let mut reports: [Vec<Report>; 2] = Default::default();
    for repetition in 1..=repetitions {
        let db = open_voter(options).map_err(|error| error.to_string())?;
        let ours = run_voter(&db, options, &mut Quiet(seen)).map_err(|error| error.to_string())?;
        drop(db);
        let theirs = run_sqlite(options, seen)?;
        if signals::count() > seen {
            break;
        }
        told(&format!(
            "{repetition} of {repetitions}  votedb {:>7} votes/s  {peer} {:>7} votes/s  ratio {:.2}",
            units::rate(ours.throughput_tps),
            units::rate(theirs.throughput_tps),
            ours.throughput_tps / theirs.throughput_tps.max(1.0)
        ));
        reports[0].push(ours);
        reports[1].push(theirs);
    }
    let interrupted = reports[0].len() < repetitions as usize;
    let names = [format!("votedb {}", options.mode), format!("{peer} {}", options.mode)];
    let entries = names.iter().zip(&reports).filter(|(_, reports)| !reports.is_empty());
    let mut entries: Vec<Entry> =
        entries.map(|(name, reports)| super::matrix::repeated(name, name, options.partitions, reports)).collect();
    if let [ours, theirs] = &mut entries[..] {
        ours.note = format!("{:.2} times {peer}, in turn in one process", ours.throughput / theirs.throughput.max(1.0));
        theirs.note =
            "in memory, no journal, one connection for all clients, prepared statements, a transaction a call"
                .to_owned();
    }
    Ok((entries, interrupted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_run_and_keep_their_promises() {
        let options = VoterOptions {
            clients: 2,
            duration: std::time::Duration::from_millis(80),
            warmup: std::time::Duration::ZERO,
            sample_interval: std::time::Duration::from_millis(20),
            ..VoterOptions::default()
        };
        let (entries, _) = run("sqlite", &options, 2, &mut |_| {}).unwrap();
        assert!(
            entries.len() == 2 && entries.iter().all(|entry| entry.verified && entry.throughput > 0.0),
            "{entries:?}"
        );
        assert!(run("oracle", &options, 1, &mut |_| {}).unwrap_err().contains("there is: sqlite"));
    }
}
