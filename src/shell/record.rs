//! Sessions as tests: `\record name` .. `\stop` writes what is run with its answers; `votedb-shell test FILE` runs it
//! again and shows where answers differ.
//!
//! ```text
//! > SELECT n FROM t;
//!  n
//!  ─
//!  1
//! 1 row
//! ```

use super::complaint::Place;
use super::database::ShellDatabase;
use super::session::{Failure, Flow, Session, Settings};
use std::fs;
use std::path::{Path, PathBuf};

/// A test being written.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    text: String,
    /// How answers were written before: while recording, without times.
    timing: bool,
}

/// Before each line of input.
const MARK: &str = "> ";

impl Session<'_> {
    pub(super) fn start_recording(&mut self, name: &str, place: Place<'_>) -> Flow {
        if self.recording.is_some() {
            return self.complain("a recording is under way: \\stop ends it", place);
        }
        let path = PathBuf::from(if name.contains('.') { name.to_owned() } else { format!("{name}.votedb") });
        let timing = std::mem::replace(&mut self.settings.answers.timing, false);
        self.recording = Some(Recording { path, text: String::new(), timing });
        self.output.record();
        Flow::Continue
    }

    pub(super) fn stop_recording(&mut self, place: Place<'_>) -> Flow {
        let Some(recording) = self.recording.take() else {
            return self.complain("nothing is being recorded: \\record NAME begins", place);
        };
        self.output.stop_recording();
        self.settings.answers.timing = recording.timing;
        let shown = recording.path.display().to_string();
        if let Err(error) = fs::write(&recording.path, recording.text) {
            return self.fail(Failure::Io, &format!("cannot write {shown}: {error}"), place);
        }
        self.tell(&format!("saved {shown}: votedb-shell test {shown} runs it again"));
        Flow::Continue
    }

    /// Adds a statement and its answer to the recording, if there is one.
    pub(super) fn keep_recording(&mut self, text: &str) {
        if let (Some(recording), Some(answer)) = (&mut self.recording, self.output.take_recorded()) {
            for line in format!("{text};").lines() {
                recording.text.push_str(&format!("{MARK}{line}\n"));
            }
            recording.text.push_str(&comparable(&answer));
        }
    }
}

/// An answer without what differs from run to run: colours and empty lines at its ends.
fn comparable(answer: &str) -> String {
    let mut text = String::new();
    let mut letters = answer.chars();
    while let Some(c) = letters.next() {
        if c == '\x1b' {
            letters.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            text.push(c);
        }
    }
    let text = text.trim_matches('\n');
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// Runs a recorded test on `db`. Gives how many statements there were, and for each that answers otherwise than it did a
/// text that shows where. The error says why the file is no test.
pub fn replay(path: &Path, db: &mut dyn ShellDatabase) -> Result<(usize, Vec<String>), String> {
    let text = super::source::read(path)?;
    let mut steps: Vec<(usize, String, String)> = Vec::new();
    let mut in_input = false;
    for (i, line) in text.lines().enumerate() {
        match line.strip_prefix(MARK) {
            Some(input) => {
                if !in_input {
                    steps.push((i + 1, String::new(), String::new()));
                }
                let (_, text, _) = steps.last_mut().expect("pushed just now");
                text.push_str(&format!("{input}\n"));
                in_input = true;
            }
            None => {
                in_input = false;
                match steps.last_mut() {
                    Some((_, _, expected)) => expected.push_str(&format!("{line}\n")),
                    None if line.trim().is_empty() || line.starts_with("--") => {}
                    None => {
                        return Err(format!("{}:{}: a test begins with \"{MARK}statement\"", path.display(), i + 1));
                    }
                }
            }
        }
    }
    let mut failures = Vec::new();
    for (line, input, expected) in &steps {
        let mut written = Vec::new();
        let answer = {
            let mut errors = Vec::new();
            let mut session = Session::new(db, &mut written, &mut errors, Settings::default());
            session.run_text(input, None, super::source::directory(path));
            drop(session);
            written.extend(errors);
            comparable(&String::from_utf8_lossy(&written))
        };
        let expected = comparable(expected);
        if answer != expected {
            failures.push(difference(path, *line, input, &expected, &answer));
        }
    }
    Ok((steps.len(), failures))
}

/// The statement, then lines that went with `-` and lines that came with `+`.
fn difference(path: &Path, line: usize, input: &str, expected: &str, answer: &str) -> String {
    let mut out = format!("{}:{line}: {}\n", path.display(), input.trim_end().replace('\n', "\n  "));
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), answer.lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_end =
        old[same_start..].iter().rev().zip(new[same_start..].iter().rev()).take_while(|(a, b)| a == b).count();
    for line in &old[..same_start] {
        out.push_str(&format!("    {line}\n"));
    }
    for line in &old[same_start..old.len() - same_end] {
        out.push_str(&format!("  - {line}\n"));
    }
    for line in &new[same_start..new.len() - same_end] {
        out.push_str(&format!("  + {line}\n"));
    }
    for line in &old[old.len() - same_end..] {
        out.push_str(&format!("    {line}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeDatabase;
    use super::*;

    #[test]
    fn a_test_passes_until_an_answer_differs() {
        let path = std::env::temp_dir().join(format!("votedb-record-{}.votedb", std::process::id()));
        fs::write(&path, "> SELECT 1;\n answer\n ──────\n     42\n1 row\n> INSERT\n> 2;\n2 rows modified\n").unwrap();
        let (count, failures) = replay(&path, &mut FakeDatabase::default()).unwrap();
        assert_eq!(count, 2);
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert!(failures[0].ends_with("INSERT\n  2;\n  - 2 rows modified\n  + 1 row modified\n"), "{failures:?}");
        fs::remove_file(&path).unwrap();
    }
}
