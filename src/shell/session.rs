//! Runs lines of input: statements go to the database, commands are done here, answers and errors are written.
//!
//! The prompt, scripts, standard input and files that scripts name all come through here, so they mean the same. What
//! differs is in [`Settings`] and in who feeds the lines.

use super::answer::{self, AnswerStyle};
use super::complaint::{self, Place};
use super::database::{Outcome, ShellDatabase, StatementError, Tag};
use super::directives::{self, Directive};
use super::input::SplitStatement;
use super::interrupt::{self, Watch};
use super::nearest::suggestion;
use super::output::Output;
use super::source::{BatchText, InlineBatch, Source};
use super::{help, input, listing, source};
use crate::render::format::{self, ChartError};
use crate::render::{Format, Theme, units};
use crate::types::ResultSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::slice;

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
    output: Output<'a>,
    pub settings: Settings,
    errors: u64,
    /// Set by definitions, until someone takes it.
    schema_changed: bool,
    /// Rows were written in a format for programs: the next header should be set off from them.
    rows_written: bool,
    nesting: usize,
    /// A schema file is loaded: definitions, changes and calls that succeed say nothing, only queries answer.
    is_loading: bool,
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
            errors: 0,
            schema_changed: true,
            rows_written: false,
            nesting: 0,
            is_loading: false,
        }
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
                Err(error) => break self.complain(&format!("cannot read standard input: {error}"), source.place()),
            }
            let line = match source::decode(&bytes) {
                Ok(line) if offset == 0 => line.trim_start_matches('\u{FEFF}'),
                Ok(line) => line,
                Err(at) => {
                    let message = format!("standard input is not UTF-8 text: byte {} is not valid", offset + at);
                    break self.complain(&message, source.place());
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
            Err(message) => self.complain(&message, Place { file: None, first_line: 1 }),
        };
        ScriptResult { errors: self.errors() - before, end }
    }

    /// Loads a file of definitions and reports everything that is wrong with it. A file with nothing but DDL is one batch:
    /// all of it takes effect or none. Any other runs as a script, to its end. What succeeds is not told, except for the
    /// rows of queries.
    pub fn load_file(&mut self, path: &Path) -> ScriptResult {
        let before = self.errors();
        let end = match source::read(path) {
            Err(message) => self.complain(&message, Place { file: None, first_line: 1 }),
            Ok(text) if source::is_all_ddl(&text) => {
                let mut batch = BatchText::default();
                batch.push(Some(path.display().to_string()), 1, &text);
                self.batch(&batch, true)
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
        if source.splitter.is_at_start() {
            match directives::parse(line) {
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
        for statement in source.splitter.push_line(source.lines, line) {
            let flow = self.statement(&statement, source);
            if flow != Flow::Continue {
                return flow;
            }
        }
        Flow::Continue
    }

    /// The end of `source`: runs a last statement without semicolon.
    pub fn end(&mut self, source: &mut Source) -> Flow {
        if let Some(batch) = source.batch.take() {
            let message = format!("no line is just {}: the batch has no end, so nothing of it ran", batch.word);
            return self.complain(&message, Place { file: source.name.as_deref(), first_line: batch.opened_on });
        }
        match source.splitter.finish() {
            Some(statement) => self.statement(&statement, source),
            None => Flow::Continue,
        }
    }

    fn statement(&mut self, statement: &SplitStatement, source: &Source) -> Flow {
        let shown = if statement.terminated { format!("{};", statement.text) } else { statement.text.clone() };
        if self.settings.echo {
            self.output.write(&format!("{};\n", statement.text));
        }
        let place = Place { file: source.name.as_deref(), first_line: statement.first_line };
        self.execute(&statement.text, &shown, place, |session, outcome| {
            session.schema_changed |= matches!(outcome.tag, Tag::Done(_));
            if !session.is_loading || (outcome.tag == Tag::Rows && !directives::is_exec(&statement.text)) {
                session.write_rows(&answer::text(outcome, &session.settings.answers));
            }
            Flow::Continue
        })
    }

    fn chart(&mut self, query: &str, source: &Source) -> Flow {
        let place = source.place();
        self.execute(query, query, place, |session, outcome| {
            let layout = session.settings.answers.layout;
            match outcome.results.last().ok_or(ChartError::NoNumbers).and_then(|set| format::chart(set, &layout)) {
                Ok(bars) => {
                    session.output.write(&format!("{bars}\n"));
                    Flow::Continue
                }
                Err(error) => session.complain(&error.to_string(), place),
            }
        })
    }

    /// Runs one statement and hands its outcome to `answer`. `shown` is the statement as errors show it.
    fn execute(
        &mut self,
        text: &str,
        shown: &str,
        place: Place<'_>,
        answer: impl FnOnce(&mut Self, &Outcome) -> Flow,
    ) -> Flow {
        let result = {
            let _watch = self.settings.catch_interrupts.then(|| Watch::start(self.db.cancel_flag()));
            self.db.execute(text)
        };
        let flow = match result {
            Ok(outcome) => {
                let flow = answer(self, &outcome);
                self.notes(&outcome.notes);
                if self.output.is_closed() { Flow::Stop } else { flow }
            }
            Err(error) => self.report(&error, shown, place),
        };
        self.after_interrupt(flow)
    }

    fn notes(&mut self, notes: &[String]) {
        for note in notes {
            self.output.write_error(&format!("note: {note}\n"));
        }
    }

    /// An interrupt stops a script even where errors do not, and even if the statement was done before it heard.
    fn after_interrupt(&mut self, flow: Flow) -> Flow {
        if !(self.settings.catch_interrupts && interrupt::take_interrupted()) {
            return flow;
        }
        if flow == Flow::Continue && !self.settings.at_prompt {
            self.complain("interrupted: the rest did not run", Place { file: None, first_line: 1 });
        }
        Flow::Stop
    }

    fn directive(&mut self, directive: Directive, source: &mut Source) -> Flow {
        let place = source.place();
        match directive {
            Directive::Leave => return Flow::Leave,
            Directive::Help(topic) => match help::text(topic.as_deref()) {
                Ok(text) => self.output.write(text),
                Err(message) => return self.complain(&message, place),
            },
            Directive::ShowTables => self.list(&listing::tables(&self.db.tables()), ""),
            Directive::ShowProcedures => self.list(&listing::procedures(&self.db.procedures()), ""),
            Directive::Describe(name) => return self.describe(&name, place),
            Directive::Chart(query) => return self.chart(&query, source),
            Directive::Echo(text) => self.output.write(&format!("{text}\n")),
            Directive::EchoError(text) => self.output.write_error(&format!("{text}\n")),
            Directive::Timing(choice) => {
                self.settings.answers.timing = choice.unwrap_or(!self.settings.answers.timing);
                let state = if self.settings.answers.timing { "on" } else { "off" };
                self.tell(&format!("timing is {state}"));
            }
            Directive::Format(choice) => {
                self.settings.answers.format = choice.unwrap_or(self.settings.answers.format);
                self.tell(&format!("format is {}", self.settings.answers.format));
            }
            Directive::InlineBatch(word) => source.batch = Some(InlineBatch::new(word, source.lines)),
            Directive::File { batch: true, paths } => return self.batch_files(&paths, source),
            Directive::File { batch: false, paths } => return self.files(&paths, source),
        }
        if self.output.is_closed() { Flow::Stop } else { Flow::Continue }
    }

    fn describe(&mut self, name: &str, place: Place<'_>) -> Flow {
        let tables = self.db.tables();
        match tables.iter().find(|table| table.name.eq_ignore_ascii_case(name)) {
            Some(table) => {
                self.list(&listing::columns(table), &listing::summary(table));
                Flow::Continue
            }
            None => {
                let procedures = self.db.procedures();
                if let Some(procedure) = procedures.iter().find(|procedure| procedure.name.eq_ignore_ascii_case(name)) {
                    self.list(&listing::procedures(slice::from_ref(procedure)), "");
                    return Flow::Continue;
                }
                let names = tables.iter().map(|table| table.name.as_str());
                let near = suggestion(name, names.chain(procedures.iter().map(|procedure| procedure.name.as_str())));
                self.complain(&format!("no table, view or procedure {name}{near}"), place)
            }
        }
    }

    fn files(&mut self, paths: &[String], source: &Source) -> Flow {
        if self.nesting == NESTING_MAX {
            let message = format!("scripts name scripts {NESTING_MAX} deep: does one name itself?");
            self.complain(&message, source.place());
            return Flow::Stop;
        }
        for path in paths {
            let path = source.find(path);
            let flow = match source::read(&path) {
                Err(message) => self.complain(&message, source.place()),
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

    fn batch_files(&mut self, paths: &[String], source: &Source) -> Flow {
        let mut batch = BatchText::default();
        for path in paths {
            let path = source.find(path);
            match source::read(&path) {
                Ok(text) => batch.push(Some(path.display().to_string()), 1, &text),
                Err(message) => return self.complain(&message, source.place()),
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
                if self.settings.answers.format.is_for_people() && !quiet && !self.is_loading {
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

    fn list(&mut self, set: &ResultSet, summary: &str) {
        let AnswerStyle { format, layout, .. } = self.settings.answers;
        let mut text = format.text(set, &layout);
        if format.is_for_people() {
            text.push_str(if summary.is_empty() { "" } else { summary });
            text.push_str(if summary.is_empty() { "\n" } else { "\n\n" });
        }
        self.write_rows(&text);
    }

    /// Writes rows; an empty line parts them from earlier ones where the format does not do so itself.
    fn write_rows(&mut self, text: &str) {
        let parted = matches!(self.settings.answers.format, Format::Csv | Format::Markdown) && !text.is_empty();
        if parted && self.rows_written {
            self.output.write("\n");
        }
        self.rows_written |= parted;
        self.output.write(text);
    }

    /// Says something that is no answer, only to people.
    fn tell(&mut self, text: &str) {
        if self.settings.at_prompt {
            self.output.write(&format!("{text}\n"));
        }
    }

    fn report(&mut self, error: &StatementError, text: &str, place: Place<'_>) -> Flow {
        let text = complaint::statement(error, text, place, self.settings.error_theme);
        self.count_error(&text)
    }

    fn complain(&mut self, message: &str, place: Place<'_>) -> Flow {
        let text = complaint::plain(message, place, self.settings.error_theme);
        self.count_error(&text)
    }

    fn count_error(&mut self, text: &str) -> Flow {
        self.errors += 1;
        self.output.write_error(text);
        if self.settings.stop_on_error { Flow::Stop } else { Flow::Continue }
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
