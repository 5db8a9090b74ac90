//! The yardstick: voter by hand and voter by the engine, in one process and one run.
//!
//! ```text
//! cargo bench --bench voter                 2 million distinct votes, three repetitions, then 20 million
//! cargo bench --bench voter -- 500000 1     that many votes, that many repetitions, nothing else
//! cargo bench --bench voter -- statistics   what counting costs: with and without it, pipelined and synchronous
//! ```
//!
//! (a) is plain Rust with the best fitting structures: no SQL, no undo, no log, no transaction, one thread. It is there
//! twice: growing from empty, as the engine does, is what the ratios are taken against. (b) is the engine's Vote through
//! its public API: pipelined and synchronous on one partition, and two partitions driven by two clients.
//! Each repetition measures all of them one after the other; ratios are taken within a repetition, and the median counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use votedb::{Config, Database, SessionOptions, Value};

const CONTESTANTS: i64 = 6;
const MAX_VOTES: i64 = 2;

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let votes = numbers.first().copied().unwrap_or(2_000_000);
    let repetitions = numbers.get(1).copied().unwrap_or(3);
    let calls = calls(votes);
    // For a profiler: one of them alone.
    if std::env::args().any(|arg| arg == "sync") {
        (0..repetitions).for_each(|_| println!("synchronous {:.2} M", synchronous(&calls) / 1e6));
        return;
    }
    if std::env::args().any(|arg| arg == "async") {
        (0..repetitions).for_each(|_| println!("pipelined {:.2} M", pipelined(&calls, 1, 1).0 / 1e6));
        return;
    }
    if std::env::args().any(|arg| arg == "two") {
        (0..repetitions).for_each(|_| println!("2 partitions, 2 clients {:.2} M", pipelined(&calls, 2, 2).0 / 1e6));
        return;
    }
    if std::env::args().any(|arg| arg == "statistics") {
        return cost_of_statistics(&calls, repetitions);
    }
    println!("{votes} distinct votes, {repetitions} repetitions; votes per second\n");
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for repetition in 0..repetitions {
        let row = vec![by_hand(&calls), pipelined(&calls, 1, 1).0, synchronous(&calls), pipelined(&calls, 2, 2).0];
        println!(
            "  {repetition}: by hand {:.2} M   pipelined {:.2} M   synchronous {:.2} M   2 partitions, 2 clients {:.2} M",
            row[0] / 1e6,
            row[1] / 1e6,
            row[2] / 1e6,
            row[3] / 1e6
        );
        rows.push(row);
    }
    let ratio = |of: usize, to: usize| median(rows.iter().map(|row| row[of] / row[to]).collect());
    println!(
        "\n  by hand, median                     {:.2} M votes/s",
        median(rows.iter().map(|r| r[0]).collect()) / 1e6
    );
    println!("  pipelined / by hand                 {:.2}   (at least 0.35; aim 1.0)", ratio(1, 0));
    println!("  synchronous / by hand               {:.2}   (at least 0.25)", ratio(2, 0));
    println!("  2 partitions / 1 partition          {:.2}   (at least 1.3)", ratio(3, 1));
    let (_, bytes) = pipelined(&calls, 1, 1);
    println!("  memory                              {bytes:.1} bytes a vote   (at most 96)");
    if numbers.is_empty() {
        let small = median(rows.iter().map(|row| row[1]).collect());
        let many = self::calls(20_000_000);
        let (large, bytes) = pipelined(&many, 1, 1);
        println!("\n20,000,000 distinct votes");
        println!("  by hand                             {:.2} M votes/s", by_hand(&many) / 1e6);
        println!("  pipelined                           {:.2} M votes/s, {bytes:.1} bytes a vote", large / 1e6);
        println!("  2 million / 20 million              {:.2}   (at most 2)", small / large);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[derive(Clone, Copy)]
struct Call {
    phone: i64,
    contestant: i64,
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Calls from distinct phones, spread over all area codes, for contestants that exist.
fn calls(count: usize) -> Vec<Call> {
    let codes = votedb::bench::workloads::voter::area_codes();
    let mut seed = 7;
    let per_code = count.div_ceil(codes.len()) as u64;
    // A multiplicative walk through each code's ten million numbers meets none twice.
    let mut calls: Vec<Call> = (0..count as u64)
        .map(|at| {
            let code = i64::from(codes[(at / per_code) as usize].0);
            let number = (at % per_code * 7_368_787 + 1_234_567) % 10_000_000;
            Call {
                phone: code * 10_000_000 + number as i64,
                contestant: 1 + (next(&mut seed) % CONTESTANTS as u64) as i64,
            }
        })
        .collect();
    for at in (1..calls.len()).rev() {
        calls.swap(at, (next(&mut seed) % (at as u64 + 1)) as usize);
    }
    calls
}

/// Rows as the hand-written loop keeps them.
#[allow(dead_code)]
struct Row {
    phone: i64,
    state: [u8; 2],
    contestant: u8,
}

/// (a): a hash map of phone to count, an arena of rows, small arrays for the rest.
fn by_hand(calls: &[Call]) -> f64 {
    let mut states = vec![[b'X', b'X']; 1000];
    let mut numbers = std::collections::HashMap::new();
    numbers.insert([b'X', b'X'], 0usize);
    for (code, state) in votedb::bench::workloads::voter::area_codes() {
        let bytes = state.as_bytes();
        states[code as usize] = [bytes[0], bytes[1]];
        let next = numbers.len();
        numbers.entry([bytes[0], bytes[1]]).or_insert(next);
    }
    let state_number: Vec<usize> = states.iter().map(|state| numbers[state]).collect();
    let known: Vec<bool> = (0..=CONTESTANTS).map(|number| number > 0).collect();
    let mut votes: Vec<Row> = Vec::new();
    let mut by_phone: hashbrown::HashMap<i64, u32> = hashbrown::HashMap::new();
    let mut by_state = vec![0u64; numbers.len() * (CONTESTANTS as usize + 1)];
    let started = Instant::now();
    let mut accepted = 0u64;
    for call in calls {
        if !known.get(call.contestant as usize).is_some_and(|known| *known) {
            continue;
        }
        let count = by_phone.entry(call.phone).or_insert(0);
        if i64::from(*count) >= MAX_VOTES {
            continue;
        }
        *count += 1;
        let code = (call.phone / 10_000_000) as usize;
        votes.push(Row { phone: call.phone, state: states[code], contestant: call.contestant as u8 });
        by_state[state_number[code] * (CONTESTANTS as usize + 1) + call.contestant as usize] += 1;
        accepted += 1;
    }
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(accepted, calls.len() as u64);
    assert_eq!(by_state.iter().sum::<u64>(), accepted);
    std::hint::black_box(&votes);
    calls.len() as f64 / seconds
}

/// Whether the databases that are opened count their calls.
static COUNTED: AtomicBool = AtomicBool::new(true);

fn open(partitions: usize) -> Database {
    let config = Config { statistics: COUNTED.load(Ordering::Relaxed), ..Config::partitions(partitions) };
    Database::open_voter(config).expect("the voter schema loads")
}

/// Votes per second without and with counting, turn by turn; the median of the ratios counts.
fn cost_of_statistics(calls: &[Call], repetitions: usize) {
    type Way = fn(&[Call]) -> f64;
    let ways: [(&str, Way); 2] = [("pipelined", |calls| pipelined(calls, 1, 1).0), ("synchronous", synchronous)];
    for (name, way) in ways {
        let mut ratios = Vec::new();
        for repetition in 0..repetitions {
            // Neither is always the first.
            let mut measured = [0.0; 2];
            for counted in [repetition % 2, 1 - repetition % 2] {
                COUNTED.store(counted == 1, Ordering::Relaxed);
                measured[counted] = way(calls);
            }
            println!("  {repetition}: {name}: off {:.2} M   on {:.2} M", measured[0] / 1e6, measured[1] / 1e6);
            ratios.push(measured[1] / measured[0]);
        }
        println!("  {name}: with / without statistics   {:.3}   (at least 0.95)\n", median(ratios));
    }
}

fn arguments(call: &Call) -> [Value; 3] {
    [Value::Int(call.phone), Value::Int(call.contestant), Value::Int(MAX_VOTES)]
}

fn check(db: &Database, votes: usize) {
    let sql = "SELECT (SELECT COUNT(*) FROM votes), (SELECT SUM(num_votes) FROM v_votes_by_phone_number),
                      (SELECT SUM(num_votes) FROM v_votes_by_contestant_number_state)";
    let row = &db.query(sql, &[]).expect("counts").rows[0];
    assert!(row.iter().all(|value| *value == Value::Int(votes as i64)), "{row:?} for {votes} votes");
}

/// (b), pipelined: votes per second, and bytes allocated for each vote.
fn pipelined(calls: &[Call], partitions: usize, clients: usize) -> (f64, f64) {
    let db = open(partitions);
    let before = db.memory_bytes();
    let started = Instant::now();
    std::thread::scope(|scope| {
        for share in calls.chunks(calls.len().div_ceil(clients)) {
            let db = &db;
            scope.spawn(move || {
                let vote = db.procedure("Vote").expect("the schema has it");
                let mut session = db.session(SessionOptions::default());
                let mut accepted = 0;
                for (at, call) in share.iter().enumerate() {
                    session.submit(&vote, &arguments(call), at as u64).expect("the arguments fit");
                    if at % 256 == 255 {
                        session.take_ready(|_, answer| {
                            accepted += usize::from(answer.is_ok_and(|a| a.returned == Value::Int(0)))
                        });
                    }
                }
                session.drain(|_, answer| accepted += usize::from(answer.is_ok_and(|a| a.returned == Value::Int(0))));
                assert_eq!(accepted, share.len());
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    check(&db, calls.len());
    (calls.len() as f64 / seconds, (db.memory_bytes() - before) as f64 / calls.len() as f64)
}

/// (b), one call at a time from one thread.
fn synchronous(calls: &[Call]) -> f64 {
    let db = open(1);
    let mut vote = db.procedure("Vote").expect("the schema has it");
    let started = Instant::now();
    for call in calls {
        let response = vote.call(&arguments(call)).expect("it commits");
        assert_eq!(response.returned, Value::Int(0));
    }
    let seconds = started.elapsed().as_secs_f64();
    check(&db, calls.len());
    calls.len() as f64 / seconds
}
