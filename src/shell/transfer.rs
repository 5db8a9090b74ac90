//! Does \copy: rows from files into tables, and into files.

use super::complaint::Place;
use super::copy::{self, CopyCommand, FileFormat, Records};
use super::database::{ColumnSummary, StatementError};
use super::interrupt::{self, Watch};
use super::nearest::suggestion;
use super::session::{Failure, Flow, Session};
use super::source::Source;
use crate::render::{Format, Layout, units};
use crate::types::Value;
use std::fs::File;
use std::io::{BufReader, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);
/// Rows between looks at the clock and the interrupt flag.
const ROWS_BETWEEN_LOOKS: u64 = 1024;

/// Rejected rows, on their way into a file.
struct Rejects {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    count: u64,
}

impl Rejects {
    fn add(&mut self, line: u64, reason: &str, text: &[u8]) -> std::io::Result<()> {
        self.count += 1;
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(BufWriter::new(File::create(&self.path)?)),
        };
        writeln!(file, "# line {line}: {}", reason.replace('\n', " "))?;
        file.write_all(text)?;
        if text.ends_with(b"\n") { Ok(()) } else { file.write_all(b"\n") }
    }
}

impl Session<'_> {
    pub(super) fn copy(&mut self, command: &CopyCommand, source: &Source) -> Flow {
        if command.is_import { self.import(command, source) } else { self.export(command, source) }
    }

    fn export(&mut self, command: &CopyCommand, source: &Source) -> Flow {
        let place = source.place();
        let query = match (command.is_query(), command.columns.is_empty()) {
            (true, _) => command.what.clone(),
            (false, true) => format!("SELECT * FROM {}", command.what),
            (false, false) => format!("SELECT {} FROM {}", command.columns.join(", "), command.what),
        };
        let format = match command.format {
            FileFormat::Csv => Format::Csv,
            FileFormat::Tsv => Format::Tsv,
            FileFormat::Jsonl => Format::Jsonl,
        };
        if format == Format::Csv && command.delimiter != ',' {
            return self.complain("\\copy to writes CSV with commas: for tabs say tsv", place);
        }
        let null = command.null.as_deref().map(Into::into);
        let layout = Layout { header: command.header, null, ..Layout::default() };
        self.execute(&query, &query, place, |session, outcome| {
            let Some(set) = outcome.results.last() else { return Flow::Continue };
            let written = File::create(&command.path).and_then(|file| {
                let mut file = BufWriter::with_capacity(1 << 17, file);
                let mut result = Ok(());
                format.write(set, &layout, &mut |piece| {
                    result = file.write_all(piece.as_bytes());
                    result.is_ok()
                });
                result.and_then(|()| file.flush())
            });
            match written {
                Ok(()) => {
                    session.tell_count(set.rows.len() as u64, "written", outcome.elapsed);
                    Flow::Continue
                }
                Err(error) => session.fail(Failure::Io, &format!("cannot write {}: {error}", command.path), place),
            }
        })
    }

    fn tell_count(&mut self, rows: u64, what: &str, elapsed: Duration) {
        let answers = &self.settings.answers;
        if answers.footer && answers.format.is_for_people() && !self.settings.quiet {
            let time = if answers.timing { format!(" · {}", units::duration(elapsed)) } else { String::new() };
            self.output.write(&format!("{} {what}{time}\n", units::plural(rows, "row")));
        }
    }

    fn import(&mut self, command: &CopyCommand, source: &Source) -> Flow {
        let place = source.place();
        let tables = self.db.tables();
        let Some(table) = tables.iter().find(|table| table.name.eq_ignore_ascii_case(&command.what)) else {
            let near = suggestion(&command.what, tables.iter().map(|table| table.name.as_str()));
            return self.complain(&format!("no table {}{near}", command.what), place);
        };
        let path = source.find(&command.path);
        let file = match File::open(&path) {
            Ok(file) if path.is_file() => file,
            Ok(_) => return self.fail(Failure::File, &format!("{} is no file", path.display()), place),
            Err(error) => {
                return self.fail(Failure::File, &format!("cannot read {}: {error}", path.display()), place);
            }
        };
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let mut records = Records::new(BufReader::with_capacity(1 << 17, file), command);
        let names = match header(&mut records, command, &table.columns) {
            Ok(names) => names,
            Err(message) => return self.fail(Failure::File, &message, place),
        };
        let mut columns = Vec::new();
        for name in &names {
            match table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name)) {
                Some(column) => columns.push(column.clone()),
                None => {
                    let near = suggestion(name, table.columns.iter().map(|column| column.name.as_str()));
                    return self.complain(&format!("{} has no column {name}{near}", table.name), place);
                }
            }
        }
        let reject = command.reject.as_ref().map_or_else(|| path.with_extension("rejects"), PathBuf::from);
        let rejects = Rejects { path: reject, file: None, count: 0 };
        let table = table.name.clone();
        self.load_rows(command, &table, &columns, records, rejects, size, place)
    }

    #[expect(clippy::too_many_arguments, reason = "one call, parts of one job")]
    fn load_rows(
        &mut self,
        command: &CopyCommand,
        table: &str,
        columns: &[ColumnSummary],
        mut records: Records<BufReader<File>>,
        mut rejects: Rejects,
        size: u64,
        place: Place<'_>,
    ) -> Flow {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let insert = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
        let _watch = self.settings.catch_interrupts.then(|| Watch::start(self.db.cancel_flag()));
        let mut progress = Progress::start(size);
        let (mut rows, mut bytes, mut looked) = (0u64, 0u64, 0u64);
        let stopped = loop {
            let first_line = records.lines + 1;
            let fields = match records.next(&names) {
                Ok(Some(fields)) => fields,
                Ok(None) => break None,
                Err(error) => break Some((Failure::Io, format!("cannot read line {first_line}: {error}"))),
            };
            bytes += records.text.len() as u64;
            let inserted = fields.and_then(|fields| row_of(fields, columns)).and_then(|row| {
                self.db.execute_with(&insert, &row).map(|_| ()).map_err(|error| rejected(&error, &row, columns))
            });
            looked += 1;
            match inserted {
                Ok(()) => rows += 1,
                Err(reason) => {
                    if let Err(error) = rejects.add(first_line, &reason, &records.text) {
                        let shown = rejects.path.display();
                        break Some((Failure::Io, format!("cannot write rejected rows to {shown}: {error}")));
                    }
                    if rejects.count > command.errors_max {
                        let text = format!("line {first_line}: {reason}");
                        break Some((Failure::Sql, text));
                    }
                }
            }
            if looked.is_multiple_of(ROWS_BETWEEN_LOOKS) {
                progress.tell(rows, bytes);
                if self.settings.catch_interrupts && interrupt::is_interrupted() {
                    break Some((Failure::Interrupted, "interrupted".to_owned()));
                }
            }
        };
        progress.end();
        if let Some(Err(error)) = rejects.file.as_mut().map(|file| file.flush()) {
            let shown = rejects.path.display();
            return self.fail(Failure::Io, &format!("cannot write rejected rows to {shown}: {error}"), place);
        }
        self.tell_count(rows, "copied", progress.started.elapsed());
        let rejected = || format!("{} rejected, see {}", units::plural(rejects.count, "row"), rejects.path.display());
        let flow = match stopped {
            None if rejects.count == 0 => Flow::Continue,
            None => {
                self.notes(&[rejected()]);
                Flow::Continue
            }
            Some((Failure::Sql, text)) => {
                let text = format!("{text}; {} stay copied, {}", units::plural(rows, "row"), rejected());
                self.complain(&text, place)
            }
            Some((failure, text)) => {
                let text = format!("{text}; {} stay copied", units::plural(rows, "row"));
                self.fail(failure, &text, place)
            }
        };
        self.after_interrupt(flow)
    }
}

/// The columns of a file: its header, the command's list, or all of the table.
fn header(
    records: &mut Records<BufReader<File>>,
    command: &CopyCommand,
    columns: &[ColumnSummary],
) -> Result<Vec<String>, String> {
    let all = || columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    if command.format == FileFormat::Jsonl || !command.header {
        return Ok(if command.columns.is_empty() { all() } else { command.columns.clone() });
    }
    match records.next(&[]) {
        Err(error) => Err(format!("cannot read {}: {error}", command.path)),
        Ok(None) => Err(format!("{} is empty: it has no header", command.path)),
        Ok(Some(Err(reason))) => Err(format!("{} has no header: {reason}", command.path)),
        Ok(Some(Ok(_))) if !command.columns.is_empty() => Ok(command.columns.clone()),
        Ok(Some(Ok(names))) => Ok(names.into_iter().map(|name| name.unwrap_or_default().trim().to_owned()).collect()),
    }
}

fn row_of(fields: copy::Fields, columns: &[ColumnSummary]) -> Result<Vec<Value>, String> {
    if fields.len() != columns.len() {
        return Err(format!("{} where {} are due", units::plural(fields.len() as u64, "value"), columns.len()));
    }
    let value = |(field, column): (Option<String>, &ColumnSummary)| {
        copy::value(field, &column.type_text).map_err(|reason| format!("column {}: {reason}", column.name))
    };
    fields.into_iter().zip(columns).map(value).collect()
}

/// Why the engine refused a row; with the column where its message names a value of one.
fn rejected(error: &StatementError, row: &[Value], columns: &[ColumnSummary]) -> String {
    let named = row.iter().zip(columns).find(|(value, column)| {
        !error.message.contains(column.name.as_str())
            && value.as_str().is_some_and(|text| !text.is_empty() && error.message.contains(text))
    });
    match named {
        Some((_, column)) => format!("column {}: {}", column.name, error.message),
        None => error.message.clone(),
    }
}

/// A line on standard error, where that is a terminal.
struct Progress {
    started: Instant,
    told: Instant,
    size: u64,
    is_shown: bool,
    has_told: bool,
}

impl Progress {
    fn start(size: u64) -> Progress {
        let now = Instant::now();
        Progress { started: now, told: now, size, is_shown: std::io::stderr().is_terminal(), has_told: false }
    }

    fn tell(&mut self, rows: u64, bytes: u64) {
        if !self.is_shown || self.told.elapsed() < PROGRESS_EVERY {
            return;
        }
        self.told = Instant::now();
        self.has_told = true;
        let line = progress_line(rows, bytes, self.size, self.started.elapsed());
        eprint!("\r\x1b[K{line}");
    }

    fn end(&self) {
        if self.has_told {
            eprint!("\r\x1b[K");
        }
    }
}

/// `██████░░░░  60 %  600 k rows  410 k rows/s  1.00 s left`
fn progress_line(rows: u64, bytes: u64, size: u64, elapsed: Duration) -> String {
    let share = if size == 0 { 1.0 } else { (bytes as f64 / size as f64).min(1.0) };
    let seconds = elapsed.as_secs_f64().max(1e-6);
    let left = Duration::from_secs_f64(seconds * (1.0 - share) / share.max(1e-6));
    let full = (share * 20.0).round() as usize;
    format!(
        "{}{} {:3.0} %  {} rows  {} rows/s  {} left",
        "█".repeat(full),
        "░".repeat(20 - full),
        share * 100.0,
        units::count(rows),
        units::count((rows as f64 / seconds) as u64),
        units::duration(left)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_far_how_fast_and_how_long() {
        assert_eq!(
            progress_line(600_000, 60, 100, Duration::from_secs(3)),
            "████████████░░░░░░░░  60 %  600 k rows  200 k rows/s  2.00 s left"
        );
    }
}
