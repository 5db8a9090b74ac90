//! What is read: `statements.golden` has a statement (or, after `E:`, an expression) and, below it, what it was read as;
//! after an expression in brackets what its span covers.

use super::*;
use crate::sql::ast::{ExprKind, PsmKind};

const GOLDEN: &str = include_str!("statements.golden");

#[test]
fn statements_are_read_as_the_golden_file_says() {
    let mut wrong = String::new();
    let mut cases = 0;
    for case in GOLDEN.split("\n\n").map(str::trim).filter(|case| !case.is_empty()) {
        let (text, expected) = case.split_once("\n=> ").expect("a case has its result below it");
        let found = match text.strip_prefix("E: ") {
            Some(text) => match parse_expression(text) {
                Ok(e) => format!("{}   [{}]", show::expr(&e), &text[e.span.start..e.span.end]),
                Err(error) => error.render(text, None, 1),
            },
            None => parse_statement(text).map_or_else(|error| error.render(text, None, 1), |s| show(&s)),
        };
        cases += 1;
        if found != expected {
            wrong += &format!("{text}\n=> {found}\n");
        }
    }
    assert!(wrong.is_empty(), "read otherwise:\n{wrong}");
    assert!(cases > 150, "{cases}");
}

#[test]
fn scripts_give_their_statements_with_their_spans() {
    let text = "-- start\nSELECT 1; /* é */ CREATE PROCEDURE p AS BEGIN SELECT a; END;\n\n-- end";
    let (statements, errors) = parse_script(text);
    assert_eq!(errors, []);
    let texts: Vec<&str> = statements.iter().map(|(_, span)| &text[span.start..span.end]).collect();
    assert_eq!(texts, ["SELECT 1", "CREATE PROCEDURE p AS BEGIN SELECT a; END"]);
    let Statement::Ddl(Ddl::CreateProcedure(procedure)) = &statements[1].0 else { panic!() };
    let crate::sql::ast::Body::Block(body) = &procedure.body else { panic!() };
    assert_eq!(&text[body[0].span.start..body[0].span.end], "SELECT a");
    let PsmKind::Sql { statement: Statement::Query(query), .. } = &body[0].kind else { panic!() };
    assert_eq!(&text[query.span.start..query.span.end], "SELECT a");
}

#[test]
fn spans_are_bytes_of_the_text_whatever_stands_before() {
    let text = "SELECT 'é漢'\t, /* ü */ naïve FROM t";
    let Statement::Query(query) = parse_statement(text).unwrap() else { panic!() };
    let crate::sql::ast::QueryBody::Select(select) = query.body else { panic!() };
    let crate::sql::ast::SelectItem::Expr { expr, .. } = &select.items[1] else { panic!() };
    assert_eq!(&text[expr.span.start..expr.span.end], "naïve");
    assert!(matches!(&expr.kind, ExprKind::Column { column, .. } if column.name.as_str() == "naïve"));
}
