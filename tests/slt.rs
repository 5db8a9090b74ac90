//! Runs SQL logic tests (the format of SQLite's `sqllogictest`) from the folder `SLT_DIR`, by default `../shared/slt`,
//! where there is one. Records for other engines (`onlyif`) are skipped; nothing else is left out but what
//! [`EXCLUSIONS`] lists.

use sqllogictest::{DB, DBOutput, DefaultColumnType as Letter, QueryExpect, Record, Runner, TestErrorKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use votedb::{Config, Database, Value};

/// Records that may fail, by a test of their SQL text, never of the message that they get.
struct Exclusion {
    reason: &'static str,
    /// Only a refusal is excused, never a wrong result.
    refusal: bool,
    covers: fn(&str) -> bool,
}

const EXCLUSIONS: [Exclusion; 8] = [
    Exclusion {
        reason: "SQLite drops a view that another one reads; here that is refused",
        refusal: true,
        covers: |sql| sql.starts_with("DROP VIEW "),
    },
    Exclusion { reason: "an empty list behind IN is SQLite's", refusal: true, covers: |sql| sql.contains(" IN ()") },
    Exclusion {
        reason: "SQLite takes the last of several assignments to a column",
        refusal: true,
        covers: |sql| sql == "UPDATE t1 SET x=3, x=4, x=5",
    },
    Exclusion {
        reason: "what the update with several assignments to a column left",
        refusal: false,
        covers: |sql| ["SELECT count(*) FROM t1 WHERE x=4", "SELECT count(*) FROM t1 WHERE x=5"].contains(&sql),
    },
    Exclusion {
        reason: "SQLite compares values of different types",
        refusal: true,
        covers: |sql| sql.starts_with("SELECT 'hello' ") || sql.starts_with("SELECT x'303132' "),
    },
    Exclusion { reason: "a column outside the groups has no defined value", refusal: true, covers: has_bare_column },
    Exclusion { reason: "SQLite gives NULL for a division by zero", refusal: true, covers: |sql| sql.contains('/') },
    Exclusion {
        reason: "SQLite types CASE and COALESCE by the value, not by the branches: a division is one of integers",
        refusal: false,
        covers: |sql| {
            sql.contains(" * - 88 + AVG ( + + 49 ) ELSE 73 * + 63 END / + 6 /")
                || sql.contains(" - 48 / - + COALESCE ( 85, - AVG ( + 53 ) ) * + 4 * + 44 / 22")
        },
    },
];

/// Whether the columns of the result or of HAVING name one that GROUP BY does not.
fn has_bare_column(sql: &str) -> bool {
    let Some((head, tail)) = sql.split_once(" GROUP BY ") else { return false };
    let (groups, having) = tail.split_once(" HAVING ").unwrap_or((tail, ""));
    let groups: Vec<&str> = columns(groups).collect();
    let result = head.split(" FROM ").next().unwrap_or_default();
    columns(result).chain(columns(having)).any(|column| !groups.contains(&column))
}

/// The columns that a text names, as this corpus calls them: `col0`, `tab1.col2`.
fn columns(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with("col"))
}

/// Threads over files.
const WORKERS: usize = 2;

/// Failures shown of each file.
const SHOWN: usize = 5;

#[derive(Default)]
struct Tally {
    passed: usize,
    skipped: usize,
    /// By the reason.
    excluded: BTreeMap<&'static str, usize>,
    failed: Vec<String>,
}

#[test]
fn sql_logic_tests_pass() {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/slt");
    let folder = std::env::var_os("SLT_DIR").map_or(default, PathBuf::from);
    let mut files = Vec::new();
    collect(&folder, &mut files);
    if files.is_empty() {
        println!("skipped: no SQL logic tests in {}", folder.display());
        return;
    }
    let mut done = run_files(files);
    done.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut excluded: BTreeMap<&str, usize> = BTreeMap::new();
    let mut report = String::new();
    for (file, tally) in &done {
        let left_out: usize = tally.excluded.values().sum();
        let name = file.strip_prefix(&folder).unwrap_or(file).display();
        let counts = format!("{} passed, {} failed, {left_out} excluded", tally.passed, tally.failed.len());
        println!("{name}: {counts}, {} skipped", tally.skipped);
        passed += tally.passed;
        failed += tally.failed.len();
        skipped += tally.skipped;
        tally.excluded.iter().for_each(|(reason, count)| *excluded.entry(reason).or_default() += count);
        if !tally.failed.is_empty() {
            let _ = writeln!(report, "{name}: {counts}");
            tally.failed.iter().take(SHOWN).for_each(|failure| report += failure);
        }
    }
    excluded.iter().for_each(|(reason, count)| println!("excluded {count}: {reason}"));
    let left_out: usize = excluded.values().sum();
    println!(
        "total: {passed} passed, {failed} failed, {left_out} excluded, {skipped} skipped, in {} files",
        done.len()
    );
    assert!(failed == 0, "{passed} passed, {failed} failed:\n{report}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "test") {
            files.push(path);
        }
    }
}

fn run_files(mut files: Vec<PathBuf>) -> Vec<(PathBuf, Tally)> {
    // The largest first, so that no thread is left alone with one at the end.
    files.sort_by_key(|file| std::cmp::Reverse(fs::metadata(file).map_or(0, |metadata| metadata.len())));
    let (waiting, done) = (Mutex::new(files.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(file) = { waiting.lock().unwrap().next() } {
                    let tally = run(&fs::read_to_string(&file).unwrap());
                    done.lock().unwrap().push((file, tally));
                }
            });
        }
    });
    done.into_inner().unwrap()
}

fn run(script: &str) -> Tally {
    let letters = Letters::default();
    let mut runner = Runner::new(|| {
        let database = Database::open(Config::partitions(1));
        let connection = database.map(|database| Connection { database, letters: letters.clone() });
        std::future::ready(connection.map_err(|error| Refused(error.to_string())))
    });
    runner.with_column_validator(|actual, expected| actual.len() == expected.len());
    runner.with_validator(|_, rows, expected| {
        // One value a line; some files have one row a line.
        rows.iter().flatten().eq(expected) || rows.iter().map(|row| row.join(" ")).eq(expected.iter().cloned())
    });
    let mut tally = Tally::default();
    for record in sqllogictest::parse(&plain(script)).unwrap_or_else(|error| panic!("{error}")) {
        let (sql, line) = match &record {
            Record::Halt { .. } => break,
            Record::Statement { sql, loc, .. } => {
                *letters.lock().unwrap() = None;
                (sql.clone(), loc.line())
            }
            Record::Query { sql, loc, expected: QueryExpect::Results { types, results, .. }, .. } => {
                let hashed = results.first().is_some_and(|line| line.contains(" values hashing to "));
                runner.with_hash_threshold(usize::from(hashed));
                *letters.lock().unwrap() = Some(types.clone());
                (sql.clone(), loc.line())
            }
            // A hash is expected or not, whatever the threshold was when the results were recorded.
            Record::HashThreshold { .. } => continue,
            _ => {
                runner.run(record).unwrap_or_else(|error| panic!("{error}"));
                continue;
            }
        };
        match runner.run(record) {
            Ok(sqllogictest::RecordOutput::Nothing) => tally.skipped += 1,
            Ok(_) => tally.passed += 1,
            Err(error) => match exclusion(&sql, &error.kind()) {
                Some(reason) => *tally.excluded.entry(reason).or_default() += 1,
                None => tally.failed.push(format!("  line {line}: {}\n", error.kind())),
            },
        }
    }
    tally
}

/// Why the record need not pass.
fn exclusion(sql: &str, error: &TestErrorKind) -> Option<&'static str> {
    let refused = matches!(error, TestErrorKind::Fail { .. });
    let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let fitting = EXCLUSIONS.iter().find(|exclusion| (refused || !exclusion.refusal) && (exclusion.covers)(&sql));
    fitting.map(|exclusion| exclusion.reason)
}

/// The script without what the parser does not know: remarks behind a condition, and conditions of `halt`. Those of
/// other engines go together with their `halt`. Lines keep their numbers.
fn plain(script: &str) -> String {
    let mut lines: Vec<&str> = script.lines().map(str::trim_end).collect();
    for at in 0..lines.len() {
        if lines[at].starts_with("onlyif ") || lines[at].starts_with("skipif ") {
            lines[at] = lines[at].split(" #").next().unwrap_or_default().trim_end();
            if lines.get(at + 1) == Some(&"halt") {
                if lines[at].starts_with("onlyif ") {
                    lines[at + 1] = "";
                }
                lines[at] = "";
            }
        }
    }
    lines.join("\n")
}

/// The letters of the columns of the record that runs; none for a statement.
type Letters = Arc<Mutex<Option<Vec<Letter>>>>;

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

struct Connection {
    database: Database,
    letters: Letters,
}

impl DB for Connection {
    type Error = Refused;
    type ColumnType = Letter;

    fn run(&mut self, sql: &str) -> Result<DBOutput<Letter>, Refused> {
        let letters = self.letters.lock().unwrap();
        let Some(letters) = letters.as_ref() else {
            self.database.execute(sql, &[]).map_err(|error| Refused(error.render(sql, None)))?;
            return Ok(DBOutput::StatementComplete(0));
        };
        let result = self.database.query(sql, &[]).map_err(|error| Refused(error.render(sql, None)))?;
        let letter = |column| letters.get(column).unwrap_or(&Letter::Any);
        let rows = result.rows.iter();
        let rows = rows.map(|row| row.iter().enumerate().map(|(column, value)| shown(value, letter(column))).collect());
        let types = (0..result.columns.len()).map(|column| letter(column).clone()).collect();
        Ok(DBOutput::Rows { types, rows: rows.collect() })
    }

    fn engine_name(&self) -> &str {
        "votedb"
    }
}

/// A value as a column of type I, R or T shows it.
fn shown(value: &Value, letter: &Letter) -> String {
    let float = |value: &Value| match value {
        Value::Float(v) => *v,
        value => value.to_string().parse().unwrap_or(0.0),
    };
    match (value, letter) {
        (Value::Null, _) => "NULL".to_owned(),
        (Value::Bool(v), Letter::Integer) => i64::from(*v).to_string(),
        (Value::Int(v), Letter::Integer) => v.to_string(),
        (value, Letter::Integer) => (float(value).trunc() as i64).to_string(),
        (Value::Int(v), Letter::FloatingPoint) => format!("{:.3}", *v as f64),
        (value, Letter::FloatingPoint) => format!("{:.3}", float(value)),
        (value, _) => match value.to_string() {
            text if text.is_empty() => "(empty)".to_owned(),
            text => text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
        },
    }
}
