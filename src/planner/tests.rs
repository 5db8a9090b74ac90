//! Plans of statements as text, against `golden/*.txt`: a statement after `> `, its plan below, a blank line.

use super::testing::{SCHEMA, catalog_of, try_plan};
use super::{Environment, Variable, explain, plan_expression, plan_statement};
use crate::catalog::Catalog;
use crate::sql::{Span, ast, parse_expression, parse_statement};
use crate::types::{DataType, Name, Value};

/// Runs a golden file; with UPDATE_GOLDEN set in the environment it is written anew.
fn golden(name: &str) {
    let path = format!("{}/src/planner/golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the golden file is there");
    let catalog = catalog_of(SCHEMA);
    let mut out = String::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let lines = |prefix: &str| -> Vec<&str> { block.lines().filter(|l| l.starts_with(prefix)).collect() };
        let statement: Vec<&str> = lines("> ").into_iter().map(|line| &line[2..]).collect();
        let comments = lines("# ");
        let statement = statement.join("\n");
        comments.iter().for_each(|line| out += &format!("{line}\n"));
        if !statement.is_empty() {
            statement.lines().for_each(|line| out += &format!("> {line}\n"));
            out += &match try_plan(&catalog, &[], &statement) {
                Ok(plan) => plan,
                Err(error) => {
                    format!("error: {} [{}]\n", error.message, &statement[error.span.start..error.span.end])
                }
            };
        }
        out.push('\n');
    }
    let out = format!("{}\n", out.trim_end());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &out).expect("the golden file can be written");
    }
    for (n, (got, wanted)) in out.lines().zip(text.lines()).enumerate() {
        assert_eq!(got, wanted, "{name}.txt line {}", n + 1);
    }
    assert_eq!(out.lines().count(), text.lines().count(), "{name}.txt");
}

#[test]
fn plans_of_single_table_statements() {
    golden("single_table");
}

#[test]
fn plans_of_joins() {
    golden("joins");
}

#[test]
fn plans_of_groups_and_windows() {
    golden("groups");
}

#[test]
fn plans_of_subqueries_and_set_operations() {
    golden("subqueries");
}

#[test]
fn plans_of_data_changes() {
    golden("changes");
}

#[test]
fn messages_of_errors() {
    golden("errors");
}

fn variable(name: &str, qualifier: Option<&str>, reg: u16, ty: DataType) -> Variable {
    Variable { name: Name::new(name), qualifier: qualifier.map(Name::new), reg, ty, nullable: true }
}

#[test]
fn columns_hide_variables_and_inner_variables_hide_outer_ones() {
    let catalog = catalog_of(SCHEMA);
    let variables = [
        variable("a", None, 0, DataType::BigInt),
        variable("phone", None, 1, DataType::BigInt),
        variable("phone", None, 2, DataType::BigInt),
        variable("c", Some("row"), 3, DataType::TEXT),
    ];
    let plan = |sql: &str| try_plan(&catalog, &variables, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(
        plan("SELECT state FROM votes WHERE phone_number = phone"),
        "one partition: votes.phone_number = $2\nSelect votes.state\n  Scan votes [phone_number, state], \
         in the partition of $2\n    where votes.phone_number = $2\n"
    );
    assert!(plan("SELECT b FROM t WHERE a = :a").contains("a = $0"));
    assert!(plan("SELECT b FROM t WHERE a = a").contains("t.a = t.a"));
    assert!(plan("SELECT a FROM t WHERE c = row.c").contains("c = $3"));
    assert!(plan("SELECT b FROM t LIMIT phone").contains("Limit $2"));
    // An inserted variable is checked on its way into a narrower column.
    let plan = plan("INSERT INTO votes VALUES (phone, row.c, a)");
    assert!(plan.contains("($2, cast($3 as VARCHAR(2)), cast($0 as INTEGER))"), "{plan}");
    assert!(plan.starts_with("one partition: votes.phone_number = $2"), "{plan}");
}

#[test]
fn expressions_of_procedures_are_cast_to_their_variable() {
    let catalog = Catalog::default();
    let variables = [variable("n", None, 0, DataType::BigInt)];
    let env = Environment { variables: &variables, first_register: 1, ..Environment::ad_hoc(&catalog) };
    let plan = |text: &str, ty: Option<DataType>| {
        let expr = parse_expression(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        plan_expression(&expr, &env, ty).map(|plan| explain(&plan, &catalog)).map_err(|error| error.message)
    };
    let text = |s: &str| Ok(format!("any partition\nExpression {s}\n"));
    assert_eq!(plan("n + 1", Some(DataType::Integer)), text("cast($0 + 1 as INTEGER)"));
    assert_eq!(plan("NULL", Some(DataType::Integer)), text("null"));
    assert_eq!(plan("n > 3 AND n IS NOT NULL", Some(DataType::Boolean)), text("($0 > 3) and (not ($0 is null))"));
    assert_eq!(plan("m", None), Err("no column or variable m".to_owned()));
    assert_eq!(plan("n", Some(DataType::Boolean)), Err("this needs a condition, not a value of type BIGINT".to_owned()));
    assert_eq!(plan("COUNT(*)", None), Err("COUNT needs a FROM: it is an aggregate function".to_owned()));
}

#[test]
fn placeholders_get_the_types_of_their_places() {
    let catalog = catalog_of(SCHEMA);
    let types = |sql: &str| {
        let statement = parse_statement(sql).expect(sql);
        let plan = plan_statement(&statement, &Environment::ad_hoc(&catalog)).unwrap_or_else(|e| panic!("{sql}: {e}"));
        plan.placeholders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(types("INSERT INTO votes VALUES (?, ?, ?)"), "BIGINT, VARCHAR(2), INTEGER");
    assert_eq!(types("SELECT a FROM t WHERE a = ? AND c LIKE ? AND ? < d LIMIT ?"), "BIGINT, VARCHAR, DECIMAL, BIGINT");
    assert_eq!(types("SELECT a + ?, COALESCE(?, c), CAST(? AS FLOAT) FROM t"), "BIGINT, VARCHAR(10), FLOAT");
    assert_eq!(types("UPDATE t SET ts = ?, c = ? WHERE b IN (?, ?)"), "TIMESTAMP, VARCHAR(10), BIGINT, BIGINT");
    assert_eq!(types("SELECT a FROM t WHERE ts BETWEEN ? AND ?"), "TIMESTAMP, TIMESTAMP");
    assert_eq!(types("SELECT CASE WHEN a = 1 THEN ? ELSE b END FROM t"), "BIGINT");
}

#[test]
fn long_chains_and_deep_nesting_neither_overflow_the_stack() {
    let catalog = catalog_of(SCHEMA);
    let terms: Vec<String> = (0..5000).map(|i| format!("b <> {i}")).collect();
    for word in [" AND ", " OR "] {
        let sql = format!("SELECT a FROM t WHERE {}", terms.join(word));
        assert!(try_plan(&catalog, &[], &sql).expect("no limit").matches("<>").count() == 5000);
    }
    let sum = vec!["b"; 900].join(" + ");
    try_plan(&catalog, &[], &format!("SELECT {sum} FROM t")).expect("900 terms are no problem");
    let mut expr = ast::Expr { kind: ast::ExprKind::Literal(Value::Bool(true)), span: Span::NONE };
    for _ in 0..1000 {
        let kind = ast::ExprKind::Unary { op: ast::UnaryOp::Not, operand: Box::new(expr) };
        expr = ast::Expr { kind, span: Span::NONE };
    }
    let error = plan_expression(&expr, &Environment::ad_hoc(&catalog), None).expect_err("1000 levels are too deep");
    assert_eq!(error.message, "nested too deeply: the limit is 120 levels");
}
