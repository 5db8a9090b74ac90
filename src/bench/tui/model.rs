//! Model: all that the dashboard shows, in memory that does not grow.

use crate::bench::options::VoterOptions;
use crate::bench::recorder::VoteCounts;
use crate::bench::sampler::{Phase, Sample, Standing};
use crate::stats::{Histogram, RateWindow, Ring};

/// How much of the run charts can show, in seconds.
pub(super) const SPANS_S: [u64; 7] = [10, 20, 40, 60, 120, 300, 600];
/// Points kept per history: the longest span at five samples a second.
const HISTORY_POINTS: usize = 3_000;
/// Samples over which the figures "per second" are taken, one more than a second has.
const RATE_READINGS: usize = 6;

/// One interval of a history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) at_ns: u64,
    pub(super) interval_ns: u64,
    pub(super) tps: f32,
    /// Both 0 if nothing was answered.
    pub(super) p50_ns: u64,
    pub(super) p99_ns: u64,
}

/// Throughput now, latencies since the last reset, and the course of both.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) rate: RateWindow,
    calls: u64,
    pub(super) latency: Histogram,
    pub(super) history: Ring<Point>,
}

impl Course {
    fn new() -> Course {
        Course {
            rate: RateWindow::new(RATE_READINGS),
            calls: 0,
            latency: Histogram::new(),
            history: Ring::new(HISTORY_POINTS),
        }
    }

    fn add(&mut self, sample: &Sample, tps: f64, latency: &Histogram) {
        self.calls += latency.count();
        self.rate.read(sample.at_ns, self.calls);
        self.latency.merge(latency);
        let (at_ns, interval_ns) = (sample.at_ns, sample.interval_ns);
        let [p50_ns, p99_ns] = latency.quantiles([0.5, 0.99]);
        self.history.push(Point { at_ns, interval_ns, tps: tps as f32, p50_ns, p99_ns });
    }
}

/// One partition's figures.
#[derive(Debug, Clone)]
pub(super) struct PartitionFigures {
    pub(super) course: Course,
    pub(super) queued: Option<u64>,
    pub(super) busy: Option<f64>,
}

/// The figures of one moment.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    pub(super) at_ns: u64,
    pub(super) phase: Phase,
    /// Since when latencies are counted.
    pub(super) since_ns: u64,
    pub(super) total: Course,
    pub(super) partitions: Vec<PartitionFigures>,
    pub(super) votes: VoteCounts,
    pub(super) errors: u64,
    pub(super) standing: Vec<Standing>,
}

impl Figures {
    fn new(partitions: usize) -> Figures {
        let partition = PartitionFigures { course: Course::new(), queued: None, busy: None };
        Figures {
            at_ns: 0,
            phase: Phase::WarmUp,
            since_ns: 0,
            total: Course::new(),
            partitions: vec![partition; partitions],
            votes: VoteCounts::default(),
            errors: 0,
            standing: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, sample: &Sample) {
        if self.phase == Phase::WarmUp && sample.phase != Phase::WarmUp {
            self.reset_latencies();
        }
        (self.at_ns, self.phase) = (sample.at_ns, sample.phase);
        self.total.add(sample, sample.tps, &sample.latency);
        for (figures, partition) in self.partitions.iter_mut().zip(&sample.partitions) {
            figures.course.add(sample, partition.tps, &partition.latency);
            (figures.queued, figures.busy) = (partition.queued, partition.busy);
        }
        (self.votes, self.errors) = (sample.votes, sample.errors);
        if let Some(standing) = &sample.standing {
            self.standing.clone_from(standing);
        }
    }

    pub(super) fn reset_latencies(&mut self) {
        self.since_ns = self.at_ns;
        self.total.latency.reset();
        self.partitions.iter_mut().for_each(|p| p.course.latency.reset());
    }
}

/// The dashboard's state: the figures, and what the person at the keys chose to see of them.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) title: String,
    pub(super) durability: String,
    pub(super) warmup_ns: u64,
    pub(super) total_s: u64,
    /// Response and service time differ.
    pub(super) open_loop: bool,
    pub(super) color: bool,
    pub(super) live: Figures,
    /// The figures that stand still while the run goes on.
    pub(super) frozen: Option<Box<Figures>>,
    pub(super) chosen: usize,
    /// Index into [`SPANS_S`].
    pub(super) span: usize,
    pub(super) help: bool,
}

impl Model {
    /// An empty dashboard. `color`: whether colours may be used.
    pub fn new(options: &VoterOptions, color: bool) -> Model {
        let total = options.warmup + options.duration;
        let span = SPANS_S.iter().position(|&s| s >= total.as_secs()).unwrap_or(3).min(3);
        Model {
            title: options.title(),
            durability: options.durability.clone(),
            warmup_ns: crate::bench::clock::nanos(options.warmup),
            total_s: total.as_secs(),
            open_loop: options.rate.is_some(),
            color,
            live: Figures::new(options.partitions),
            frozen: None,
            chosen: 0,
            span,
            help: false,
        }
    }

    /// The figures on the screen.
    pub(super) fn shown(&self) -> &Figures {
        self.frozen.as_deref().unwrap_or(&self.live)
    }

    pub(super) fn span_ns(&self) -> u64 {
        SPANS_S[self.span] * 1_000_000_000
    }
}
