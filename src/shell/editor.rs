//! The line editor: the only file that knows rustyline.

use super::directives;
use super::input::Splitter;
use super::words::{self, Names};
use crate::render::{Role, Theme};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use std::borrow::Cow;
use std::cell::Cell;
use std::fs;
use std::io;
use std::path::PathBuf;

const HISTORY_LINES_MAX: usize = 10_000;

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// One or more statements, or a command; may have several lines.
    Text(String),
    /// Ctrl-C: whatever was begun is given up.
    Cleared,
    /// Ctrl-D on an empty line.
    End,
}

/// Reads statements from a terminal.
pub struct LineEditor {
    editor: Editor<Assistant, FileHistory>,
    /// Where history is kept; None if nowhere.
    history: Option<PathBuf>,
    theme: Theme,
}

impl LineEditor {
    /// Takes over the terminal of standard input and output while it reads. Loads history, if there is any.
    pub fn new(theme: Theme) -> io::Result<LineEditor> {
        let config = Config::builder()
            .max_history_size(HISTORY_LINES_MAX)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(to_io)?
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .color_mode(if theme.is_coloured() { ColorMode::Enabled } else { ColorMode::Disabled })
            .build();
        let mut editor = Editor::with_config(config).map_err(to_io)?;
        editor.set_helper(Some(Assistant { names: Names::default(), theme, takes_any_line: Cell::new(false) }));
        let history = history_path();
        if let Some(path) = &history {
            // A history that is not there yet, or is broken, is no reason not to start.
            let _ = editor.load_history(path);
        }
        Ok(LineEditor { editor, history, theme })
    }

    /// Names to complete and hint at from now on.
    pub fn set_names(&mut self, names: Names) {
        self.editor.helper_mut().expect("it was set at the start").names = names;
    }

    /// Waits for a whole statement or command; with `any_line`, for a line of any kind.
    pub fn read(&mut self, prompt: &str, initial: Option<&str>, any_line: bool) -> io::Result<Typed> {
        self.editor.helper().expect("it was set at the start").takes_any_line.set(any_line);
        let coloured = self.theme.paint(Role::Accent, prompt);
        let prompt = (prompt, coloured.as_str());
        let line = match initial {
            Some(text) => self.editor.readline_with_initial(&prompt, (text, "")),
            None => self.editor.readline(&prompt),
        };
        match line {
            Ok(text) => {
                self.remember(&text);
                Ok(Typed::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Cleared),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(to_io(error)),
        }
    }

    /// Each statement is saved at once: a shell that is killed forgets nothing.
    fn remember(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let added = self.editor.add_history_entry(text.trim_end()).unwrap_or(false);
        if let (true, Some(path)) = (added, &self.history) {
            // Without a place to write, history lasts as long as the shell.
            let _ = self.editor.append_history(path);
        }
    }
}

fn to_io(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// `votedb/history` in the XDG state directory, or `~/.votedb_history` where that cannot be made.
fn history_path() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute())
        .or_else(|| home.as_ref().map(|home| home.join(".local/state")))?;
    let dir = state.join("votedb");
    match fs::create_dir_all(&dir) {
        Ok(()) => Some(dir.join("history")),
        Err(_) => home.map(|home| home.join(".votedb_history")),
    }
}

/// True if ENTER after `text` should run it: a command, a whole statement, or an EXEC with no quote open.
pub fn is_complete(text: &str) -> bool {
    let mut splitter = Splitter::new();
    let mut lines = text.lines().peekable();
    let first = lines.peek().copied().unwrap_or("");
    if directives::parse(first).is_some() || directives::misspelled(first).is_some() {
        return true;
    }
    for line in lines {
        if let Some((at, _)) = directives::trailing(line) {
            let mut before = splitter.clone();
            before.push_line(1, &line[..at]);
            if before.is_in_code() && !line[..at].contains("--") {
                return true;
            }
        }
        splitter.push_line(1, line);
    }
    if splitter.is_at_start() || leaves(text) {
        return true;
    }
    directives::is_exec(text) && !splitter.is_in_quotes()
}

/// True if the last line of a statement that is not whole is `\q`: no statement has that, and whoever does not see why
/// nothing happens wants to leave.
pub fn leaves(text: &str) -> bool {
    let Some((begun, last)) = text.rsplit_once('\n') else { return false };
    let mut splitter = Splitter::new();
    for line in begun.lines() {
        splitter.push_line(1, line);
    }
    last.trim() == "\\q" && !splitter.is_in_quotes()
}

/// Rustyline's view of us.
struct Assistant {
    names: Names,
    theme: Theme,
    takes_any_line: Cell<bool>,
}

impl Helper for Assistant {}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let done = self.takes_any_line.get() || is_complete(context.input());
        Ok(if done { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(words::complete(line, cursor, &self.names))
    }
}

/// Shown in grey, never inserted: parameter names are no arguments.
struct ParameterHint(String);

impl Hint for ParameterHint {
    fn display(&self) -> &str {
        &self.0
    }
    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Assistant {
    type Hint = ParameterHint;

    fn hint(&self, line: &str, cursor: usize, _: &Context<'_>) -> Option<ParameterHint> {
        (cursor == line.len()).then(|| words::hint(line, &self.names)).flatten().map(ParameterHint)
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.theme.is_coloured() { Cow::Owned(words::highlight(line, self.theme)) } else { Cow::Borrowed(line) }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(self.theme.paint(Role::Quiet, hint))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.theme.is_coloured() && kind != CmdKind::MoveCursor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_runs_what_is_whole() {
        for whole in [
            "",
            "  ",
            "-- a comment",
            "SELECT 1;",
            "SELECT\n\n1; -- done",
            "help",
            "\\dt",
            "exti",
            "SELECT 1\n\\q",
            "EXEC Vote 1 2 3",
            "EXEC Vote 'it''s'",
            "CREATE PROCEDURE p AS BEGIN\nSELECT 1;\nEND;",
        ] {
            assert!(is_complete(whole), "{whole}");
        }
    }

    #[test]
    fn enter_opens_a_line_in_what_is_not() {
        for begun in [
            "SELECT 1",
            "SELECT 1; SELECT",
            "SELECT\nhelp",
            "SELECT 'a;",
            "SELECT 'a\n\\q",
            "/* a",
            "EXEC Vote 'a\n b",
            "CREATE PROCEDURE p AS BEGIN\nSELECT 1;",
        ] {
            assert!(!is_complete(begun), "{begun}");
        }
    }
}
