//! The program as a script sees it: no terminal, only arguments, pipes, files and an exit status.

use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SHELL: &str = env!("CARGO_BIN_EXE_votedb-shell");

fn voter() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ddl/voter.sql").display().to_string()
}

/// A folder of its own for a test, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Folder {
        let path = std::env::temp_dir().join(format!("votedb-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        for (file, bytes) in files {
            fs::write(path.join(file), bytes).expect("the folder for temporary files can be written");
        }
        Folder(path)
    }

    fn run(&self, args: &[&str], input: &str) -> Run {
        let mut child = Command::new(SHELL)
            .args(args)
            .current_dir(&self.0)
            .env("HOME", &self.0)
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A program that needs no input may be gone before it is written.
        let _ = child.stdin.take().expect("it was piped").write_all(input.as_bytes());
        Run::of(child.wait_with_output().expect("the program ends"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    fn of(output: Output) -> Run {
        Run {
            status: output.status.code().expect("no signal ended it"),
            out: String::from_utf8(output.stdout).expect("the output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }

    /// The output of a run without errors.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }
}

fn run(args: &[&str]) -> Run {
    Folder::new(&format!("{:?}", std::thread::current().id()), &[]).run(args, "")
}

#[test]
fn a_schema_and_a_call_give_an_answer_and_nothing_else() {
    let out = run(&[&voter(), "--partitions", "2", "-c", "EXEC Vote 5085551234 3 2"]).ok();
    assert_eq!(out, " vote\n ────\n    0\n1 row · partition p1 (hash of phone)\n\n");
}

#[test]
fn commands_run_in_the_order_given_on_one_database() {
    let vote = "EXEC Vote 5085551234 3 2;";
    let count = "SELECT num_votes FROM v_votes_by_phone_number WHERE phone_number = 5085551234;";
    let out = run(&[&voter(), "--format", "csv", "-c", vote, "-c", vote, "-c", vote, "-c", count]).ok();
    assert_eq!(out, "vote\n0\n\nvote\n0\n\nvote\n2\n\nnum_votes\n2\n");
}

#[test]
fn csv_and_json_have_rows_only_and_tell_null_from_empty() {
    let script = "CREATE TABLE t (a BIGINT, b VARCHAR(10)); INSERT INTO t VALUES (1, 'x,\"y'), (NULL, ''), (3, NULL);
                  SELECT a, b FROM t ORDER BY a;";
    assert_eq!(run(&["--format", "csv", "-c", script]).ok(), "a,b\n,\"\"\n1,\"x,\"\"y\"\n3,\n");
    let json = run(&["--format", "json", "-c", script]).ok();
    let rows: Json = serde_json::from_str(&json).expect("the output is JSON");
    let expected = r#"[{"a":null,"b":""},{"a":1,"b":"x,\"y"},{"a":3,"b":null}]"#;
    assert_eq!(rows, serde_json::from_str::<Json>(expected).expect("this is JSON"));
    let table = run(&["-c", script]).ok();
    assert!(table.contains("NULL"), "{table}");
}

#[test]
fn standard_input_is_a_script() {
    let folder = Folder::new("stdin", &[]);
    let script =
        "-- a script\nCREATE TABLE t (a INT);\r\nINSERT INTO t VALUES\n (1), (2);\nSELECT COUNT(*) AS n FROM t";
    assert_eq!(folder.run(&["--format", "csv"], script).ok(), "n\n2\n");
    let script = "SELECT 1 AS a;\nSELECT b\n  FROM nowhere;\nSELECT 2 AS c;\n";
    let stopped = folder.run(&["--format", "csv"], script);
    assert_eq!((stopped.status, stopped.out.as_str()), (1, "a\n1\n"));
    assert!(stopped.err.contains("LINE 3:   FROM nowhere;\n               ^^^^^^^\nerror: "), "{}", stopped.err);
    let went_on = folder.run(&["--format", "csv", "--stop-on-error", "false"], script);
    assert_eq!((went_on.status, went_on.out.as_str()), (1, "a\n1\n\nc\n2\n"));
}

#[test]
fn every_error_of_a_schema_is_told_with_file_line_and_caret() {
    let schema = b"CREATE TABLE a (x INT);\nCREATE TABLE b (y NOTYPE);\n\nCREATE TABLE c (z INT,\n  z INT);\n";
    let folder = Folder::new("schema", &[("s.sql", schema)]);
    let run = folder.run(&["s.sql", "-c", "SELECT 1;"], "");
    assert_eq!((run.status, run.out.as_str()), (1, ""), "nothing else runs");
    assert!(run.err.contains("LINE 2: CREATE TABLE b (y NOTYPE);\n                          ^^^^^^\ns.sql:2: error: "));
    assert!(run.err.contains("LINE 5:   z INT);\n          ^\ns.sql:5: error: "), "{}", run.err);
    assert_eq!(run.err.matches("error: ").count(), 2, "{}", run.err);
}

#[test]
fn every_error_of_a_schema_with_other_statements_is_told_too() {
    let schema = b"CREATE TABLE a (x INT);\nSELECT y FROM a;\nINSERT INTO b VALUES (1);\nEXEC nothing;\n";
    let run = Folder::new("mixed", &[("s.sql", schema)]).run(&["s.sql"], "");
    assert_eq!(run.status, 1);
    for line in ["s.sql:2: error: no column y", "s.sql:3: error: no table", "s.sql:4: error: no procedure"] {
        assert!(run.err.contains(line), "{line} in {}", run.err);
    }
}

#[test]
fn an_error_has_status_1_and_wrong_usage_2() {
    assert_eq!(run(&["-c", "SELECT 1;"]).status, 0);
    assert_eq!(run(&["--help"]).status, 0);
    assert!(run(&["--version"]).ok().starts_with("votedb-shell "));
    let failed = run(&["-c", "SELECT 1/0;"]);
    assert_eq!((failed.status, failed.out.as_str()), (1, ""));
    assert!(failed.err.contains("division by zero (SQLSTATE 22012)"), "{}", failed.err);
    for (args, message) in [
        (&["--partitions", "0"][..], "at least 1 partition"),
        (&["--partitions", "100000"], "at most 1024 partitions"),
        (&["--partitions", "many"], "whole number from 1 to 1024"),
        (&["--bnch"], "--bench"),
        (&["--format", "xml"], "format"),
        (&["--duration", "1s"], "--bench"),
        (&["--bench", "tpcc"], "no workload tpcc; there is: voter, records, ycsb"),
        (&["--bench", "--clients", "0"], "at least 1 client"),
        (&["--bench", "--duration", "soon"], "duration"),
        (&["--bench", "--rate", "0"], "0"),
    ] {
        let run = run(args);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{args:?}: {}", run.err);
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new("files", &[("latin.sql", b"SELECT 'caf\xE9';"), ("wide.sql", b"\xFF\xFES\0E\0L\0")]);
    for (args, message) in [
        (&["missing.sql"][..], "error: cannot read missing.sql: No such file or directory"),
        (&["-f", "missing.sql"], "error: cannot read missing.sql: No such file or directory"),
        (&["."], "error: cannot read .: "),
        (&["latin.sql"], "error: latin.sql is not UTF-8 text: byte 11 (0xE9) is not valid"),
        (&["-f", "wide.sql"], "error: wide.sql is not UTF-8 text: byte 0 (0xFF) is not valid"),
    ] {
        let run = folder.run(args, "");
        assert_eq!(run.status, 3, "{args:?}");
        assert!(run.err.starts_with(message), "{args:?}: {}", run.err);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_script() {
    let folder = Folder::new("bom", &[("bom.sql", "\u{FEFF}SELECT 1 AS a;".as_bytes())]);
    assert_eq!(folder.run(&["--format", "csv", "-f", "bom.sql"], "").ok(), "a\n1\n");
}

/// The script that VoltDB's own example comes with: batches, a jar, procedures by class.
const SQLCMD_FORM: &str = "\
LOAD CLASSES voter-procs.jar;

-- The following batch runs as one.
file -inlinebatch END_OF_BATCH

CREATE TABLE contestants
(
  contestant_number integer     NOT NULL
, contestant_name   varchar(50) NOT NULL
, CONSTRAINT PK_contestants PRIMARY KEY ( contestant_number )
);

CREATE TABLE votes
(
  phone_number       bigint     NOT NULL
, state              varchar(2) NOT NULL
, contestant_number  integer    NOT NULL
);

PARTITION TABLE votes ON COLUMN phone_number;

CREATE TABLE area_code_state
(
  area_code smallint   NOT NULL
, state     varchar(2) NOT NULL
, CONSTRAINT PK_area_code_state PRIMARY KEY ( area_code )
);

CREATE VIEW v_votes_by_phone_number ( phone_number, num_votes )
AS SELECT phone_number, COUNT(*) FROM votes GROUP BY phone_number;

CREATE VIEW v_votes_by_contestant_number_state ( contestant_number, state, num_votes )
AS SELECT contestant_number, state, COUNT(*) FROM votes GROUP BY contestant_number, state;

END_OF_BATCH

file -inlinebatch END_OF_2ND_BATCH

CREATE PROCEDURE FROM CLASS voter.Initialize;
CREATE PROCEDURE FROM CLASS voter.Results;
CREATE PROCEDURE PARTITION ON TABLE votes COLUMN phone_number FROM CLASS voter.Vote;
CREATE PROCEDURE FROM CLASS voter.ContestantWinningStates;
CREATE PROCEDURE FROM CLASS voter.GetStateHeatmap;

END_OF_2ND_BATCH
";

#[test]
fn a_sqlcmd_script_runs_as_it_is() {
    let folder = Folder::new("sqlcmd", &[("ddl.sql", SQLCMD_FORM.as_bytes())]);
    let calls = "EXEC Initialize 2 'Edwina Burnam,Tabatha Gehling'; EXEC Vote 2125551234 2 2; EXEC Results;";
    for args in [&["ddl.sql", "--format", "csv", "-c", calls][..], &["--format", "csv", "-f", "ddl.sql", "-c", calls]] {
        let run = folder.run(args, "");
        assert_eq!(run.status, 0, "{}", run.err);
        assert!(run.err.contains("note: ") && !run.err.contains("error"), "{}", run.err);
        let rows = "contestant_name,contestant_number,total_votes\nTabatha Gehling,2,1\n";
        assert!(run.out.ends_with(rows), "{}", run.out);
    }
}

#[test]
fn a_failed_batch_leaves_nothing() {
    let script =
        "file -inlinebatch E\nCREATE TABLE one (a INT);\nCREATE TABLE two (a NOTYPE);\nE\nSELECT * FROM one;\n";
    let run =
        Folder::new("batch", &[("s.sql", script.as_bytes())]).run(&["--stop-on-error", "false", "-f", "s.sql"], "");
    assert_eq!((run.status, run.out.as_str()), (1, ""));
    assert!(run.err.contains("s.sql:3: error: "), "{}", run.err);
    assert!(run.err.contains("s.sql:5: error: no table or view one"), "{}", run.err);
}

#[test]
fn a_failed_statement_changes_nothing() {
    let script = "CREATE TABLE t (a INT NOT NULL PRIMARY KEY); INSERT INTO t VALUES (1), (2);
                  INSERT INTO t VALUES (3), (2); SELECT a FROM t ORDER BY a;";
    let run = run(&["--format", "csv", "--stop-on-error", "false", "-c", script]);
    assert_eq!((run.status, run.out.as_str()), (1, "a\n1\n2\n"), "{}", run.err);
    assert!(run.err.contains("duplicate key in t"), "{}", run.err);
}

#[test]
fn procedures_are_built_in_or_found_beside_the_schema() {
    let schema = b"CREATE TABLE t (a INT); CREATE PROCEDURE FROM CLASS mine.Add;";
    let procedure = b"CREATE PROCEDURE Add (n INT) AS BEGIN INSERT INTO t VALUES (n); END;";
    let folder = Folder::new("procs", &[("s.sql", schema)]);
    let run = folder.run(&["s.sql"], "");
    assert_eq!(run.status, 1);
    assert!(run.err.contains("s.sql:1: error: ") && run.err.contains("Add"), "{}", run.err);
    fs::create_dir(folder.0.join("procs")).expect("a folder can be made");
    fs::write(folder.0.join("procs/Add.sql"), procedure).expect("a file can be written");
    let out = folder.run(&["s.sql", "--format", "csv", "-c", "EXEC Add 7; SELECT a FROM t;"], "").ok();
    assert!(out.ends_with("a\n7\n"), "{out}");
    let schema = fs::read(voter()).expect("the voter schema is there");
    let alone = Folder::new("alone", &[("v.sql", &schema)]);
    assert_eq!(alone.run(&["v.sql", "--format", "csv", "-c", "EXEC Vote 2125551234 9 2"], "").ok(), "vote\n1\n");
}

#[test]
fn a_statement_that_takes_too_long_is_given_up() {
    let from = ["area_code_state"; 4].iter().zip("abcd".chars()).map(|(table, alias)| format!("{table} {alias}"));
    let endless = format!("SELECT COUNT(*) FROM {};", from.collect::<Vec<_>>().join(", "));
    let run = run(&[&voter(), "--timeout", "200ms", "-c", &endless]);
    assert_eq!((run.status, run.out.as_str()), (1, ""));
    assert!(run.err.contains("error: ") && run.err.contains("200"), "{}", run.err);
}

#[track_caller]
fn bench(name: &str, args: &[&str]) -> Json {
    let folder = Folder::new(name, &[]);
    let fixed = ["--bench", "--no-tui", "--duration", "1s", "--warmup", "200ms", "--json", "run.json"];
    let run = folder.run(&[&fixed, args].concat(), "");
    assert_eq!(run.status, 0, "{}\n{}", run.out, run.err);
    assert!(run.out.contains("throughput") && run.out.contains("verified"), "{}", run.out);
    assert!(run.out.ends_with(" saved run.json\n"), "{}", run.out);
    let text = fs::read_to_string(folder.0.join("run.json")).expect("the file was written");
    let json: Json = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(json["verified"], true, "{text}");
    assert_eq!(json["errors"], 0, "{text}");
    let votes = |field: &str| json["votes"][field].as_u64().expect("a count");
    assert!(votes("accepted") > 0 && votes("rejected_contestant") > 0, "{text}");
    assert!(json["throughput_tps"].as_f64().expect("a number") > 0.0);
    let us = |field: &str| json["latency_us"][field].as_f64().expect("a number");
    assert!(us("p50") <= us("p99") && us("p99") <= us("max"), "{text}");
    json
}

#[test]
fn the_benchmark_is_verified_pipelined_on_2_partitions() {
    let json = bench("async", &["--partitions", "2", "--clients", "2"]);
    assert_eq!(json["partitions_detail"].as_array().map(Vec::len), Some(2), "{json}");
}

#[test]
fn the_benchmark_is_verified_with_one_call_at_a_time() {
    bench("sync", &["--mode", "sync", "--partitions", "1", "--clients", "2"]);
}

#[test]
fn the_benchmark_is_verified_on_more_partitions_than_cores() {
    let json = bench("many", &["--partitions", "16", "--clients", "3", "--contestants", "12", "--maxvotes", "1"]);
    assert_eq!(json["partitions_detail"].as_array().map(Vec::len), Some(16), "{json}");
}

#[test]
fn the_benchmark_keeps_a_rate_that_the_machine_can() {
    for mode in ["sync", "async"] {
        let json = bench("rate", &["--mode", mode, "--rate", "2000", "--partitions", "2", "--clients", "1"]);
        let reached = json["throughput_tps"].as_f64().expect("a number");
        assert!(reached <= 2_500.0, "{mode}: {reached} votes a second where 2000 were asked");
    }
}

#[test]
fn a_benchmark_whose_numbers_cannot_be_saved_fails() {
    let run = run(&["--bench", "--no-tui", "--duration", "100ms", "--warmup", "0s", "--json", "no/such/folder/f"]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("error: cannot write no/such/folder/f"), "{}", run.err);
}

#[test]
fn options_of_voltdbs_clients_work_under_their_names() {
    let folder = Folder::new("names", &[]);
    let args =
        ["--bench", "voter", "--plain", "--duration", "1", "--warmup", "0", "--threads", "1", "--ratelimit", "3000"];
    let more = ["--displayinterval", "200ms", "--latencyreport", "--statsfile", "s.csv", "--mode", "sql"];
    let run = folder.run(&[&args[..], &more].concat(), "");
    assert_eq!(run.status, 0, "{}\n{}", run.out, run.err);
    for text in
        ["threads          = 1", "ratelimit        = 3000", "The Winner is: ", "Latency Histogram", "99.9th percentile"]
    {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    assert!(run.err.lines().count() >= 3, "{}", run.err);
    let csv = fs::read_to_string(folder.0.join("s.csv")).expect("the file was written");
    assert!(csv.starts_with("begins_s,lasts_s,calls,throughput,"), "{csv}");
}

fn page(folder: &Folder, kind: &str) -> PathBuf {
    let entries = fs::read_dir(folder.0.join("r")).expect("the folder was made").map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(kind));
    entries.filter(named).max().expect("a report was saved")
}

#[test]
fn a_study_and_a_record_store_leave_reports_that_compare_with_themselves() {
    let folder = Folder::new("study", &[]);
    let short = ["--duration", "150ms", "--warmup", "0", "--report", "r"];
    let study = ["--bench", "voter", "--matrix", "--partitions-list", "1,2", "--repetitions", "2"];
    let run = folder.run(&[&study[..], &short].concat(), "");
    assert_eq!(run.status, 0, "{}\n{}", run.out, run.err);
    assert!(run.err.contains("12 of 12") && run.err.contains(" left"), "{}", run.err);
    assert!(run.out.contains("voter sql p2") && run.out.contains("verified"), "{}", run.out);
    let own = page(&folder, "matrix");
    for file in ["report.html", "report.csv", "charts/throughput.svg", "charts/latency-p95.svg"] {
        assert!(own.join(file).is_file(), "{file}");
    }
    let own = own.display().to_string();
    let same = folder.run(&["report", "compare", &own, &own, "--fail-if", "p99>+10%", "--chart", "both.svg"], "");
    assert_eq!(same.status, 0, "{}\n{}", same.out, same.err);
    assert!(same.out.contains("+0.0 %") && folder.0.join("both.svg").is_file(), "{}", same.out);
    assert_eq!(folder.run(&["report", "compare", &own, &own, "--fail-if", "p98>1%"], "").status, 2);
    assert_eq!(folder.run(&["report", "compare", &own, "nothing"], "").status, 2);

    let run = folder.run(&["--bench", "records", "--scale", "0.002", "--json-documents", "--report", "r"], "");
    assert_eq!(run.status, 0, "{}\n{}", run.out, run.err);
    let text = fs::read_to_string(page(&folder, "records").join("report.json")).expect("the file was written");
    let json: Json = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(34));
    assert_eq!(json["entries"][4]["published"][0]["value"], 40160.0);
}

#[test]
fn a_worse_report_fails_the_build_that_asked_for_it() {
    let report = |rate: f64, p99: f64| {
        let us = |p99: f64| serde_json::json!({"mean": 1.0, "p50": 1.0, "p90": 1.0, "p95": 1.0, "p99": p99, "p999": 1.0, "p9999": 1.0, "max": 1.0});
        let samples: Vec<Json> = [0.99, 1.0, 1.01]
            .iter()
            .map(|noise| serde_json::json!({"throughput": rate * noise, "latency_us": us(p99 * noise)}))
            .collect();
        let entry = serde_json::json!({"name": "x", "series": "x", "x": 1.0, "unit": "u/s", "throughput": rate, "samples": samples,
            "latency_us": us(p99), "calls": 3, "errors": 0, "verified": true, "broken": []});
        serde_json::json!({"schema": "votedb-bench-1", "title": "t", "entries": [entry]}).to_string()
    };
    let (a, b) = (report(1000.0, 10.0), report(1200.0, 13.0));
    let folder = Folder::new("worse", &[("a.json", a.as_bytes()), ("b.json", b.as_bytes())]);
    let run = folder
        .run(&["report", "compare", "a.json", "b.json", "--fail-if", "p99>+10%", "--fail-if", "throughput<-5%"], "");
    assert_eq!(run.status, 1, "{}\n{}", run.out, run.err);
    assert!(run.out.contains("FAILED       x: p99 changed by +30.0 %"), "{}", run.out);
    assert!(!run.out.contains("throughput changed") && run.out.contains("better"), "{}", run.out);
    assert_eq!(folder.run(&["report", "compare", "b.json", "a.json", "--fail-if", "p99>+10%"], "").status, 0);
}

#[test]
fn other_workloads_run_and_are_checked() {
    for name in ["tatp", "smallbank", "ycsb-a"] {
        let args = ["--bench", name, "--scale", "0.01", "--duration", "100ms", "--warmup", "0", "--repetitions", "2"];
        let run = run(&args);
        assert_eq!(run.status, 0, "{name}: {}\n{}", run.out, run.err);
        assert!(run.out.contains("verified") && run.out.contains(name), "{}", run.out);
    }
}
