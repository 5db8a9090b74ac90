//! Model: all that the dashboard shows, in memory that does not grow.

use crate::bench::controls::Settings;
use crate::bench::options::VoterOptions;
use crate::bench::recorder::VoteCounts;
use crate::bench::sampler::{Election, GeneratorSample, Phase, Sample};
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

/// The whole run, in points that grow longer as it does: at most [`WHOLE_POINTS`].
#[derive(Debug, Clone, Default)]
pub(super) struct WholeRun {
    pub(super) points: Vec<Point>,
    /// Samples per point.
    each: u32,
    /// Samples in the last point.
    last: u32,
}

/// Points kept of the whole run.
const WHOLE_POINTS: usize = 2_000;

impl WholeRun {
    fn push(&mut self, point: Point) {
        self.each = self.each.max(1);
        match self.points.last_mut() {
            Some(last) if self.last < self.each => {
                *last = last.and(&point);
                self.last += 1;
            }
            _ => {
                self.points.push(point);
                self.last = 1;
            }
        }
        if self.points.len() >= WHOLE_POINTS {
            let pairs = self.points.chunks(2).map(|pair| pair[1..].iter().fold(pair[0], |a, b| a.and(b)));
            self.points = pairs.collect();
            self.last = self.each * 2;
            self.each *= 2;
        }
    }
}

impl Point {
    /// Both intervals as one: mean throughput, the best p50 and the worst p99.
    fn and(&self, next: &Point) -> Point {
        let interval_ns = self.interval_ns + next.interval_ns;
        let calls = |p: &Point| p.tps as f64 * p.interval_ns as f64;
        let p50_ns = if self.p50_ns == 0 || next.p50_ns == 0 {
            self.p50_ns.max(next.p50_ns)
        } else {
            self.p50_ns.min(next.p50_ns)
        };
        Point {
            at_ns: next.at_ns,
            interval_ns,
            tps: ((calls(self) + calls(next)) / interval_ns.max(1) as f64) as f32,
            p50_ns,
            p99_ns: self.p99_ns.max(next.p99_ns),
        }
    }
}

/// The screens, in the order of their tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    Partitions,
    Latency,
    Timeline,
    Election,
    Operations,
}

impl View {
    pub const ALL: [View; 5] = [View::Partitions, View::Latency, View::Timeline, View::Election, View::Operations];

    pub(super) fn name(self) -> &'static str {
        match self {
            View::Partitions => "Partitions",
            View::Latency => "Latency",
            View::Timeline => "Timeline",
            View::Election => "Election",
            View::Operations => "Operations",
        }
    }
}

/// Something that happened, on the time axis: a letter, and what it was.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) at_ns: u64,
    pub(super) letter: char,
    pub(super) text: String,
}

/// Marks kept; older ones are forgotten.
const MARKS_MAX: usize = 52;

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
    pub(super) election: Election,
    /// Service times of calls under a rate, since the last reset.
    pub(super) service: Histogram,
    pub(super) whole: WholeRun,
    pub(super) generator: GeneratorSample,
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
            election: Election::default(),
            service: Histogram::new(),
            whole: WholeRun::default(),
            generator: GeneratorSample::default(),
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
        self.service.merge(&sample.service);
        if let Some(point) = self.total.history.last() {
            self.whole.push(*point);
        }
        self.generator = sample.generator;
        if let Some(election) = &sample.election {
            let counted = std::mem::take(&mut self.election);
            self.election.clone_from(election);
            if election.rows.is_empty() {
                (self.election.rows, self.election.memory_bytes) = (counted.rows, counted.memory_bytes);
            }
        }
    }

    pub(super) fn reset_latencies(&mut self) {
        self.since_ns = self.at_ns;
        self.total.latency.reset();
        self.service.reset();
        self.partitions.iter_mut().for_each(|p| p.course.latency.reset());
    }
}

/// The dashboard's state: the figures, and what the person at the keys chose to see of them.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) durability: String,
    pub(super) warmup_ns: u64,
    pub(super) total_s: u64,
    pub(super) color: bool,
    pub(super) live: Figures,
    /// The figures that stand still while the run goes on.
    pub(super) frozen: Option<Box<Figures>>,
    pub(super) chosen: usize,
    /// Index into [`SPANS_S`].
    pub(super) span: usize,
    pub(super) help: bool,
    pub(super) view: View,
    /// Latencies on a logarithmic axis.
    pub(super) log_axis: bool,
    /// The chosen partition fills the Partitions view.
    pub(super) enlarged: bool,
    /// The moment that the Timeline's cursor is at.
    pub(super) cursor_ns: Option<u64>,
    pub(super) marks: Vec<Mark>,
    /// How clients call, as chosen at the keys.
    pub(super) settings: Settings,
    pub(super) clients_max: usize,
    /// The last thing to be told: where a report went.
    pub(super) notice: Option<String>,
}

impl Model {
    /// An empty dashboard. `color`: whether colours may be used.
    pub fn new(options: &VoterOptions, color: bool) -> Model {
        let total = options.warmup + options.duration;
        let span = SPANS_S.iter().position(|&s| s >= total.as_secs()).unwrap_or(3).min(3);
        Model {
            durability: options.durability.clone(),
            warmup_ns: crate::bench::clock::nanos(options.warmup),
            total_s: total.as_secs(),
            color,
            live: Figures::new(options.partitions),
            frozen: None,
            chosen: 0,
            span,
            help: false,
            view: View::Partitions,
            log_axis: true,
            enlarged: false,
            cursor_ns: None,
            marks: Vec::new(),
            settings: Settings::of(options),
            clients_max: options.clients + options.spare_clients,
            notice: None,
        }
    }

    /// The figures on the screen.
    pub(super) fn shown(&self) -> &Figures {
        self.frozen.as_deref().unwrap_or(&self.live)
    }

    /// Notes an event of now.
    pub(super) fn mark(&mut self, text: String) {
        if self.marks.len() == MARKS_MAX {
            self.marks.remove(0);
        }
        let next = self
            .marks
            .last()
            .map_or('a', |mark| if mark.letter == 'z' { 'a' } else { (mark.letter as u8 + 1) as char });
        self.marks.push(Mark { at_ns: self.live.at_ns, letter: next, text });
    }

    /// What runs, as it is set now.
    pub(super) fn title(&self) -> String {
        let options = VoterOptions {
            partitions: self.live.partitions.len(),
            mode: self.settings.mode,
            clients: self.settings.clients,
            rate: self.settings.rate,
            ..VoterOptions::default()
        };
        options.title()
    }

    pub(super) fn span_ns(&self) -> u64 {
        SPANS_S[self.span] * 1_000_000_000
    }
}
