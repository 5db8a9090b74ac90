//! Driver: runs the clients, samples them, and gives what they saw.
//!
//! ```text
//! caller's thread:  sample -> observer.sample, observer.wait ... every `sample_interval`
//! client threads:   call, record                             ... until the end or a stop
//! standing thread:  asks the database who leads              ... twice a second, if there is a source
//! ```
//!
//! The caller's thread owns the observer, so a dashboard runs where it was opened, on the main thread as a rule. A
//! typical caller:
//!
//! ```ignore
//! let mut screen = Dashboard::open(&options, color)?;
//! let outcome = driver::run(&options, targets, sources, &mut screen);
//! drop(screen);
//! let outcome = outcome?;
//! let checked = verify(&outcome.told(), &stored_by_sql()?, options.max_votes);
//! let report = Report::new(&options, &outcome, checked);
//! print!("{}", report::text::summary(&report));
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::bench::clients::{Client, RunControl};
use crate::bench::clock::{Clock, nanos};
use crate::bench::controls::{Controls, Settings};
use crate::bench::options::{OptionsError, VoterOptions};
use crate::bench::recorder::{Recorder, VoteCounts};
use crate::bench::run::{ClientOutcome, Generator, Outcome, PartitionOutcome, Second};
use crate::bench::sampler::{Election, PartitionGauge, Phase, Sample, Sampler};
use crate::bench::target::VoteTarget;
use crate::bench::workloads::voter::CallGenerator;
use crate::stats::Histogram;

/// How long calls in flight are awaited after the last one started.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// How long they are awaited even if the observer wants to leave: an answer in time makes the run checkable.
const DRAIN_LEAST: Duration = Duration::from_secs(1);
/// Between two questions who leads.
const STANDING_INTERVAL: Duration = Duration::from_millis(500);

/// What an observer wants of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// Starts no more calls. While draining, after a second: gives up the calls in flight.
    Leave,
    /// Asks for the outcome so far, and goes on.
    Save,
}

/// Watches a run from the caller's thread.
pub trait Observer {
    /// A new sample; `sample` is reused afterwards.
    fn sample(&mut self, sample: &Sample);

    /// Waits, at most for `limit`, and may return sooner. Input is read and screens are drawn here.
    fn wait(&mut self, limit: Duration) -> Flow;

    /// The run begins; `controls` change it while it goes on.
    fn begin(&mut self, _controls: &Arc<Controls>) {}

    /// The outcome so far, after [`Flow::Save`].
    fn save(&mut self, _outcome: &Outcome) {}
}

/// Watches nothing and lets the run end by itself.
pub struct Unobserved;

impl Observer for Unobserved {
    fn sample(&mut self, _: &Sample) {}

    fn wait(&mut self, limit: Duration) -> Flow {
        std::thread::sleep(limit);
        Flow::Continue
    }
}

/// Reads each partition's gauge into a slice that is as long as there are partitions. Called once per sample.
pub type Gauges = Box<dyn FnMut(&mut [PartitionGauge])>;
/// Asks the database who leads where. Runs on a thread of its own, so it may take its time.
pub type Elections = Box<dyn FnMut() -> Result<Election, String> + Send>;

/// Where a run gets what clients don't see. All of it may be missing.
#[derive(Default)]
pub struct Sources {
    pub gauges: Option<Gauges>,
    pub elections: Option<Elections>,
}

/// Why a run has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Options(#[from] OptionsError),
    #[error("client {client} panicked: {message}")]
    ClientPanicked { client: usize, message: String },
    /// The clients' threads are left behind and may still call.
    #[error(
        "{clients} clients still wait for answers {waited_s} s after their last call; the database does not answer"
    )]
    NoAnswer { clients: usize, waited_s: u64 },
    #[error("no thread for client {client}")]
    Thread { client: usize, source: std::io::Error },
}

/// Runs voter: warms up, measures, waits for all answers.
///
/// `targets` holds one connection per client. Every `options.sample_interval` the observer is given a sample; it is
/// asked to wait in between, and can end the run early. Fails when options are out of bounds, a client panics, or the
/// database stops answering; calls that fail are no failure of the run but are counted in the outcome.
pub fn run(
    options: &VoterOptions,
    targets: Vec<Box<dyn VoteTarget>>,
    sources: Sources,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    options.validate()?;
    let clients_max = options.clients + options.spare_clients;
    if targets.len() != clients_max {
        return Err(OptionsError::Targets { targets: targets.len(), clients: clients_max }.into());
    }
    let controls = Arc::new(Controls::new(Settings::of(options), clients_max));
    observer.begin(&controls);
    let warmup_ns = nanos(options.warmup);
    let control = Arc::new(RunControl {
        clock: Clock::start(),
        stop: AtomicBool::new(false),
        end_ns: warmup_ns.saturating_add(nanos(options.duration)),
        finished: AtomicUsize::new(0),
        controls,
    });
    let recorder = |_: &_| Arc::new(Recorder::new(options.partitions, warmup_ns));
    let recorders: Vec<Arc<Recorder>> = targets.iter().map(recorder).collect();
    // From here on, leaving in any way stops the clients: also when the observer panics.
    let stop = StopOnDrop(control.clone());
    let clients = start_clients(options, targets, &recorders, &control)?;
    let mut watch = Watch {
        gauges: vec![PartitionGauge::default(); options.partitions],
        source: sources.gauges,
        elections: sources.elections.map(|source| ElectionThread::start(source, control.clone())),
        sampler: Sampler::new(recorders.clone(), options.partitions),
        sample: Sample::new(options.partitions),
        seconds: Seconds::default(),
        busy_at_first: None,
        recorders,
        warmup_ns,
    };
    let stopped_early = watch.until_over(&control, nanos(options.sample_interval), observer);
    control.stop.store(true, Ordering::Relaxed);
    watch.drain(&control, clients_max, observer)?;
    for (client, thread) in clients.into_iter().enumerate() {
        thread.join().map_err(|panic| RunError::ClientPanicked { client, message: panic_message(&*panic) })?;
    }
    watch.take(control.clock.now(), Phase::Drain, observer);
    let election = watch.elections.take().map(ElectionThread::finish).unwrap_or_default();
    drop(stop);
    watch.seconds.finish();
    Ok(Outcome { stopped_early, standing: election.standing, winners: election.winners, ..watch.outcome(&control) })
}

struct StopOnDrop(Arc<RunControl>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

fn start_clients(
    options: &VoterOptions,
    targets: Vec<Box<dyn VoteTarget>>,
    recorders: &[Arc<Recorder>],
    control: &Arc<RunControl>,
) -> Result<Vec<JoinHandle<()>>, RunError> {
    let mut threads = Vec::with_capacity(targets.len());
    for (number, (target, recorder)) in targets.into_iter().zip(recorders).enumerate() {
        let client = Client {
            target,
            generator: CallGenerator::new(options.seed, number as u64, options.contestants),
            recorder: recorder.clone(),
            control: control.clone(),
            number,
            max_votes: options.max_votes,
            window: options.in_flight,
            epoch: 0,
            by_text: false,
            broken: false,
        };
        let thread = std::thread::Builder::new().name(format!("client-{number}")).spawn(move || client.run());
        threads.push(thread.map_err(|source| RunError::Thread { client: number, source })?);
    }
    Ok(threads)
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// The caller's thread during a run.
struct Watch {
    gauges: Vec<PartitionGauge>,
    source: Option<Gauges>,
    elections: Option<ElectionThread>,
    sampler: Sampler,
    sample: Sample,
    seconds: Seconds,
    /// When the gauges were first read, and the time that all partitions had been busy by then.
    busy_at_first: Option<(u64, u64)>,
    recorders: Vec<Arc<Recorder>>,
    warmup_ns: u64,
}

impl Watch {
    /// Samples until the end of the run; true if it came before its time.
    fn until_over(&mut self, control: &RunControl, interval: u64, observer: &mut dyn Observer) -> bool {
        let mut next = interval;
        loop {
            let now = control.clock.now();
            // A client that is gone before the end has panicked or lost every call: what is left is not the run asked for.
            if now >= control.end_ns || control.finished.load(Ordering::Acquire) > 0 {
                return now < control.end_ns;
            }
            if now >= next {
                let phase = if now < self.warmup_ns { Phase::WarmUp } else { Phase::Measure };
                self.take(now, phase, observer);
                // Samples missed by a slow observer are skipped, not made up for.
                next = (now / interval + 1) * interval;
            }
            let until = next.min(control.end_ns);
            match observer.wait(Duration::from_nanos(until.saturating_sub(control.clock.now()))) {
                Flow::Continue => {}
                Flow::Leave => return true,
                Flow::Save => observer.save(&self.outcome(control)),
            }
        }
    }

    fn drain(&mut self, control: &RunControl, clients: usize, observer: &mut dyn Observer) -> Result<(), RunError> {
        let since = control.clock.now();
        loop {
            let waiting = clients - control.finished.load(Ordering::Acquire);
            if waiting == 0 {
                return Ok(());
            }
            let waited = control.clock.now() - since;
            let gives_up = observer.wait(Duration::from_millis(2)) == Flow::Leave && waited > nanos(DRAIN_LEAST);
            if gives_up || waited > nanos(DRAIN_MAX) {
                return Err(RunError::NoAnswer { clients: waiting, waited_s: waited / 1_000_000_000 });
            }
        }
    }

    fn take(&mut self, now: u64, phase: Phase, observer: &mut dyn Observer) {
        if let Some(source) = &mut self.source {
            source(&mut self.gauges);
        }
        if self.busy_at_first.is_none() {
            self.busy_at_first = self.busy_ns().map(|busy| (now, busy));
        }
        self.sample.election = self.elections.as_ref().and_then(ElectionThread::newest);
        self.sampler.take(now, phase, &self.gauges, &mut self.sample);
        self.seconds.add(&self.sample, self.warmup_ns);
        observer.sample(&self.sample);
    }

    /// Time that all partitions have spent in transactions.
    fn busy_ns(&self) -> Option<u64> {
        self.gauges.iter().map(|gauge| gauge.busy_ns).sum()
    }

    /// What the clients have seen so far.
    fn outcome(&self, control: &RunControl) -> Outcome {
        let mut outcome = outcome(&self.recorders, self.warmup_ns);
        outcome.seconds.clone_from(&self.seconds.done);
        outcome.changed = control.controls.epoch() > 0;
        let since = self.busy_at_first.zip(self.busy_ns());
        outcome.generator.busy = since.map(|((at, before), now)| {
            now.saturating_sub(before) as f64 / self.sample.at_ns.saturating_sub(at).max(1) as f64
        });
        outcome
    }
}

/// The measured seconds, one after the other.
#[derive(Default)]
struct Seconds {
    done: Vec<Second>,
    latency: Histogram,
    /// Where the one under way began and how far it is, in nanoseconds of the run.
    begins_ns: u64,
    at_ns: u64,
}

impl Seconds {
    fn add(&mut self, sample: &Sample, warmup_ns: u64) {
        if sample.at_ns <= warmup_ns {
            return;
        }
        if self.at_ns == 0 {
            self.begins_ns = warmup_ns;
        }
        self.at_ns = sample.at_ns;
        self.latency.merge(&sample.measured);
        // A sample rarely ends on the second, so a tenth of the last interval may be missing.
        if self.at_ns - self.begins_ns + sample.interval_ns / 10 >= 1_000_000_000 {
            self.finish();
        }
    }

    /// Ends the second under way, also if it has not lasted a second.
    fn finish(&mut self) {
        if self.at_ns > self.begins_ns && !(self.latency.is_empty() && self.at_ns - self.begins_ns < 100_000_000) {
            self.done.push(Second::of(self.begins_ns, self.at_ns, &self.latency));
        }
        self.latency.reset();
        self.begins_ns = self.at_ns;
    }
}

/// Asks who leads, over and over, beside the run.
struct ElectionThread {
    answers: Receiver<Election>,
    /// Gives the source back when the run is over. Without a thread there is no standing.
    thread: Option<JoinHandle<Elections>>,
}

impl ElectionThread {
    fn start(mut source: Elections, control: Arc<RunControl>) -> ElectionThread {
        let (sender, answers) = mpsc::sync_channel(1);
        let asking = move || {
            while !control.stop.load(Ordering::Relaxed) {
                // A question that fails is asked again; an answer that nobody has taken yet is not replaced.
                if let Ok(election) = source() {
                    let _ = sender.try_send(election);
                }
                std::thread::park_timeout(STANDING_INTERVAL);
            }
            source
        };
        ElectionThread { answers, thread: std::thread::Builder::new().name("election".to_owned()).spawn(asking).ok() }
    }

    fn newest(&self) -> Option<Election> {
        self.answers.try_iter().last()
    }

    /// The standing after the last vote; empty if the database gives none. The run must have been stopped.
    fn finish(self) -> Election {
        let Some(thread) = self.thread else { return Election::default() };
        thread.thread().unpark();
        thread.join().ok().and_then(|mut source| source().ok()).unwrap_or_default()
    }
}

/// What the clients have seen; exact once they have ended.
fn outcome(recorders: &[Arc<Recorder>], warmup_ns: u64) -> Outcome {
    let sum = |field: fn(&Recorder) -> u64| recorders.iter().map(|r| field(r)).sum::<u64>();
    let last_answer_ns = recorders.iter().map(|r| r.last_answer_ns.get()).max().unwrap_or(0);
    let partition = |index: usize| {
        let mut partition = PartitionOutcome::default();
        for book in recorders.iter().map(|r| &r.measured.partitions[index]) {
            partition.votes += book.votes();
            book.response.add_to(&mut partition.response);
            if let Some(service) = book.service.get() {
                service.add_to(partition.service.get_or_insert_with(Histogram::new));
            }
        }
        partition
    };
    let client = |recorder: &Arc<Recorder>| {
        let mut client = ClientOutcome { errors: recorder.measured.errors.get(), ..ClientOutcome::default() };
        recorder.measured.partitions.iter().for_each(|book| client.votes += book.votes());
        client
    };
    let mut all_votes = VoteCounts::default();
    for book in recorders.iter().flat_map(|r| r.warmup.partitions.iter().chain(&r.measured.partitions)) {
        all_votes += book.votes();
    }
    let partitions = recorders[0].measured.partitions.len();
    let share = |ns: u64| (ns > 0).then(|| ns as f64 / last_answer_ns.max(1) as f64);
    Outcome {
        partitions: (0..partitions).map(partition).collect(),
        clients: recorders.iter().map(client).collect(),
        measured_ns: last_answer_ns.saturating_sub(warmup_ns),
        errors: sum(|r| r.measured.errors.get()),
        all_votes,
        all_errors: sum(|r| r.warmup.errors.get() + r.measured.errors.get()),
        submitted: sum(|r| r.submitted.get()),
        lost: sum(|r| r.lost.get()),
        unasked: sum(|r| r.unasked.get()),
        unsent: sum(|r| r.unsent.get()),
        first_error: recorders.iter().find_map(|r| r.first_error.lock().ok()?.clone()),
        generator: Generator {
            cpu: share(sum(|r| r.cpu_ns.get())),
            cpu_wait: share(sum(|r| r.cpu_wait_ns.get())),
            busy: None,
        },
        seconds: Vec::new(),
        changed: false,
        stopped_early: false,
        standing: Vec::new(),
        winners: Vec::new(),
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
