//! Transcripts: scripts in, what went to the database, standard output and standard error out.

use super::super::fake::FakeDatabase;
use super::*;
use crate::render::Format;
use std::fs;
use std::io;

struct Transcript {
    ran: Vec<String>,
    batches: Vec<String>,
    out: String,
    err: String,
    result: ScriptResult,
}

fn run_in(text: &str, file: Option<&str>, dir: &Path, settings: &Settings) -> Transcript {
    let mut db = FakeDatabase::default();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let result = run_script(&mut db, text, file, dir, &mut out, &mut err, settings);
    let text = |bytes| String::from_utf8(bytes).expect("the shell writes UTF-8");
    Transcript { ran: db.ran, batches: db.batches, out: text(out), err: text(err), result }
}

fn run(text: &str) -> Transcript {
    run_in(text, None, Path::new("."), &Settings::default())
}

fn keep_going() -> Settings {
    Settings { stop_on_error: false, ..Settings::default() }
}

/// A directory of its own, gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Scratch {
        let dir = std::env::temp_dir().join(format!("votedb-shell-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("the temporary directory is writable");
        for (file, bytes) in files {
            fs::write(dir.join(file), bytes).expect("the temporary directory is writable");
        }
        Scratch(dir)
    }
    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_script_answers_each_statement_in_order() {
    let got = run("CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1); SELECT 42\n  FROM t");
    assert_eq!(got.ran, ["CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", "SELECT 42\n  FROM t"]);
    assert_eq!(got.out, "table created\n1 row modified\n answer\n ──────\n     42\n1 row\n\n");
    assert_eq!(got.err, "note: it is empty\n");
    assert_eq!(got.result, ScriptResult { errors: 0, end: Flow::Continue });
}

#[test]
fn the_first_error_stops_a_script_and_names_file_and_line() {
    let text = "SELECT 1;\n\n-- next\nSELECT a,\n       bad FROM t;\nSELECT 2;";
    let got = run_in(text, Some("q.sql"), Path::new("."), &Settings::default());
    assert_eq!(got.ran.len(), 2);
    assert_eq!(got.err, "LINE 5:        bad FROM t;\n               ^^^\nq.sql:5: error: nothing is called bad\n");
    assert_eq!(got.result, ScriptResult { errors: 1, end: Flow::Stop });
}

#[test]
fn errors_do_not_stop_a_script_that_was_told_to_go_on() {
    let got = run_in("bad;\nSELECT 1;\nSELECT bad;", None, Path::new("."), &keep_going());
    assert_eq!(got.ran, ["bad", "SELECT 1", "SELECT bad"]);
    assert_eq!(got.result, ScriptResult { errors: 2, end: Flow::Continue });
    assert_eq!(got.err.lines().last(), Some("error: nothing is called bad"));
}

#[test]
fn commands_count_only_at_the_start_of_a_statement() {
    let got = run("SELECT\nhelp\nexit\n FROM t;\necho done; really\nexit\nSELECT 2;");
    assert_eq!(got.ran, ["SELECT\nhelp\nexit\n FROM t"]);
    assert!(got.out.ends_with("\n\ndone; really\n"), "{}", got.out);
    assert_eq!(got.result.end, Flow::Leave);
}

#[test]
fn wrong_commands_are_errors() {
    let got =
        run_in("show tabels\n\\fromat csv\ndescribe votse\necho on", Some("x.sql"), Path::new("."), &keep_going());
    assert_eq!(
        got.err,
        "x.sql:1: error: cannot show tabels; did you mean tables?\n\
         x.sql:2: error: no command \\fromat; did you mean \\format? \\? lists the commands\n\
         x.sql:3: error: no table, view or procedure votse; did you mean votes?\n"
    );
    assert_eq!(got.out, "on\n");
    assert_eq!(run("show tabels\nSELECT 1;").ran.len(), 0);
}

#[test]
fn describe_shows_columns_and_a_summary() {
    assert_eq!(
        run("desc VOTES;").out,
        concat!(
            " column        type        nullable  default  remarks\n",
            " ────────────  ──────────  ────────  ───────  ────────────────\n",
            " phone_number  BIGINT      no                 partition column\n",
            " state         VARCHAR(2)  yes       'NY'\n",
            "table votes · partitioned on phone_number · 1,200 rows\n\n",
        )
    );
}

#[test]
fn describe_knows_procedures_too() {
    assert_eq!(run("\\format csv\n\\d results").out, "name,parameters,partition,returns\nResults,\"\",all,\"\"\n");
}

#[test]
fn the_format_changes_in_the_middle_of_a_script() {
    let got = run("\\format json\nSELECT 1;\nINSERT INTO t VALUES (1);\n\\format csv\nSELECT 1;\necho end");
    assert_eq!(got.out, "[{\"answer\":42}]\nanswer\n42\nend\n");
    assert_eq!(run("\\format csv\nSELECT 1;\nINSERT 1;\nSELECT 1;").out, "answer\n42\n\nanswer\n42\n");
    assert!(run("\\timing on\nSELECT 1;").out.ends_with("1 row · 12 µs\n\n"));
}

#[test]
fn an_inline_batch_runs_as_one() {
    let got = run(
        "file -inlinebatch DONE\nCREATE TABLE a (x INT);\n-- DONE is near\nCREATE TABLE b (x INT);\n DONE \nSELECT 1;",
    );
    assert_eq!(got.batches, ["CREATE TABLE a (x INT);\n-- DONE is near\nCREATE TABLE b (x INT);\n"]);
    assert_eq!(got.ran, ["SELECT 1"]);
    assert_eq!(got.result.errors, 0);
}

#[test]
fn every_error_of_a_batch_is_told_with_its_line() {
    let text = "\n\nfile -inlinebatch DONE\nCREATE bad;\nCREATE TABLE b (\n  bad INT);\nDONE\nSELECT 1;";
    let got = run_in(text, Some("s.sql"), Path::new("."), &Settings::default());
    assert_eq!(
        got.err,
        "LINE 4: CREATE bad;\n               ^^^\ns.sql:4: error: nothing is called bad\n\
         LINE 6:   bad INT);\n          ^^^\ns.sql:6: error: nothing is called bad\n"
    );
    assert_eq!(got.result, ScriptResult { errors: 2, end: Flow::Stop });
    assert!(got.ran.is_empty());
}

#[test]
fn a_batch_without_an_end_or_with_a_command_runs_nothing() {
    let got = run_in(
        "SELECT 1;\nfile -inlinebatch DONE\nCREATE TABLE a (x INT);\n",
        Some("s.sql"),
        Path::new("."),
        &keep_going(),
    );
    assert!(got.batches.is_empty());
    assert_eq!(got.err, "s.sql:2: error: no line is just DONE: the batch has no end, so nothing of it ran\n");
    let got = run("file -inlinebatch DONE\nCREATE TABLE a (\nfile INT);\nfile x.sql\nDONE\n");
    assert!(got.batches.is_empty());
    assert_eq!(got.err, "error: a batch holds DDL statements only, not file x.sql; nothing of it ran\n");
}

#[test]
fn scripts_name_scripts_beside_them() {
    let dir = Scratch::new(
        "nested",
        &[
            ("a.sql", b"SELECT 1;\nfile b.sql 'c d.sql';\nSELECT 4"),
            ("b.sql", b"SELECT 2;"),
            ("c d.sql", b"echo three\nSELECT\nbad;"),
        ],
    );
    let got = run_in(&format!("file {};\nSELECT 5;", dir.path("a.sql")), None, Path::new("."), &keep_going());
    assert_eq!(got.ran, ["SELECT 1", "SELECT 2", "SELECT\nbad", "SELECT 4", "SELECT 5"]);
    assert!(got.err.ends_with(&format!("{}:3: error: nothing is called bad\n", dir.path("c d.sql"))), "{}", got.err);
    let stopped = run_in("file a.sql\nSELECT 5;", None, &dir.0, &Settings::default());
    assert_eq!(stopped.ran, ["SELECT 1", "SELECT 2", "SELECT\nbad"]);
}

#[test]
fn a_script_that_names_itself_ends_with_an_error() {
    let dir = Scratch::new("itself", &[("a.sql", b"SELECT 1;\nfile a.sql\n")]);
    let got = run_in("file a.sql", None, &dir.0, &keep_going());
    assert_eq!(got.ran.len(), NESTING_MAX);
    assert!(got.err.contains("a.sql:2: error: scripts name scripts 32 deep"), "{}", got.err);
}

#[test]
fn files_in_one_batch_keep_their_names() {
    let dir = Scratch::new("batch", &[("a.sql", b"CREATE TABLE a (x INT);"), ("b.sql", b"\nCREATE bad;\n")]);
    let got = run_in("file -batch a.sql b.sql", None, &dir.0, &Settings::default());
    assert_eq!(got.batches, ["CREATE TABLE a (x INT);\n\nCREATE bad;\n"]);
    assert!(got.err.ends_with(&format!("{}:2: error: nothing is called bad\n", dir.path("b.sql"))), "{}", got.err);
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_the_byte() {
    let dir = Scratch::new("bytes", &[("latin1.sql", b"SELECT 'caf\xE9';")]);
    let got = run_in("file latin1.sql\n", Some("main.sql"), &dir.0, &Settings::default());
    assert_eq!(
        got.err,
        format!(
            "main.sql:1: error: {} is not UTF-8 text: byte 11 (0xE9) is not valid; save the file as UTF-8\n",
            dir.path("latin1.sql")
        )
    );
    assert!(run("file nowhere.sql").err.starts_with("error: cannot read nowhere.sql: No such file"));
}

#[test]
fn a_file_of_definitions_loads_as_one_batch_and_tells_all_its_errors() {
    let dir = Scratch::new(
        "load",
        &[
            ("ddl.sql", b"CREATE TABLE a (bad INT);\nCREATE TABLE bad (x INT);\n"),
            ("mixed.sql", b"CREATE bad;\nINSERT bad;\nSELECT 1;"),
        ],
    );
    let load = |file: &str| {
        let mut db = FakeDatabase::default();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let path = dir.0.join(file);
        let result = Session::new(&mut db, &mut out, &mut err, Settings::default()).load_file(&path);
        (result.errors, db.batches.len(), db.ran.len(), String::from_utf8(err).expect("UTF-8"))
    };
    let (errors, batches, ran, err) = load("ddl.sql");
    assert_eq!((errors, batches, ran), (2, 1, 0));
    assert!(err.contains("ddl.sql:1: error") && err.contains("ddl.sql:2: error"), "{err}");
    let (errors, batches, ran, _) = load("mixed.sql");
    assert_eq!((errors, batches, ran), (2, 0, 3));
    assert_eq!(load("none.sql").0, 1);
}

#[test]
fn loading_a_schema_tells_nothing_but_the_rows_of_queries() {
    let script = b"CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\nEXEC Fill 1;\nSELECT 1;";
    let dir = Scratch::new("quiet", &[("s.sql", script)]);
    let mut db = FakeDatabase::default();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    Session::new(&mut db, &mut out, &mut err, Settings::default()).load_file(&dir.0.join("s.sql"));
    assert_eq!(db.ran.len(), 4);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), " answer\n ──────\n     42\n1 row\n\n");
}

#[test]
fn lines_from_a_pipe_are_answered_as_they_come_and_checked_for_utf8() {
    let mut db = FakeDatabase::default();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let input: &[u8] = b"SELECT 1;\r\nSELECT 'caf\xE9';\nSELECT 2;";
    let result = Session::new(&mut db, &mut out, &mut err, Settings::default()).run_lines(input, Path::new("."));
    assert_eq!(db.ran, ["SELECT 1"]);
    assert_eq!(result, ScriptResult { errors: 1, end: Flow::Stop });
    assert_eq!(
        String::from_utf8(err).expect("UTF-8"),
        "error: standard input is not UTF-8 text: byte 22 is not valid\n"
    );
}

#[test]
fn echo_shows_statements_before_their_answers() {
    let settings = Settings {
        echo: true,
        answers: AnswerStyle { format: Format::Csv, ..AnswerStyle::default() },
        ..Settings::default()
    };
    assert_eq!(run_in("SELECT 1;", None, Path::new("."), &settings).out, "SELECT 1;\nanswer\n42\n");
}

#[test]
fn a_closed_pipe_stops_a_script_without_a_word() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut db = FakeDatabase::default();
    let mut err = Vec::new();
    let result =
        run_script(&mut db, "SELECT 1; SELECT 2;", None, Path::new("."), &mut Closed, &mut err, &Settings::default());
    assert_eq!((db.ran.len(), err.len(), result.end), (1, 0, Flow::Stop));
}

#[test]
fn at_the_prompt_a_misspelled_command_does_not_wait_for_a_semicolon() {
    let settings = Settings { at_prompt: true, ..Settings::default() };
    let got = run_in("exti", None, Path::new("."), &settings);
    assert_eq!(got.err, "error: exti begins no statement; did you mean exit?\n");
    assert!(got.ran.is_empty());
    assert_eq!(run_in("EXEC Vote 1 2 3", None, Path::new("."), &settings).ran, ["EXEC Vote 1 2 3"]);
}

#[test]
fn a_chart_runs_its_query_and_draws_the_numbers() {
    let got = run("\\chart SELECT n FROM t;\n\\chart INSERT INTO t VALUES (1)");
    assert_eq!(got.ran, ["SELECT n FROM t", "INSERT INTO t VALUES (1)"]);
    assert_eq!(got.out, format!(" {} 42\n\n", "█".repeat(40)));
    assert_eq!(got.err, "error: a chart needs a column of numbers; this result has none\n");
    assert!(run("\\chart SELECT bad").err.starts_with("LINE 1: SELECT bad\n"));
}

#[test]
fn no_input_makes_the_shell_panic_or_run_more_than_there_is() {
    let pieces = [
        "SELECT 'a",
        "'",
        "\"",
        ";",
        "\n",
        "\n",
        " ",
        "/*",
        "*/",
        "-- x",
        "BEGIN",
        "END",
        "CREATE PROCEDURE p AS",
        "help",
        "\\d",
        "\\format json",
        "file -inlinebatch E",
        "E",
        "exec p 'é",
        "bad",
        "show tables",
        "echo é",
        "\\chart x",
        "describe",
        "\u{0}",
        "漢",
    ];
    let mut state = 11u64;
    for round in 0..3_000 {
        let mut script = String::new();
        for _ in 0..14 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            script.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let settings = Settings { stop_on_error: round % 2 == 0, at_prompt: round % 3 == 0, ..Settings::default() };
        let got = run_in(&script, None, Path::new("."), &settings);
        for text in got.ran.iter().chain(&got.batches) {
            let first = text.lines().next().unwrap_or("");
            assert!(script.contains(first.trim_end()), "{script:?} ran {text:?}");
        }
        assert_eq!(got.result.errors > 0, got.err.contains("error: "), "{script:?}: {}", got.err);
    }
}
