//! System tables: `sys.tables`, `sys.statistics_procedure` and the others, made up when a statement names them.

use super::catalog::{default_text, key_names, type_name};
use super::{PROCEDURES, Spec, int, set, statistics};
use crate::catalog::{IndexKind, Procedure, ProcedurePartitioning, Table};
use crate::engine::Engine;
use crate::expr::function::NAMES;
use crate::planner::SystemTables;
use crate::types::DataType::{BigInt, Boolean, Integer};
use crate::types::{DataType, Name, ResultSet, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

const TEXT: DataType = DataType::TEXT;

/// The tables with columns of our own, and what they list.
const OWN: [(&str, &str); 11] = [
    ("sys.catalog", "system tables"),
    ("sys.tables", "tables and views, with their rows"),
    ("sys.columns", "columns of tables and views"),
    ("sys.indexes", "indexes, those of constraints among them"),
    ("sys.views", "views and the queries that they are"),
    ("sys.procedures", "procedures"),
    ("sys.procedure_columns", "parameters of procedures"),
    ("sys.functions", "functions that queries can call"),
    ("sys.system_procedures", "system procedures"),
    ("sys.partitions", "partitions: what waits, what they hold, a key of each"),
    ("sys.settings", "what was set when the database was opened"),
];

/// Made for one statement: it sees each table as it was when it first named it.
pub(in crate::engine) struct Tables<'e> {
    engine: &'e Engine,
    made: RefCell<HashMap<Name, Arc<ResultSet>>>,
}

impl std::fmt::Debug for Tables<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tables({} made)", self.made.borrow().len())
    }
}

impl<'e> Tables<'e> {
    pub fn new(engine: &'e Engine) -> Tables<'e> {
        Tables { engine, made: RefCell::default() }
    }
    /// Whether the statement reads one.
    pub fn was_read(&self) -> bool {
        !self.made.borrow().is_empty()
    }
}

impl SystemTables for Tables<'_> {
    fn rows(&self, name: &Name) -> Option<Arc<ResultSet>> {
        if let Some(rows) = self.made.borrow().get(name) {
            return Some(Arc::clone(rows));
        }
        let mut rows = self.engine.system_table(name.folded())?;
        rows.columns.iter_mut().for_each(|column| column.name = column.name.to_lowercase());
        let rows = Arc::new(rows);
        self.made.borrow_mut().insert(name.clone(), Arc::clone(&rows));
        Some(rows)
    }

    fn names(&self) -> Vec<String> {
        names().into_iter().map(|(name, _)| name).collect()
    }
}

/// All of them, and what they list.
fn names() -> Vec<(String, String)> {
    let own = OWN.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned()));
    let statistics = statistics::SELECTORS
        .iter()
        .filter(|selector| **selector != "MANAGEMENT")
        .map(|selector| (format!("sys.statistics_{}", selector.to_lowercase()), format!("as @Statistics {selector}")));
    let standard = ["tables", "columns", "indexinfo", "primarykeys", "procedures", "procedurecolumns", "typeinfo"]
        .map(|name| (format!("information_schema.{name}"), format!("as @SystemCatalog {}", name.to_uppercase())));
    own.chain(statistics).chain(standard).collect()
}

impl Engine {
    fn system_table(&self, name: &str) -> Option<ResultSet> {
        if let Some(selector) = name.strip_prefix("information_schema.") {
            return self.system_catalog(selector).ok();
        }
        if let Some(selector) = name.strip_prefix("sys.statistics_") {
            let mut sets = if selector == "management" { None } else { self.statistics(selector, false).ok() }?;
            return Some(sets.remove(0));
        }
        let schema = self.schema();
        let catalog = &schema.catalog;
        Some(match name {
            "sys.catalog" => {
                let rows = names().into_iter().map(|(name, what)| vec![Value::from(name), Value::from(what)]);
                set(&[("table_name", TEXT), ("contents", TEXT)], rows.collect())
            }
            "sys.tables" => self.tables_table(),
            "sys.columns" => set(COLUMNS, catalog.tables().flat_map(|table| column_rows(table)).collect()),
            "sys.indexes" => set(INDEXES, catalog.tables().flat_map(|table| index_rows(table)).collect()),
            "sys.views" => {
                let rows = catalog.tables().filter_map(|table| {
                    let view = table.view.as_ref()?;
                    let source = catalog.table_by_id(view.source).name.to_string();
                    Some(vec![Value::from(table.name.as_str()), Value::from(source), Value::from(view.text.as_str())])
                });
                set(&[("view_name", TEXT), ("source", TEXT), ("definition", TEXT)], rows.collect())
            }
            "sys.procedures" => set(PROCEDURE_COLUMNS, catalog.procedures().map(|p| procedure_row(p)).collect()),
            "sys.procedure_columns" => set(PARAMETERS, catalog.procedures().flat_map(|p| parameter_rows(p)).collect()),
            "sys.functions" => {
                let rows = NAMES.iter().map(|(name, _)| vec![Value::from(*name)]);
                set(&[("function_name", TEXT)], rows.collect())
            }
            "sys.system_procedures" => {
                let row = |p: &super::SystemProcedure| [p.name, p.signature, p.purpose].map(Value::from).to_vec();
                set(
                    &[("procedure_name", TEXT), ("arguments", TEXT), ("purpose", TEXT)],
                    PROCEDURES.iter().map(row).collect(),
                )
            }
            "sys.partitions" => self.partitions_table(),
            "sys.settings" => {
                let rows =
                    self.settings.iter().map(|(name, value)| vec![Value::from(*name), Value::from(value.as_str())]);
                set(&[("name", TEXT), ("value", TEXT)], rows.collect())
            }
            _ => return None,
        })
    }

    fn tables_table(&self) -> ResultSet {
        let schema = self.schema();
        let counts = self.row_counts();
        let mut bytes: HashMap<Name, u64> = HashMap::new();
        for partition in self.initiator.partitions() {
            for table in partition.look(|site| site.store.memory().tables) {
                *bytes.entry(table.name.clone()).or_default() += table.total();
            }
        }
        let rows = schema.catalog.tables().map(|table| {
            let count = counts.iter().find(|(name, _)| *name == table.name).map_or(0, |(_, rows)| *rows);
            let column = table.partition_column.map(|column| table.columns[column].name.to_string());
            vec![
                Value::from(table.name.as_str()),
                Value::from(if table.is_view() { "view" } else { "table" }),
                Value::from(column),
                Value::from(!table.spread),
                int(count),
                int(bytes.get(&table.name).copied().unwrap_or(0)),
            ]
        });
        set(TABLES, rows.collect())
    }

    fn partitions_table(&self) -> ResultSet {
        let keys = self.partition_keys("INTEGER").expect("the type is one of the list").rows;
        let rows = self.initiator.partitions().iter().zip(keys).enumerate().map(|(at, (partition, key))| {
            let (rows, bytes) = partition.look(|site| {
                let memory = site.store.memory();
                (memory.tables.iter().map(|table| table.rows).sum(), memory.total())
            });
            let calls: u64 = partition.counters().procedures.read().iter().map(|p| p.invocations.get()).sum();
            vec![
                Value::Int(at as i64),
                key[1].clone(),
                int(partition.queued() as u64),
                int(calls),
                int(partition.busy_ns()),
                int(rows),
                int(bytes),
            ]
        });
        set(PARTITIONS, rows.collect())
    }
}

fn column_rows(table: &Table) -> Vec<Vec<Value>> {
    let key = table.primary_key.and_then(|at| table.indexes[at].columns()).unwrap_or_default();
    let rows = table.visible_columns().iter().enumerate().map(|(at, column)| {
        vec![
            Value::from(table.name.as_str()),
            Value::from(column.name.as_str()),
            Value::Int(at as i64 + 1),
            Value::from(column.ty.to_string()),
            Value::from(column.nullable),
            default_text(&column.default),
            Value::from(table.partition_column == Some(at)),
            Value::from(key.iter().position(|column| *column == at).map(|place| place as i32 + 1)),
        ]
    });
    rows.collect()
}

fn index_rows(table: &Table) -> Vec<Vec<Value>> {
    let rows = table.indexes.iter().map(|index| {
        vec![
            Value::from(table.name.as_str()),
            Value::from(index.name.as_str()),
            Value::from(if index.kind == IndexKind::Hash { "hash" } else { "ordered" }),
            Value::from(index.unique),
            Value::from(index.constraint),
            Value::from(index.filter.is_some()),
            Value::from(key_names(table, index).join(", ")),
        ]
    });
    rows.collect()
}

fn procedure_row(procedure: &Procedure) -> Vec<Value> {
    let parameters: Vec<String> = procedure.parameters.iter().map(|p| format!("{} {}", p.name, p.ty)).collect();
    let (place, parameter) = match procedure.partitioning {
        ProcedurePartitioning::Single { parameter, .. } => {
            ("one partition", Some(procedure.parameters[parameter].name.to_string()))
        }
        ProcedurePartitioning::Multi => ("all partitions", None),
        ProcedurePartitioning::Directed => ("each partition", None),
    };
    vec![
        Value::from(procedure.name.as_str()),
        Value::from(parameters.join(", ")),
        Value::from(place),
        Value::from(parameter),
        Value::from(procedure.read_only),
        Value::from(procedure.returns.map(|ty| ty.to_string())),
        Value::from(procedure.text.as_str()),
    ]
}

fn parameter_rows(procedure: &Procedure) -> Vec<Vec<Value>> {
    let rows = procedure.parameters.iter().enumerate().map(|(at, parameter)| {
        vec![
            Value::from(procedure.name.as_str()),
            Value::from(parameter.name.as_str()),
            Value::Int(at as i64 + 1),
            Value::from(type_name(parameter.ty)),
            Value::from(parameter.default.as_ref().map(|value| value.to_string())),
        ]
    });
    rows.collect()
}

const TABLES: Spec = &[
    ("table_name", TEXT),
    ("kind", TEXT),
    ("partition_column", TEXT),
    ("replicated", Boolean),
    ("row_count", BigInt),
    ("memory_bytes", BigInt),
];
const COLUMNS: Spec = &[
    ("table_name", TEXT),
    ("column_name", TEXT),
    ("ordinal", Integer),
    ("type", TEXT),
    ("nullable", Boolean),
    ("default_value", TEXT),
    ("partition_column", Boolean),
    ("primary_key", Integer),
];
const INDEXES: Spec = &[
    ("table_name", TEXT),
    ("index_name", TEXT),
    ("kind", TEXT),
    ("is_unique", Boolean),
    ("is_constraint", Boolean),
    ("is_partial", Boolean),
    ("keys", TEXT),
];
const PROCEDURE_COLUMNS: Spec = &[
    ("procedure_name", TEXT),
    ("parameters", TEXT),
    ("runs_on", TEXT),
    ("partition_parameter", TEXT),
    ("read_only", Boolean),
    ("returns", TEXT),
    ("definition", TEXT),
];
const PARAMETERS: Spec =
    &[("procedure_name", TEXT), ("column_name", TEXT), ("ordinal", Integer), ("type", TEXT), ("default_value", TEXT)];
const PARTITIONS: Spec = &[
    ("partition_id", Integer),
    ("integer_key", BigInt),
    ("queued", BigInt),
    ("calls", BigInt),
    ("busy_ns", BigInt),
    ("row_count", BigInt),
    ("memory_bytes", BigInt),
];
