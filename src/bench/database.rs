//! Voter on our own database: the client that the driver drives, what the dashboard asks, and the check afterwards.

use super::driver::{self, Observer, RunError, Sources};
use super::options::VoterOptions;
use super::run::Report;
use super::sampler::{Election, PartitionGauge, Standing};
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
    db: Database,
    /// The statement, where calls are text.
    text: String,
}

impl VoteClient {
    /// Fails if the database has no procedure Vote.
    pub fn new(db: &Database, options: &VoterOptions) -> Result<VoteClient, Box<TxnError>> {
        let batch = (options.in_flight / (2 * options.partitions)).clamp(1, BATCH);
        Ok(VoteClient {
            vote: db.procedure("Vote")?,
            db: db.clone(),
            text: String::new(),
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

    fn vote_by_text(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String> {
        use std::fmt::Write as _;
        self.text.clear();
        let _ = write!(self.text, "EXEC Vote {phone} {contestant} {max_votes}");
        let executed = self.db.execute(&self.text, &[]).map_err(|error| error.render(&self.text, None))?;
        let answer = executed.results.first().and_then(ResultSet::scalar_value).and_then(Value::as_i64);
        let answer = answer.ok_or_else(|| "Vote returned no number".to_owned())?;
        Ok(VoteDone { answer, partition: self.db.partition_of(phone) as u32 })
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
    let targets = (0..options.clients + options.spare_clients)
        .map(|_| VoteClient::new(db, options).map(|client| Box::new(client) as Box<dyn VoteTarget>))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| VoterError::Schema(error.to_string()))?;
    let outcome = driver::run(options, targets, sources(db), observer)?;
    let stored = stored(db).map_err(VoterError::Check)?;
    let checked = verify(&outcome.told(), &stored, options.max_votes);
    Ok(Report::new(options, &outcome, checked))
}

fn sources(db: &Database) -> Sources {
    let gauged = db.clone();
    let asked = db.clone();
    // Counting rows and bytes stops every partition for a moment, so it is done less often than the votes are asked for.
    let mut times = 0usize;
    Sources {
        gauges: Some(Box::new(move |gauges: &mut [PartitionGauge]| {
            for (at, gauge) in gauges.iter_mut().enumerate() {
                gauge.busy_ns = Some(gauged.busy_ns(at));
                gauge.queued = Some(gauged.queue_depth(at) as u64);
            }
        })),
        elections: Some(Box::new(move || {
            let mut election = election(&asked)?;
            if times.is_multiple_of(4) {
                let rows = asked.row_counts().into_iter();
                election.rows = rows.map(|(name, rows)| (name.as_str().to_owned(), rows)).collect();
                election.memory_bytes = asked.memory_bytes();
            }
            times += 1;
            Ok(election)
        })),
    }
}

fn query(db: &Database, sql: &str) -> Result<ResultSet, String> {
    db.query(sql, &[]).map_err(|error| error.render(sql, None))
}

fn number(value: &Value) -> u64 {
    value.as_i64().unwrap_or(0).max(0) as u64
}

/// What the Election view shows, as a person would ask it.
pub const STANDING_SQL: &str = "SELECT c.contestant_number, c.contestant_name, SUM(v.num_votes) AS votes
  FROM contestants AS c LEFT JOIN v_votes_by_contestant_number_state AS v
    ON v.contestant_number = c.contestant_number
 GROUP BY c.contestant_number, c.contestant_name
 ORDER BY votes DESC, c.contestant_number";
/// Who leads in each state: the procedure of the example's own map.
pub const HEATMAP_SQL: &str = "EXEC GetStateHeatmap";

/// Who leads where, by SQL on the live views.
fn election(db: &Database) -> Result<Election, String> {
    let begun = std::time::Instant::now();
    let totals = query(db, STANDING_SQL)?;
    let map = db.execute(HEATMAP_SQL, &[]).map_err(|error| error.render(HEATMAP_SQL, None))?;
    let took = begun.elapsed();
    // By state, then contestant: of several that are level, the first counts as the state's winner.
    let mut winners: Vec<(String, i32)> = Vec::new();
    let mut led = std::collections::HashMap::<i64, u32>::new();
    for row in map.results.first().map_or(&[][..], |leaders| &leaders.rows) {
        let (contestant, state) = (row[0].as_i64().unwrap_or(0), row[1].to_string());
        *led.entry(contestant).or_default() += 1;
        if winners.last().is_none_or(|(last, _)| *last != state) {
            winners.push((state, contestant as i32));
        }
    }
    let standing = totals.rows.iter().map(|row| Standing {
        number: number(&row[0]) as i32,
        name: row[1].to_string(),
        votes: number(&row[2]),
        states_led: row[0].as_i64().and_then(|number| led.get(&number)).copied().unwrap_or(0),
    });
    Ok(Election { standing: standing.collect(), winners, took, ..Election::default() })
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
