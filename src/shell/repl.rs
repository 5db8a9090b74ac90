//! Everything between the command line and the exit status: files, then commands, a pipe or the prompt.

use super::answer::{AnswerStyle, Sqlcmd};
use super::args::{Args, ColorChoice, OnError, Step};
use super::config::{self, Config};
use super::database::ShellDatabase;
use super::editor::{self, LineEditor, Typed};
use super::interrupt::{self, Watch};
use super::session::{Failure, Flow, Session, Settings, current_directory};
use super::source::Source;
use super::words::Names;
use crate::render::{Format, Layout, Role, Theme};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

const PROMPT: &str = "votedb> ";
/// Before the lines of FILE -inlinebatch: as wide as the prompt.
const BATCH_PROMPT: &str = "  batch> ";

/// What of the surroundings matters to how things are written.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
    /// Columns and rows, if known.
    pub width: Option<usize>,
    pub height: Option<usize>,
    pub color: ColorChoice,
    pub refuses_colour: bool,
}

impl Terminal {
    /// Asks the system and the environment.
    pub fn look(color: ColorChoice) -> Terminal {
        let no_color = std::env::var("NO_COLOR").ok();
        let term = std::env::var("TERM").ok();
        let stdout = io::stdout().is_terminal();
        let size = if stdout { crossterm::terminal::size().ok() } else { None };
        Terminal {
            stdin: io::stdin().is_terminal(),
            stdout,
            stderr: io::stderr().is_terminal(),
            width: size.map(|(width, _)| usize::from(width)),
            height: size.map(|(_, height)| usize::from(height)),
            color,
            refuses_colour: !Theme::choose(true, false, no_color.as_deref(), term.as_deref()).is_coloured(),
        }
    }

    fn theme(self, is_terminal: bool) -> Theme {
        match self.color {
            ColorChoice::Always => Theme::COLOURED,
            ColorChoice::Never => Theme::PLAIN,
            ColorChoice::Auto => Theme::choose(is_terminal, self.refuses_colour, None, None),
        }
    }
}

/// Settings from the command line, the environment and the file.
fn configured(args: &Args) -> Result<Config, String> {
    let path = config::path().filter(|path| !args.no_config && path.is_file());
    let text = match &path {
        None => None,
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            Some((path.display().to_string(), text))
        }
    };
    let file = text.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
    config::resolve(args, |name| std::env::var(name).ok(), file)
}

/// Runs what the command line asks for on an open database, and gives the exit status: 0, or 1 after an error. Errors of
/// statements typed at a prompt are the user's affair, and leave 0.
///
/// Schema files come first; if anything in them is wrong, nothing else runs. Then `-c` and `-f` in their order; without
/// these, standard input: a prompt if it is a terminal, a script if not.
pub fn run(args: &Args, db: &mut dyn ShellDatabase) -> u8 {
    if let Some(message) = args.remote.refused() {
        eprintln!("error: {message}");
        return Failure::Io.status();
    }
    let config = match configured(args) {
        Ok(config) => config,
        Err(message) => {
            eprintln!("error: {message}");
            return 2;
        }
    };
    let terminal = Terminal::look(config.color);
    let mut err = io::stderr();
    // A terminal shows each line at once; a pipe or file takes larger pieces.
    let mut out: Box<dyn Write> = if terminal.stdout {
        Box::new(io::stdout())
    } else {
        Box::new(BufWriter::with_capacity(1 << 16, io::stdout()))
    };
    let mut session = Session::new(db, &mut *out, &mut err, settings(args, &config, terminal));
    for (name, value) in &args.variable {
        session.variables.set(name, value);
    }
    for file in args.files.iter().chain(&args.ddl_file) {
        if session.load_file(file).end == Flow::Leave {
            return session.status();
        }
    }
    if session.errors() > 0 {
        return session.status();
    }
    let base_dir = current_directory();
    if !args.steps.is_empty() {
        run_steps(&mut session, &args.steps, &base_dir);
    } else if terminal.stdin {
        return match prompt(&mut session, terminal, &base_dir) {
            Ok(()) => 0,
            Err(error) => {
                eprintln!("error: cannot read from the terminal: {error}");
                Failure::Io.status()
            }
        };
    } else {
        session.run_lines(io::stdin().lock(), &base_dir);
    }
    session.status()
}

fn settings(args: &Args, config: &Config, terminal: Terminal) -> Settings {
    let is_seen = terminal.stdin && terminal.stdout;
    let sqlcmd = args.output_format.as_ref().map(|_| Sqlcmd { metadata: !args.output_skip_metadata });
    let layout = Layout {
        width: terminal.width,
        theme: terminal.theme(terminal.stdout),
        null: config.null.as_deref().map(Into::into),
        header: !args.output_skip_metadata,
        quotes_all: sqlcmd.is_some() && config.format == Format::Csv,
    };
    let answers = AnswerStyle {
        format: config.format,
        layout,
        timing: config.timing.unwrap_or(is_seen),
        footer: !args.output_skip_metadata,
        rows_max: Some(config.rows).filter(|rows| terminal.stdout && *rows > 0),
        sqlcmd,
    };
    Settings {
        answers,
        error_theme: terminal.theme(terminal.stderr),
        echo: config.echo,
        stop_on_error: config.on_error == OnError::Stop,
        at_prompt: false,
        catch_interrupts: true,
        pager_lines: terminal.height.filter(|_| is_seen && config.pager),
        quiet: config.quiet,
        origins: config.origins.clone(),
    }
}

fn run_steps(session: &mut Session<'_>, steps: &[Step], base_dir: &Path) {
    for step in steps {
        let result = match step {
            Step::Command(text) => session.run_text(text, None, base_dir),
            Step::File(path) => session.run_file(path),
        };
        if result.end != Flow::Continue {
            break;
        }
    }
}

/// Reads, runs and answers until the user leaves.
fn prompt(session: &mut Session<'_>, terminal: Terminal, base_dir: &Path) -> io::Result<()> {
    let theme = terminal.theme(terminal.stdout);
    let mut editor = LineEditor::new(theme)?;
    // Between statements an interrupt does nothing; while a line is edited, Ctrl-C is a key.
    let _watch = Watch::start(session.db.cancel_flag());
    let banner = format!("{}{}", session.db.banner(), theme.paint(Role::Quiet, "   help: \\?  leave: \\q"));
    if !session.settings.quiet {
        session.say(&format!("{banner}\n\n"));
    }
    session.settings.at_prompt = true;
    let mut source = Source::new(None, base_dir);
    loop {
        interrupt::take_interrupted();
        if session.take_schema_changed() {
            editor.set_names(Names::new(&session.db.tables(), session.db.procedures()));
        }
        let prompt = if source.is_in_batch() { BATCH_PROMPT } else { PROMPT };
        match editor.read(prompt, session.take_recalled().as_deref(), source.is_in_batch())? {
            Typed::End => return Ok(()),
            Typed::Cleared => source = Source::new(None, base_dir),
            Typed::Text(text) => {
                session.settings.answers.layout.width = terminal.width.and_then(|_| current_width());
                if run_typed(session, &mut source, &text, base_dir) == Flow::Leave {
                    return Ok(());
                }
            }
        }
    }
}

/// Runs what was typed; after an error the rest of it is dropped.
fn run_typed(session: &mut Session<'_>, source: &mut Source, text: &str, base_dir: &Path) -> Flow {
    if !source.is_in_batch() {
        *source = Source::new(None, base_dir);
    }
    if !source.is_in_batch() && editor::leaves(text) {
        return Flow::Leave;
    }
    let mut flow = Flow::Continue;
    for line in text.lines() {
        flow = session.line(source, line);
        if flow != Flow::Continue {
            break;
        }
    }
    if flow == Flow::Continue && !source.is_in_batch() {
        flow = session.end(source);
    }
    if !source.is_in_batch() {
        session.end_answer();
    }
    flow
}

fn current_width() -> Option<usize> {
    crossterm::terminal::size().ok().map(|(width, _)| usize::from(width))
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeDatabase;
    use super::*;

    fn typed(texts: &[&str]) -> (FakeDatabase, String) {
        let mut db = FakeDatabase::default();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let settings = Settings { at_prompt: true, ..Settings::default() };
        {
            let mut session = Session::new(&mut db, &mut out, &mut err, settings);
            let mut source = Source::new(None, Path::new("."));
            for text in texts {
                run_typed(&mut session, &mut source, text, Path::new("."));
            }
        }
        (db, String::from_utf8(out).expect("the shell writes UTF-8"))
    }

    #[test]
    fn an_answer_at_the_prompt_ends_with_an_empty_line() {
        let (_, out) = typed(&["INSERT INTO t VALUES (1);", "EXEC Vote 1 2 3", "bad;", "", "echo x"]);
        assert_eq!(out, "1 row modified\n\n answer\n ──────\n     42\n1 row\n\n\nx\n\n");
    }

    #[test]
    fn after_an_error_the_rest_of_what_was_typed_is_dropped() {
        let (db, _) = typed(&["SELECT 1; bad; SELECT 2;", "SELECT 3;"]);
        assert_eq!(db.ran, ["SELECT 1", "bad", "SELECT 3"]);
    }

    #[test]
    fn leaving_amid_a_statement_runs_nothing_of_it() {
        let (db, _) = typed(&["SELECT 1\n\\q"]);
        assert!(db.ran.is_empty());
    }

    #[test]
    fn a_batch_is_typed_line_by_line() {
        let (db, out) =
            typed(&["file -inlinebatch E", "CREATE TABLE a (x INT);", "CREATE TABLE b (x INT);", "E", "SELECT 1;"]);
        assert_eq!(db.batches, ["CREATE TABLE a (x INT);\nCREATE TABLE b (x INT);\n"]);
        assert_eq!(db.ran, ["SELECT 1"]);
        assert!(out.starts_with("2 statements done, as one batch\n\n"), "{out}");
    }
}
