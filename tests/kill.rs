//! A process under load is killed with SIGKILL at random, and what it had acknowledged is looked for afterwards.
//! `KILL_ROUNDS=200 cargo test --test kill` runs more rounds.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use votedb::{Config, Database, SessionOptions, Value};

const SCHEMA: &str = "
    CREATE TABLE chain (k BIGINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (k, n));
    PARTITION TABLE chain ON COLUMN k;
    CREATE VIEW chain_ends AS SELECT k, COUNT(*) AS links FROM chain GROUP BY k;
    CREATE PROCEDURE append (key BIGINT) PARTITION ON TABLE chain COLUMN k RETURNS BIGINT
    AS BEGIN
      DECLARE next BIGINT;
      SET next = COALESCE((SELECT links FROM chain_ends WHERE k = key), 0) + 1;
      INSERT INTO chain VALUES (key, next);
      RETURN next;
    END;";
const KEYS: i64 = 16;
const FOLDER: &str = "KILL_TEST_FOLDER";

fn open(folder: &Path, partitions: usize) -> Database {
    let config = Config {
        data_dir: Some(folder.to_owned()),
        // Small, so that snapshots and removals of log happen within a round.
        snapshot_log_bytes: 300_000,
        ..Config::partitions(partitions)
    };
    Database::open(config).unwrap_or_else(|error| panic!("{error}"))
}

/// What the child does: it makes chains longer until it is killed, and writes each acknowledged link to its output.
#[test]
#[ignore = "run by the other test, as a process of its own"]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let db = open(Path::new(&folder), 2);
    if db.procedure("append").is_err() {
        db.execute_batch(SCHEMA).unwrap();
    }
    let append = db.procedure("append").unwrap();
    let mut session = db.session(SessionOptions { in_flight_max: 500, batch: 32 });
    let mut out = std::io::stdout().lock();
    for tag in 0u64.. {
        let key = tag as i64 * 7 % KEYS;
        session.submit(&append, &[Value::Int(key)], key as u64).unwrap();
        if session.in_flight() < 400 {
            continue;
        }
        let mut lines = String::new();
        session.poll(true, |key, answer| lines += &format!("ack {key} {}\n", answer.unwrap().returned));
        out.write_all(lines.as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody needs it any more.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_a_killed_process_acknowledged_is_there() {
    let rounds: u64 = std::env::var("KILL_ROUNDS").map_or(20, |rounds| rounds.parse().expect("a number"));
    let folder = Folder(std::env::temp_dir().join(format!("votedb-kill-{}", std::process::id())));
    let mut acknowledged: BTreeMap<i64, i64> = BTreeMap::new();
    let mut told = 0u64;
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--ignored", "--nocapture"])
            .env(FOLDER, &folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            let (mut last, mut count, mut line) = (BTreeMap::new(), 0u64, String::new());
            // A line that was cut has no end.
            while output.read_line(&mut line).is_ok_and(|len| len > 0) && line.ends_with('\n') {
                if let Some((key, n)) = line.trim().strip_prefix("ack ").and_then(|rest| rest.split_once(' ')) {
                    last.insert(key.parse::<i64>().unwrap(), n.parse::<i64>().unwrap());
                    count += 1;
                }
                line.clear();
            }
            (last, count)
        });
        std::thread::sleep(Duration::from_millis(60 + round * 7919 % 200));
        child.kill().unwrap();
        child.wait().unwrap();
        let (last, count) = reader.join().unwrap();
        told += count;
        for (key, n) in last {
            let known = acknowledged.entry(key).or_default();
            *known = n.max(*known);
        }
        check(&folder.0, 1 + round as usize % 3, &mut acknowledged, round);
    }
    assert!(told > 0, "the child never acknowledged anything");
}

fn check(folder: &Path, partitions: usize, acknowledged: &mut BTreeMap<i64, i64>, round: u64) {
    let db = open(folder, partitions);
    if db.procedure("append").is_err() {
        assert!(acknowledged.is_empty(), "round {round}: the schema is gone");
        return;
    }
    let rows = |sql: &str| db.query(sql, &[]).unwrap().rows;
    let chains = rows("SELECT k, COUNT(*), MAX(n) FROM chain GROUP BY k ORDER BY k");
    let links: Vec<Vec<Value>> = chains.iter().map(|row| row[..2].to_vec()).collect();
    assert_eq!(links, rows("SELECT k, links FROM chain_ends ORDER BY k"), "round {round}: the view is not its query");
    let mut found = BTreeMap::new();
    for row in &chains {
        assert_eq!(row[1], row[2], "round {round}: chain {} has a gap", row[0]);
        found.insert(row[0].as_i64().unwrap(), row[1].as_i64().unwrap());
    }
    for (key, n) in acknowledged.iter() {
        let length = found.get(key).copied().unwrap_or(0);
        assert!(length >= *n, "round {round}: chain {key} has {length} links, {n} were acknowledged");
    }
    *acknowledged = found;
}
