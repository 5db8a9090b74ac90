//! Sampler: what all clients have seen since the last sample, merged by partition.

use std::sync::Arc;
use std::time::Duration;

use crate::bench::processor::ThreadTimes;
use crate::bench::recorder::{PartitionBook, Recorder, VoteCounts};
use crate::stats::Histogram;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Calls are made and their votes stored, but not measured.
    WarmUp,
    Measure,
    /// No call starts any more; those in flight are awaited.
    Drain,
}

/// What the database says of a partition at this moment; `None` where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartitionGauge {
    /// Calls that wait for the partition.
    pub queued: Option<u64>,
    /// Time that the partition has spent in transactions since it was opened, in nanoseconds.
    pub busy_ns: Option<u64>,
}

/// One contestant at one moment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Standing {
    pub number: i32,
    pub name: String,
    pub votes: u64,
    /// States in which nobody has more votes.
    pub states_led: u32,
}

/// Who leads where, at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Election {
    /// Most votes first.
    pub standing: Vec<Standing>,
    /// State and the contestant with most votes there; of several, the one with the lowest number.
    pub winners: Vec<(String, i32)>,
    /// How long the database took to say so.
    pub took: Duration,
    /// Rows of each table and view, and the bytes of all. Empty and 0 where they were not counted this time.
    pub rows: Vec<(String, u64)>,
    pub memory_bytes: u64,
}

/// What the clients' threads did in an interval, as shares of it: 1 is one processor. None where the system doesn't say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GeneratorSample {
    pub cpu: Option<f64>,
    /// Ready to run, but waiting for a processor.
    pub cpu_wait: Option<f64>,
}

/// One partition's share of a [`Sample`].
#[derive(Debug, Clone, Default)]
pub struct PartitionSample {
    /// Calls answered in the interval.
    pub calls: u64,
    /// Calls answered per second, over the interval.
    pub tps: f64,
    /// Response times of the interval's calls: from the intended start to the answer.
    pub latency: Histogram,
    pub queued: Option<u64>,
    /// Share of the interval spent in transactions, 0 to 1.
    pub busy: Option<f64>,
}

/// What happened in one interval, 200 ms as a rule. Reused from sample to sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The interval's end, in nanoseconds since the run began.
    pub at_ns: u64,
    pub interval_ns: u64,
    /// The phase at the interval's end.
    pub phase: Phase,
    /// By partition, from 0.
    pub partitions: Vec<PartitionSample>,
    /// Calls answered per second, over the interval.
    pub tps: f64,
    /// Response times of all partitions' calls of the interval.
    pub latency: Histogram,
    /// Service times of those of them that were made under a rate.
    pub service: Histogram,
    /// Response times of the calls that count as measured: the same calls, but in the interval in which the warm-up ends.
    pub measured: Histogram,
    pub generator: GeneratorSample,
    /// Answered calls since the run began, warm-up included.
    pub votes: VoteCounts,
    /// Failed calls since the run began.
    pub errors: u64,
    /// The election, if it was asked for since the last sample.
    pub election: Option<Election>,
}

impl Sample {
    pub fn new(partitions: usize) -> Sample {
        Sample {
            at_ns: 0,
            interval_ns: 0,
            phase: Phase::WarmUp,
            partitions: vec![PartitionSample::default(); partitions],
            tps: 0.0,
            latency: Histogram::new(),
            service: Histogram::new(),
            measured: Histogram::new(),
            generator: GeneratorSample::default(),
            votes: VoteCounts::default(),
            errors: 0,
            election: None,
        }
    }
}

/// Turns the recorders' running totals into intervals.
pub(super) struct Sampler {
    recorders: Vec<Arc<Recorder>>,
    seen: Vec<Seen>,
    at_ns: u64,
    now: Histogram,
    service: Difference,
    measured: Difference,
    cpu: Option<(u64, u64)>,
}

/// A running total and what it was at the last sample.
#[derive(Default)]
struct Difference {
    before: Histogram,
    now: Histogram,
}

impl Difference {
    /// What `now` has that it had not before.
    fn take(&mut self, into: &mut Histogram) {
        into.reset();
        into.merge(&self.now);
        into.subtract(&self.before);
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.reset();
    }
}

#[derive(Default)]
struct Seen {
    latency: Histogram,
    busy_ns: Option<u64>,
}

impl Sampler {
    pub(super) fn new(recorders: Vec<Arc<Recorder>>, partitions: usize) -> Sampler {
        let seen = (0..partitions).map(|_| Seen::default()).collect();
        Sampler {
            recorders,
            seen,
            at_ns: 0,
            now: Histogram::new(),
            service: Difference::default(),
            measured: Difference::default(),
            cpu: None,
        }
    }

    /// Fills `sample` with the interval since the last call, which ends at `at_ns`. `gauges` is by partition.
    pub(super) fn take(&mut self, at_ns: u64, phase: Phase, gauges: &[PartitionGauge], sample: &mut Sample) {
        let interval_ns = at_ns.saturating_sub(self.at_ns).max(1);
        self.at_ns = at_ns;
        (sample.at_ns, sample.interval_ns, sample.phase) = (at_ns, interval_ns, phase);
        sample.latency.reset();
        sample.votes = VoteCounts::default();
        let mut calls = 0;
        for recorder in &self.recorders {
            recorder.measured.partitions.iter().for_each(|book| book.response.add_to(&mut self.measured.now));
            let books = recorder.warmup.partitions.iter().chain(&recorder.measured.partitions);
            books.filter_map(|book| book.service.get()).for_each(|times| times.add_to(&mut self.service.now));
        }
        self.measured.take(&mut sample.measured);
        self.service.take(&mut sample.service);
        sample.generator = self.generator(interval_ns);
        for (index, seen) in self.seen.iter_mut().enumerate() {
            self.now.reset();
            for book in books(&self.recorders, index) {
                book.response.add_to(&mut self.now);
                sample.votes += book.votes();
            }
            let partition = &mut sample.partitions[index];
            partition.latency.reset();
            partition.latency.merge(&self.now);
            partition.latency.subtract(&seen.latency);
            std::mem::swap(&mut seen.latency, &mut self.now);
            partition.calls = partition.latency.count();
            partition.tps = partition.calls as f64 * 1e9 / interval_ns as f64;
            calls += partition.calls;
            sample.latency.merge(&partition.latency);
            let gauge = gauges.get(index).copied().unwrap_or_default();
            partition.queued = gauge.queued;
            partition.busy = match (seen.busy_ns, gauge.busy_ns) {
                (Some(before), Some(now)) => {
                    Some((now.saturating_sub(before) as f64 / interval_ns as f64).clamp(0.0, 1.0))
                }
                _ => None,
            };
            seen.busy_ns = gauge.busy_ns;
        }
        sample.tps = calls as f64 * 1e9 / interval_ns as f64;
        sample.errors = self.recorders.iter().map(|r| r.warmup.errors.get() + r.measured.errors.get()).sum();
    }
}

/// Clients whose processor time is read each time; beyond, it would cost more than it tells.
const CLIENTS_READ_MAX: usize = 32;

impl Sampler {
    fn generator(&mut self, interval_ns: u64) -> GeneratorSample {
        let read = |recorder: &Arc<Recorder>| recorder.thread.get().and_then(ThreadTimes::read);
        let all = (self.recorders.len() <= CLIENTS_READ_MAX).then(|| self.recorders.iter().map(read));
        let now = all
            .and_then(|all| all.collect::<Option<Vec<_>>>().map(|used| used.into_iter().sum::<Total>()))
            .map(|total| (total.cpu_ns, total.wait_ns));
        let before = std::mem::replace(&mut self.cpu, now);
        let share =
            |at: fn(&(u64, u64)) -> u64| Some(at(&now?).saturating_sub(at(&before?)) as f64 / interval_ns as f64);
        GeneratorSample { cpu: share(|used| used.0), cpu_wait: share(|used| used.1) }
    }
}

/// The sum of several threads' times.
#[derive(Default)]
struct Total {
    cpu_ns: u64,
    wait_ns: u64,
}

impl std::iter::Sum<crate::bench::processor::Used> for Total {
    fn sum<I: Iterator<Item = crate::bench::processor::Used>>(used: I) -> Total {
        used.fold(Total::default(), |total, used| Total {
            cpu_ns: total.cpu_ns + used.cpu_ns,
            wait_ns: total.wait_ns + used.wait_ns,
        })
    }
}

fn books(recorders: &[Arc<Recorder>], partition: usize) -> impl Iterator<Item = &PartitionBook> {
    recorders.iter().flat_map(move |r| [&r.warmup.partitions[partition], &r.measured.partitions[partition]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::recorder::Times;
    use crate::bench::target::VoteDone;

    #[test]
    fn a_sample_holds_its_interval_and_the_totals_hold_all() {
        let recorder = Arc::new(Recorder::new(2, 1_000));
        let mut sampler = Sampler::new(vec![recorder.clone()], 2);
        let mut sample = Sample::new(2);
        let answer = |answered, latency, partition| {
            let started = answered - latency;
            let times = Times { intended: None, started, answered };
            recorder.answered(times, Ok(VoteDone { answer: 0, partition }));
        };
        answer(900, 50, 0);
        let gauge = |busy_ns| PartitionGauge { queued: Some(7), busy_ns: Some(busy_ns) };
        sampler.take(1_000, Phase::WarmUp, &[gauge(100), gauge(0)], &mut sample);
        assert_eq!((sample.partitions[0].calls, sample.partitions[1].calls), (1, 0));
        assert_eq!(sample.partitions[0].busy, None);
        answer(1_500, 70, 0);
        answer(1_600, 80, 1);
        answer(1_700, 90, 1);
        sampler.take(2_000, Phase::Measure, &[gauge(600)], &mut sample);
        assert_eq!((sample.partitions[0].calls, sample.partitions[1].calls), (1, 2));
        assert_eq!((sample.partitions[0].latency.min(), sample.latency.max()), (70, 90));
        assert_eq!((sample.partitions[0].busy, sample.partitions[1].busy), (Some(0.5), None));
        assert_eq!((sample.votes.calls(), sample.interval_ns), (4, 1_000));
        assert_eq!(sample.tps, 3e6);
    }
}
