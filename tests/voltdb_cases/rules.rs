//! Differences that are plainly better for the user, by kind: each stands in `docs/sql.md`.
//!
//! A rule names a class of error (or none, for a success that answers otherwise) and a shape of the statement, never a case.

use super::case::Case;
use votedb::{ResultSet, StatementError};

struct Rule {
    /// VoltDB's class of error; None: it succeeded, and we answer something else.
    class: Option<&'static str>,
    /// Whether the statement, in upper case, is of this kind.
    shape: fn(&str) -> bool,
    reason: &'static str,
}

/// What VoltDB refuses and we answer.
const RULES: &[Rule] = &[
    Rule {
        class: Some("syntax"),
        shape: |sql| sql.starts_with("SELECT") && !sql.contains(" FROM "),
        reason: "SELECT without FROM is a query of one row",
    },
    Rule {
        class: Some("boolean_select"),
        shape: |sql| sql.starts_with("SELECT"),
        reason: "conditions are values of type BOOLEAN",
    },
    Rule {
        class: Some("untyped_null_or_param"),
        shape: |sql| sql.contains("NULL"),
        reason: "NULL has a type by where it stands, or none",
    },
    Rule {
        class: Some("not_plannable"),
        shape: |sql| sql.starts_with("SELECT"),
        reason: "tables partitioned on different columns can be joined",
    },
    Rule { class: Some("subquery_partitioned"), shape: |_| true, reason: "subqueries may read partitioned tables" },
    Rule {
        class: Some("setop_partitioned"),
        shape: |_| true,
        reason: "every part of a set operation may read partitioned tables",
    },
    Rule {
        class: Some("cte_unsupported"),
        shape: |sql| sql.starts_with("WITH"),
        reason: "WITH may have several queries, also over partitioned tables",
    },
    Rule {
        class: Some("multi_row_insert"),
        shape: |sql| sql.starts_with("INSERT"),
        reason: "INSERT takes any number of rows",
    },
    Rule {
        class: Some("window_unsupported"),
        shape: |sql| sql.contains("OVER"),
        reason: "windows may order by anything, have frames, and stand several in one SELECT",
    },
    Rule {
        class: Some("view_rule"),
        shape: |sql| sql.starts_with("CREATE VIEW"),
        reason: "a query that can't be kept up to date row by row is a view all the same: it runs when it is read",
    },
    Rule {
        class: Some("table_not_empty"),
        shape: |sql| ["CREATE", "ALTER TABLE", "PARTITION TABLE"].iter().any(|word| sql.starts_with(word)),
        reason: "a definition is carried out on the rows that are there, and refused only if one of them does not fit",
    },
    Rule {
        class: Some("duplicate_object"),
        shape: |sql| sql.contains("DROP TABLE") && sql.contains("CREATE TABLE"),
        reason: "a batch may drop a table and create another one of that name",
    },
    Rule {
        class: Some("syntax"),
        shape: |sql| sql.starts_with("DROP") && sql.ends_with("IF EXISTS"),
        reason: "IF EXISTS and CASCADE may stand in any order",
    },
    Rule {
        class: Some("syntax"),
        shape: |sql| {
            sql.starts_with("CREATE TABLE") && (!sql.is_ascii() || sql.contains(" COUNT ") || sql.contains("(VALUE "))
        },
        reason: "names may have letters of every language, and VALUE and COUNT are no reserved words",
    },
];

/// The reason for which this answer may differ from VoltDB's.
pub fn reason(case: &Case, answer: &Result<Vec<ResultSet>, StatementError>) -> Option<&'static str> {
    let sql = case.sql.as_deref()?.to_uppercase();
    RULES
        .iter()
        .find(|rule| answer.is_ok() && rule.class == case.expected.error_class.as_deref() && (rule.shape)(&sql))
        .map(|rule| rule.reason)
}
