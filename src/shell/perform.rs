//! Does the commands of the shell.

use super::chart_options::{ChartCommand, ChartKind};
use super::complaint::Place;
use super::directives::{Directive, Shown};
use super::nearest::suggestion;
use super::session::{Failure, Flow, Session};
use super::source::{InlineBatch, Source};
use super::variables::condition;
use super::{help, interrupt, listing, schema, words};
use crate::render::Format;
use crate::render::format::{self, ChartError};
use std::path::Path;
use std::slice;
use std::time::{Duration, Instant};

impl Session<'_> {
    pub(super) fn directive(&mut self, directive: Directive, source: &mut Source) -> Flow {
        let place = source.place();
        match directive {
            Directive::Leave => return Flow::Leave,
            Directive::Help(topic) => match help::text(topic.as_deref()) {
                Ok(text) => self.output.write(&text),
                Err(message) => return self.complain(&message, place),
            },
            Directive::Show(shown) => return self.show(&shown, place),
            Directive::Describe(name) => return self.describe(&name, place),
            Directive::DescribeAll(name) => {
                let text = schema::picture(&self.db.tables(), &self.db.procedures(), name.as_deref());
                match text {
                    Ok(text) => self.output.write_answer(&text),
                    Err(message) => return self.complain(&message, place),
                }
            }
            Directive::Schema(name) => {
                match schema::statements(&self.db.tables(), &self.db.procedures(), name.as_deref()) {
                    Ok(statements) => {
                        let text: String = statements.iter().map(|statement| format!("{statement};\n")).collect();
                        self.output.write_answer(&text);
                    }
                    Err(message) => return self.complain(&message, place),
                }
            }
            Directive::InlineBatch(word) => source.batch = Some(InlineBatch::new(word, source.lines)),
            Directive::File { batch: true, paths } => return self.batch_files(&paths, source),
            Directive::File { batch: false, paths } => return self.files(&paths, source),
            Directive::If(text) => match condition(&text) {
                Some(holds) => source.branches.begin(holds),
                None => return self.complain(&no_condition(&text), place),
            },
            Directive::Elif(text) => {
                let text = self.variables.expand(&text, false);
                let Some(holds) = condition(&text) else { return self.complain(&no_condition(&text), place) };
                if !source.branches.next(holds, false) {
                    return self.complain("\\elif stands after \\if and before \\else", source.place());
                }
            }
            Directive::Else => {
                if !source.branches.next(true, true) {
                    return self.complain("\\else stands after \\if, once", source.place());
                }
            }
            Directive::Endif => {
                if !source.branches.end() {
                    return self.complain("\\endif without \\if", source.place());
                }
            }
            Directive::Reload(path) => {
                let path = source.find(&path);
                return self.reload(&path, source.place());
            }
            other => return self.simple(other, source),
        }
        if self.output.is_closed() { Flow::Stop } else { Flow::Continue }
    }

    /// Commands that need the source only as a place.
    fn simple(&mut self, directive: Directive, source: &Source) -> Flow {
        let place = source.place();
        match directive {
            Directive::Echo(text) => self.output.write_answer(&format!("{text}\n")),
            Directive::EchoError(text) => self.output.write_error(&format!("{text}\n")),
            Directive::Timing(_)
            | Directive::TuplesOnly(_)
            | Directive::Format(_)
            | Directive::Expanded(_)
            | Directive::Pset(_)
            | Directive::OnError { .. }
            | Directive::Output(_) => return self.adjust(directive, place),
            Directive::Set(None) => {
                let lines: String =
                    self.variables.iter().map(|(name, value)| format!("{name} = '{value}'\n")).collect();
                self.output.write_answer(&lines);
            }
            Directive::Set(Some((name, value))) => self.variables.set(&name, &value),
            Directive::Unset(name) => {
                self.variables.unset(&name);
            }
            Directive::Print => {
                let text = self.last_query.clone().unwrap_or_default();
                self.output.write_answer(&format!("{text}\n"));
            }
            Directive::Reset => self.last_query = None,
            Directive::History => {
                let lines: String = self
                    .history
                    .iter()
                    .map(|(number, entry)| format!("{number:5}  {}\n", entry.text.replace('\n', "\n       ")))
                    .collect();
                self.output.write_answer(&lines);
            }
            Directive::Recall(number) => {
                let Some(text) = self.history.get(number).map(|entry| entry.text.clone()) else {
                    return self.complain(&format!("the history has no number {number}; HISTORY lists it"), place);
                };
                if !self.settings.at_prompt {
                    return self.complain("RECALL is for the prompt: a script has nothing to edit", place);
                }
                self.recall(format!("{text};"));
            }
            Directive::ErrVerbose => match self.last_error.clone() {
                Some(text) => self.output.write(&text),
                None => self.output.write("there was no error\n"),
            },
            Directive::Config => {
                let set = listing::settings(&self.settings.origins);
                self.list(&set, "");
            }
            Directive::ConnInfo => {
                let banner = self.db.banner();
                self.output.write(&format!("{banner}\n"));
            }
            Directive::Bang(command) => return self.bang(&command, place),
            Directive::ChangeDirectory(path) => {
                let path = path.or_else(|| std::env::var("HOME").ok()).unwrap_or_else(|| "/".to_owned());
                if let Err(error) = std::env::set_current_dir(source.find(&path)) {
                    return self.fail(Failure::File, &format!("cannot change to {path}: {error}"), place);
                }
            }
            Directive::Record(name) => return self.start_recording(&name, place),
            Directive::Stop => return self.stop_recording(place),
            other => return self.again(other, source),
        }
        if self.output.is_closed() { Flow::Stop } else { Flow::Continue }
    }

    /// Commands about the last query, or a query of their own.
    fn again(&mut self, directive: Directive, source: &Source) -> Flow {
        let place = source.place();
        match directive {
            Directive::Chart(command) => self.chart(&command, source),
            Directive::QueryStats(query) => self.run_again(&query, place),
            Directive::Copy(command) => self.copy(&command, source),
            Directive::Dump(name) => self.dump(name.as_deref(), place),
            Directive::Edit(path) => self.edit(path.as_deref(), source),
            Directive::Suggest(query) => match query.or_else(|| self.last_query.clone()) {
                Some(query) => self.suggest(&query, place),
                None => self.complain("there is no query yet", place),
            },
            other => {
                let Some(query) = self.last_query.clone() else {
                    return self.complain("there is no query yet", place);
                };
                match other {
                    Directive::Run(None) => self.run_again(&query, place),
                    Directive::Run(Some(path)) => {
                        if let Err(error) = self.output.redirect(Some(Path::new(&path))) {
                            return self.fail(Failure::Io, &format!("cannot write {path}: {error}"), place);
                        }
                        let flow = self.run_again(&query, place);
                        let _ = self.output.redirect(None);
                        flow
                    }
                    Directive::RunExpanded => {
                        let before = std::mem::replace(&mut self.settings.answers.format, Format::Vertical);
                        let flow = self.run_again(&query, place);
                        self.settings.answers.format = before;
                        flow
                    }
                    Directive::Gset(prefix) => self.gset(&query, &prefix, place),
                    Directive::Watch { millis, times } => {
                        self.watch(&query, Duration::from_millis(millis), times, place)
                    }
                    _ => Flow::Continue,
                }
            }
        }
    }

    fn run_again(&mut self, query: &str, place: Place<'_>) -> Flow {
        self.last_query = Some(query.to_owned());
        self.execute(query, query, place, |session, outcome| {
            session.answer(outcome);
            Flow::Continue
        })
    }

    fn adjust(&mut self, directive: Directive, place: Place<'_>) -> Flow {
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        let answers = &mut self.settings.answers;
        let said = match directive {
            Directive::Timing(choice) => {
                answers.timing = choice.unwrap_or(!answers.timing);
                format!("timing is {}", on(answers.timing))
            }
            Directive::TuplesOnly(choice) => {
                answers.footer = !choice.unwrap_or(answers.footer);
                answers.layout.header = answers.footer;
                format!("rows only is {}", on(!answers.footer))
            }
            Directive::Format(choice) => {
                answers.format = choice.unwrap_or(answers.format);
                format!("format is {}", answers.format)
            }
            Directive::Expanded(choice) => {
                let other = if answers.format == Format::Vertical { Format::Table } else { Format::Vertical };
                answers.format = choice.unwrap_or(other);
                format!("format is {}", answers.format)
            }
            Directive::OnError { stops } => {
                self.settings.stop_on_error = stops;
                format!("an error {}", if stops { "stops a script" } else { "does not stop a script" })
            }
            Directive::Output(path) => {
                let result = self.output.redirect(path.as_deref().map(Path::new));
                return match result {
                    Ok(()) => Flow::Continue,
                    Err(error) => {
                        let shown = path.unwrap_or_else(|| "the file of answers".to_owned());
                        self.fail(Failure::Io, &format!("cannot write {shown}: {error}"), place)
                    }
                };
            }
            Directive::Pset(None) => {
                let layout = &answers.layout;
                let null = layout.null.as_deref().unwrap_or("(as the format says)");
                let rows = answers.rows_max.map_or("all".to_owned(), |rows| rows.to_string());
                let pager = on(self.settings.pager_lines.is_some());
                let text = format!(
                    "format      {}\nnull        {null}\ntuples_only {}\nfooter      {}\nrows        {rows}\npager       {pager}\n\
                     timing      {}\n",
                    answers.format,
                    on(!layout.header),
                    on(answers.footer),
                    on(answers.timing)
                );
                self.output.write(&text);
                return Flow::Continue;
            }
            Directive::Pset(Some((name, value))) => return self.pset(&name, &value, place),
            _ => return Flow::Continue,
        };
        self.tell(&said);
        Flow::Continue
    }

    fn pset(&mut self, name: &str, value: &str, place: Place<'_>) -> Flow {
        let is_on = match value.to_ascii_lowercase().as_str() {
            "on" | "true" | "1" | "always" => Some(true),
            "off" | "false" | "0" | "never" => Some(false),
            _ => None,
        };
        let answers = &mut self.settings.answers;
        match (name, is_on) {
            ("null", _) => answers.layout.null = Some(value.into()),
            ("format", _) => match value.parse() {
                Ok(format) => answers.format = format,
                Err(error) => return self.complain(&error.to_string(), place),
            },
            ("expanded", _) if value.eq_ignore_ascii_case("auto") => answers.format = Format::Auto,
            ("expanded", on) => answers.format = if on == Some(false) { Format::Table } else { Format::Vertical },
            ("tuples_only", on) => {
                answers.footer = on == Some(false);
                answers.layout.header = answers.footer;
            }
            ("footer", on) => answers.footer = on.unwrap_or(!answers.footer),
            ("timing", on) => answers.timing = on.unwrap_or(!answers.timing),
            ("pager", Some(false)) => self.settings.pager_lines = None,
            ("pager", _) => {
                self.settings.pager_lines = crossterm::terminal::size().ok().map(|(_, rows)| usize::from(rows));
            }
            ("rows", _) => match value.parse::<usize>() {
                Ok(rows) => answers.rows_max = Some(rows).filter(|rows| *rows > 0),
                Err(_) => return self.complain("rows is the most that are shown, 0 for all", place),
            },
            _ => {}
        }
        self.tell(&format!("{name} is {value}"));
        Flow::Continue
    }

    fn show(&mut self, shown: &Shown, place: Place<'_>) -> Flow {
        match shown {
            Shown::Tables => self.list(&listing::tables(&self.db.tables()), ""),
            Shown::Views => {
                let mut views = self.db.tables();
                views.retain(|table| table.kind == super::database::TableKind::View);
                self.list(&listing::tables(&views), "");
            }
            Shown::Procedures => self.list(&listing::procedures(&self.db.procedures()), ""),
            Shown::Functions => self.list(&listing::names("function", words::FUNCTIONS.split_whitespace()), ""),
            Shown::Indexes(name) => {
                let tables = self.db.tables();
                if let Some(name) = name
                    && !tables.iter().any(|table| table.name.eq_ignore_ascii_case(name))
                {
                    let near = suggestion(name, tables.iter().map(|table| table.name.as_str()));
                    return self.complain(&format!("no table or view {name}{near}"), place);
                }
                self.list(&listing::indexes(&tables, name.as_deref()), "");
            }
            Shown::Nothing(what) => self.output.write(&format!("there are no {what}\n")),
        }
        Flow::Continue
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

    fn chart(&mut self, command: &ChartCommand, source: &Source) -> Flow {
        let place = source.place();
        let Some(query) = command.query.clone().or_else(|| self.last_query.clone()) else {
            return self.complain("\\chart needs a query: on its line, or run before", place);
        };
        self.execute(&query, &query, place, |session, outcome| {
            let layout = session.settings.answers.layout.clone();
            let set = outcome.results.last().ok_or(ChartError::NoNumbers);
            let drawn = match (&command.file, command.kind) {
                (Some(_), kind) => set.and_then(|set| format::svg(set, kind == ChartKind::Lines)),
                (None, ChartKind::Bars) => set.and_then(|set| format::chart(set, &layout)),
                (None, ChartKind::Lines) => set.and_then(|set| format::lines(set, &layout)),
                (None, ChartKind::Heat) => set.and_then(|set| format::heat(set, &layout)),
            };
            match (drawn, &command.file) {
                (Err(error), _) => session.complain(&error.to_string(), place),
                (Ok(text), None) => {
                    session.output.write_answer(&format!("{text}\n"));
                    Flow::Continue
                }
                (Ok(text), Some(path)) => match std::fs::write(path, text) {
                    Ok(()) => {
                        session.tell(&format!("saved {path}"));
                        Flow::Continue
                    }
                    Err(error) => session.fail(Failure::Io, &format!("cannot write {path}: {error}"), place),
                },
            }
        })
    }

    fn gset(&mut self, query: &str, prefix: &str, place: Place<'_>) -> Flow {
        self.execute(query, query, place, |session, outcome| {
            let Some(set) = outcome.results.last().filter(|set| set.rows.len() == 1) else {
                let count = outcome.results.last().map_or(0, |set| set.rows.len());
                return session.complain(&format!("\\gset needs one row, the query gave {count}"), place);
            };
            for (column, value) in set.columns.iter().zip(&set.rows[0]) {
                let name = format!("{prefix}{}", column.name);
                if value.is_null() {
                    session.variables.unset(&name);
                } else {
                    session.variables.set(&name, &value.to_string());
                }
            }
            Flow::Continue
        })
    }

    fn watch(&mut self, query: &str, every: Duration, times: Option<u64>, place: Place<'_>) -> Flow {
        self.is_watching = true;
        let mut flow = Flow::Continue;
        for round in 1.. {
            let started = Instant::now();
            flow = self.run_again(query, place);
            self.output.flush();
            if flow != Flow::Continue || times.is_some_and(|times| round >= times) {
                break;
            }
            let _guard = self.settings.catch_interrupts.then(|| interrupt::Watch::start(self.db.cancel_flag()));
            while started.elapsed() < every && !interrupt::is_interrupted() {
                std::thread::sleep(Duration::from_millis(20).min(every));
            }
            if interrupt::take_interrupted() {
                // The usual way to end it: no error.
                self.tell("");
                break;
            }
        }
        self.is_watching = false;
        flow
    }

    fn bang(&mut self, command: &str, place: Place<'_>) -> Flow {
        self.output.flush();
        let shell = std::env::var("SHELL").unwrap_or_else(|_| "sh".to_owned());
        let mut child = std::process::Command::new(shell);
        if !command.is_empty() {
            child.arg("-c").arg(command);
        }
        match child.status() {
            Ok(_) => Flow::Continue,
            Err(error) => self.complain(&format!("cannot run a command: {error}"), place),
        }
    }

    /// Edits a file, or the last query, and runs what it has become.
    fn edit(&mut self, path: Option<&str>, source: &Source) -> Flow {
        let place = source.place();
        let scratch = std::env::temp_dir().join(format!("votedb-{}.sql", std::process::id()));
        let (path, is_scratch) = match path {
            Some(path) => (source.find(path), false),
            None => {
                let text = self.last_query.as_ref().map_or(String::new(), |query| format!("{query};\n"));
                if let Err(error) = std::fs::write(&scratch, text) {
                    return self.fail(Failure::Io, &format!("cannot write {}: {error}", scratch.display()), place);
                }
                (scratch, true)
            }
        };
        let editor = ["VOTEDB_EDITOR", "VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
        let editor = editor.filter(|editor| !editor.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
        self.output.flush();
        let status =
            std::process::Command::new("sh").args(["-c", &format!("{editor} \"$1\""), "edit"]).arg(&path).status();
        let flow = match status {
            Ok(status) if status.success() => {
                let text = super::source::read(&path);
                match text {
                    Ok(text) => {
                        self.output.write(&text);
                        self.run_text(&text, None, Path::new(".")).end
                    }
                    Err(message) => self.fail(Failure::File, &message, place),
                }
            }
            Ok(status) => self.complain(&format!("the editor failed ({status}); nothing ran"), place),
            Err(error) => self.complain(&format!("cannot run the editor {editor}: {error}"), place),
        };
        if is_scratch {
            let _ = std::fs::remove_file(&path);
        }
        flow
    }
}

fn no_condition(text: &str) -> String {
    format!("{text} is no condition: write true, false, a number, or a comparison like :n > 5")
}
