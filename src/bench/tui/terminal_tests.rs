//! The dashboard on a real (pseudo) terminal: whatever ends it, the terminal is as it was before.

use std::io::Read;
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::*;
use crate::bench::driver::{self, Sources};
use crate::bench::report::text::summary;
use crate::bench::run::Report;
use crate::bench::target::VoteTarget;
use crate::bench::test_target::{Fault, MapTarget, Votes, stored};
use crate::bench::verify::verify;

/// Set for the process that plays the program under test.
const ROLE: &str = "VOTEDB_TEST_DASHBOARD";
/// Nothing here takes a hundredth of this, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test; does nothing unless started by the tests below.
#[test]
#[ignore = "runs in a terminal that the other tests open"]
fn played_program() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let fault = if role == "panic" { Fault::Panic } else { Fault::None };
    let seconds = if role == "end" { 1 } else { 3600 };
    let options = VoterOptions {
        partitions: 2,
        mode: if role == "panic" { crate::bench::options::Mode::Sync } else { crate::bench::options::Mode::Async },
        duration: Duration::from_secs(seconds),
        warmup: Duration::ZERO,
        // The panic comes with the thousandth call: late enough for the screen to be seen.
        rate: (role == "panic").then_some(500.0),
        ..VoterOptions::default()
    };
    let votes = Arc::new(Mutex::new(Votes::default()));
    let target: Box<dyn VoteTarget> = Box::new(MapTarget::new(votes.clone(), 2, 6, 1_000_000, fault));
    let mut screen = Dashboard::open(&options, true).unwrap();
    assert!(Dashboard::open(&options, true).is_err(), "there is one terminal");
    let outcome = if role == "observer panic" {
        driver::run(&options, vec![target], Sources::default(), &mut Panicking { screen, samples: 0 })
    } else {
        let outcome = driver::run(&options, vec![target], Sources::default(), &mut screen);
        drop(screen);
        outcome
    };
    match outcome {
        Ok(outcome) => {
            let checked = verify(&outcome.told(), &stored(&votes), options.max_votes);
            print!("{}", summary(&Report::new(&options, &outcome, checked), false));
        }
        Err(error) => println!("{error}"),
    }
}

fn lines(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).expect("a screen has lines")
}

/// A dashboard whose own thread fails.
struct Panicking {
    screen: Dashboard,
    samples: usize,
}

impl Observer for Panicking {
    fn sample(&mut self, sample: &Sample) {
        self.screen.sample(sample);
        self.samples += 1;
        assert!(self.samples < 5, "the view is broken");
    }

    fn wait(&mut self, limit: Duration) -> Flow {
        self.screen.wait(limit)
    }
}

struct Played {
    child: Box<dyn Child + Send + Sync>,
    pty: portable_pty::PtyPair,
    screen: Arc<Mutex<vt100::Parser>>,
    /// All that the program wrote.
    written: Arc<Mutex<Vec<u8>>>,
    keyboard: Mutex<Box<dyn Write + Send>>,
    modes_before: String,
}

fn modes(master: &dyn MasterPty) -> String {
    let termios = master.get_termios().expect("a terminal has modes");
    format!("{:?} {:?} {:?}", termios.local_flags, termios.input_flags, termios.output_flags)
}

impl Played {
    fn start(role: &str) -> Played {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let modes_before = modes(&*pty.master);
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", "bench::tui::terminal::tests::played_program", "--ignored", "--nocapture"]);
        command.env(ROLE, role);
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        let child = pty.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(lines(24), lines(80), 200)));
        let mut reader = pty.master.try_clone_reader().unwrap();
        let parser = screen.clone();
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        let copy = written.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                copy.lock().unwrap().extend_from_slice(&bytes[..n]);
                parser.lock().unwrap().process(&bytes[..n]);
            }
        });
        let keyboard = Mutex::new(pty.master.take_writer().unwrap());
        Played { child, pty, screen, written, keyboard, modes_before }
    }

    fn wait_for(&self, what: &str, seen: impl Fn(&vt100::Screen) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !seen(self.screen.lock().unwrap().screen()) {
            let contents = self.screen.lock().unwrap().screen().contents();
            assert!(Instant::now() < until, "{what} did not come; the screen:\n{contents}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait_for_dashboard(&self) {
        self.wait_for("the dashboard", |s| s.alternate_screen() && s.contents().contains("partition"));
        assert!(!modes(&*self.pty.master).contains("ICANON"), "the terminal is in raw mode");
    }

    fn type_keys(&self, keys: &[u8]) {
        self.keyboard.lock().unwrap().write_all(keys).unwrap();
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// After the end: the terminal is as before, and `text` stands on the ordinary screen.
    fn assert_restored(mut self, text: &str) {
        // Its warnings may have moved it off the screen.
        let was_written = || String::from_utf8_lossy(&self.written.lock().unwrap()).contains(text);
        self.wait_for(text, |s| !s.alternate_screen() && was_written());
        self.child.wait().unwrap();
        assert!(!self.screen.lock().unwrap().screen().hide_cursor(), "the cursor is shown");
        assert_eq!(modes(&*self.pty.master), self.modes_before);
    }
}

#[test]
fn q_and_ctrl_c_leave_and_the_summary_stays_on_the_screen() {
    for keys in [b"q", b"\x03"] {
        let played = Played::start("keys");
        played.wait_for_dashboard();
        played.type_keys(keys);
        played.assert_restored("verified");
    }
}

#[test]
fn signals_restore_the_terminal_and_the_run_is_checked_all_the_same() {
    for name in ["TERM", "INT", "HUP"] {
        let played = Played::start("signals");
        played.wait_for_dashboard();
        played.signal(name);
        played.assert_restored("verified");
    }
}

#[test]
fn a_panic_of_a_client_restores_the_terminal_and_is_told() {
    let played = Played::start("panic");
    played.wait_for_dashboard();
    // The message itself must not have gone to the screen that is left.
    played.wait_for("the message", |s| !s.alternate_screen() && s.contents().contains("thread 'client-0'"));
    played.assert_restored("client 0 panicked: this client is broken");
}

#[test]
fn a_panic_of_the_dashboard_itself_restores_the_terminal_and_is_told() {
    let played = Played::start("observer panic");
    played.wait_for_dashboard();
    played.assert_restored("the view is broken");
}

#[test]
fn a_run_that_ends_by_itself_leaves_by_itself() {
    Played::start("end").assert_restored("verified");
}

#[test]
fn keys_change_what_is_shown() {
    let played = Played::start("keys");
    played.wait_for_dashboard();
    played.type_keys(b"?");
    played.wait_for("the help page", |s| s.contents().contains("Help"));
    played.type_keys(b"?p");
    played.wait_for("the frozen screen", |s| s.contents().contains("frozen"));
    played.type_keys(b"\x1b[B");
    played.wait_for("the choice of p1", |s| s.contents().contains("▸ p1"));
    played.pty.master.resize(PtySize { rows: 12, cols: 50, pixel_width: 0, pixel_height: 0 }).unwrap();
    played.screen.lock().unwrap().screen_mut().set_size(lines(12), lines(50));
    played.wait_for("the narrow screen", |s| s.contents().contains("p99 in µs"));
    played.type_keys(b"q");
    played.assert_restored("verified");
}
