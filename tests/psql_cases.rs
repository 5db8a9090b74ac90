//! Habits from psql and sqlite3, each as a script through a pipe: standard output, and the exit status.

use std::io::Write;
use std::process::{Command, Stdio};

const SETUP: &str = "CREATE TABLE t (id BIGINT NOT NULL, s VARCHAR(20), PRIMARY KEY (id));\n\
                     PARTITION TABLE t ON COLUMN id;\n\
                     INSERT INTO t VALUES (1, 'ann'), (2, NULL), (3, '');\n";

/// Script, what its output must be (CSV), exit status.
const CASES: [(&str, &str, i32); 37] = [
    ("SELECT 1 AS a \\g", "a\n1\n", 0),
    ("SELECT 1 AS a;\n\\g", "a\n1\n\na\n1\n", 0),
    ("SELECT 7 AS n \\gset\n\\echo :n", "7\n", 0),
    ("SELECT 7 AS n \\gset p_\n\\echo :p_n", "7\n", 0),
    ("SELECT s FROM t WHERE id = 1 \\gset\nSELECT :'s' AS a;", "a\nann\n", 0),
    ("SELECT id FROM t \\gset", "", 1),
    ("SELECT 1 AS a \\gx", " ─ row 1 ─────────────────\n a  1\n1 row", 0),
    ("SELECT 1 AS a \\watch 0.01 2", "a\n1\n\na\n1\n", 0),
    ("\\watch 1", "", 1),
    ("SELECT 1 AS a \\watch -1", "", 1),
    ("\\set x 5\nSELECT :x AS a;", "a\n5\n", 0),
    ("\\set x 'it''s'\n\\echo :x", "its\n", 0),
    ("\\set x a b\n\\echo :x", "ab\n", 0),
    ("\\set x 5\n\\unset x\n\\echo :x", ":x\n", 0),
    ("\\set x 5\nSELECT ':x' AS a;", "a\n:x\n", 0),
    ("\\set t t\nSELECT COUNT(*) AS n FROM :t;", "n\n3\n", 0),
    ("\\set a-b 1", "", 1),
    ("\\if true\n\\echo a\n\\else\n\\echo b\n\\endif", "a\n", 0),
    ("\\if false\n\\echo a\n\\else\n\\echo b\n\\endif", "b\n", 0),
    ("\\if 0\n\\echo a\n\\elif 2 > 1\n\\echo b\n\\else\n\\echo c\n\\endif", "b\n", 0),
    ("\\if 0\n\\if 1\n\\echo a\n\\else\n\\echo x\n\\endif\n\\endif\n\\echo b", "b\n", 0),
    ("\\if perhaps", "", 1),
    ("\\if 1\n\\echo a", "a\n", 1),
    ("\\else", "", 1),
    ("\\endif", "", 1),
    ("\\pset null -\nSELECT s FROM t WHERE id = 2;", "s\n-\n", 0),
    ("SELECT s FROM t WHERE id = 2;", "s\n\n", 0),
    ("SELECT s FROM t WHERE id = 3;", "s\n\"\"\n", 0),
    ("\\t on\nSELECT 1 AS a;", "1\n", 0),
    ("\\pset format jsonl\nSELECT 1 AS a;", "{\"a\":1}\n", 0),
    (".mode tsv\nSELECT id, s FROM t WHERE id = 1;", "id\ts\n1\tann\n", 0),
    ("\\o x.out\nSELECT 1 AS a;\n\\o\n\\! cat x.out", "a\n1\n", 0),
    ("\\o /nowhere/at/all", "", 4),
    ("\\i nothing.sql", "", 3),
    ("SELECT 2 AS b \\p", "SELECT 2 AS b\n", 0),
    ("\\nonsense", "", 1),
    ("SELECT nothing;\n\\errverbose", "", 1),
];

#[test]
fn habits_from_psql_work() {
    let folder = std::env::temp_dir().join(format!("votedb-psql-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    std::fs::write(folder.join("setup.sql"), SETUP).expect("the folder can be written");
    let mut wrong = Vec::new();
    for (script, expected, status) in CASES {
        let mut child = Command::new(env!("CARGO_BIN_EXE_votedb-shell"))
            .args(["setup.sql", "--format", "csv", "--partitions", "2", "--no-config"])
            .current_dir(&folder)
            .env("HOME", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A program that needs no more input may be gone.
        let _ = child.stdin.take().expect("it was piped").write_all(script.as_bytes());
        let output = child.wait_with_output().expect("the program ends");
        let out = String::from_utf8_lossy(&output.stdout);
        let is_right = if expected.contains('─') { out.starts_with(expected) } else { out == expected };
        if !is_right || output.status.code() != Some(status) {
            let err = String::from_utf8_lossy(&output.stderr);
            wrong.push(format!("{script:?} gives {out:?}, {err:?}, {:?}", output.status.code()));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
