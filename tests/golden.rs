//! Runs the scripts of `tests/golden/sql` and compares what each statement answers with what is written below it.
//!
//! A script is plain SQL. Lines that start with `-->` are the expected answer of the statement above them; run with
//! `UPDATE_GOLDEN=1` to have them rewritten, and then read every change. Lines that start with `--:` direct the runner:
//!
//! ```text
//! --: partitions 3         (first line only) partitions of the fresh database; 2 without it
//! --: timeout 0.5          (first lines only) the time limit of a transaction, in seconds
//! --: values 1, 'a', NULL  parameters of the next statement
//! --: types                show the columns' types from here on
//! --: batch                the statements from here on are one batch of definitions ..
//! --: end                  .. up to here
//! ```
//!
//! Rows of a statement without ORDER BY are sorted before they are compared: their order is not defined.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use votedb::client::Tag;
use votedb::sql::{Span, split};
use votedb::{Config, Database, Executed, ResultSet, StatementError, Value};

const ANSWER: &str = "-->";
const DIRECTIVE: &str = "--:";

#[test]
fn scripts_answer_as_written_below_their_statements() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sql");
    let only = std::env::var("GOLDEN").ok();
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| only.as_ref().is_none_or(|only| file.display().to_string().contains(only.as_str())));
    files.sort();
    assert!(!files.is_empty(), "no scripts in {}", folder.display());
    let mut wrong = String::new();
    for file in files {
        let expected = fs::read_to_string(&file).unwrap();
        let actual = run(&expected);
        if actual == expected {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, &actual).unwrap();
        } else {
            let _ = writeln!(wrong, "{}:\n{}", file.display(), difference(&expected, &actual));
        }
    }
    assert!(wrong.is_empty(), "answers differ (UPDATE_GOLDEN=1 accepts them):\n{wrong}");
}

/// The script with the answers that its statements give now.
fn run(script: &str) -> String {
    let text: String = script.lines().filter(|line| !line.starts_with(ANSWER)).flat_map(|line| [line, "\n"]).collect();
    let setting = |name: &str| {
        let start = format!("{DIRECTIVE} {name} ");
        text.lines().find_map(|line| line.strip_prefix(&start)).map(str::trim)
    };
    let mut config = Config::partitions(setting("partitions").map_or(2, |count| count.parse().unwrap()));
    if let Some(seconds) = setting("timeout") {
        config.timeout = Some(Duration::from_secs_f64(seconds.parse().unwrap()));
    }
    let mut runner = Runner { db: Database::open(config).unwrap(), values: Vec::new(), types: false, batch: None };
    let (mut out, mut written) = (String::new(), 0);
    for piece in split(&text) {
        let statement = &text[piece.span.start..piece.span.end];
        // The answer goes below the line in which the statement ends.
        let end = text[piece.span.end..].find('\n').map_or(text.len(), |at| piece.span.end + at + 1);
        let before = &text[written..piece.span.start.max(written)];
        runner.direct(before, &mut out, &text, &mut written);
        out.push_str(&text[written..end]);
        written = end;
        if let Some(answer) = runner.answer(statement, piece.span) {
            push_answer(&mut out, &answer);
        }
    }
    let rest = text[written..].to_owned();
    runner.direct(&rest, &mut out, &text, &mut written);
    out.push_str(&text[written..]);
    out
}

fn push_answer(out: &mut String, answer: &str) {
    for line in answer.lines() {
        out.push_str(format!("{ANSWER} {line}").trim_end());
        out.push('\n');
    }
}

struct Runner {
    db: Database,
    /// Parameters of the next statement.
    values: Vec<Value>,
    types: bool,
    /// Where the batch that is being gathered starts and ends.
    batch: Option<Option<Span>>,
}

impl Runner {
    /// Obeys the directives between two statements. The end of a batch runs it: its answer goes below that line.
    fn direct(&mut self, between: &str, out: &mut String, text: &str, written: &mut usize) {
        for line in between.split_inclusive('\n') {
            out.push_str(line);
            *written += line.len();
            let Some(directive) = line.strip_prefix(DIRECTIVE) else { continue };
            let (name, rest) = directive.trim().split_once(' ').unwrap_or((directive.trim(), ""));
            match name {
                "partitions" | "timeout" => {}
                "types" => self.types = true,
                "values" => {
                    let scratch = Database::open(Config::partitions(1)).unwrap();
                    self.values = scratch.query(&format!("SELECT {rest}"), &[]).unwrap().rows.remove(0);
                }
                "batch" => self.batch = Some(None),
                "end" => {
                    let span = self.batch.take().flatten().expect("a batch that is being gathered");
                    let batch = &text[span.start..span.end];
                    let answer = match self.db.execute_batch(batch) {
                        Ok(notes) => {
                            format!("batch done{}", notes.iter().map(|n| format!("\nnote: {n}")).collect::<String>())
                        }
                        Err(errors) => errors.iter().map(|error| show_error(error, batch) + "\n").collect(),
                    };
                    push_answer(out, &answer);
                }
                _ => panic!("no directive {name}"),
            }
        }
    }

    fn answer(&mut self, statement: &str, span: Span) -> Option<String> {
        if let Some(batch) = &mut self.batch {
            *batch = Some(Span::new(batch.map_or(span.start, |before| before.start), span.end));
            return None;
        }
        let values = std::mem::take(&mut self.values);
        Some(match self.db.execute(statement, &values) {
            Ok(executed) => self.show(statement, &executed),
            Err(error) => show_error(&error, statement),
        })
    }

    fn show(&self, statement: &str, executed: &Executed) -> String {
        let ordered = statement.to_uppercase().contains("ORDER BY") || !statement.to_uppercase().contains("SELECT");
        let place = executed.place.as_ref().map_or(String::new(), |place| format!(", {place}"));
        let mut out = match &executed.tag {
            Tag::Done(tag) => format!("{tag}{place}\n"),
            Tag::Modified(count) => format!("{count} modified{place}\n"),
            Tag::Rows => {
                let mut out = String::new();
                for result in &executed.results {
                    out.push_str(&self.table(result, ordered));
                    let _ = writeln!(out, "({} rows{place})", result.rows.len());
                }
                if executed.results.is_empty() {
                    let _ = writeln!(out, "no results{place}");
                }
                out
            }
        };
        for note in &executed.notes {
            let _ = writeln!(out, "note: {note}");
        }
        out
    }

    fn table(&self, result: &ResultSet, ordered: bool) -> String {
        let header = result.columns.iter().map(|column| match self.types {
            true => format!("{} {}", column.name, column.data_type),
            false => column.name.clone(),
        });
        let mut lines: Vec<String> = result.rows.iter().map(|row| joined(row.iter().map(literal))).collect();
        if !ordered {
            lines.sort();
        }
        lines.insert(0, joined(header));
        lines.join("\n") + "\n"
    }
}

fn joined(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" | ")
}

/// Texts in quotes, so that they are told from NULL and numbers.
fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("'{text}'"),
        Value::Bytes(_) => format!("X'{value}'"),
        value => value.to_string(),
    }
}

fn show_error(error: &StatementError, text: &str) -> String {
    format!("{} [{}]", error.render(text, None), error.sqlstate)
}

/// The first lines that differ.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let at = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let context = |lines: &[&str], mark: &str| -> String {
        lines.iter().skip(at).take(8).map(|line| format!("  {mark} {line}\n")).collect()
    };
    let before: String = expected[at.saturating_sub(6)..at].iter().map(|line| format!("    {line}\n")).collect();
    format!("line {}\n{before}{}{}", at + 1, context(&expected, "-"), context(&actual, "+"))
}

#[test]
fn a_database_has_1_to_1024_partitions() {
    for wrong in [0, 1025, 100_000] {
        let error = Database::open(Config::partitions(wrong)).err().expect("refused");
        assert_eq!(error.to_string(), format!("{wrong} partitions: a database has 1 to 1024"));
    }
    assert_eq!(Database::open(Config::partitions(1)).unwrap().partitions(), 1);
}
