//! System procedures and system tables: what the database tells about itself, and what an operator asks of it.
//!
//! A system procedure is called like any other, by EXEC or through the library; names are not case-sensitive. A system
//! table is made up when a statement names it (`planner::SystemTables`): the same facts, to be joined and sorted.
//!
//! Not here: counting itself (`partition::Counting`), and how results look.

mod catalog;
mod facts;
mod information;
mod operate;
mod reading;
mod statistics;
mod tables;

pub(super) use information::settings;
pub(super) use tables::Tables;

use super::Engine;
use crate::catalog::{Procedure as Definition, ProcedurePartitioning};
use crate::partition::TxnError;
use crate::procedure::{Code, Procedure};
use crate::sql::nearest;
use crate::txn::Response;
use crate::types::{Column, DataType, Name, ResultSet, Value};
use parking_lot::Mutex;
use reading::Reading;
use std::collections::HashMap;
use std::sync::Arc;

/// What `@Statistics` with a delta has given before, by selector.
#[derive(Default)]
pub(super) struct Baselines(Mutex<HashMap<&'static str, Reading>>);

/// Name, arguments as they are written in messages, least and most of them, what it does.
pub(super) struct SystemProcedure {
    pub name: &'static str,
    pub signature: &'static str,
    least: usize,
    most: usize,
    pub purpose: &'static str,
}

const fn of(
    name: &'static str,
    signature: &'static str,
    least: usize,
    most: usize,
    purpose: &'static str,
) -> SystemProcedure {
    SystemProcedure { name, signature, least, most, purpose }
}

pub(super) const PROCEDURES: [SystemProcedure; 14] = [
    of("@AdHoc", "sql [, value for each ?]", 1, usize::MAX, "runs a statement, or several"),
    of("@Explain", "sql", 1, 1, "the plan of each statement"),
    of("@ExplainProc", "procedure", 1, 1, "a procedure with the plan of each of its statements"),
    of("@ExplainView", "view", 1, 1, "how a view is kept current"),
    of("@GetPartitionKeys", "type", 1, 1, "a key of each partition; type is INTEGER, STRING or VARBINARY"),
    of("@Pause", "", 0, 0, "no changes until @Resume"),
    of("@Ping", "", 0, 0, "does nothing, and says so"),
    of("@Quiesce", "", 0, 0, "waits for what is queued, and for the log"),
    of("@Resume", "", 0, 0, "changes again, after @Pause"),
    of("@Statistics", "selector [, delta]", 1, 2, "counts and sizes; delta 1: since the last such call"),
    of("@SwapTables", "table, table", 2, 2, "exchanges the rows of two tables of one shape"),
    of("@SystemCatalog", "selector", 1, 1, "tables, columns, indexes, procedures, types"),
    of("@SystemInformation", "[selector]", 0, 1, "OVERVIEW or DEPLOYMENT"),
    of("@UpdateClasses", "jar, pattern", 0, 2, "there are no Java classes: procedures are SQL"),
];

/// An error of a system procedure.
pub(super) fn refused(sqlstate: &str, message: impl Into<String>) -> Box<TxnError> {
    Box::new(TxnError::System { message: message.into(), sqlstate: sqlstate.to_owned() })
}

/// `no selector X; there are ..`, with the nearest one.
fn bad_selector(procedure: &str, what: &str, given: &str, valid: &[&str]) -> Box<TxnError> {
    let near = match nearest(given, valid.iter().copied()) {
        Some(near) => format!("; did you mean {near}? There are"),
        None => "; there are".to_owned(),
    };
    refused("22023", format!("{procedure} has no {what} {given}{near} {}", valid.join(", ")))
}

/// The text of an argument.
fn text<'a>(procedure: &SystemProcedure, arguments: &'a [Value], at: usize) -> Result<&'a str, Box<TxnError>> {
    let wrong = |given: &str| {
        let SystemProcedure { name, signature, .. } = procedure;
        refused("22018", format!("argument {} of {name} is text, not {given}: {name}({signature})", at + 1))
    };
    match arguments.get(at) {
        Some(Value::Text(text)) => Ok(text),
        Some(value) => Err(wrong(&value.to_string())),
        None => Err(wrong("missing")),
    }
}

/// Columns by name and type, in VoltDB's order.
type Spec = &'static [(&'static str, DataType)];

fn set(spec: Spec, rows: Vec<Vec<Value>>) -> ResultSet {
    debug_assert!(rows.iter().all(|row| row.len() == spec.len()));
    let columns = spec.iter().map(|(name, data_type)| Column { name: (*name).to_owned(), data_type: *data_type });
    ResultSet { columns: columns.collect(), rows }
}

fn int(value: u64) -> Value {
    Value::Int(value.min(i64::MAX as u64) as i64)
}

/// The answer of a procedure that only does something: 0.
fn status() -> Vec<ResultSet> {
    vec![ResultSet::scalar("STATUS", DataType::BigInt, Value::Int(0))]
}

impl Engine {
    /// The handle of a system procedure: one without code.
    pub(super) fn system_procedure(&self, name: &Name) -> Result<Arc<Procedure>, Box<TxnError>> {
        let Some(found) = PROCEDURES.iter().find(|p| *name == p.name) else {
            let hint = nearest(name.as_str(), PROCEDURES.iter().map(|p| p.name));
            let hint = hint.map_or("; SELECT * FROM sys.system_procedures lists them".to_owned(), |near| {
                format!("; did you mean {near}?")
            });
            return Err(Box::new(TxnError::UnknownProcedure { name: name.clone(), hint }));
        };
        let definition = Definition {
            name: Name::new(found.name),
            parameters: Vec::new(),
            partitioning: ProcedurePartitioning::Multi,
            returns: None,
            read_only: true,
            anywhere: false,
            partitioning_found: false,
            calls: Vec::new(),
            roles: Vec::new(),
            text: String::new(),
        };
        Ok(Arc::new(Procedure {
            definition: Arc::new(definition),
            version: 0,
            code: Code::default(),
            native: None,
            notes: Vec::new(),
        }))
    }

    /// Calls a system procedure: the name is one of [`PROCEDURES`].
    #[cold]
    pub(super) fn call_system(&self, name: &Name, arguments: &[Value]) -> Result<Response, Box<TxnError>> {
        let procedure = PROCEDURES.iter().find(|p| *name == p.name).expect("handles are made from the list");
        if !(procedure.least..=procedure.most).contains(&arguments.len()) {
            return Err(Box::new(TxnError::ArgumentCount {
                procedure: name.clone(),
                expected: procedure.least,
                received: arguments.len(),
                signature: format!("{}({})", procedure.name, procedure.signature),
            }));
        }
        let results = match procedure.name {
            "@AdHoc" => self.ad_hoc_call(text(procedure, arguments, 0)?, &arguments[1..])?,
            "@Explain" => self.explain_call(text(procedure, arguments, 0)?)?,
            "@ExplainProc" => self.explain_procedure_call(text(procedure, arguments, 0)?)?,
            "@ExplainView" => self.explain_view(text(procedure, arguments, 0)?)?,
            "@GetPartitionKeys" => vec![self.partition_keys(text(procedure, arguments, 0)?)?],
            "@Pause" | "@Resume" => {
                self.initiator.pause(procedure.name == "@Pause");
                status()
            }
            "@Ping" => status(),
            "@Quiesce" => {
                self.quiesce()?;
                status()
            }
            "@Statistics" => self.statistics(text(procedure, arguments, 0)?, delta(arguments.get(1))?)?,
            "@SwapTables" => {
                self.swap_tables(text(procedure, arguments, 0)?, text(procedure, arguments, 1)?)?;
                status()
            }
            "@SystemCatalog" => vec![self.system_catalog(text(procedure, arguments, 0)?)?],
            "@SystemInformation" if arguments.is_empty() => vec![self.system_information("OVERVIEW")?],
            "@SystemInformation" => vec![self.system_information(text(procedure, arguments, 0)?)?],
            _ => {
                let message = "there are no Java classes here to update: a procedure is SQL, so CREATE OR REPLACE \
                               PROCEDURE changes it, or CREATE PROCEDURE .. FROM CLASS x.Name with Name.sql among the \
                               procedures' files";
                return Err(refused("0A000", message));
            }
        };
        Ok(Response { returned: Value::Null, results, partition: None, status: None })
    }
}

fn delta(argument: Option<&Value>) -> Result<bool, Box<TxnError>> {
    match argument {
        None | Some(Value::Int(0)) => Ok(false),
        Some(Value::Int(1)) => Ok(true),
        Some(Value::Bool(delta)) => Ok(*delta),
        Some(other) => Err(refused(
            "22023",
            format!(
                "the second argument of @Statistics is 0 (since the start) or 1 (since the last call), not {other}"
            ),
        )),
    }
}
