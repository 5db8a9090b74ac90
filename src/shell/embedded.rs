//! The shell's database is the embedded one: its answers in the shell's words.

use super::database::{
    ColumnSummary, IndexSummary, Outcome, ParameterSummary, ProcedureSummary, ShellDatabase, StatementError, TableKind,
    TableSummary, Tag,
};
use super::exec;
use crate::catalog::{Default, ProcedurePartitioning, Table};
use crate::client::{self, Database, Durability};
use crate::render::units;
use crate::types::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A [`Database`] as the shell sees it.
pub struct Embedded {
    db: Database,
    /// What was loaded, for the banner.
    title: Option<String>,
}

impl Embedded {
    pub fn new(db: Database, title: Option<String>) -> Embedded {
        Embedded { db, title }
    }
}

impl ShellDatabase for Embedded {
    fn execute(&mut self, text: &str) -> Result<Outcome, StatementError> {
        match exec::rewrite(text) {
            None => self.execute_with(text, &[]),
            Some(rewritten) => self
                .execute_with(&rewritten.text, &[])
                .map_err(|error| StatementError { span: error.span.map(|span| rewritten.original(span)), ..error }),
        }
    }

    fn scratch(&self) -> Option<Box<dyn ShellDatabase>> {
        let config = client::Config::partitions(self.db.partitions());
        let db = Database::open(config).ok()?;
        Some(Box::new(Embedded::new(db, None)))
    }

    fn execute_with(&mut self, text: &str, values: &[Value]) -> Result<Outcome, StatementError> {
        self.db.cancel_flag().store(false, Ordering::Relaxed);
        let started = Instant::now();
        let result = self.db.execute(text, values);
        let elapsed = started.elapsed();
        let executed = result.map_err(statement_error)?;
        Ok(Outcome {
            results: executed.results,
            tag: match executed.tag {
                client::Tag::Rows => Tag::Rows,
                client::Tag::Modified(count) => Tag::Modified(count.max(0) as u64),
                client::Tag::Done(text) => Tag::Done(text),
            },
            elapsed,
            partition: executed.place,
            notes: executed.notes,
        })
    }

    fn execute_batch(&mut self, text: &str) -> Result<Vec<String>, Vec<StatementError>> {
        self.db.cancel_flag().store(false, Ordering::Relaxed);
        self.db.execute_batch(text).map_err(|errors| errors.into_iter().map(statement_error).collect())
    }

    fn tables(&self) -> Vec<TableSummary> {
        let counts = self.db.row_counts();
        let rows = |table: &Table| counts.iter().find(|(name, _)| *name == table.name).map_or(0, |(_, rows)| *rows);
        self.db.catalog().tables().map(|table| summary(table, rows(table))).collect()
    }

    fn procedures(&self) -> Vec<ProcedureSummary> {
        self.db
            .catalog()
            .procedures()
            .map(|procedure| ProcedureSummary {
                name: procedure.name.to_string(),
                parameters: procedure
                    .parameters
                    .iter()
                    .map(|p| ParameterSummary { name: p.name.to_string(), type_text: p.ty.to_string() })
                    .collect(),
                partition_text: match procedure.partitioning {
                    ProcedurePartitioning::Single { parameter, .. } => {
                        format!("one, by {}", procedure.parameters[parameter].name)
                    }
                    ProcedurePartitioning::Multi => "all".to_owned(),
                    ProcedurePartitioning::Directed => "each apart".to_owned(),
                },
                returns: procedure.returns.map_or(String::new(), |ty| ty.to_string()),
                text: procedure.text.clone(),
            })
            .collect()
    }

    fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.db.cancel_flag()
    }

    fn banner(&self) -> String {
        let count = self.db.partitions();
        let partitions = units::plural(count as u64, "partition");
        let catalog = self.db.catalog();
        let mut title = self.title.as_ref().map_or(String::new(), |title| format!(" · {title}"));
        let views = catalog.tables().filter(|table| table.is_view()).count();
        let counts =
            [(catalog.tables().count() - views, "table"), (views, "view"), (catalog.procedures().count(), "procedure")];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| units::plural(*n as u64, what)).collect();
        if !counts.is_empty() {
            title.push_str(&format!(" · {}", counts.join(", ")));
        }
        format!("votedb {}{title} · {partitions} · {}", env!("CARGO_PKG_VERSION"), self.kept())
    }
}

impl Embedded {
    /// Where the database is kept, and what a crash may take.
    fn kept(&self) -> String {
        let Some(folder) = self.db.data_folder() else { return "in memory".to_owned() };
        let place = folder.folder.trim_end_matches('/');
        match folder.durability {
            Durability::Sync => format!("in {place}, sync"),
            Durability::Async => {
                format!("in {place}, async: a crash may lose the last {} ms", folder.flush_interval.as_millis())
            }
            Durability::None => format!("in {place}, durability none: a crash loses what no snapshot holds"),
        }
    }
}

fn statement_error(error: client::StatementError) -> StatementError {
    // An error in another text than the one that was given is told with that text's line.
    let (message, span) = match &error.origin {
        Some(_) => (error.render("", None).trim_end().to_owned(), None),
        None => (error.message.clone(), error.span.map(|span| (span.start, span.end))),
    };
    let more = error.others.into_iter().map(statement_error).collect();
    StatementError { message, span, sqlstate: Some(error.sqlstate), hint: None, more }
}

fn summary(table: &Table, row_count: u64) -> TableSummary {
    let key = table.primary_key.and_then(|at| table.indexes[at].columns()).unwrap_or_default();
    TableSummary {
        name: table.name.to_string(),
        kind: if table.is_view() { TableKind::View } else { TableKind::Table },
        partitioned_on: table.partition_column.map(|column| table.columns[column].name.to_string()),
        is_spread: table.spread,
        columns: table
            .visible_columns()
            .iter()
            .enumerate()
            .map(|(at, column)| ColumnSummary {
                name: column.name.to_string(),
                type_text: column.ty.to_string(),
                nullable: column.nullable,
                default_text: column.default.as_ref().map(|default| match default {
                    Default::Value(Value::Text(text)) => format!("'{}'", text.replace('\'', "''")),
                    Default::Value(value) => value.to_string(),
                    Default::Now => "NOW".to_owned(),
                }),
                remarks: if table.partition_column == Some(at) { "partition column".to_owned() } else { String::new() },
            })
            .collect(),
        primary_key: key.iter().map(|&column| table.columns[column].name.to_string()).collect(),
        row_count,
        indexes: table
            .indexes
            .iter()
            .map(|index| {
                let key = |key: &crate::catalog::Key| match key.column {
                    Some(column) => table.columns[column].name.to_string(),
                    None => "(expression)".to_owned(),
                };
                IndexSummary {
                    name: index.name.to_string(),
                    columns: index.keys.iter().map(key).collect::<Vec<_>>().join(", "),
                    is_unique: index.unique,
                    is_of_constraint: index.constraint,
                }
            })
            .collect(),
        text: table.view.as_ref().map_or(String::new(), |view| view.text.clone()),
    }
}
