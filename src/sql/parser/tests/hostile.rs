//! Input that is made to break the parser gives a result or an error. Tests run on small stacks.

use super::*;

/// Parses on a stack of 2 MiB, as threads have; whether it could be read.
fn is_read(text: String) -> bool {
    let parse = move || parse_statement(&text).is_ok();
    std::thread::Builder::new().stack_size(2 << 20).spawn(parse).unwrap().join().expect("no panic")
}

#[test]
fn deep_nesting_is_an_error() {
    let n = 10_000;
    for (open, inner, close) in [
        ("SELECT ", "(", ")"),
        ("SELECT ", "ABS(", ")"),
        ("SELECT ", "CASE WHEN a THEN ", " END"),
        ("SELECT ", "CAST(", " AS INT)"),
        ("SELECT ", "NOT ", ""),
        ("SELECT ", "- ", ""),
        ("SELECT ", "a IN (", ")"),
        ("SELECT ", "EXISTS (SELECT ", ")"),
        ("SELECT ", "(SELECT ", ")"),
        ("SELECT ", "TRIM(", ")"),
        ("SELECT 1 + ", "a + (", ")"),
        ("", "(SELECT * FROM ", ")"),
        ("SELECT * FROM ", "(", ")"),
        ("SELECT * FROM ", "(SELECT * FROM ", ") x"),
        ("", "(", ")"),
        ("", "EXPLAIN ", ""),
        ("", "WITH x AS (", ") SELECT 1"),
        ("CREATE TABLE t (a INT DEFAULT ", "(", ")"),
        ("CREATE PROCEDURE p AS ", "BEGIN ", " END"),
        ("CREATE PROCEDURE p AS BEGIN ", "IF a THEN ", " END IF"),
        ("CREATE PROCEDURE p AS BEGIN ", "LOOP ", " END LOOP"),
        ("EXEC p(", "(", ")"),
    ] {
        for ending in [close.repeat(n), String::new()] {
            let text = format!("{open}{}1{ending}", inner.repeat(n));
            assert!(!is_read(text), "{open}{inner}..");
        }
    }
}

#[test]
fn moderate_nesting_is_read() {
    for (inner, close) in [("(", ")"), ("ABS(", ")"), ("CASE WHEN a THEN ", " END"), ("1 + (", ")")] {
        let text = format!("SELECT {}1{}", inner.repeat(60), close.repeat(60));
        assert!(is_read(text), "{inner}");
    }
}

#[test]
fn long_chains_of_and_and_or_are_read_flat() {
    for op in [" AND ", " OR "] {
        let terms: Vec<String> = (0..4000).map(|i| format!("a = {i}")).collect();
        let text = format!("SELECT a FROM t WHERE {}", terms.join(op));
        assert!(is_read(text), "{op}");
    }
}

#[test]
fn long_lists_are_read() {
    let numbers = (0..20_000).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
    assert!(is_read(format!("SELECT a FROM t WHERE b IN ({numbers})")));
    assert!(is_read(format!("SELECT {numbers}")));
    assert!(is_read(format!("INSERT INTO t VALUES {}", vec!["(1, 'a')"; 20_000].join(", "))));
}

#[test]
fn other_chains_are_read_or_refused() {
    for (link, start) in [
        (" + a", "SELECT a"),
        (" || a", "SELECT a"),
        (" = a", "SELECT a"),
        (" IS NULL", "SELECT a"),
        ("::INT", "SELECT a"),
        (" LIKE a", "SELECT a"),
        (" BETWEEN 1 AND 2", "SELECT a"),
        (" STARTS WITH a", "SELECT a"),
        (" IN (1)", "SELECT a"),
        (" UNION SELECT 1", "SELECT 1"),
        (" JOIN t ON a = b", "SELECT a FROM t"),
        (" AND NOT a + a", "SELECT a"),
        (" AND a OR b", "SELECT a"),
        (" COLLATE x", "SELECT a"),
        (".a", "SELECT a"),
        (" a", "SELECT a"),
    ] {
        for n in [100, 3000, 100_000] {
            is_read(format!("{start}{}", link.repeat(n)));
            is_read(format!("{start}{} )", link.repeat(n)));
        }
    }
}

const SAMPLES: [&str; 6] = [
    "SELECT TOP 3 a, COUNT(*) n FROM t x LEFT JOIN (SELECT 'é' b) y ON x.a = y.b WHERE a STARTS WITH ? GROUP BY 1 LIMIT 2;",
    "WITH RECURSIVE r(n) AS (VALUES (1.5e3) UNION ALL SELECT n+1 FROM r) SELECT CAST(X'0F' AS VARCHAR(3 BYTES)), n::INT FROM r",
    "CREATE TABLE t (a INT DEFAULT -1 NOT NULL, \"b c\" VARCHAR(9) CHECK (a > 0), PRIMARY KEY (a), /* c */ UNIQUE (b),); -- e",
    "CREATE OR REPLACE PROCEDURE p (a BIGINT) RETURNS INT PARTITION ON TABLE t COLUMN a AS BEGIN DECLARE x INT DEFAULT 0; \
     l: WHILE x < :a DO SET x = x + 1; IF x = 3 THEN LEAVE l; END IF; END WHILE l; SELECT n INTO x FROM t; \
     FOR r AS SELECT b FROM t DO CASE r.b WHEN 1 THEN RETURN 1; END CASE; END FOR; SIGNAL SQLSTATE '45000'; END;",
    "UPSERT INTO t (a, b) VALUES (1, TIMESTAMP '2020-01-01'), (EXTRACT(DAY FROM c), TRIM(LEADING 'x' FROM d)) RETURNING *",
    "EXEC v.insert 1, -2 'x' NULL word; CALL p(1, NOW()); EXPLAIN DELETE FROM t a WHERE (a, b) IN ((1, 2)) ORDER BY a LIMIT 1",
];

#[test]
fn every_prefix_and_suffix_gives_a_result_or_an_error_whose_span_lies_in_it() {
    for sample in SAMPLES {
        for (at, _) in sample.char_indices() {
            survives(&sample[..at]);
            survives(&sample[at..]);
        }
    }
}

#[test]
fn every_replaced_byte_gives_a_result_or_an_error() {
    for sample in SAMPLES {
        for (at, c) in sample.char_indices() {
            for with in ["", "'", "\"", "(", ")", ";", "/*", "-", ":", "?", "0", "é", "\0", ".", " ", "{", "$"] {
                survives(&format!("{}{with}{}", &sample[..at], &sample[at + c.len_utf8()..]));
            }
        }
    }
}

#[test]
fn every_dropped_or_doubled_word_gives_a_result_or_an_error() {
    for sample in SAMPLES {
        let words: Vec<&str> = sample.split(' ').collect();
        for i in 0..words.len() {
            let mut dropped = words.clone();
            dropped.remove(i);
            survives(&dropped.join(" "));
            let mut doubled = words.clone();
            doubled.insert(i, words[i]);
            survives(&doubled.join(" "));
        }
    }
}

fn survives(text: &str) {
    let (_, errors) = parse_script(text);
    for error in errors {
        let span = error.span;
        let inside = span.start <= span.end && span.end <= text.len();
        assert!(inside && text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{text}\n{error:?}");
        error.render(text, Some("f.sql"), 1);
    }
    let _ = parse_statement(text);
    let _ = parse_expression(text);
}
