//! Runs lines of input: statements go to the database, commands are done here, answers and errors are written.
//!
//! The prompt, scripts, standard input and files that scripts name all come through here, so they mean the same. What
//! differs is in [`Settings`] and in who feeds the lines.

use super::answer::{self, AnswerStyle};
use super::complaint::{self, Place};
use super::database::{Outcome, ShellDatabase, StatementError, Tag};
use super::directives::{self, Directive};
use super::history::{Entry, History};
use super::input::SplitStatement;
use super::interrupt::{self, Watch};
use super::output::Output;
use super::pager;
use super::source::{BatchText, InlineBatch, Source};
use super::variables::Variables;
use super::{input, source};
use crate::render::{Theme, units};
use crate::types::ResultSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// How deep scripts may name scripts.
const NESTING_MAX: usize = 32;

/// What can be set about a session.
#[derive(Clone, Debug)]
pub struct Settings {
    pub answers: AnswerStyle,
    /// Colours of what goes to standard error.
    pub error_theme: Theme,
    /// Writes each statement before its answer.
    pub echo: bool,
    /// The first error ends a script, and drops the rest of what was typed at the prompt.
    pub stop_on_error: bool,
    /// At the prompt: EXEC needs no semicolon, and a misspelled first word is met at once.
    pub at_prompt: bool,
    /// Whether SIGINT cancels statements while they run.
    pub catch_interrupts: bool,
    /// Rows of the terminal: longer answers go through the pager. None: no pager.
    pub pager_lines: Option<usize>,
    /// Says nothing that is no answer.
    pub quiet: bool,
    /// Settings and where each comes from: (name, value, source).
    pub origins: Vec<(String, String, String)>,
}

impl Default for Settings {
    /// As for a script whose output is not a terminal.
    fn default() -> Settings {
        Settings {
            answers: AnswerStyle::default(),
            error_theme: Theme::PLAIN,
            echo: false,
            stop_on_error: true,
            at_prompt: false,
            catch_interrupts: false,
            pager_lines: None,
            quiet: false,
            origins: Vec::new(),
        }
    }
}

/// What should happen after a line, or why a script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Continue,
    /// An error, where errors stop; an interrupt; or output that nobody reads.
    Stop,
    /// EXIT: no more input of any kind.
    Leave,
}

/// What kind of thing went wrong. The first decides about the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A statement, or a command that makes no sense.
    Sql,
    /// A file that cannot be read.
    File,
    /// An output that cannot be written, or an input that cannot be read.
    Io,
    Interrupted,
}

impl Failure {
    /// The exit status of a shell whose first failure this was.
    pub fn status(self) -> u8 {
        match self {
            Failure::Sql => 1,
            Failure::File => 3,
            Failure::Io => 4,
            Failure::Interrupted => 130,
        }
    }
}

/// What became of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptResult {
    /// Errors in it and in the scripts it named.
    pub errors: u64,
    pub end: Flow,
}

/// A connection of input, a database, and two streams.
pub struct Session<'a> {
    pub db: &'a mut dyn ShellDatabase,
    pub(super) output: Output<'a>,
    pub settings: Settings,
    pub variables: Variables,
    pub(super) history: History,
    /// The last query: what \g and its like run again.
    pub(super) last_query: Option<String>,
    /// All about the last error.
    pub(super) last_error: Option<String>,
    /// What the prompt should begin the next line with.
    recalled: Option<String>,
    pub(super) recording: Option<super::record::Recording>,
    errors: u64,
    failure: Option<Failure>,
    /// Set by definitions, until someone takes it.
    schema_changed: bool,
    /// Rows were written in a format for programs: the next header should be set off from them.
    rows_written: bool,
    nesting: usize,
    /// A schema file is loaded: definitions, changes and calls that succeed say nothing, only queries answer.
    is_loading: bool,
    /// \watch runs: no pager.
    pub(super) is_watching: bool,
}

impl<'a> Session<'a> {
    pub fn new(
        db: &'a mut dyn ShellDatabase,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
        settings: Settings,
    ) -> Session<'a> {
        let output = Output::new(out, err);
        Session {
            db,
            output,
            settings,
            variables: Variables::default(),
            history: History::default(),
            last_query: None,
            last_error: None,
            recalled: None,
            recording: None,
            errors: 0,
            failure: None,
            schema_changed: true,
            rows_written: false,
            nesting: 0,
            is_loading: false,
            is_watching: false,
        }
    }

    /// The exit status so far.
    pub fn status(&self) -> u8 {
        match self.failure {
            Some(failure) => failure.status(),
            None if self.output.is_closed() => Failure::Io.status(),
            None => 0,
        }
    }

    /// A statement that RECALL brought back, once.
    pub fn take_recalled(&mut self) -> Option<String> {
        self.recalled.take()
    }

    pub(super) fn recall(&mut self, text: String) {
        self.recalled = Some(text);
    }

    /// Errors so far; an output that failed is one.
    pub fn errors(&self) -> u64 {
        self.errors + u64::from(self.output.is_closed())
    }

    /// True once after each change of tables or procedures, and at the start.
    pub fn take_schema_changed(&mut self) -> bool {
        std::mem::take(&mut self.schema_changed)
    }

    /// Writes to standard output.
    pub fn say(&mut self, text: &str) {
        self.output.write(text);
    }

    /// Sets an answer off from the next prompt by an empty line.
    pub fn end_answer(&mut self) {
        self.output.end_answer();
    }

    /// Runs all of `text`, which came from `file` or from nowhere in particular. Scripts that it names are looked up in
    /// `base_dir` first.
    pub fn run_text(&mut self, text: &str, file: Option<&str>, base_dir: &Path) -> ScriptResult {
        let before = self.errors();
        let mut source = Source::new(file, base_dir);
        let mut flow = Flow::Continue;
        for line in text.lines() {
            flow = self.line(&mut source, line);
            if flow != Flow::Continue {
                break;
            }
        }
        if flow == Flow::Continue {
            flow = self.end(&mut source);
        }
        self.output.flush();
        ScriptResult { errors: self.errors() - before, end: flow }
    }

    /// Runs lines as they come: a statement is answered before the next line is waited for.
    pub fn run_lines(&mut self, input: impl Read, base_dir: &Path) -> ScriptResult {
        let before = self.errors();
        let mut source = Source::new(None, base_dir);
        let mut offset = 0;
        let mut input = BufReader::new(input);
        let mut bytes = Vec::new();
        let end = loop {
            bytes.clear();
            if !input.buffer().contains(&b'\n') {
                // Whoever writes the next line may wait for the answers to the last.
                self.output.flush();
            }
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) => break self.end(&mut source),
                Ok(_) => {}
                Err(error) => {
                    let message = format!("cannot read standard input: {error}");
                    break self.fail(Failure::Io, &message, source.place());
                }
            }
            let line = match source::decode(&bytes) {
                Ok(line) if offset == 0 => line.trim_start_matches('\u{FEFF}'),
                Ok(line) => line,
                Err(at) => {
                    let message = format!("standard input is not UTF-8 text: byte {} is not valid", offset + at);
                    break self.fail(Failure::Io, &message, source.place());
                }
            };
            let flow = self.line(&mut source, line.trim_end_matches(['\r', '\n']));
            if flow != Flow::Continue {
                break flow;
            }
            offset += bytes.len();
        };
        self.output.flush();
        ScriptResult { errors: self.errors() - before, end }
    }

    /// Runs a script file.
    pub fn run_file(&mut self, path: &Path) -> ScriptResult {
        let before = self.errors();
        let end = match source::read(path) {
            Ok(text) => return self.run_text(&text, Some(&path.display().to_string()), source::directory(path)),
            Err(message) => self.fail(Failure::File, &message, Place { file: None, first_line: 1 }),
        };
        ScriptResult { errors: self.errors() - before, end }
    }

    /// Loads a file of definitions and reports everything that is wrong with it. A file with nothing but DDL is one batch:
    /// all of it takes effect or none. Any other runs as a script, to its end. What succeeds is not told, except for the
    /// rows of queries.
    pub fn load_file(&mut self, path: &Path) -> ScriptResult {
        let before = self.errors();
        let end = match source::read(path) {
            Err(message) => self.fail(Failure::File, &message, Place { file: None, first_line: 1 }),
            Ok(text) if source::is_all_ddl(&text) => {
                let mut batch = BatchText::default();
                batch.push(Some(path.display().to_string()), 1, &text);
                self.is_loading = true;
                let end = self.batch(&batch, true);
                self.is_loading = false;
                end
            }
            Ok(text) => {
                let stop_on_error = std::mem::replace(&mut self.settings.stop_on_error, false);
                self.is_loading = true;
                let result = self.run_text(&text, Some(&path.display().to_string()), source::directory(path));
                self.is_loading = false;
                self.settings.stop_on_error = stop_on_error;
                return result;
            }
        };
        ScriptResult { errors: self.errors() - before, end }
    }

    /// Takes the next line of `source` and does what it completes.
    pub fn line(&mut self, source: &mut Source, line: &str) -> Flow {
        source.lines += 1;
        if let Some(batch) = &mut source.batch {
            if !batch.ends_with(line) {
                batch.push(line);
                return Flow::Continue;
            }
            let batch = source.batch.take().expect("it was there a moment ago");
            return self.inline_batch(&batch, source);
        }
        if !source.branches.are_active() {
            return self.skipped(line, source);
        }
        let line = &*self.variables.expand(line, source.splitter.is_in_quotes());
        if source.splitter.is_at_start() {
            let parsed = directives::parse(line);
            if self.settings.answers.sqlcmd.is_some_and(|sqlcmd| sqlcmd.metadata) && directives::is_echoed(&parsed) {
                self.output.write(&format!("\n{}\n", line.trim()));
            }
            match parsed {
                Some(Ok(directive)) => return self.directive(directive, source),
                Some(Err(error)) => return self.complain(&error.message, source.place()),
                None => {}
            }
            if self.settings.at_prompt
                && let Some(error) = directives::misspelled(line)
            {
                return self.complain(&error.message, source.place());
            }
        }
        if let Some((at, directive)) = directives::trailing(line).filter(|(at, _)| source.is_code_at(&line[..*at])) {
            return self.after_statement(&line[..at], directive, source);
        }
        for statement in source.splitter.push_line(source.lines, line) {
            let flow = self.statement(&statement, source);
            if flow != Flow::Continue {
                return flow;
            }
        }
        Flow::Continue
    }

    /// A line in a branch of \if that does not run: only conditions count.
    fn skipped(&mut self, line: &str, source: &mut Source) -> Flow {
        match directives::parse(line) {
            Some(Ok(Directive::If(_))) => {
                // Nothing of it runs: as if its condition had been met before.
                source.branches.begin(true);
                source.branches.next(false, false);
                Flow::Continue
            }
            Some(Ok(directive @ (Directive::Elif(_) | Directive::Else | Directive::Endif))) => {
                self.directive(directive, source)
            }
            _ => Flow::Continue,
        }
    }

    /// `SELECT .. \gset`: the statement before the command becomes the last query, but does not run by itself.
    fn after_statement(
        &mut self,
        before: &str,
        directive: Result<Directive, directives::DirectiveError>,
        source: &mut Source,
    ) -> Flow {
        for statement in source.splitter.push_line(source.lines, before) {
            let flow = self.statement(&statement, source);
            if flow != Flow::Continue {
                return flow;
            }
        }
        if let Some(statement) = source.splitter.finish() {
            self.last_query = Some(statement.text);
        }
        match directive {
            Ok(directive) => self.directive(directive, source),
            Err(error) => self.complain(&error.message, source.place()),
        }
    }

    /// The end of `source`: runs a last statement without semicolon.
    pub fn end(&mut self, source: &mut Source) -> Flow {
        if let Some(batch) = source.batch.take() {
            let message = format!("no line is just {}: the batch has no end, so nothing of it ran", batch.word);
            return self.complain(&message, Place { file: source.name.as_deref(), first_line: batch.opened_on });
        }
        let flow = match source.splitter.finish() {
            Some(statement) => self.statement(&statement, source),
            None => Flow::Continue,
        };
        if flow == Flow::Continue && source.branches.is_open() && !self.settings.at_prompt {
            return self.complain("an \\if has no \\endif", source.place());
        }
        flow
    }

    fn statement(&mut self, statement: &SplitStatement, source: &Source) -> Flow {
        let shown = if statement.terminated { format!("{};", statement.text) } else { statement.text.clone() };
        let sqlcmd = self.settings.answers.sqlcmd;
        if sqlcmd.is_some_and(|sqlcmd| sqlcmd.metadata) && !self.is_loading {
            self.output.write(&format!("\n{};\n", statement.text));
        } else if self.settings.echo {
            self.output.write(&format!("{};\n", statement.text));
        }
        let place = Place { file: source.name.as_deref(), first_line: statement.first_line };
        self.last_query = Some(statement.text.clone());
        self.execute(&statement.text, &shown, place, |session, outcome| {
            session.schema_changed |= matches!(outcome.tag, Tag::Done(_));
            if !session.is_loading || (outcome.tag == Tag::Rows && !directives::is_exec(&statement.text)) {
                session.answer(outcome);
            }
            Flow::Continue
        })
    }

    /// Writes an answer as the settings say.
    pub(super) fn answer(&mut self, outcome: &Outcome) {
        let style = self.settings.answers.clone();
        let has_rows = outcome.tag == Tag::Rows && !outcome.results.is_empty();
        let parts = style.sqlcmd.is_none() && style.format.needs_parting() && has_rows;
        if parts && self.rows_written && !self.output.is_redirected() {
            self.output.write("\n");
        }
        self.rows_written |= parts;
        if let Some(lines) = self.settings.pager_lines
            && has_rows
            && !self.is_watching
            && !self.output.is_redirected()
            && outcome.results.iter().map(|set| set.rows.len()).sum::<usize>() + 4 > lines
        {
            let text = answer::text(outcome, &style);
            self.output.flush();
            if pager::show(&text) {
                return;
            }
            return self.output.write(&text);
        }
        let output = &mut self.output;
        answer::write(outcome, &style, &mut |piece| {
            output.write_answer(piece);
            !output.is_closed()
        });
    }

    /// Runs one statement and hands its outcome to `answer`. `shown` is the statement as errors show it.
    pub(super) fn execute(
        &mut self,
        text: &str,
        shown: &str,
        place: Place<'_>,
        answer: impl FnOnce(&mut Self, &Outcome) -> Flow,
    ) -> Flow {
        let result = {
            let _watch = self.settings.catch_interrupts.then(|| Watch::start(self.db.cancel_flag()));
            if History::is_asked(text) { self.history.query(text, self.db) } else { self.db.execute(text) }
        };
        let place_text = result.as_ref().ok().and_then(|outcome| outcome.partition.clone());
        self.history.push(Entry::of(text, &result, place_text));
        let flow = match result {
            Ok(outcome) => {
                let flow = answer(self, &outcome);
                self.notes(&outcome.notes);
                if let Some(message) = self.output.take_failure() {
                    self.fail(Failure::Io, &message, place)
                } else if self.output.is_closed() {
                    Flow::Stop
                } else {
                    flow
                }
            }
            Err(error) => self.report(&error, shown, place),
        };
        self.keep_recording(text);
        self.after_interrupt(flow)
    }

    pub(super) fn notes(&mut self, notes: &[String]) {
        if self.settings.quiet || self.settings.answers.sqlcmd.is_some() {
            return;
        }
        // Where procedures run is good to know when one types them, and noise when a schema is loaded.
        for note in notes.iter().filter(|note| !(self.is_loading && note.contains("is single-partition by"))) {
            self.output.write_error(&format!("note: {note}\n"));
        }
    }

    /// An interrupt stops a script even where errors do not, and even if the statement was done before it heard.
    pub(super) fn after_interrupt(&mut self, flow: Flow) -> Flow {
        if !(self.settings.catch_interrupts && interrupt::take_interrupted()) {
            return flow;
        }
        if flow == Flow::Continue && !self.settings.at_prompt {
            self.fail(Failure::Interrupted, "interrupted: the rest did not run", Place { file: None, first_line: 1 });
        }
        self.failure = Some(Failure::Interrupted);
        Flow::Stop
    }

    pub(super) fn files(&mut self, paths: &[String], source: &Source) -> Flow {
        if self.nesting == NESTING_MAX {
            let message = format!("scripts name scripts {NESTING_MAX} deep: does one name itself?");
            self.complain(&message, source.place());
            return Flow::Stop;
        }
        for path in paths {
            let path = source.find(path);
            let flow = match source::read(&path) {
                Err(message) => self.fail(Failure::File, &message, source.place()),
                Ok(text) => {
                    self.nesting += 1;
                    let at_prompt = std::mem::replace(&mut self.settings.at_prompt, false);
                    let result = self.run_text(&text, Some(&path.display().to_string()), source::directory(&path));
                    self.settings.at_prompt = at_prompt;
                    self.nesting -= 1;
                    result.end
                }
            };
            if flow != Flow::Continue {
                return flow;
            }
        }
        Flow::Continue
    }

    pub(super) fn batch_files(&mut self, paths: &[String], source: &Source) -> Flow {
        let mut batch = BatchText::default();
        for path in paths {
            let path = source.find(path);
            match source::read(&path) {
                Ok(text) => batch.push(Some(path.display().to_string()), 1, &text),
                Err(message) => return self.fail(Failure::File, &message, source.place()),
            }
        }
        self.batch(&batch, false)
    }

    fn inline_batch(&mut self, inline: &InlineBatch, source: &Source) -> Flow {
        if let Some((line, command)) = &inline.command {
            let message = format!("a batch holds DDL statements only, not {command}; nothing of it ran");
            return self.complain(&message, Place { file: source.name.as_deref(), first_line: *line });
        }
        let mut batch = BatchText::default();
        batch.push(source.name.clone(), inline.opened_on + 1, &inline.text);
        self.batch(&batch, false)
    }

    /// Runs a batch; `quiet` says nothing about success.
    fn batch(&mut self, batch: &BatchText, quiet: bool) -> Flow {
        if self.settings.echo {
            self.output.write(&batch.text);
        }
        let result = {
            let _watch = self.settings.catch_interrupts.then(|| Watch::start(self.db.cancel_flag()));
            self.db.execute_batch(&batch.text)
        };
        let flow = match result {
            Ok(notes) => {
                self.schema_changed = true;
                if self.settings.answers.sqlcmd.is_some() && !quiet && !self.is_loading {
                    self.output.write("Batch command succeeded.\n");
                } else if self.settings.answers.format.is_for_people() && !quiet && !self.is_loading {
                    let count = units::plural(input::split(&batch.text).len() as u64, "statement");
                    self.output.write(&format!("{count} done, as one batch\n"));
                }
                self.notes(&notes);
                Flow::Continue
            }
            Err(errors) => {
                let mut flow = Flow::Continue;
                for error in errors {
                    let (error, text, place) = batch.locate(error);
                    flow = self.report(&error, text, place);
                }
                flow
            }
        };
        self.after_interrupt(flow)
    }

    /// A list of the shell's own, in the format of answers.
    pub(super) fn list(&mut self, set: &ResultSet, summary: &str) {
        let AnswerStyle { format, layout, .. } = self.settings.answers.clone();
        let mut text = format.text(set, &layout);
        if format.is_for_people() {
            text.push_str(if summary.is_empty() { "" } else { summary });
            text.push_str(if summary.is_empty() { "\n" } else { "\n\n" });
        }
        self.write_rows(&text);
    }

    /// Writes rows; an empty line parts them from earlier ones where the format does not do so itself.
    pub(super) fn write_rows(&mut self, text: &str) {
        let parted = self.settings.answers.format.needs_parting() && !text.is_empty();
        if parted && self.rows_written {
            self.output.write_answer("\n");
        }
        self.rows_written |= parted;
        self.output.write_answer(text);
    }

    /// Says something that is no answer, only to people.
    pub(super) fn tell(&mut self, text: &str) {
        if self.settings.at_prompt && !self.settings.quiet {
            self.output.write(&format!("{text}\n"));
        }
    }

    fn report(&mut self, error: &StatementError, text: &str, place: Place<'_>) -> Flow {
        self.last_error = Some(complaint::verbose(error, text, place));
        let text = complaint::statement(error, text, place, self.settings.error_theme);
        self.count_error(&text, Failure::Sql)
    }

    pub(super) fn complain(&mut self, message: &str, place: Place<'_>) -> Flow {
        self.fail(Failure::Sql, message, place)
    }

    /// Something went wrong that no statement is to blame for.
    pub(super) fn fail(&mut self, failure: Failure, message: &str, place: Place<'_>) -> Flow {
        let text = complaint::plain(message, place, self.settings.error_theme);
        self.count_error(&text, failure)
    }

    fn count_error(&mut self, text: &str, failure: Failure) -> Flow {
        self.errors += 1;
        self.failure.get_or_insert(failure);
        self.output.write_error(text);
        if self.settings.stop_on_error { Flow::Stop } else { Flow::Continue }
    }

    pub(super) fn note_schema_change(&mut self) {
        self.schema_changed = true;
    }
}

/// Runs `text` on `db` as a script of its own: see [`Session::run_text`].
pub fn run_script(
    db: &mut dyn ShellDatabase,
    text: &str,
    file_name: Option<&str>,
    base_dir: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
    settings: &Settings,
) -> ScriptResult {
    Session::new(db, out, err, settings.clone()).run_text(text, file_name, base_dir)
}

/// The directory that scripts are looked up in when nothing else is known.
pub fn current_directory() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
