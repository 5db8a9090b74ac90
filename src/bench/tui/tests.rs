//! Frames against golden files, and every size of screen.

use std::path::PathBuf;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::bench::options::{Mode, VoterOptions};
use crate::bench::random::Random;
use crate::bench::recorder::VoteCounts;
use crate::bench::sampler::{Election, GeneratorSample, Phase, Sample, Standing};
use crate::bench::tui::{Event, Key, Model, View, update, view};
use crate::bench::workloads::voter::{area_codes, contestant_names};

/// A dashboard `seconds` into a run of 60 s after 5 s of warm-up.
fn model(partitions: usize, seconds: u64) -> Model {
    let options = VoterOptions {
        partitions,
        mode: Mode::Async,
        clients: 2,
        duration: Duration::from_secs(60),
        warmup: Duration::from_secs(5),
        ..VoterOptions::default()
    };
    let mut model = Model::new(&options, true);
    let mut random = Random::new(7);
    let mut sample = Sample::new(partitions);
    for step in 1..=seconds * 5 {
        fill(&mut sample, step, &mut random);
        update(&mut model, Event::Sample(&sample));
    }
    model
}

/// The sample at `step` fifths of a second: throughput climbs for ten seconds; p1 has a bad time at second 12.
fn fill(sample: &mut Sample, step: u64, random: &mut Random) {
    let partitions = sample.partitions.len() as f64;
    (sample.at_ns, sample.interval_ns) = (step * 200_000_000, 200_000_000);
    sample.phase = if step <= 25 { Phase::WarmUp } else { Phase::Measure };
    sample.latency.reset();
    sample.service.reset();
    sample.generator = GeneratorSample { cpu: Some(1.87), cpu_wait: Some(0.04) };
    sample.tps = 0.0;
    for (index, partition) in sample.partitions.iter_mut().enumerate() {
        let climb = (step as f64 / 50.0).min(1.0).sqrt();
        partition.tps = (3.2e6 / partitions * climb * (0.95 + random.below(100) as f64 / 1000.0)).round();
        partition.calls = (partition.tps / 5.0) as u64;
        partition.latency.reset();
        let stall = if index == 1 && (60..63).contains(&step) { 90 } else { 1 };
        for _ in 0..1000 {
            let tail = if random.below(100) == 0 { 12 } else { 1 };
            let ns = (6_000 + random.below(12_000)) * tail * stall;
            partition.latency.record_n(ns, partition.calls / 1000);
        }
        partition.queued = Some(180 + random.below(60));
        partition.busy = Some(0.94 + random.below(50) as f64 / 1000.0);
        sample.latency.merge(&partition.latency);
        sample.tps += partition.tps;
        sample.votes.accepted += partition.calls * 98 / 100;
        sample.votes.rejected_contestant += partition.calls / 100;
        sample.votes.rejected_limit += partition.calls / 1000;
    }
    let shares = [312, 181, 160, 141, 120, 86];
    let contestant = |(i, share): (usize, u64)| Standing {
        number: i as i32 + 1,
        name: contestant_names()[i].to_owned(),
        votes: sample.votes.accepted * share / 1000,
        states_led: [23, 8, 7, 6, 5, 2][i],
    };
    let states: std::collections::BTreeSet<&str> = area_codes().into_iter().map(|(_, state)| state).collect();
    let winners =
        states.iter().enumerate().map(|(i, state)| (state.to_string(), [1, 1, 2, 1, 3, 4, 5, 1, 6, 2][i % 10]));
    sample.election = Some(Election {
        standing: shares.into_iter().enumerate().map(contestant).collect(),
        winners: winners.collect(),
        took: Duration::from_micros(412),
        rows: vec![("contestants".to_owned(), 6), ("votes".to_owned(), sample.votes.accepted)],
        memory_bytes: sample.votes.accepted * 120,
    });
}

fn frame(model: &Model, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(model, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for row in buffer.content().chunks(width as usize) {
        let line: String = row.iter().map(|cell| cell.symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Compares a frame with its golden file; with UPDATE_GOLDEN=1 writes it instead.
fn assert_golden(name: &str, frame: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tui").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, frame).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == frame, "{name} differs from {}:\n{frame}\nexpected:\n{golden}", path.display());
}

#[test]
fn the_dashboard_looks_as_in_its_golden_files() {
    assert_golden("two-partitions-80x24", &frame(&model(2, 17), 80, 24));
    assert_golden("two-partitions-160x50", &frame(&model(2, 40), 160, 50));
    assert_golden("sixteen-partitions-80x24", &frame(&model(16, 30), 80, 24));
    assert_golden("sixteen-partitions-160x50", &frame(&model(16, 64), 160, 50));
    assert_golden("warm-up-80x24", &frame(&model(1, 3), 80, 24));
    assert_golden("start-80x24", &frame(&model(2, 0), 80, 24));
    assert_golden("narrow-40x16", &frame(&model(16, 30), 40, 16));
    assert_golden("small-20x5", &frame(&model(2, 30), 20, 5));
    assert_golden("small-80x8", &frame(&model(2, 30), 80, 8));
}

/// Every view, on the four screens that the frames are kept of.
#[test]
fn every_view_looks_as_in_its_golden_files() {
    let mut model = model(2, 40);
    model.mark("async, 3 clients, no rate".to_owned());
    model.cursor_ns = Some(12_400_000_000);
    for view in View::ALL {
        model.view = view;
        for (width, height) in [(20, 5), (80, 24), (160, 50), (300, 100)] {
            let name = format!("{view:?}-{width}x{height}").to_lowercase();
            assert_golden(&name, &frame(&model, width, height));
        }
    }
    model.view = View::Partitions;
    model.enlarged = true;
    assert_golden("enlarged-80x24", &frame(&model, 80, 24));
}

#[test]
fn service_and_response_time_stand_side_by_side_under_a_rate() {
    let mut model = model(2, 10);
    update(&mut model, Event::Key(Key::LowerRate));
    let mut sample = Sample::new(2);
    (sample.at_ns, sample.interval_ns, sample.phase) = (10_200_000_000, 200_000_000, Phase::Measure);
    update(&mut model, Event::Key(Key::Reset));
    sample.latency.record_n(200_000_000, 100);
    sample.service.record_n(50_000, 100);
    sample.partitions[0].latency.merge(&sample.latency);
    update(&mut model, Event::Sample(&sample));
    model.view = View::Latency;
    let text = frame(&model, 80, 24);
    let row = text.lines().find(|line| line.contains("p99.99")).unwrap();
    assert!(row.contains("200 ms") && row.contains("50 µs"), "{row}");
    assert_golden("latency-under-a-rate-80x24", &text);
}

#[test]
fn help_failures_and_a_frozen_screen_look_as_in_their_golden_files() {
    let mut help = model(2, 17);
    update(&mut help, Event::Key(Key::Help));
    assert_golden("help-100x30", &frame(&help, 100, 30));
    let mut frozen = model(4, 17);
    update(&mut frozen, Event::Key(Key::Freeze));
    frozen.frozen.as_mut().unwrap().errors = 12;
    assert_golden("frozen-100x30", &frame(&frozen, 100, 30));
}

#[test]
fn every_size_of_screen_is_drawn_without_a_panic() {
    for partitions in [1, 2, 16, 64] {
        let mut model = model(partitions, 8);
        for help in [false, true] {
            model.help = help;
            model.view = View::ALL[partitions % 5];
            let sizes = (1..40).flat_map(|w| [1, 2, 3, 5, 9, 10, 11, 15, 24, 60].map(|h| (w * 4 - 3, h)));
            for (width, height) in sizes.chain([(20, 5), (300, 100), (1, 100), (300, 1), (80, 24)]) {
                frame(&model, width, height);
            }
        }
    }
}

#[test]
fn numbers_of_any_size_stay_in_their_columns() {
    let mut model = model(3, 8);
    let mut sample = Sample::new(3);
    (sample.at_ns, sample.interval_ns, sample.phase) = (9_000_000_000, 1_000_000_000, Phase::Measure);
    for partition in &mut sample.partitions {
        partition.latency.record_n(u64::MAX, 1_000_000_000_000);
        partition.queued = Some(u64::MAX);
        partition.busy = Some(1.0);
        sample.latency.merge(&partition.latency);
    }
    sample.votes =
        VoteCounts { accepted: u64::MAX / 4, rejected_contestant: u64::MAX / 4, rejected_limit: u64::MAX / 4 };
    update(&mut model, Event::Sample(&sample));
    let text = frame(&model, 80, 24);
    let row = text.lines().find(|line| line.contains("p1 ")).unwrap();
    let before: Vec<&str> = row.split_whitespace().collect();
    assert!(before.len() >= 10, "columns keep apart: {row}");
}

#[test]
fn without_colour_no_cell_has_one() {
    let mut model = model(4, 17);
    model.color = false;
    for shown in View::ALL {
        model.view = shown;
        let mut terminal = Terminal::new(TestBackend::new(120, 40)).unwrap();
        terminal.draw(|frame| view(&model, frame)).unwrap();
        let cells = terminal.backend().buffer().content();
        assert!(cells.iter().all(|c| c.fg == ratatui::style::Color::Reset && c.bg == ratatui::style::Color::Reset));
    }
}
