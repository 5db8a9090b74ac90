//! What is refused, and how that is said: `errors.golden` has a statement after `> ` and, below it, what is shown.

use super::*;

const GOLDEN: &str = include_str!("errors.golden");

#[test]
fn errors_are_shown_as_the_golden_file_says() {
    let mut wrong = String::new();
    for case in GOLDEN.split("\n\n").map(str::trim_end).filter(|case| !case.is_empty()) {
        let (text, expected) = case.split_once('\n').unwrap_or((case, ""));
        let text = text.strip_prefix("> ").expect("a case starts with >");
        let found = match parse_statement(text) {
            Ok(statement) => format!("read as {}", show(&statement)),
            Err(error) => error.render(text, None, 1),
        };
        if found != expected {
            wrong += &format!("> {text}\n{found}\n\n");
        }
    }
    assert!(wrong.is_empty(), "shown otherwise:\n{wrong}");
}

#[test]
fn a_script_reports_every_error_and_reads_the_rest() {
    let text = "SELEC 1;\nSELECT 2;\nINSERT INTO t VALUES (1;\nSELECT 3;\n\
                CREATE PROCEDURE p AS BEGIN\n  SET a = ;\n  SELECT FROM t;\n  RETURN 1;\nEND;\nSELECT 'x";
    let (statements, errors) = parse_script(text);
    assert_eq!(statements.len(), 2);
    let lines: Vec<usize> = errors.iter().map(|e| text[..e.span.start].matches('\n').count() + 1).collect();
    assert_eq!(lines, [1, 3, 6, 7, 10]);
}
