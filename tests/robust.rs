//! Hostile statements end in a result or an error, never in a panic or a crash.

use std::time::Duration;
use votedb::{Config, Database};

/// Statements of every kind, to be spoilt.
const SEEDS: [&str; 24] = [
    "SELECT a, COUNT(*) AS n FROM t WHERE a > 1 AND s LIKE 'x%' GROUP BY a HAVING COUNT(*) > 0 ORDER BY n DESC LIMIT 5",
    "SELECT t.a, u.b FROM t LEFT JOIN u ON t.id = u.id WHERE u.b IS NULL OR t.a IN (1, 2, NULL)",
    "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9) SELECT x FROM n",
    "SELECT CASE WHEN a = 1 THEN 'one' ELSE CAST(a AS VARCHAR(9)) END, COALESCE(s, 'none') FROM t",
    "SELECT a, RANK() OVER (PARTITION BY s ORDER BY a DESC) FROM t",
    "SELECT (SELECT MAX(b) FROM u WHERE u.id = t.id), EXISTS (SELECT 1 FROM u WHERE u.b = t.a) FROM t",
    "SELECT a FROM t UNION ALL SELECT b FROM u EXCEPT SELECT 3 ORDER BY 1",
    "SELECT DATEADD(MONTH, 1, TIMESTAMP '2024-01-31 00:00:00'), EXTRACT(WEEK FROM NOW), TIME_WINDOW(DAY, 2, NOW, END)",
    "SELECT FIELD('{\"a\":[1,{\"b\":null}]}', 'a[1].b'), SET_FIELD('{}', 'x.y[2]', '[true]') -> 'x' ->> 'y'",
    "SELECT SUBSTRING(s FROM 2 FOR 3), OVERLAY(s PLACING 'zz' FROM 1), TRIM(BOTH 'x' FROM s), POSITION('a' IN s) FROM t",
    "SELECT STRING_AGG(s, ', ') FILTER (WHERE a > 0), STDDEV(a), SUM(DISTINCT a) FROM t",
    "SELECT 9223372036854775807 + a, 1.5e300 * 1e300, 1 / (a - a), X'0AFF', -(-5) FROM t",
    "INSERT INTO t (id, a, s) VALUES (7, 8, 'it''s'), (9, DEFAULT, NULL)",
    "INSERT INTO u SELECT id + 100, a FROM t WHERE a BETWEEN 1 AND 5",
    "UPSERT INTO t VALUES (1, 5, 'five')",
    "UPDATE t SET a = a + 1, s = UPPER(s) || '!' WHERE id = 3 OR NOT (a <> 2)",
    "DELETE FROM t WHERE id IN (SELECT id FROM u WHERE b > 2) AND a IS NOT DISTINCT FROM 4",
    "CREATE TABLE w (id INTEGER NOT NULL, v VARCHAR(10) DEFAULT 'x', d DECIMAL, CHECK (d > 0), PRIMARY KEY (id))",
    "CREATE VIEW v (a, n, s) AS SELECT a, COUNT(*), SUM(id) FROM t GROUP BY a",
    "CREATE PROCEDURE p (x INTEGER) AS BEGIN DECLARE y INTEGER DEFAULT 0; WHILE y < x DO SET y = y + 1; END WHILE; RETURN y; END",
    "CREATE INDEX i ON t (a, ABS(id)) WHERE a IS NOT NULL",
    "EXPLAIN SELECT * FROM t, u WHERE t.id = u.id",
    "EXEC q 1 'two' NULL",
    "DROP TABLE w IF EXISTS CASCADE",
];

/// xorshift64*: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

fn database() -> Database {
    let mut config = Config::partitions(2);
    config.timeout = Some(Duration::from_secs(2));
    let db = Database::open(config).expect("opens");
    let script = "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, a INTEGER, s VARCHAR(20)); PARTITION TABLE t ON COLUMN id;
        CREATE TABLE u (id INTEGER NOT NULL, b INTEGER);
        INSERT INTO t VALUES (1, 1, 'x'), (2, NULL, 'xy'), (3, 2, NULL); INSERT INTO u VALUES (1, 5), (2, NULL), (1, 6);";
    db.execute_script(script).unwrap_or_else(|error| panic!("{}", error.render(script, None)));
    db
}

/// On a stack as main threads have it (unoptimised builds need more of it than others).
fn with_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(16 << 20).spawn(work).expect("a thread starts").join().expect("no panic");
}

/// One to three changes of words or bytes.
fn spoil(text: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(words.len());
        match random.below(6) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words.insert(at, words[random.below(words.len())].clone()),
            2 => {
                let other = SEEDS[random.below(SEEDS.len())].split(' ');
                let other: Vec<&str> = other.collect();
                words[at] = other[random.below(other.len())].to_owned();
            }
            3 => {
                let to = random.below(words.len());
                words.swap(at, to);
            }
            4 => {
                let odd = [
                    "(",
                    ")",
                    "'",
                    "\"",
                    ";",
                    "NULL",
                    "-",
                    "?",
                    "é",
                    "\0",
                    "/*",
                    "1e999",
                    "X'0'",
                    ":x",
                    "99999999999999999999",
                ];
                words[at].push_str(odd[random.below(odd.len())]);
            }
            _ => {
                let keep = random.below(words[at].chars().count() + 1);
                words[at] = words[at].chars().take(keep).collect();
            }
        }
    }
    words.join(" ")
}

#[test]
fn spoilt_statements_give_results_or_errors() {
    with_stack(|| {
        let mut random = Random(0x1234_5678_9ABC_DEF1);
        let mut db = database();
        for round in 0..1500 {
            // Statements change the database: a new one now and then, so that most names are still there.
            if round % 100 == 0 {
                db = database();
            }
            let statement = spoil(SEEDS[round % SEEDS.len()], &mut random);
            if let Err(error) = db.execute(&statement, &[]) {
                assert_eq!(error.sqlstate.len(), 5, "{statement}");
                assert!(!error.message.is_empty(), "{statement}");
                error.render(&statement, None);
            }
        }
    });
}

#[test]
fn the_seeds_are_statements() {
    for seed in SEEDS {
        assert!(votedb::sql::parse_statement(seed).is_ok() || seed.contains("DEFAULT, NULL"), "{seed}");
    }
}

#[test]
fn ten_thousand_conditions_are_answered_or_refused_clearly() {
    with_stack(|| {
        let db = database();
        for op in [" AND ", " OR "] {
            let chain = |n: usize| {
                let terms: Vec<String> = (0..n).map(|i| format!("a <> {}", i + 10)).collect();
                db.query(&format!("SELECT id FROM t WHERE {}", terms.join(op)), &[])
            };
            assert_eq!(chain(4_900).expect("short enough").rows.len(), 2, "{op}");
            match chain(10_000) {
                Ok(result) => assert_eq!(result.rows.len(), 2, "{op}"),
                Err(error) => assert!(error.message.contains("too long"), "{}", error.message),
            }
        }
    });
}

#[test]
fn deep_nesting_and_long_literals_are_answered_or_refused() {
    with_stack(|| {
        let db = database();
        for (open, close) in
            [("(", ")"), ("ABS(", ")"), ("NOT (", ")"), ("CASE WHEN TRUE THEN ", " END"), ("(SELECT ", ")")]
        {
            let text = format!("SELECT {}1{}", open.repeat(2000), close.repeat(2000));
            let error = db.execute(&text, &[]).expect_err("nesting has a limit");
            assert!(error.message.len() < 1000, "{}", error.message);
        }
        let literal = "x".repeat(1 << 20);
        let rows = db.query(&format!("SELECT CHAR_LENGTH('{literal}')"), &[]).expect("a literal may be long").rows;
        assert_eq!(rows, [[votedb::Value::Int(1 << 20)]]);
        let error =
            db.execute(&format!("INSERT INTO t VALUES (9, 9, '{literal}')"), &[]).expect_err("the column is short");
        assert_eq!(error.sqlstate, "22026");
        let digits = "9".repeat(100_000);
        assert!(db.execute(&format!("SELECT {digits}"), &[]).is_err());
        db.execute(&format!("SELECT '{}", "é".repeat(100_000)), &[]).expect_err("the text has no end");
    });
}
