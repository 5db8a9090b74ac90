//! Update: what a sample or a key does to the model.

use crate::bench::controls::Settings;
use crate::bench::driver::Flow;
use crate::bench::options::Mode;
use crate::bench::sampler::Sample;
use crate::bench::tui::model::{Model, SPANS_S, View};

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Quit,
    /// Stands still, or follows the run again.
    Freeze,
    Help,
    /// Closes what lies over the screen.
    Back,
    Previous,
    Next,
    First,
    Last,
    LongerSpan,
    ShorterSpan,
    /// Counts latencies anew, on the screen only.
    Reset,
    View(View),
    NextView,
    PreviousView,
    /// The cursor of the Timeline; elsewhere the choice of a partition.
    Left,
    Right,
    /// Latencies on a logarithmic or a linear axis.
    LogAxis,
    /// The chosen partition alone, or all.
    Enlarge,
    /// Saves the report so far.
    Save,
    /// Another way to call.
    Mode,
    MoreClients,
    FewerClients,
    /// A quarter more or less; without a rate, it begins at the present throughput.
    RaiseRate,
    LowerRate,
    NoRate,
}

/// What happens to a dashboard.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    Sample(&'a Sample),
    Key(Key),
}

/// Changes the model; `Leave` when the run should end.
pub fn update(model: &mut Model, event: Event<'_>) -> Flow {
    match event {
        Event::Sample(sample) => model.live.add(sample),
        Event::Key(Key::Quit) => return Flow::Leave,
        Event::Key(Key::Save) => return Flow::Save,
        Event::Key(key) => press(model, key),
    }
    Flow::Continue
}

fn press(model: &mut Model, key: Key) {
    let last = model.live.partitions.len().saturating_sub(1);
    match key {
        Key::Quit | Key::Save => {}
        Key::View(view) => (model.view, model.help) = (view, false),
        Key::NextView => turn(model, 1),
        Key::PreviousView => turn(model, View::ALL.len() - 1),
        Key::Left | Key::Right if model.view == View::Timeline => move_cursor(model, key == Key::Right),
        Key::Left => press(model, Key::Previous),
        Key::Right => press(model, Key::Next),
        Key::LogAxis => model.log_axis = !model.log_axis,
        Key::Enlarge => model.enlarged = !model.enlarged,
        Key::Mode | Key::MoreClients | Key::FewerClients | Key::RaiseRate | Key::LowerRate | Key::NoRate => {
            set(model, key);
        }
        Key::Freeze => {
            model.frozen = match model.frozen.take() {
                Some(_) => None,
                None => Some(Box::new(model.live.clone())),
            }
        }
        Key::Help => model.help = !model.help,
        Key::Back => {
            (model.help, model.cursor_ns, model.notice) = (false, None, None);
            if !std::mem::take(&mut model.enlarged) {
                model.frozen = None;
            }
        }
        Key::Previous => model.chosen = model.chosen.saturating_sub(1),
        Key::Next => model.chosen = (model.chosen + 1).min(last),
        Key::First => model.chosen = 0,
        Key::Last => model.chosen = last,
        Key::LongerSpan => model.span = (model.span + 1).min(SPANS_S.len() - 1),
        Key::ShorterSpan => model.span = model.span.saturating_sub(1),
        Key::Reset => {
            // What is reset is what is seen: a frozen screen follows the run again.
            model.frozen = None;
            model.live.reset_latencies();
        }
    }
}

fn turn(model: &mut Model, by: usize) {
    let at = View::ALL.iter().position(|view| *view == model.view).unwrap_or(0);
    model.view = View::ALL[(at + by) % View::ALL.len()];
}

/// The cursor moves by a hundredth of the run, and leaves at its ends.
fn move_cursor(model: &mut Model, right: bool) {
    let now = model.shown().at_ns;
    let step = (now / 100).max(200_000_000);
    let at = model.cursor_ns.unwrap_or(now);
    let moved = if right { at + step } else { at.saturating_sub(step) };
    model.cursor_ns = (moved <= now).then_some(moved);
}

/// Changes how clients call, and notes it on the time axis.
fn set(model: &mut Model, key: Key) {
    let before = model.settings;
    let now = model.live.total.rate.per_second().max(1.0);
    let rate = before.rate;
    model.settings = match key {
        Key::Mode => {
            let mode = match before.mode {
                Mode::Sync => Mode::Async,
                Mode::Async => Mode::Sql,
                Mode::Sql => Mode::Sync,
            };
            Settings { mode, ..before }
        }
        Key::MoreClients => Settings { clients: (before.clients + 1).min(model.clients_max), ..before },
        Key::FewerClients => Settings { clients: before.clients.saturating_sub(1).max(1), ..before },
        Key::RaiseRate => Settings { rate: Some(round_rate(rate.map_or(now, |rate| rate * 1.25))), ..before },
        Key::LowerRate => Settings { rate: Some(round_rate(rate.unwrap_or(now) / 1.25)), ..before },
        _ => Settings { rate: None, ..before },
    };
    if model.settings != before {
        let text = model.settings.to_string();
        model.notice = Some(format!("now {text}"));
        model.mark(text);
    }
}

/// To two digits, at least 1.
fn round_rate(rate: f64) -> f64 {
    let unit = 10f64.powf((rate.max(1.0).log10().floor() - 1.0).max(0.0));
    ((rate / unit).round() * unit).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::options::VoterOptions;
    use crate::bench::sampler::Phase;

    fn sample(at_s: u64, phase: Phase, latency_ns: u64) -> Sample {
        let mut sample = Sample::new(2);
        (sample.at_ns, sample.interval_ns, sample.phase) = (at_s * 1_000_000_000, 1_000_000_000, phase);
        for partition in &mut sample.partitions {
            partition.latency.record_n(latency_ns, 100);
            partition.tps = 100.0;
            sample.latency.merge(&partition.latency);
        }
        sample.tps = 200.0;
        sample
    }

    #[test]
    fn latencies_are_counted_anew_when_the_warm_up_ends_and_on_reset() {
        let mut model = Model::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, false);
        update(&mut model, Event::Sample(&sample(1, Phase::WarmUp, 1_000_000)));
        assert_eq!(model.shown().total.latency.count(), 200);
        update(&mut model, Event::Sample(&sample(2, Phase::Measure, 1_000)));
        update(&mut model, Event::Sample(&sample(3, Phase::Measure, 1_000)));
        assert_eq!((model.shown().total.latency.count(), model.shown().total.latency.max()), (400, 1_000));
        assert_eq!(model.shown().total.rate.per_second(), 200.0);
        update(&mut model, Event::Key(Key::Reset));
        assert!(model.shown().partitions[1].course.latency.is_empty());
        assert_eq!(model.shown().since_ns, 3_000_000_000);
    }

    #[test]
    fn a_frozen_screen_stands_still_while_the_run_goes_on() {
        let mut model = Model::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, false);
        update(&mut model, Event::Sample(&sample(1, Phase::Measure, 10)));
        update(&mut model, Event::Key(Key::Freeze));
        update(&mut model, Event::Sample(&sample(2, Phase::Measure, 10)));
        assert_eq!(model.shown().at_ns, 1_000_000_000);
        update(&mut model, Event::Key(Key::Freeze));
        assert_eq!(model.shown().at_ns, 2_000_000_000);
    }

    #[test]
    fn choices_stay_within_what_there_is() {
        let mut model = Model::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, false);
        for key in [Key::Previous, Key::Next, Key::Next, Key::Next] {
            update(&mut model, Event::Key(key));
        }
        assert_eq!(model.chosen, 1);
        (0..20).for_each(|_| _ = update(&mut model, Event::Key(Key::LongerSpan)));
        assert_eq!(model.span_ns(), 600_000_000_000);
        (0..20).for_each(|_| _ = update(&mut model, Event::Key(Key::ShorterSpan)));
        assert_eq!(model.span_ns(), 10_000_000_000);
        assert_eq!(update(&mut model, Event::Key(Key::Quit)), Flow::Leave);
    }

    #[test]
    fn live_controls_change_the_settings_within_bounds_and_leave_a_mark() {
        let options = VoterOptions { partitions: 2, clients: 2, spare_clients: 1, ..VoterOptions::default() };
        let mut model = Model::new(&options, false);
        update(&mut model, Event::Sample(&sample(1, Phase::Measure, 10)));
        update(&mut model, Event::Sample(&sample(2, Phase::Measure, 10)));
        for key in [Key::MoreClients, Key::MoreClients, Key::Mode, Key::LowerRate, Key::RaiseRate] {
            update(&mut model, Event::Key(key));
        }
        assert_eq!(model.settings, Settings { mode: Mode::Sql, clients: 3, rate: Some(200.0) });
        assert_eq!(model.marks.len(), 4, "the third client more is one too many, and no event");
        assert_eq!((model.marks[3].letter, model.marks[3].at_ns), ('d', 2_000_000_000));
        update(&mut model, Event::Key(Key::NoRate));
        (0..9).for_each(|_| _ = update(&mut model, Event::Key(Key::FewerClients)));
        assert_eq!(model.settings, Settings { mode: Mode::Sql, clients: 1, rate: None });
        assert_eq!([round_rate(1_234_567.0), round_rate(0.1), round_rate(87.0)], [1_200_000.0, 1.0, 87.0]);
    }

    #[test]
    fn tab_goes_round_and_the_cursor_of_the_timeline_stays_in_the_run() {
        let mut model = Model::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, false);
        (0..5).for_each(|_| _ = update(&mut model, Event::Key(Key::NextView)));
        assert_eq!(model.view, View::Partitions);
        update(&mut model, Event::Key(Key::PreviousView));
        assert_eq!(model.view, View::Operations);
        update(&mut model, Event::Key(Key::View(View::Timeline)));
        update(&mut model, Event::Sample(&sample(100, Phase::Measure, 10)));
        update(&mut model, Event::Key(Key::Left));
        assert_eq!(model.cursor_ns, Some(99_000_000_000));
        (0..2).for_each(|_| _ = update(&mut model, Event::Key(Key::Right)));
        assert_eq!(model.cursor_ns, None);
    }

    #[test]
    fn the_whole_run_is_kept_in_few_points_that_lose_no_peak() {
        let mut model = Model::new(&VoterOptions { partitions: 2, ..VoterOptions::default() }, false);
        for at in 1..=9_000 {
            update(&mut model, Event::Sample(&sample(at, Phase::Measure, if at == 777 { 5_000_000 } else { 10 })));
        }
        let points = &model.live.whole.points;
        assert!((500..2_000).contains(&points.len()), "{}", points.len());
        assert!(points.iter().any(|p| p.p99_ns > 4_900_000));
        assert_eq!(points.iter().map(|p| p.interval_ns).sum::<u64>(), 9_000_000_000_000);
    }
}
