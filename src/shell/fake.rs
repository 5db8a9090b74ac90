//! A database for tests that answers by a few rules and writes down what it was asked.

use super::database::*;
use crate::types::{DataType, ResultSet, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Statements with the word `bad` fail there; INSERT modifies a row, CREATE makes a table, everything else gives one row.
/// A batch fails for every `bad` in it.
#[derive(Default)]
pub struct FakeDatabase {
    pub ran: Vec<String>,
    pub batches: Vec<String>,
    pub cancel: Arc<AtomicBool>,
}

fn bad(text: &str, at: usize) -> StatementError {
    StatementError {
        span: Some((at, at + 3)),
        ..StatementError::new(format!("nothing is called {}", &text[at..at + 3]))
    }
}

impl ShellDatabase for FakeDatabase {
    fn execute(&mut self, text: &str) -> Result<Outcome, StatementError> {
        self.ran.push(text.to_owned());
        if let Some(at) = text.find("bad") {
            return Err(bad(text, at));
        }
        let mut outcome = Outcome { elapsed: Duration::from_micros(12), ..Outcome::default() };
        match text.split_whitespace().next().unwrap_or("").to_uppercase().as_str() {
            "INSERT" => outcome.tag = Tag::Modified(1),
            "CREATE" => {
                outcome.tag = Tag::Done("table created".into());
                outcome.notes = vec!["it is empty".into()];
            }
            _ => outcome.results = vec![ResultSet::scalar("answer", DataType::BigInt, Value::Int(42))],
        }
        Ok(outcome)
    }

    fn execute_with(&mut self, text: &str, values: &[Value]) -> Result<Outcome, StatementError> {
        self.execute(&format!("{text} {values:?}"))
    }

    fn scratch(&self) -> Option<Box<dyn ShellDatabase>> {
        None
    }

    fn execute_batch(&mut self, text: &str) -> Result<Vec<String>, Vec<StatementError>> {
        self.batches.push(text.to_owned());
        let errors: Vec<StatementError> = text.match_indices("bad").map(|(at, _)| bad(text, at)).collect();
        if errors.is_empty() { Ok(vec![]) } else { Err(errors) }
    }

    fn tables(&self) -> Vec<TableSummary> {
        let column = |name: &str, type_text: &str, nullable| ColumnSummary {
            name: name.into(),
            type_text: type_text.into(),
            nullable,
            ..ColumnSummary::default()
        };
        let mut state = column("state", "VARCHAR(2)", true);
        state.default_text = Some("'NY'".into());
        let mut phone = column("phone_number", "BIGINT", false);
        phone.remarks = "partition column".into();
        vec![
            TableSummary {
                name: "contestants".into(),
                columns: vec![column("contestant_number", "INTEGER", false)],
                primary_key: vec!["contestant_number".into()],
                row_count: 6,
                ..TableSummary::default()
            },
            TableSummary {
                name: "votes".into(),
                partitioned_on: Some("phone_number".into()),
                columns: vec![phone, state],
                row_count: 1200,
                ..TableSummary::default()
            },
            TableSummary {
                name: "v_votes".into(),
                kind: TableKind::View,
                partitioned_on: Some("phone_number".into()),
                columns: vec![column("num_votes", "BIGINT", true)],
                row_count: 12,
                ..TableSummary::default()
            },
        ]
    }

    fn procedures(&self) -> Vec<ProcedureSummary> {
        let parameter =
            |name: &str, type_text: &str| ParameterSummary { name: name.into(), type_text: type_text.into() };
        vec![
            ProcedureSummary {
                name: "Vote".into(),
                parameters: vec![
                    parameter("phone_number", "BIGINT"),
                    parameter("contestant_number", "INTEGER"),
                    parameter("max_votes", "BIGINT"),
                ],
                partition_text: "one, by phone_number".into(),
                returns: "BIGINT".into(),
                text: "CREATE PROCEDURE Vote AS INSERT INTO votes VALUES (?, ?, ?)".into(),
            },
            ProcedureSummary { name: "Results".into(), partition_text: "all".into(), ..ProcedureSummary::default() },
        ]
    }

    fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    fn banner(&self) -> String {
        "votedb 1.0 · 2 partitions · in memory".into()
    }
}
