use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::bench::run::Report;
use crate::bench::test_target::{Fault, MapTarget, Votes, stored};
use crate::bench::verify::verify;

fn options(mode: Mode, rate: Option<f64>) -> VoterOptions {
    VoterOptions {
        partitions: 3,
        mode,
        clients: 2,
        duration: Duration::from_millis(150),
        warmup: Duration::from_millis(40),
        rate,
        in_flight: 64,
        sample_interval: Duration::from_millis(20),
        ..VoterOptions::default()
    }
}

fn drive(
    options: &VoterOptions,
    phones: i64,
    fault: Fault,
    observer: &mut dyn Observer,
) -> (Result<Outcome, RunError>, Arc<Mutex<Votes>>) {
    let votes = Arc::new(Mutex::new(Votes::default()));
    let target = |_| -> Box<dyn VoteTarget> { Box::new(MapTarget::new(votes.clone(), 3, 6, phones, fault)) };
    let targets = (0..options.clients).map(target).collect();
    (run(options, targets, Sources::default(), observer), votes)
}

/// Adds up what samples say.
#[derive(Default)]
struct Adding {
    calls: u64,
    last: VoteCounts,
    leave_after: Option<usize>,
    samples: usize,
}

impl Observer for Adding {
    fn sample(&mut self, sample: &Sample) {
        self.samples += 1;
        self.calls += sample.partitions.iter().map(|p| p.calls).sum::<u64>();
        self.last = sample.votes;
    }

    fn wait(&mut self, limit: Duration) -> Flow {
        std::thread::sleep(limit);
        if self.leave_after.is_some_and(|n| self.samples >= n) { Flow::Leave } else { Flow::Continue }
    }
}

#[test]
fn every_mode_counts_every_call_once_and_agrees_with_the_database() {
    for (mode, rate) in
        [(Mode::Sync, None), (Mode::Async, None), (Mode::Sync, Some(20_000.0)), (Mode::Async, Some(50_000.0))]
    {
        let options = options(mode, rate);
        let mut adding = Adding::default();
        let (outcome, votes) = drive(&options, 10_000_000, Fault::None, &mut adding);
        let outcome = outcome.unwrap();
        assert_eq!(verify(&outcome.told(), &stored(&votes), 2), Ok(()), "{mode} {rate:?}");
        assert_eq!(adding.calls, outcome.submitted, "samples miss no call");
        assert_eq!(adding.last, outcome.all_votes);
        let report = Report::new(&options, &outcome, Ok(()));
        assert_eq!(outcome.all_votes.calls(), outcome.submitted);
        assert!(report.votes.calls() > 0 && report.votes.calls() <= outcome.submitted);
        assert!(report.votes.accepted > 0 && report.votes.rejected_contestant > 0);
        assert_eq!(report.service_us.is_some(), rate.is_some());
        assert!(outcome.partitions.iter().all(|p| p.response.count() == p.votes.calls()));
    }
}

#[test]
fn phones_that_have_all_their_votes_are_rejected_for_that_reason() {
    let (outcome, votes) = drive(&options(Mode::Async, None), 500, Fault::None, &mut Unobserved);
    let outcome = outcome.unwrap();
    // 500 phones with two votes each, and far more calls.
    assert!(outcome.submitted > 2_000, "{}", outcome.submitted);
    assert!(outcome.all_votes.rejected_limit > 0);
    assert_eq!(stored(&votes).votes_per_phone_max, 2);
}

#[test]
fn an_open_loop_makes_the_calls_of_its_schedule_and_no_more() {
    for mode in [Mode::Sync, Mode::Async] {
        let (outcome, _) = drive(&options(mode, Some(10_000.0)), 500, Fault::None, &mut Unobserved);
        let outcome = outcome.unwrap();
        // 190 ms at 10,000 per second, whether started or, on a slow machine, overdue.
        let due = outcome.submitted + outcome.unsent;
        assert!((1_899..=1_901).contains(&due), "{mode}: {due}");
    }
}

#[test]
fn a_faulty_database_is_found_out() {
    let broken = |fault, words: &str| {
        let (outcome, votes) = drive(&options(Mode::Async, None), 500, fault, &mut Unobserved);
        let told = outcome.unwrap().told();
        let broken = verify(&told, &stored(&votes), 2).unwrap_err().join("\n");
        assert!(broken.contains(words), "{fault:?}: {broken}");
    };
    broken(Fault::DropAnswer, "never answered");
    broken(Fault::AnswerTwice, "twice");
    broken(Fault::Fail, "the disk is full");
    let options = VoterOptions { max_votes: i64::MAX, ..options(Mode::Async, None) };
    let (outcome, votes) = drive(&options, 500, Fault::DropRow, &mut Unobserved);
    let broken = verify(&outcome.unwrap().told(), &stored(&votes), i64::MAX).unwrap_err();
    assert!(broken[0].contains("missing"), "{broken:?}");
}

#[test]
fn an_observer_can_end_a_run_early() {
    let options = VoterOptions { duration: Duration::from_secs(3600), ..options(Mode::Async, None) };
    let mut adding = Adding { leave_after: Some(3), ..Adding::default() };
    let (outcome, votes) = drive(&options, 500, Fault::None, &mut adding);
    let outcome = outcome.unwrap();
    assert!(outcome.stopped_early);
    assert_eq!(verify(&outcome.told(), &stored(&votes), 2), Ok(()));
}

#[test]
fn a_client_that_panics_fails_the_run_with_its_message() {
    let options = options(Mode::Sync, None);
    let (outcome, _) = drive(&options, 500, Fault::Panic, &mut Unobserved);
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("panicked"), "{message}");
}

#[test]
fn each_client_needs_its_own_connection() {
    let error = run(&options(Mode::Sync, None), Vec::new(), Sources::default(), &mut Unobserved).unwrap_err();
    assert_eq!(error.to_string(), "0 connections for 2 clients; each client needs its own");
}

#[test]
fn the_standing_is_asked_for_during_the_run_and_after_its_end() {
    struct Leaders(usize);
    impl Observer for Leaders {
        fn sample(&mut self, sample: &Sample) {
            self.0 += usize::from(sample.standing.is_some());
        }
        fn wait(&mut self, limit: Duration) -> Flow {
            Unobserved.wait(limit)
        }
    }
    let votes = Arc::new(Mutex::new(Votes::default()));
    let options = options(Mode::Sync, None);
    let target = |_| -> Box<dyn VoteTarget> { Box::new(MapTarget::new(votes.clone(), 3, 6, 500, Fault::None)) };
    let rows = votes.clone();
    let standings: Standings = Box::new(move || {
        let votes = stored(&rows).rows;
        Ok(vec![Standing { number: 1, name: "Edwina Burnam".to_owned(), votes, states_led: 51 }])
    });
    let gauges: Gauges = Box::new(|gauges| gauges.fill(PartitionGauge { queued: Some(1), busy_ns: None }));
    let sources = Sources { gauges: Some(gauges), standings: Some(standings) };
    let mut leaders = Leaders(0);
    let outcome = run(&options, (0..2).map(target).collect(), sources, &mut leaders).unwrap();
    assert!(leaders.0 > 0);
    assert_eq!(outcome.standing[0].votes, outcome.all_votes.accepted);
}
