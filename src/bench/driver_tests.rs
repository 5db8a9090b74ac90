use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::bench::options::Mode;
use crate::bench::run::Report;
use crate::bench::sampler::Standing;
use crate::bench::target::VoteDone;
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
            self.0 += usize::from(sample.election.is_some());
        }
        fn wait(&mut self, limit: Duration) -> Flow {
            Unobserved.wait(limit)
        }
    }
    let votes = Arc::new(Mutex::new(Votes::default()));
    let options = options(Mode::Sync, None);
    let target = |_| -> Box<dyn VoteTarget> { Box::new(MapTarget::new(votes.clone(), 3, 6, 500, Fault::None)) };
    let rows = votes.clone();
    let elections: Elections = Box::new(move || {
        let votes = stored(&rows).rows;
        let standing = vec![Standing { number: 1, name: "Edwina Burnam".to_owned(), votes, states_led: 51 }];
        Ok(Election { standing, ..Election::default() })
    });
    let gauges: Gauges = Box::new(|gauges| gauges.fill(PartitionGauge { queued: Some(1), busy_ns: None }));
    let sources = Sources { gauges: Some(gauges), elections: Some(elections) };
    let mut leaders = Leaders(0);
    let outcome = run(&options, (0..2).map(target).collect(), sources, &mut leaders).unwrap();
    assert!(leaders.0 > 0);
    assert_eq!(outcome.standing[0].votes, outcome.all_votes.accepted);
}

#[test]
fn totals_by_partition_by_second_and_by_client_agree_exactly() {
    for (mode, rate) in [(Mode::Sync, None), (Mode::Async, None), (Mode::Sql, None), (Mode::Async, Some(30_000.0))] {
        let (outcome, _) = drive(&options(mode, rate), 10_000_000, Fault::None, &mut Unobserved);
        let outcome = outcome.unwrap();
        let by_partition: u64 = outcome.partitions.iter().map(|p| p.votes.calls()).sum();
        let by_client: u64 = outcome.clients.iter().map(|client| client.votes.calls()).sum();
        let by_second: u64 = outcome.seconds.iter().map(|second| second.calls).sum();
        assert_eq!((by_client, by_second), (by_partition, by_partition), "{mode} {rate:?}");
        let json: serde_json::Value =
            serde_json::from_str(&Report::new(&options(mode, rate), &outcome, Ok(())).to_json()).unwrap();
        let in_buckets =
            json["distribution_ns"].as_array().unwrap().iter().map(|b| b[2].as_u64().unwrap()).sum::<u64>();
        assert_eq!(in_buckets, by_partition);
    }
}

/// Changes the settings with each sample.
struct Changing(Option<Arc<Controls>>, Vec<Settings>);

impl Observer for Changing {
    fn sample(&mut self, _: &Sample) {
        if let (Some(controls), Some(settings)) = (&self.0, self.1.pop()) {
            controls.change(settings);
        }
    }
    fn wait(&mut self, limit: Duration) -> Flow {
        Unobserved.wait(limit)
    }
    fn begin(&mut self, controls: &Arc<Controls>) {
        self.0 = Some(Arc::clone(controls));
    }
}

#[test]
fn mode_clients_and_rate_can_change_while_the_run_goes_on_and_no_call_is_lost() {
    let options = VoterOptions { spare_clients: 2, duration: Duration::from_millis(300), ..options(Mode::Async, None) };
    let votes = Arc::new(Mutex::new(Votes::default()));
    let target = |_| -> Box<dyn VoteTarget> { Box::new(MapTarget::new(votes.clone(), 3, 6, 10_000_000, Fault::None)) };
    let settings =
        [(Mode::Sync, 4, None), (Mode::Async, 3, Some(40_000.0)), (Mode::Sql, 1, None), (Mode::Async, 4, None)];
    let settings = settings.map(|(mode, clients, rate)| Settings { mode, clients, rate }).to_vec();
    let mut changing = Changing(None, settings);
    let outcome = run(&options, (0..4).map(target).collect(), Sources::default(), &mut changing).unwrap();
    assert_eq!(verify(&outcome.told(), &stored(&votes), 2), Ok(()));
    assert!(changing.1.is_empty() && outcome.changed);
    assert!(outcome.clients[3].votes.calls() > 0, "a spare client has called");
    let report = Report::new(&options, &outcome, Ok(()));
    assert!(report.warnings.iter().any(|warning| warning.to_string().contains("changed while")));
    assert!(report.service_us.is_some(), "a part of the run had a rate");
}

/// Answers at once, but stalls once in partition 1: all that is due meanwhile waits.
struct Stalling {
    calls: u64,
    stall: Duration,
}

impl VoteTarget for Stalling {
    fn vote(&mut self, _: i64, _: i32, _: i64) -> Result<VoteDone, String> {
        self.calls += 1;
        let partition = (self.calls % 3) as u32;
        if self.calls == 100 {
            std::thread::sleep(self.stall);
        }
        Ok(VoteDone { answer: 0, partition })
    }
    fn submit(&mut self, _: i64, _: i32, _: i64, _: u64) -> Result<(), String> {
        Err("this target only answers at once".to_owned())
    }
    fn poll(&mut self, _: bool, _: &mut dyn FnMut(u64, Result<VoteDone, String>)) -> usize {
        0
    }
    fn in_flight(&self) -> usize {
        0
    }
    fn flush(&mut self) {}
}

#[test]
fn a_planted_stall_is_in_its_partitions_row_and_in_the_response_times_of_all_that_were_due() {
    let options = VoterOptions {
        clients: 1,
        warmup: Duration::ZERO,
        duration: Duration::from_millis(500),
        ..options(Mode::Sync, Some(2_000.0))
    };
    let target: Box<dyn VoteTarget> = Box::new(Stalling { calls: 0, stall: Duration::from_millis(200) });
    let outcome = run(&options, vec![target], Sources::default(), &mut Unobserved).unwrap();
    let slow = |histogram: &Histogram| histogram.count() - histogram.count_up_to(100_000_000);
    // One call took 200 ms; the 100th went to partition 1.
    let service: Vec<u64> = outcome.partitions.iter().map(|p| slow(p.service.as_ref().unwrap())).collect();
    assert_eq!(service[1], 1, "{service:?}");
    assert!(outcome.partitions[1].service.as_ref().unwrap().max() >= 200_000_000);
    // Those due in the first half of the stall waited for longer than 100 ms: some 200 calls, wherever they went.
    let response: u64 = outcome.partitions.iter().map(|p| slow(&p.response)).sum();
    assert!(response >= 190, "{response}");
    assert!(outcome.partitions.iter().all(|p| slow(&p.response) >= 50));
    let report = Report::new(&options, &outcome, Ok(()));
    assert!(report.latency_us.p50 < report.latency_us.p99 && report.latency_us.p99 > 150_000.0);
    assert!(report.service_us.unwrap().p50 < 100_000.0);
}
