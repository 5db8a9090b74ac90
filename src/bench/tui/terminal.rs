//! Terminal: raw mode and the alternate screen, keys, signals. Restored however the program leaves.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::bench::controls::Controls;
use crate::bench::driver::{Flow, Observer};
use crate::bench::options::VoterOptions;
use crate::bench::report::compare::Change;
use crate::bench::run::Outcome;
use crate::bench::sampler::{Phase, Sample};
use crate::bench::signals;
use crate::bench::tui::model::{Model, View};
use crate::bench::tui::update::{Event, Key, update};
use crate::bench::tui::view::view;
use crate::bench::units::rate;

/// A dashboard has the terminal. One at a time, since there is one terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Signals are looked for this often; keys are read at once.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Gives the terminal back, once; from any thread and in any state. Errors are of no use here.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let _ = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
    }
}

/// Makes panics of all threads restore the terminal before they are reported.
fn restore_on_panic() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            report(panic);
        }));
    });
}

/// Gathers a frame and writes it whole, but only while the dashboard has the terminal: what a panic cut short must
/// not reach the restored screen.
struct FrameWriter(Vec<u8>);

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if TAKEN.load(Ordering::SeqCst) {
            let mut out = io::stdout().lock();
            out.write_all(&self.0)?;
            out.flush()?;
        }
        self.0.clear();
        Ok(())
    }
}

/// Throughput with and without drawing, in turns of a second within one run.
#[derive(Debug, Default)]
pub struct ScreenCost {
    drawing: bool,
    calls: u64,
    ns: u64,
    /// Calls per second of each turn without, and with.
    turns: [Vec<f64>; 2],
}

/// How long a turn is.
const TURN_NS: u64 = 1_000_000_000;

impl ScreenCost {
    fn add(&mut self, sample: &Sample) {
        self.calls += sample.measured.count();
        self.ns += if sample.phase == Phase::Measure { sample.interval_ns } else { 0 };
        if self.ns >= TURN_NS {
            self.turns[usize::from(self.drawing)].push(self.calls as f64 * 1e9 / self.ns as f64);
            (self.calls, self.ns) = (0, 0);
            self.drawing = !self.drawing;
        }
    }
}

impl std::fmt::Display for ScreenCost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [without, with] = &self.turns;
        let mean = |turns: &[f64]| turns.iter().sum::<f64>() / turns.len().max(1) as f64;
        let Some(change) = Change::of(without, with) else { return f.write_str("too short to tell") };
        write!(f, "{}/s drawn, {}/s not drawn: {:+.1} %", rate(mean(with)), rate(mean(without)), change.percent)?;
        if let Some((low, high)) = change.interval {
            write!(f, " ({low:+.1} to {high:+.1} % at 95 %)")?;
        }
        write!(f, ", {} turns of a second each", with.len())
    }
}

/// Saves a report of an outcome; gives where, or why not.
pub type Saver = Box<dyn FnMut(&Outcome) -> Result<String, String>>;

/// The dashboard on the process's terminal: an [`Observer`] that draws every sample and reads keys while it waits.
///
/// It leaves on `q`, Ctrl-C, SIGINT, SIGTERM and SIGHUP, and when the terminal can no longer be written. The terminal
/// is restored at that moment, on a panic of any thread, and at the latest when this is dropped.
pub struct Dashboard {
    terminal: Terminal<CrosstermBackend<FrameWriter>>,
    model: Model,
    drawn: bool,
    controls: Option<Arc<Controls>>,
    saver: Option<Saver>,
    cost: Option<ScreenCost>,
    seen_signals: usize,
}

impl Dashboard {
    /// Takes the terminal. `color`: whether colours may be used. Fails when standard output is no terminal, or when
    /// another dashboard has it.
    pub fn open(options: &VoterOptions, color: bool) -> io::Result<Dashboard> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "standard output is no terminal"));
        }
        if TAKEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another dashboard has the terminal"));
        }
        signals::watch();
        restore_on_panic();
        let opened = Dashboard::take(Model::new(options, color));
        if opened.is_err() {
            restore();
        }
        opened
    }

    fn take(model: Model) -> io::Result<Dashboard> {
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, cursor::Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(FrameWriter(Vec::new())))?;
        Ok(Dashboard {
            terminal,
            model,
            drawn: false,
            controls: None,
            saver: None,
            cost: None,
            seen_signals: signals::count(),
        })
    }

    /// What the key `s` does; without, it says that there is nowhere to save to.
    pub fn on_save(&mut self, saver: Saver) {
        self.saver = Some(saver);
    }

    /// From now on draws in every other second only, to learn what drawing costs.
    pub fn measure_cost(&mut self) {
        self.cost = Some(ScreenCost::default());
    }

    /// What was learned, if it was measured.
    pub fn cost(&self) -> Option<&ScreenCost> {
        self.cost.as_ref()
    }

    fn draw(&mut self) -> io::Result<()> {
        self.drawn = true;
        self.terminal.draw(|frame| view(&self.model, frame)).map(|_| ())
    }

    /// Draws what changed and handles what comes within `limit`.
    fn serve(&mut self, limit: Duration) -> io::Result<Flow> {
        let until = Instant::now() + limit;
        loop {
            if !self.drawn && self.cost.as_ref().is_none_or(|cost| cost.drawing) {
                self.draw()?;
            }
            // A panic elsewhere has restored the terminal, or a signal asks to leave.
            if !TAKEN.load(Ordering::SeqCst) || self.signalled() {
                return Ok(Flow::Leave);
            }
            // A flood of keys must not keep samples waiting, nor may samples keep keys from being read.
            let left = until.saturating_duration_since(Instant::now());
            if event::poll(left.min(SIGNAL_INTERVAL))? {
                self.drawn = false;
                if let event::Event::Key(pressed) = event::read()?
                    && let Some(key) = key(pressed)
                {
                    let flow = update(&mut self.model, Event::Key(key));
                    let chosen = self.model.settings;
                    if let Some(controls) = self.controls.as_ref().filter(|c| c.settings() != chosen) {
                        controls.change(chosen);
                    }
                    if flow != Flow::Continue {
                        return Ok(flow);
                    }
                }
            }
            if left.is_zero() {
                return Ok(Flow::Continue);
            }
        }
    }

    fn signalled(&mut self) -> bool {
        let seen = signals::count();
        std::mem::replace(&mut self.seen_signals, seen) < seen
    }
}

impl Observer for Dashboard {
    fn sample(&mut self, sample: &Sample) {
        if let Some(cost) = &mut self.cost {
            cost.add(sample);
        }
        update(&mut self.model, Event::Sample(sample));
        self.drawn = false;
    }

    fn wait(&mut self, limit: Duration) -> Flow {
        if !TAKEN.load(Ordering::SeqCst) {
            // Left before: the calls in flight are awaited on the ordinary screen.
            std::thread::sleep(limit.min(SIGNAL_INTERVAL));
            return if self.signalled() { Flow::Leave } else { Flow::Continue };
        }
        // A terminal that cannot be written or read is gone, and nobody watches.
        let flow = self.serve(limit).unwrap_or(Flow::Leave);
        if flow == Flow::Leave {
            restore();
        }
        flow
    }

    fn begin(&mut self, controls: &Arc<Controls>) {
        self.controls = Some(Arc::clone(controls));
    }

    fn save(&mut self, outcome: &Outcome) {
        self.model.notice = Some(match &mut self.saver {
            Some(saver) => {
                saver(outcome).map_or_else(|error| format!("not saved: {error}"), |path| format!("saved {path}"))
            }
            None => "no folder to save to: start with --report DIR".to_owned(),
        });
        self.drawn = false;
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        restore();
    }
}

/// What a key asks for, if anything.
fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed.kind == KeyEventKind::Release {
        return None;
    }
    if pressed.modifiers.contains(KeyModifiers::CONTROL) {
        return (pressed.code == KeyCode::Char('c')).then_some(Key::Quit);
    }
    Some(match pressed.code {
        KeyCode::Char('q') => Key::Quit,
        KeyCode::Char('p') => Key::Freeze,
        KeyCode::Char('?') | KeyCode::Char('h') => Key::Help,
        KeyCode::Esc => Key::Back,
        KeyCode::Up | KeyCode::Char('k') => Key::Previous,
        KeyCode::Down | KeyCode::Char('j') => Key::Next,
        KeyCode::Home => Key::First,
        KeyCode::End => Key::Last,
        KeyCode::Char('+') | KeyCode::Char('=') => Key::LongerSpan,
        KeyCode::Char('-') => Key::ShorterSpan,
        KeyCode::Char('r') => Key::Reset,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Tab => Key::NextView,
        KeyCode::BackTab => Key::PreviousView,
        KeyCode::Char('l') => Key::LogAxis,
        KeyCode::Char('e') | KeyCode::Enter => Key::Enlarge,
        KeyCode::Char('s') => Key::Save,
        KeyCode::Char('m') => Key::Mode,
        KeyCode::Char(']') => Key::MoreClients,
        KeyCode::Char('[') => Key::FewerClients,
        KeyCode::Char('>' | '.') => Key::RaiseRate,
        KeyCode::Char('<' | ',') => Key::LowerRate,
        KeyCode::Char('0') => Key::NoRate,
        KeyCode::Char(digit @ '1'..='9') => Key::View(*View::ALL.get(digit as usize - '1' as usize)?),
        _ => return None,
    })
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
