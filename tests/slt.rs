//! Runs SQL logic tests (the format of SQLite's `sqllogictest`) where a folder `../shared/slt`, or that of `SLT`, is there.
//!
//! Nothing is left out but what [`EXCLUSIONS`] lists, and records for other engines (`onlyif`).

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use votedb::{Config, Database, Value};

/// What does not count: a word of the record, or of what is said about it, and why.
const EXCLUSIONS: [(&str, &str); 15] = [
    ("strict column usage for GROUP BY", "a bare column beside an aggregate has no defined value"),
    ("must be in GROUP BY", "a bare column beside an aggregate has no defined value"),
    ("division by zero", "SQLite gives NULL; it is an error in the standard"),
    ("- 88 + AVG ( + + 49 ) ELSE", "SQLite types CASE by its value, not by its branches"),
    ("COALESCE ( 85, - AVG ( + 53 ) )", "SQLite types COALESCE by its value, not by its arguments"),
    ("IN ()", "an empty list is SQLite's"),
    ("is set twice", "SQLite takes the last of several assignments"),
    ("FROM t1 WHERE x=4", "follows from that"),
    ("FROM t1 WHERE x=5", "follows from that"),
    ("neither a group nor an aggregate", "views are materialised: others are not supported"),
    ("a view can't have subqueries", "views are materialised: others are not supported"),
    ("no table or view view", "follows from that"),
    ("no view view", "follows from that"),
    ("'hello' ", "SQLite compares values of different types"),
    ("x'303132' ", "SQLite compares values of different types"),
];

/// Failures shown of each file.
const SHOWN: usize = 5;

#[derive(Default)]
struct Tally {
    passed: usize,
    excluded: usize,
    failed: Vec<String>,
}

#[test]
fn sql_logic_tests_pass() {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/slt");
    let folder = std::env::var_os("SLT").map_or(default, PathBuf::from);
    let mut files = Vec::new();
    collect(&folder, &mut files);
    if files.is_empty() {
        println!("skipped: no SQL logic tests in {}", folder.display());
        return;
    }
    files.sort();
    let (waiting, done) = (Mutex::new(files.into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = { waiting.lock().unwrap().next() } {
                    let tally = run(&fs::read_to_string(&file).unwrap().replace("\r\n", "\n"));
                    done.lock().unwrap().push((file, tally));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut passed, mut failed, mut excluded) = (0, 0, 0);
    let mut report = String::new();
    for (file, tally) in &done {
        passed += tally.passed;
        excluded += tally.excluded;
        failed += tally.failed.len();
        if !tally.failed.is_empty() {
            let _ = writeln!(report, "{}: {} failed, {} passed", file.display(), tally.failed.len(), tally.passed);
            tally.failed.iter().take(SHOWN).for_each(|failure| report += failure);
        }
    }
    println!("{passed} records passed, {failed} failed, {excluded} excluded, in {} files", done.len());
    EXCLUSIONS.iter().for_each(|(word, why)| println!("excluded: '{word}': {why}"));
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

fn run(text: &str) -> Tally {
    let db = Database::open(Config::partitions(1)).unwrap();
    let (mut tally, mut threshold, mut number) = (Tally::default(), 0, 1);
    for record in text.split("\n\n") {
        let line = number;
        number += record.matches('\n').count() + 2;
        let lines = record.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let conditions = ["onlyif ", "skipif "].map(|word| record.lines().any(|line| line.starts_with(word)));
        let lines: Vec<&str> =
            lines.filter(|line| !line.starts_with("skipif ") && !line.starts_with("onlyif ")).collect();
        let Some((head, rest)) = lines.split_first() else { continue };
        if conditions[0] {
            continue;
        }
        let words: Vec<&str> = head.split_whitespace().collect();
        let outcome = match words[..] {
            ["hash-threshold", n] => {
                threshold = n.parse().unwrap();
                continue;
            }
            ["halt", ..] => break,
            ["statement", what] => statement(&db, &rest.join("\n"), what == "ok"),
            ["query", types, ..] => query(&db, types, words.get(2).copied().unwrap_or("nosort"), rest, threshold),
            _ => Err(format!("no record starts with {head}")),
        };
        match outcome {
            Ok(()) => tally.passed += 1,
            Err(error) if EXCLUSIONS.iter().any(|(word, _)| record.contains(word) || error.contains(word)) => {
                tally.excluded += 1;
            }
            Err(error) => tally.failed.push(format!("  line {line}: {error}\n")),
        }
    }
    tally
}

fn statement(db: &Database, sql: &str, fits: bool) -> Result<(), String> {
    match db.execute(sql, &[]) {
        Err(error) if fits => Err(error.render(sql, None)),
        Ok(_) if !fits => Err(format!("no error: {sql}")),
        _ => Ok(()),
    }
}

fn query(db: &Database, types: &str, sort: &str, lines: &[&str], threshold: usize) -> Result<(), String> {
    let end = lines.iter().position(|line| *line == "----").unwrap_or(lines.len());
    let (sql, expected) = (lines[..end].join("\n"), &lines[(end + 1).min(lines.len())..]);
    let result = db.query(&sql, &[]).map_err(|error| error.render(&sql, None))?;
    if result.columns.len() != types.len() {
        return Err(format!("{} columns for {types}: {sql}", result.columns.len()));
    }
    let mut rows: Vec<Vec<String>> = result
        .rows
        .iter()
        .map(|row| row.iter().zip(types.chars()).map(|(value, ty)| shown(value, ty)).collect())
        .collect();
    if sort == "rowsort" {
        rows.sort();
    }
    let mut values: Vec<String> = rows.into_iter().flatten().collect();
    if sort == "valuesort" {
        values.sort();
    }
    let hashed = expected.first().is_some_and(|line| line.contains(" values hashing to "));
    if hashed || threshold > 0 && values.len() > threshold {
        let text: String = values.iter().flat_map(|value| [value.as_str(), "\n"]).collect();
        values = vec![format!("{} values hashing to {}", values.len(), md5(text.as_bytes()))];
    }
    // Rows may stand in one line each.
    let flat: Vec<&str> = match expected.len() == values.len() {
        true => expected.to_vec(),
        false => expected.iter().flat_map(|line| line.split_whitespace()).collect(),
    };
    match values == flat {
        true => Ok(()),
        false => Err(format!("{sql}\n    expected {expected:?}\n    found    {values:?}")),
    }
}

/// A value as a column of type I, R or T shows it.
fn shown(value: &Value, ty: char) -> String {
    let float = |value: &Value| value.to_string().parse::<f64>().unwrap_or(0.0);
    match (value, ty) {
        (Value::Null, _) => "NULL".to_owned(),
        (Value::Bool(v), 'I') => i64::from(*v).to_string(),
        (Value::Int(v), 'I') => v.to_string(),
        (value, 'I') => (float(value).trunc() as i64).to_string(),
        (value, 'R') => format!("{:.3}", float(value)),
        (value, _) => match value.to_string() {
            text if text.is_empty() => "(empty)".to_owned(),
            text => text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
        },
    }
}

/// RFC 1321; results are compared by it, nothing is protected with it.
fn md5(message: &[u8]) -> String {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let table: Vec<u32> = (1..=64).map(|i| (f64::from(i).sin().abs() * 4_294_967_296.0) as u32).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(message.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let words: Vec<u32> = block.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mix, word) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(mix).wrapping_add(table[i]).wrapping_add(words[word]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4])));
        }
        for (state, add) in state.iter_mut().zip([a, b, c, d]) {
            *state = state.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn md5_is_that_of_the_rfc() {
    assert_eq!(md5(b""), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(md5(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
    let long = b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
    assert_eq!(md5(long), "57edf4a22be3c955ac49da2e2107b67a");
}
