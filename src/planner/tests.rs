//! Plans of statements as text, against `golden/*.txt`: a statement after `> `, its plan below, a blank line.

use super::testing::{SCHEMA, catalog_of, try_plan};

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
