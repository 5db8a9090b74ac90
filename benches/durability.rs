//! What durability costs: `cargo bench --bench durability`. `SECONDS=2` sets the length of each run.
//!
//! Prints pipelined voter without a log, with `async` and with `sync`, as rates and ratios; a single caller with `sync`
//! beside the disk's own syncs; log bytes for a vote; 1 and 16 partitions; and recovery time beside casting time.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use votedb::client::Durability;
use votedb::{Config, Database, SessionOptions, Value};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/durability-bench").join(name);
    // A former run may have left it.
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn open(durability: Durability, partitions: usize, data_dir: Option<PathBuf>) -> Database {
    let config =
        Config { data_dir, durability, snapshot_log_bytes: u64::MAX, timeout: None, ..Config::partitions(partitions) };
    Database::open_voter(config).expect("the voter schema loads")
}

/// Phones that are spread over area codes, none twice.
fn arguments(call: u64) -> [Value; 3] {
    let phone = (201 + call % 700) * 10_000_000 + call.wrapping_mul(2_654_435_761) % 10_000_000;
    [Value::Int(phone as i64), Value::Int((call % 6) as i64 + 1), Value::Int(2)]
}

/// Votes a second with many calls in flight, and how many were cast.
fn pipelined(db: &Database, first: u64, run: Duration) -> (f64, u64) {
    let vote = db.procedure("Vote").expect("it is in the schema");
    let mut session = db.session(SessionOptions { in_flight_max: 16_384, batch: 128 });
    let started = Instant::now();
    let mut call = first;
    while started.elapsed() < run {
        for _ in 0..1_024 {
            session.submit(&vote, &arguments(call), call).expect("the arguments fit");
            call += 1;
        }
        if session.in_flight() >= 16_384 {
            session.poll(true, |_, answer| drop(answer.expect("votes do not fail")));
        } else {
            session.take_ready(|_, answer| drop(answer.expect("votes do not fail")));
        }
    }
    session.drain(|_, answer| drop(answer.expect("votes do not fail")));
    ((call - first) as f64 / started.elapsed().as_secs_f64(), call - first)
}

fn single(db: &Database, first: u64, run: Duration) -> f64 {
    let mut vote = db.procedure("Vote").expect("it is in the schema");
    let (started, mut calls) = (Instant::now(), 0);
    while started.elapsed() < run {
        vote.call(&arguments(first + calls)).expect("votes do not fail");
        calls += 1;
    }
    calls as f64 / started.elapsed().as_secs_f64()
}

/// Small writes into a file that is there already, each synced.
fn syncs_per_second(run: Duration) -> f64 {
    let folder = folder("raw");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join("raw");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).expect("a file can be made");
    file.write_all_at(&vec![0; 4 << 20], 0).expect("it can be written");
    file.sync_all().expect("it can be synced");
    let (started, mut syncs) = (Instant::now(), 0u64);
    while started.elapsed() < run {
        file.write_all_at(&[1; 36], syncs * 36).expect("it can be written");
        file.sync_data().expect("it can be synced");
        syncs += 1;
    }
    syncs as f64 / started.elapsed().as_secs_f64()
}

fn main() {
    let seconds = std::env::var("SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let run = Duration::from_secs_f64(seconds);
    for partitions in [1, 16] {
        let mut rates = Vec::new();
        for (name, durability, kept) in [
            ("in memory", Durability::None, false),
            ("none", Durability::None, true),
            ("async", Durability::Async, true),
            ("sync", Durability::Sync, true),
        ] {
            let db = open(durability, partitions, kept.then(|| folder(name)));
            pipelined(&db, 0, run / 4);
            let before = db.log_written();
            let (rate, votes) = pipelined(&db, 1 << 32, run);
            let after = db.log_written();
            let bytes = (after.0 - before.0) as f64 / votes as f64;
            let base = *rates.first().unwrap_or(&rate);
            println!(
                "pipelined {partitions:>2} partitions {name:<9} {rate:>12.0} votes/s  ratio {:.2}  {bytes:.1} log bytes a \
                 vote, {} syncs",
                rate / base,
                after.1 - before.1
            );
            rates.push(rate);
        }
    }
    let db = open(Durability::Sync, 1, Some(folder("single")));
    single(&db, 0, run / 4);
    let raw = syncs_per_second(run);
    let before = db.log_written();
    let calls = single(&db, 1 << 32, run);
    let after = db.log_written();
    let bytes = (after.0 - before.0) as f64 / (after.1 - before.1) as f64;
    println!(
        "single caller, sync: {calls:.0} commits/s, the disk {raw:.0} fdatasync/s: {:.2}; {bytes:.1} log bytes a vote",
        calls / raw
    );
    drop(db);
    recovery(run);
}

fn recovery(run: Duration) {
    let data = folder("recovery");
    let db = open(Durability::Async, 2, Some(data.clone()));
    let started = Instant::now();
    let (_, votes) = pipelined(&db, 0, run);
    let cast = started.elapsed();
    db.flush_log().expect("the disk works");
    // As after a crash: a copy of the folder without the snapshot that closing would take.
    let copy = folder("recovery-copy");
    std::fs::create_dir_all(&copy).expect("a folder can be made");
    for entry in std::fs::read_dir(&data).expect("it is there").flatten() {
        std::fs::copy(entry.path(), copy.join(entry.file_name())).expect("it can be copied");
    }
    drop(db);
    let config = Config { data_dir: Some(copy), timeout: None, ..Config::partitions(2) };
    let db = Database::open(config).expect("it opens");
    let opened = db.data_folder().expect("it has one");
    println!(
        "recovery: {votes} votes cast in {:.2} s, {} transactions done again in {:.2} s",
        cast.as_secs_f64(),
        opened.replayed,
        opened.elapsed.as_secs_f64()
    );
    let rows = db.query("SELECT COUNT(*) FROM votes", &[]).expect("it answers").scalar_value().cloned();
    println!("recovered {} votes", rows.expect("one row"));
}
