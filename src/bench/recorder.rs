//! Recorder: what one client thread has seen, by partition. Written by that thread alone, read by any.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use serde::Serialize;

use crate::bench::processor::ThreadTimes;
use crate::bench::target::{ACCEPTED, OVER_THE_LIMIT, VoteDone};
use crate::stats::SharedHistogram;

/// Answered calls by what was answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct VoteCounts {
    pub accepted: u64,
    /// The contestant does not exist.
    pub rejected_contestant: u64,
    /// The phone has all its votes.
    pub rejected_limit: u64,
}

impl VoteCounts {
    /// All answered calls.
    pub fn calls(&self) -> u64 {
        self.accepted + self.rejected_contestant + self.rejected_limit
    }
}

impl AddAssign for VoteCounts {
    fn add_assign(&mut self, other: VoteCounts) {
        self.accepted += other.accepted;
        self.rejected_contestant += other.rejected_contestant;
        self.rejected_limit += other.rejected_limit;
    }
}

/// A counter that one thread raises and others read: no locked instruction.
#[derive(Default)]
pub(super) struct Tally(AtomicU64);

impl Tally {
    #[inline]
    pub(super) fn add(&self, n: u64) {
        self.0.store(self.0.load(Relaxed) + n, Relaxed);
    }

    pub(super) fn set(&self, n: u64) {
        self.0.store(n, Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// One client's calls to one partition.
pub(super) struct PartitionBook {
    answers: [Tally; 3],
    /// From the intended start to the answer. Without a rate that is the real start.
    pub(super) response: SharedHistogram,
    /// From the real start to the answer, of the calls made under a rate: only there do the two differ.
    pub(super) service: OnceLock<SharedHistogram>,
}

impl PartitionBook {
    pub(super) fn votes(&self) -> VoteCounts {
        let [accepted, rejected_contestant, rejected_limit] = self.answers.each_ref().map(Tally::get);
        VoteCounts { accepted, rejected_contestant, rejected_limit }
    }
}

/// One client's calls of one phase.
pub(super) struct Book {
    pub(super) partitions: Box<[PartitionBook]>,
    /// Calls that failed; which partition ran them, if any, is unknown.
    pub(super) errors: Tally,
}

impl Book {
    fn new(partitions: usize) -> Book {
        let partition = |_| PartitionBook {
            answers: Default::default(),
            response: SharedHistogram::new(),
            service: OnceLock::new(),
        };
        Book { partitions: (0..partitions).map(partition).collect(), errors: Tally::default() }
    }
}

/// When a call was meant to start, started and was answered, in nanoseconds since the run began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// None: when it started, as fast as answers come.
    pub(super) intended: Option<u64>,
    pub(super) started: u64,
    pub(super) answered: u64,
}

/// All that one client thread has seen. A call belongs to the phase in which it was answered.
pub(super) struct Recorder {
    pub(super) warmup: Book,
    pub(super) measured: Book,
    warmup_ns: u64,
    /// Calls handed to the target.
    pub(super) submitted: Tally,
    /// Calls that the target never answered.
    pub(super) lost: Tally,
    /// Answers to no call, or to one that had been answered.
    pub(super) unasked: Tally,
    /// Calls that were due under the rate and never started.
    pub(super) unsent: Tally,
    /// When the last answer came, in nanoseconds since the run began.
    pub(super) last_answer_ns: Tally,
    pub(super) first_error: Mutex<Option<String>>,
    /// Where the thread's processor time can be read; empty before it runs, or where the system has none.
    pub(super) thread: OnceLock<ThreadTimes>,
    /// What the thread had used in the end.
    pub(super) cpu_ns: Tally,
    pub(super) cpu_wait_ns: Tally,
}

impl Recorder {
    pub(super) fn new(partitions: usize, warmup_ns: u64) -> Recorder {
        Recorder {
            warmup: Book::new(partitions),
            measured: Book::new(partitions),
            warmup_ns,
            submitted: Tally::default(),
            lost: Tally::default(),
            unasked: Tally::default(),
            unsent: Tally::default(),
            last_answer_ns: Tally::default(),
            first_error: Mutex::new(None),
            thread: OnceLock::new(),
            cpu_ns: Tally::default(),
            cpu_wait_ns: Tally::default(),
        }
    }

    /// Records one answer. Anything but a known answer from a known partition is an error.
    #[inline]
    pub(super) fn answered(&self, times: Times, result: Result<VoteDone, String>) {
        let book = if times.answered < self.warmup_ns { &self.warmup } else { &self.measured };
        match result {
            Ok(done) if (ACCEPTED..=OVER_THE_LIMIT).contains(&done.answer) => {
                let Some(partition) = book.partitions.get(done.partition as usize) else {
                    return self.failed(book, format!("Vote was answered by partition {}", done.partition));
                };
                partition.answers[done.answer as usize].add(1);
                let service = times.answered - times.started.min(times.answered);
                match times.intended {
                    None => partition.response.record(service),
                    Some(intended) => {
                        partition.response.record(times.answered - intended.min(times.answered));
                        partition.service.get_or_init(SharedHistogram::new).record(service);
                    }
                }
            }
            Ok(done) => self.failed(book, format!("Vote answered {}, which is none of 0, 1 and 2", done.answer)),
            Err(message) => self.failed(book, message),
        }
    }

    #[cold]
    fn failed(&self, book: &Book, message: String) {
        book.errors.add(1);
        let mut first = self.first_error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_go_to_their_phase_and_partition_and_the_rest_are_errors() {
        let recorder = Recorder::new(2, 1_000);
        let times = |answered| Times { intended: Some(100), started: 400, answered };
        recorder.answered(times(999), Ok(VoteDone { answer: 0, partition: 1 }));
        recorder.answered(times(1_000), Ok(VoteDone { answer: 2, partition: 0 }));
        recorder.answered(times(2_000), Ok(VoteDone { answer: 3, partition: 0 }));
        recorder.answered(times(2_000), Ok(VoteDone { answer: 0, partition: 2 }));
        recorder.answered(times(2_000), Err("gone".to_owned()));
        assert_eq!(recorder.warmup.partitions[1].votes().accepted, 1);
        assert_eq!(recorder.measured.partitions[0].votes(), VoteCounts { rejected_limit: 1, ..Default::default() });
        assert_eq!((recorder.warmup.errors.get(), recorder.measured.errors.get()), (0, 3));
        assert!(recorder.first_error.lock().unwrap().as_deref().unwrap().starts_with("Vote answered 3"));
        let mut service = crate::stats::Histogram::new();
        recorder.measured.partitions[0].service.get().unwrap().add_to(&mut service);
        assert_eq!(service.max(), 600);
    }
}
