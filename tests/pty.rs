//! The program as a person sees it: on a terminal of a given size, with keys, signals and a screen to look at.
#![cfg(unix)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Long enough for a busy machine; reached only when a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program on a terminal of its own.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keys: Option<Box<dyn Write + Send>>,
    screen: Arc<Mutex<vt100::Parser>>,
    reader: Option<std::thread::JoinHandle<()>>,
    /// The terminal hangs up when this goes.
    _master: Box<dyn MasterPty + Send>,
    home: PathBuf,
    /// Prompts that have been met.
    prompts: usize,
}

impl Terminal {
    fn start(name: &str, (cols, rows): (u16, u16), args: &[&str]) -> Terminal {
        let home = std::env::temp_dir().join(format!("votedb-pty-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&home).expect("the folder for temporary files can be written");
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .expect("the system has pseudo-terminals");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_votedb-shell"));
        command.args(args);
        command.cwd(&home);
        command.env("HOME", &home);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        command.env_remove("XDG_STATE_HOME");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let size = |cells| NonZeroU16::new(cells).expect("a screen has cells");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(size(rows), size(cols), 1000)));
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let reader = {
            let screen = Arc::clone(&screen);
            std::thread::spawn(move || {
                let mut bytes = [0; 1 << 16];
                while let Ok(count @ 1..) = output.read(&mut bytes) {
                    screen.lock().expect("nobody panics with it").process(&bytes[..count]);
                }
            })
        };
        let keys = Some(pair.master.take_writer().expect("the terminal can be written"));
        Terminal { child, keys, screen, reader: Some(reader), _master: pair.master, home, prompts: 0 }
    }

    fn text(&self) -> String {
        self.screen.lock().expect("nobody panics with it").screen().contents()
    }

    fn is_alternate(&self) -> bool {
        self.screen.lock().expect("nobody panics with it").screen().alternate_screen()
    }

    fn press(&mut self, keys: &str) {
        let writer = self.keys.as_mut().expect("the terminal is open");
        writer.write_all(keys.as_bytes()).and_then(|()| writer.flush()).expect("the program reads keys");
    }

    /// Types a line and ENTER.
    fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Waits until the screen fulfils `condition`.
    #[track_caller]
    fn wait(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.text();
            if condition(&text) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "no {what} on the screen:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn wait_for(&self, expected: &str) -> String {
        self.wait(&format!("{expected:?}"), |text| text.contains(expected))
    }

    /// Waits for a prompt that was not there before: the last line, and nothing typed behind it. Keys pressed earlier
    /// could get lost between two lines.
    #[track_caller]
    fn ready(&mut self) {
        let before = self.prompts;
        let text = self.wait("new prompt", |text| {
            let last = text.trim_end_matches('\n').lines().last().unwrap_or("");
            last.trim_end() == "votedb>" && text.matches("votedb>").count() > before
        });
        self.prompts = text.matches("votedb>").count();
    }

    fn signal(&self, signal: i32) {
        let id = self.child.process_id().expect("it runs") as i32;
        // SAFETY: kill takes numbers only; the process is our child and not waited for yet.
        assert_eq!(unsafe { libc::kill(id, signal) }, 0);
    }

    /// Waits for the end of the program and of its output; gives the exit status and what stays on the screen.
    #[track_caller]
    fn end(&mut self) -> (u32, String) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "the program goes on:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        };
        self.reader.take().expect("it ends once").join().expect("the reader only reads");
        (status.exit_code(), self.text())
    }

    /// The state in which a program should leave a terminal.
    #[track_caller]
    fn assert_restored(&self) {
        let parser = self.screen.lock().expect("nobody panics with it");
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is shown");
        assert!(!screen.bracketed_paste(), "pasted text arrives as it is");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn voter() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ddl/voter.sql").display().to_string()
}

fn prompt(name: &str) -> Terminal {
    let mut terminal = Terminal::start(name, (100, 40), &[&voter(), "--partitions", "2"]);
    terminal.ready();
    terminal
}

#[test]
fn the_prompt_says_what_is_loaded_and_answers_a_call() {
    let mut terminal = prompt("call");
    let text = terminal.text();
    assert!(text.contains("voter · 3 tables, 2 views, 5 procedures · 2 partitions · in memory"), "{text}");
    assert_eq!(text.matches("help: \\?").count(), 1, "{text}");
    terminal.enter("EXEC Vote 5085551234 3 2");
    let text = terminal.wait_for("partition p1 (hash of phone)");
    assert!(text.contains(" vote\n ────\n    0\n1 row · "), "{text}");
    assert!(text.contains("µs · ") || text.contains("ms · ") || text.contains("ns · "), "the time is told: {text}");
    terminal.ready();
    terminal.enter("\\q");
    assert_eq!(terminal.end().0, 0);
    terminal.assert_restored();
}

#[test]
fn a_statement_may_take_lines_until_its_semicolon() {
    let mut terminal = prompt("lines");
    terminal.enter("EXEC Vote 5085551234 3 2");
    terminal.ready();
    terminal.enter("SELECT state, num_votes");
    terminal.enter("  FROM v_votes_by_contestant_number_state");
    terminal.enter(" WHERE contestant_number = 3;");
    let text = terminal.wait(" MA and its count", |text| text.contains(" MA ") && text.matches("1 row").count() == 2);
    assert!(text.contains(" state  num_votes\n ─────  ─────────\n MA             1\n1 row · "), "{text}");
    terminal.ready();
    terminal.press("\x04");
    assert_eq!(terminal.end().0, 0, "Ctrl-D on an empty line leaves");
}

#[test]
fn an_error_has_a_caret_under_what_is_wrong() {
    let mut terminal = prompt("caret");
    terminal.enter("SELECT state, num_vote FROM v_votes_by_contestant_number_state;");
    let text = terminal.wait_for("did you mean num_votes?");
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("LINE 1: ")).expect("the line is shown");
    let column = lines[at].find("num_vote ").expect("the line is shown");
    assert_eq!(lines[at + 1], format!("{}^^^^^^^^", " ".repeat(column)), "{text}");
    terminal.ready();
    terminal.enter("exit");
    assert_eq!(terminal.end().0, 0, "errors at the prompt are the user's affair");
}

#[test]
fn ctrl_c_clears_what_was_typed_and_leaves_nothing_of_it() {
    let mut terminal = prompt("clear");
    terminal.enter("SELECT nonsense");
    terminal.press("FROM nowhere");
    terminal.wait_for("FROM nowhere");
    terminal.press("\x03");
    terminal.ready();
    terminal.enter("SELECT 40 + 2 AS answer;");
    terminal.wait_for(" answer\n ──────\n     42\n");
    terminal.ready();
    assert!(!terminal.text().contains("error"), "{}", terminal.text());
    terminal.enter("SELECT 1");
    terminal.enter("\\q");
    assert_eq!(terminal.end().0, 0, "\\q leaves amid a statement, too");
    terminal.assert_restored();
}

#[test]
fn tab_completes_names_and_up_brings_back_lines() {
    let mut terminal = prompt("keys");
    terminal.press("EXEC ContestantW\t");
    terminal.wait_for("EXEC ContestantWinningStates");
    terminal.enter(" 1 5");
    terminal.wait_for("0 rows");
    terminal.ready();
    terminal.press("\x1b[A");
    terminal.wait("earlier line", |text| text.matches("EXEC ContestantWinningStates 1 5").count() == 2);
    terminal.press("\x03");
    terminal.ready();
    terminal.enter("\\q");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn ctrl_c_gives_up_a_statement_that_runs_and_the_prompt_goes_on() {
    let mut terminal = prompt("cancel");
    terminal.enter("SELECT COUNT(*) FROM area_code_state a, area_code_state b, area_code_state c, area_code_state d;");
    terminal.wait_for("area_code_state d;");
    // Once it runs, Ctrl-C is a signal; before, it would clear the line, and no error would come.
    std::thread::sleep(Duration::from_millis(300));
    terminal.press("\x03");
    terminal.wait_for("error: ");
    terminal.ready();
    terminal.enter("SELECT 40 + 2 AS answer;");
    terminal.wait_for("     42\n");
    terminal.ready();
    terminal.enter("\\q");
    assert_eq!(terminal.end().0, 0);
}

fn bench(name: &str, size: (u16, u16), duration: &str) -> Terminal {
    Terminal::start(name, size, &["--bench", "--partitions", "2", "--warmup", "200ms", "--duration", duration])
}

fn assert_summary(text: &str) {
    assert!(text.contains("throughput") && text.contains("votes/s"), "{text}");
    assert!(text.contains("verified") && text.contains("rows = views = accepted"), "{text}");
}

#[test]
fn the_dashboard_shows_partitions_and_leaves_its_summary() {
    let mut terminal = bench("whole", (80, 24), "3s");
    let text = terminal.wait("figures", |text| text.contains("M votes/s") || text.contains("k votes/s"));
    assert!(terminal.is_alternate(), "{text}");
    assert!(text.contains("voter · async · 2 partitions") && text.contains(" p0 ") && text.contains(" p1 "), "{text}");
    let (status, text) = terminal.end();
    assert_eq!(status, 0, "{text}");
    assert_summary(&text);
    terminal.assert_restored();
}

#[test]
fn q_and_ctrl_c_and_signals_end_the_run_in_order() {
    type Act = fn(&mut Terminal);
    let ways: [(&str, Act); 4] = [
        ("q", |terminal| terminal.press("q")),
        ("ctrl-c", |terminal| terminal.press("\x03")),
        ("term", |terminal| terminal.signal(libc::SIGTERM)),
        ("int", |terminal| terminal.signal(libc::SIGINT)),
    ];
    for (name, act) in ways {
        let mut terminal = bench(name, (100, 30), "1h");
        terminal.wait("calls counted", |text| text.contains("accepted") && text.contains("leads in"));
        act(&mut terminal);
        let (status, text) = terminal.end();
        assert_eq!(status, 0, "{name}: {text}");
        assert_summary(&text);
        terminal.assert_restored();
    }
}

#[test]
fn the_dashboard_fits_small_and_large_screens() {
    let mut small = bench("small", (20, 5), "1h");
    let text = small.wait_for("votes/s");
    assert!(text.lines().all(|line| line.chars().count() <= 20), "{text}");
    small.press("q");
    let (status, _) = small.end();
    assert_eq!(status, 0);
    small.assert_restored();

    let mut large = bench("large", (160, 50), "1h");
    let text = large.wait("frame", |text| text.contains("leads in") && text.contains(" p1 "));
    assert!(text.lines().any(|line| line.chars().count() > 120), "the width is used: {text}");
    assert!(text.trim_end().lines().count() > 40, "the height is used: {text}");
    large.press("?");
    large.wait_for("ends the run and prints its report");
    large.press("\x1b");
    large.wait("help closed", |text| !text.contains("ends the run and prints its report"));
    large.press("q");
    let (status, text) = large.end();
    assert_eq!(status, 0, "{text}");
    assert_summary(&text);
    large.assert_restored();
}

#[test]
fn keys_turn_views_change_the_load_and_save_a_report() {
    let mut terminal = bench("views", (120, 40), "1h");
    terminal.wait("figures", |text| text.contains(" p1 ") && text.contains("leads in"));
    for (key, seen) in [
        ("2", "percentile curve"),
        ("3", "move a cursor"),
        ("4", "EXEC GetStateHeatmap"),
        ("5", "all tables and indexes"),
        ("\t", "share   busy"),
        ("e", "response times of p0"),
    ] {
        terminal.press(key);
        terminal.wait_for(seen);
    }
    terminal.press("m");
    terminal.wait_for("voter · sql · 2 partitions");
    terminal.press("]");
    terminal.wait_for("now sql,");
    terminal.press("m<");
    terminal.wait("a rate", |text| text.contains("voter · sync") && text.contains("/s asked"));
    terminal.press("0");
    terminal.wait("no rate", |text| !text.contains("/s asked"));
    terminal.press("5");
    terminal.wait_for("sync,");
    terminal.press("s");
    terminal.wait_for("saved report/run-");
    terminal.press("q");
    let (status, text) = terminal.end();
    assert_eq!(status, 0, "{text}");
    assert_summary(&text);
    assert!(text.contains("mode, clients or rate were changed"), "{text}");
    terminal.assert_restored();
}
