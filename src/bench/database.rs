//! Voter on our own database: the client that the driver drives, what the dashboard asks, and the check afterwards.

use super::driver::{self, Observer, RunError, Sources};
use super::options::{Mode, VoterOptions};
use super::run::Report;
use super::sampler::{PartitionGauge, Standing};
use super::target::{VoteDone, VoteTarget};
use super::verify::{Stored, verify};
use crate::client::{Config, Database, Prepared, Response, Session, SessionOptions, TxnError};
use crate::types::{ResultSet, Value};

/// Calls that travel together at most, and with few clients also at least: handing a partition over costs as much as a
/// vote or two.
const BATCH: usize = 128;

/// One client thread's connection.
pub struct VoteClient {
    vote: Prepared,
    session: Session,
}

impl VoteClient {
    /// Fails if the database has no procedure Vote.
    pub fn new(db: &Database, options: &VoterOptions) -> Result<VoteClient, Box<TxnError>> {
        let batch = (options.in_flight / (2 * options.partitions)).clamp(1, BATCH);
        Ok(VoteClient {
            vote: db.procedure("Vote")?,
            session: db.session(SessionOptions { in_flight_max: options.in_flight.max(1), batch }),
        })
    }
}

fn arguments(phone: i64, contestant: i32, max_votes: i64) -> [Value; 3] {
    [Value::Int(phone), Value::Int(contestant.into()), Value::Int(max_votes)]
}

fn done(answer: Result<Response, Box<TxnError>>) -> Result<VoteDone, String> {
    let response = answer.map_err(|error| error.to_string())?;
    let answer = response.returned.as_i64().ok_or("Vote did not return a number")?;
    Ok(VoteDone { answer, partition: response.partition.map_or(0, |p| p.0) })
}

impl VoteTarget for VoteClient {
    fn vote(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String> {
        done(self.vote.call(&arguments(phone, contestant, max_votes)))
    }

    fn submit(&mut self, phone: i64, contestant: i32, max_votes: i64, tag: u64) -> Result<(), String> {
        let arguments = arguments(phone, contestant, max_votes);
        self.session.submit(&self.vote, &arguments, tag).map_err(|error| error.to_string())
    }

    fn poll(&mut self, wait: bool, hand: &mut dyn FnMut(u64, Result<VoteDone, String>)) -> usize {
        match wait {
            true => self.session.poll(true, |tag, answer| hand(tag, done(answer))),
            false => self.session.take_ready(|tag, answer| hand(tag, done(answer))),
        }
    }

    fn in_flight(&self) -> usize {
        self.session.in_flight()
    }

    fn flush(&mut self) {
        self.session.flush();
    }
}

/// Why a run of voter has no report.
#[derive(Debug, thiserror::Error)]
pub enum VoterError {
    #[error("the voter schema does not load: {0}")]
    Schema(String),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the check after the run could not be made: {0}")]
    Check(String),
}

/// A database with the voter schema and as many contestants as the run has.
pub fn open_voter(options: &VoterOptions) -> Result<Database, VoterError> {
    let config = Config { timeout: None, ..Config::partitions(options.partitions) };
    let db = Database::open(config).map_err(|error| VoterError::Schema(error.to_string()))?;
    let schema =
        crate::client::VOTER_SCHEMA.replace("EXEC Initialize 6 ", &format!("EXEC Initialize {} ", options.contestants));
    db.execute_script(&schema).map_err(|error| VoterError::Schema(error.render(&schema, Some("voter.sql"))))?;
    Ok(db)
}

/// Runs voter on `db`, which holds no votes yet, and checks what it left.
pub fn run_voter(db: &Database, options: &VoterOptions, observer: &mut dyn Observer) -> Result<Report, VoterError> {
    let targets = (0..options.clients)
        .map(|_| VoteClient::new(db, options).map(|client| Box::new(client) as Box<dyn VoteTarget>))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| VoterError::Schema(error.to_string()))?;
    let outcome = driver::run(options, targets, sources(db, options), observer)?;
    let stored = stored(db).map_err(VoterError::Check)?;
    let checked = verify(&outcome.told(), &stored, options.max_votes);
    Ok(Report::new(options, &outcome, checked))
}

fn sources(db: &Database, options: &VoterOptions) -> Sources {
    let gauged = db.clone();
    let is_async = options.mode == Mode::Async;
    let asked = db.clone();
    Sources {
        gauges: Some(Box::new(move |gauges: &mut [PartitionGauge]| {
            for (at, gauge) in gauges.iter_mut().enumerate() {
                gauge.busy_ns = Some(gauged.busy_ns(at));
                gauge.queued = is_async.then(|| gauged.queue_depth(at) as u64);
            }
        })),
        standings: Some(Box::new(move || standings(&asked))),
    }
}

fn query(db: &Database, sql: &str) -> Result<ResultSet, String> {
    db.query(sql, &[]).map_err(|error| error.render(sql, None))
}

fn number(value: &Value) -> u64 {
    value.as_i64().unwrap_or(0).max(0) as u64
}

/// Who leads, by SQL on the live views.
fn standings(db: &Database) -> Result<Vec<Standing>, String> {
    let totals = query(
        db,
        "SELECT c.contestant_number, c.contestant_name, SUM(v.num_votes) AS votes
           FROM contestants AS c LEFT JOIN v_votes_by_contestant_number_state AS v
             ON v.contestant_number = c.contestant_number
          GROUP BY c.contestant_number, c.contestant_name
          ORDER BY votes DESC, c.contestant_number",
    )?;
    let led = query(
        db,
        "SELECT contestant_number, COUNT(*)
           FROM (SELECT contestant_number, RANK() OVER (PARTITION BY state ORDER BY num_votes DESC) AS place
                   FROM v_votes_by_contestant_number_state) AS ranked
          WHERE place = 1 GROUP BY contestant_number",
    )?;
    let states =
        |number: &Value| led.rows.iter().find(|row| row[0] == *number).map_or(0, |row| row[1].as_i64().unwrap_or(0));
    Ok(totals
        .rows
        .iter()
        .map(|row| Standing {
            number: number(&row[0]) as i32,
            name: row[1].to_string(),
            votes: number(&row[2]),
            states_led: states(&row[0]) as u32,
        })
        .collect())
}

/// What the database holds, counted afresh by SQL.
fn stored(db: &Database) -> Result<Stored, String> {
    let one = |sql: &str| query(db, sql).map(|rows| rows.scalar_value().map_or(0, number));
    let mut views = Vec::new();
    for view in ["v_votes_by_phone_number", "v_votes_by_contestant_number_state"] {
        views.push((view.to_owned(), one(&format!("SELECT SUM(num_votes) FROM {view}"))?));
    }
    Ok(Stored {
        rows: one("SELECT COUNT(*) FROM votes")?,
        views,
        votes_per_phone_max: one("SELECT MAX(num_votes) FROM v_votes_by_phone_number")?,
        votes_for_unknown: one("SELECT COUNT(*) FROM votes
              WHERE contestant_number NOT IN (SELECT contestant_number FROM contestants)")?,
    })
}
