//! Work: threads that do operations until a time or a number is reached, each with its own histogram.
//!
//! Nothing is shared while a worker works: what it has seen is handed over when it ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::bench::clock::{Clock, nanos};
use crate::bench::results::{Entry, Repetition};
use crate::bench::run::LatencyUs;
use crate::bench::signals;
use crate::client::{Database, Prepared};
use crate::stats::Histogram;
use crate::types::Value;

/// One thread's operations.
pub trait Worker: Send {
    /// Does the next one and waits for its answer; gives how many of what is counted it did, 1 as a rule.
    fn step(&mut self) -> Result<u64, String>;

    /// Waits for what is still in flight, and gives how many of what is counted that was.
    fn finish(&mut self) -> Result<u64, String> {
        Ok(0)
    }
}

/// How long workers work.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// Operations of each worker.
    Steps(u64),
    Time {
        warmup: Duration,
        duration: Duration,
    },
}

/// What all workers have seen.
#[derive(Debug, Default)]
pub struct Measured {
    pub seconds: f64,
    /// Of what is counted, in the measured time.
    pub units: u64,
    /// Operations, one latency each.
    pub latency: Histogram,
    pub errors: u64,
    pub first_error: Option<String>,
    /// A signal ended it before its time.
    pub interrupted: bool,
}

impl Measured {
    pub fn throughput(&self) -> f64 {
        if self.seconds > 0.0 { self.units as f64 / self.seconds } else { 0.0 }
    }
}

/// Runs the workers, a thread for each, all from the same moment. A signal ends them after the operation under way.
pub fn drive(workers: Vec<Box<dyn Worker>>, until: Until) -> Result<Measured, String> {
    signals::watch();
    let (seen, stop) = (signals::count(), Arc::new(AtomicBool::new(false)));
    let barrier = Arc::new(Barrier::new(workers.len() + 1));
    let clock = Clock::start();
    let threads: Vec<_> = workers
        .into_iter()
        .map(|worker| {
            let (stop, barrier) = (Arc::clone(&stop), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                work(worker, until, clock, &stop)
            })
        })
        .collect();
    barrier.wait();
    let mut all = Measured::default();
    while !threads.iter().all(|thread| thread.is_finished()) {
        if signals::count() > seen {
            all.interrupted = true;
            stop.store(true, Ordering::Relaxed);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let (mut begins, mut ends) = (u64::MAX, 0);
    for thread in threads {
        let (part, begun, ended) = thread.join().map_err(|_| "a worker panicked".to_owned())?;
        (begins, ends) = (begins.min(begun), ends.max(ended));
        all.units += part.units;
        all.latency.merge(&part.latency);
        all.errors += part.errors;
        all.first_error = all.first_error.or(part.first_error);
    }
    all.seconds = ends.saturating_sub(begins) as f64 / 1e9;
    Ok(all)
}

/// One worker: what it saw, and when it began and ended to measure.
fn work(mut worker: Box<dyn Worker>, until: Until, clock: Clock, stop: &AtomicBool) -> (Measured, u64, u64) {
    let begun = clock.now();
    let (mut steps, measured_from, ends) = match until {
        Until::Steps(steps) => (steps, begun, u64::MAX),
        Until::Time { warmup, duration } => {
            let from = begun + nanos(warmup);
            (u64::MAX, from, from + nanos(duration))
        }
    };
    let mut seen = Measured::default();
    let mut started = begun;
    while steps > 0 && started < ends && !stop.load(Ordering::Relaxed) {
        let result = worker.step();
        let answered = clock.now();
        steps -= 1;
        match result {
            Ok(units) if answered >= measured_from => {
                seen.units += units;
                seen.latency.record(answered - started);
            }
            Ok(_) => {}
            Err(message) => {
                seen.errors += 1;
                seen.first_error.get_or_insert(message);
            }
        }
        started = answered;
    }
    match worker.finish() {
        Ok(units) => seen.units += units,
        Err(message) => {
            seen.errors += 1;
            seen.first_error.get_or_insert(message);
        }
    }
    (seen, measured_from, clock.now())
}

/// Several repetitions as one entry; `broken`: the promises that were not kept.
pub fn entry(name: &str, series: &str, unit: &str, repetitions: &[Measured], mut broken: Vec<String>) -> Entry {
    let mut latency = Histogram::new();
    let (mut calls, mut errors) = (0, 0);
    let mut samples = Vec::new();
    for one in repetitions {
        latency.merge(&one.latency);
        calls += one.units;
        errors += one.errors;
        samples.push(Repetition { throughput: one.throughput(), latency_us: LatencyUs::of(&one.latency) });
        if let Some(error) = &one.first_error {
            broken.push(format!("operations that failed: {}; the first: {error}", one.errors));
        }
    }
    let mut entry = Entry {
        name: name.to_owned(),
        series: series.to_owned(),
        unit: unit.to_owned(),
        samples,
        latency_us: LatencyUs::of(&latency),
        calls,
        errors,
        verified: broken.is_empty(),
        broken,
        ..Entry::default()
    };
    entry.throughput = entry.spread().1;
    entry
}

/// Calls and gives the value of RETURN, which must be an integer.
pub fn number(prepared: &mut Prepared, arguments: &[Value]) -> Result<i64, String> {
    let response = prepared.call(arguments).map_err(|error| error.to_string())?;
    response.returned.as_i64().ok_or_else(|| format!("{} returned no number", prepared.name()))
}

/// The one integer that a query gives.
pub fn scalar(db: &Database, sql: &str) -> Result<i64, String> {
    let rows = db.query(sql, &[]).map_err(|error| error.render(sql, None))?;
    Ok(rows.scalar_value().and_then(Value::as_i64).unwrap_or(0))
}

/// Adds to `broken` if a query gives another number than `expected`.
pub fn check(db: &Database, sql: &str, expected: i64, broken: &mut Vec<String>) {
    match scalar(db, sql) {
        Ok(found) if found == expected => {}
        Ok(found) => broken.push(format!("{sql} gives {found}, but the clients were told {expected}")),
        Err(error) => broken.push(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(u64);

    impl Worker for Counting {
        fn step(&mut self) -> Result<u64, String> {
            self.0 += 1;
            if self.0 == 5 { Err("five".to_owned()) } else { Ok(10) }
        }
        fn finish(&mut self) -> Result<u64, String> {
            Ok(1)
        }
    }

    #[test]
    fn workers_do_their_steps_and_failures_are_told() {
        let workers = (0..2).map(|_| Box::new(Counting(0)) as Box<dyn Worker>).collect();
        let measured = drive(workers, Until::Steps(8)).unwrap();
        assert_eq!((measured.units, measured.errors, measured.latency.count()), (2 * 71, 2, 14));
        let entry = entry("n", "s", "x/s", &[measured], Vec::new());
        assert!(!entry.verified && entry.broken[0].contains("five"), "{entry:?}");
    }

    #[test]
    fn a_time_ends_work_without_a_number() {
        let until = Until::Time { warmup: Duration::from_millis(5), duration: Duration::from_millis(20) };
        let measured = drive(vec![Box::new(Counting(100))], until).unwrap();
        assert!(measured.latency.count() > 0 && measured.seconds >= 0.02);
    }
}
