//! What sqlcmd does, as observed on a real server: cases outside of the project, run where they are.
//!
//! Each case has arguments, standard input and files; the program runs in a folder of its own. A failing status is equal
//! to any other failing status: this shell tells kinds of failures apart, sqlcmd says 255. Lines that count rows may have
//! either program's words.

use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use votedb::shell::{Embedded, Settings, run_script};
use votedb::{Config, Database};

const CASES: &str = "/work/shared/reference/voltdb-cases";

/// Cases where this shell does something else, and why. Cases marked as quirks may differ without a reason here.
const ON_PURPOSE: [(&str, &str); 6] = [
    ("g7-file-014", "LOAD CLASSES gets a note, so that scripts with it run"),
    ("g7-exec-008", "names of procedures are not case-sensitive"),
    ("g7-exec-027", "names of procedures are not case-sensitive"),
    ("g7-exec-005", "EXEC takes arguments in parentheses, too"),
    ("g7-directive-026", "the dot commands of sqlite3 are commands"),
    ("g7-directive-019", "plans are written in other words"),
];

#[derive(Default)]
struct Tally {
    equal: usize,
    on_purpose: usize,
    wrong: Vec<String>,
}

#[test]
fn the_shell_does_what_sqlcmd_does() {
    let Ok(cases) = fs::read_to_string(Path::new(CASES).join("7-sqlcmd.jsonl")) else {
        eprintln!("skipped: no cases at {CASES}");
        return;
    };
    let setups = fs::read_to_string(Path::new(CASES).join("setups.sql")).expect("the setups stand beside the cases");
    let mut tally = Tally::default();
    for line in cases.lines() {
        let case: Json = serde_json::from_str(line).expect("a case is a line of JSON");
        let id = case["id"].as_str().expect("a case has an id");
        let differences = run(&case, &block(&setups, case["setup"].as_str().unwrap_or("shell")));
        let is_purpose = case["quirk"] == true || ON_PURPOSE.iter().any(|(known, _)| *known == id);
        match (differences.is_empty(), is_purpose) {
            (true, _) => tally.equal += 1,
            (false, true) => tally.on_purpose += 1,
            (false, false) => tally.wrong.push(format!("{id}: {}", differences.join("; "))),
        }
    }
    println!("7-sqlcmd: equal {}, on purpose {}, wrong {}", tally.equal, tally.on_purpose, tally.wrong.len());
    assert!(
        tally.wrong.len() <= WAITING.len() && tally.wrong.iter().all(|wrong| is_waiting(wrong)),
        "{:#?}",
        tally.wrong
    );
}

/// Cases about statements of the engine, not of the shell.
const WAITING: [&str; 3] = ["g7-exec-026", "g7-directive-020", "g7-directive-023"];

fn is_waiting(wrong: &str) -> bool {
    WAITING.iter().any(|id| wrong.starts_with(id))
}

/// The statements of a setup.
fn block(setups: &str, name: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in setups.lines() {
        match line.strip_prefix("-- @setup ") {
            Some(title) => inside = title.trim() == name,
            None if inside => {
                out.push_str(line);
                out.push('\n');
            }
            None => {}
        }
    }
    out
}

fn run(case: &Json, setup: &str) -> Vec<String> {
    let id = case["id"].as_str().unwrap_or("case");
    let folder = std::env::temp_dir().join(format!("votedb-sqlcmd-{}-{id}", std::process::id()));
    fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let setup_path = folder.join("setup_of_the_case.sql");
    fs::write(&setup_path, setup).expect("the folder for temporary files can be written");
    for (name, text) in case["shell"]["files"].as_object().into_iter().flatten() {
        fs::write(folder.join(name), text.as_str().unwrap_or("")).expect("the folder can be written");
    }
    let mut differences = compare(case, &folder, &setup_path);
    differences.extend(checks(case, &folder, setup));
    fs::remove_dir_all(&folder).expect("the folder is ours");
    differences
}

fn compare(case: &Json, folder: &PathBuf, setup: &Path) -> Vec<String> {
    let shell = &case["shell"];
    let args: Vec<&str> = shell["args"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_votedb-shell"))
        .arg(setup)
        .args(["--partitions", "2"])
        .args(&args)
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that needs no input may be gone before it is written.
    let _ = child.stdin.take().expect("it was piped").write_all(shell["stdin"].as_str().unwrap_or("").as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let expect = &case["expect"];
    let mut differences = Vec::new();
    let fails = output.status.code() != Some(0);
    if fails != (expect["exit_code"] != 0) {
        differences.push(format!("status {:?}, not {}", output.status.code(), expect["exit_code"]));
    }
    if err.is_empty() != (expect["stderr_empty"] == true) && expect["error_class"] != "usage" {
        differences.push(format!("standard error is {err:?}"));
    }
    let is_sqlcmd = args.iter().any(|arg| arg.starts_with("--output-format"));
    if is_sqlcmd && out.is_empty() != (expect["stdout_empty"] == true) {
        differences.push(format!("standard output is {out:?}"));
    }
    let count = |text: &str| out.lines().filter(|line| line.trim() == text).count();
    if is_sqlcmd && Some(count("Command succeeded.") as u64) != expect["commands_succeeded"].as_u64() {
        differences.push("another number of commands succeeded".to_owned());
    }
    if is_sqlcmd && Some(count("Batch command succeeded.") as u64) != expect["batches_succeeded"].as_u64() {
        differences.push("another number of batches succeeded".to_owned());
    }
    let wanted: Vec<u64> = expect["returned_rows"].as_array().into_iter().flatten().filter_map(Json::as_u64).collect();
    if expect["returned_rows"].is_array() && row_counts(&out) != wanted && is_counted(case) {
        differences.push(format!("rows {:?}, not {wanted:?}", row_counts(&out)));
    }
    if let Some(rows) = expect["csv_rows"].as_array() {
        differences.extend(csv_difference(&out, rows));
    }
    for (text, is_there) in expect["stdout_contains"].as_object().into_iter().flatten() {
        if out.to_ascii_lowercase().contains(&text.to_ascii_lowercase()) != (*is_there == true) {
            differences.push(format!("{text:?} in the output: {}", !(*is_there == true)));
        }
    }
    differences
}

/// Lists of the shell's own have no counts in either program; with other formats this shell counts them in other words.
fn is_counted(case: &Json) -> bool {
    let stdin = case["shell"]["stdin"].as_str().unwrap_or("").trim_start().to_ascii_lowercase();
    !["show", "list", "desc", "explain"].iter().any(|word| stdin.starts_with(word))
}

fn row_counts(out: &str) -> Vec<u64> {
    let number = |line: &str| -> Option<u64> {
        let rest = line.strip_prefix("(Returned ").unwrap_or(line);
        let (number, after) = rest.split_once(" row")?;
        let is_count = after.starts_with('s') || after.starts_with(" ") || after.is_empty();
        number.replace(',', "").parse().ok().filter(|_| is_count)
    };
    out.lines().filter_map(number).collect()
}

/// The lines of CSV: those with a quote at their start. Values are equal as texts or as numbers.
fn csv_difference(out: &str, wanted: &[Json]) -> Option<String> {
    let rows: Vec<Vec<String>> = out.lines().filter(|line| line.starts_with('"')).map(fields).collect();
    let wanted: Vec<Vec<String>> = wanted
        .iter()
        .map(|row| row.as_array().into_iter().flatten().map(|v| v.as_str().unwrap_or("").to_owned()).collect())
        .collect();
    let same = |(a, b): (&String, &String)| {
        a.eq_ignore_ascii_case(b) || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
    };
    let same_row = |(a, b): (&Vec<String>, &Vec<String>)| a.len() == b.len() && a.iter().zip(b).all(same);
    let is_same = rows.len() == wanted.len() && rows.iter().zip(&wanted).all(same_row);
    (!is_same).then(|| format!("CSV {rows:?}, not {wanted:?}"))
}

fn fields(line: &str) -> Vec<String> {
    let inner = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    inner.split("\",\"").map(|field| field.replace("\"\"", "\"")).collect()
}

/// Runs the input on a database in this process, then the case's queries about what is left.
fn checks(case: &Json, folder: &Path, setup: &str) -> Vec<String> {
    let Some(checks) = case["check"].as_array() else { return Vec::new() };
    let db = Database::open(Config::partitions(2)).expect("two partitions are possible");
    db.execute_script(setup).expect("the setup runs");
    let stdin = case["shell"]["stdin"].as_str().unwrap_or("");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let settings = Settings::default();
    run_script(&mut Embedded::new(db.clone(), None), stdin, None, folder, &mut out, &mut err, &settings);
    let mut differences = Vec::new();
    for check in checks {
        let sql = check["sql"].as_str().unwrap_or("");
        match (db.query(sql, &[]), check["rows"].as_array()) {
            (Err(_), None) => {}
            (Ok(set), Some(rows)) => {
                let found: Vec<Vec<String>> =
                    set.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
                let text = |value: &Json| match value {
                    Json::Null => "NULL".to_owned(),
                    Json::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let wanted: Vec<Vec<String>> =
                    rows.iter().map(|row| row.as_array().into_iter().flatten().map(text).collect()).collect();
                let same = |(a, b): (&String, &String)| {
                    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
                };
                let is_same = found.len() == wanted.len()
                    && found.iter().zip(&wanted).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(same));
                if !is_same {
                    differences.push(format!("{sql} gives {found:?}, not {wanted:?}"));
                }
            }
            (Ok(_), None) => differences.push(format!("{sql} succeeds")),
            (Err(error), Some(_)) => differences.push(format!("{sql} fails: {error}")),
        }
    }
    differences
}
