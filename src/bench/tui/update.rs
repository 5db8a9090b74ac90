//! Update: what a sample or a key does to the model.

use crate::bench::driver::Flow;
use crate::bench::sampler::Sample;
use crate::bench::tui::model::{Model, SPANS_S};

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
        Event::Key(key) => press(model, key),
    }
    Flow::Continue
}

fn press(model: &mut Model, key: Key) {
    let last = model.live.partitions.len().saturating_sub(1);
    match key {
        Key::Quit => {}
        Key::Freeze => {
            model.frozen = match model.frozen.take() {
                Some(_) => None,
                None => Some(Box::new(model.live.clone())),
            }
        }
        Key::Help => model.help = !model.help,
        Key::Back => model.help = false,
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
}
