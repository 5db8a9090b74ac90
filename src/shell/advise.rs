//! Commands that work on copies of the schema: \reload, \suggest, .dump.

use super::complaint::Place;
use super::database::{ShellDatabase, StatementError, TableKind, TableSummary};
use super::session::{Failure, Flow, Session};
use super::{input, schema, source};
use crate::render::format::literal;
use crate::render::units;
use std::path::Path;
use std::time::Duration;

/// Rows of a table that \suggest copies at most.
const SAMPLE_ROWS: usize = 100_000;

impl Session<'_> {
    /// Schema and rows as SQL.
    pub(super) fn dump(&mut self, name: Option<&str>, place: Place<'_>) -> Flow {
        let tables = self.db.tables();
        let procedures = self.db.procedures();
        let statements = match schema::statements(&tables, &procedures, name) {
            Ok(statements) => statements,
            Err(message) => return self.complain(&message, place),
        };
        let (tables_first, rest): (Vec<&String>, Vec<&String>) =
            statements.iter().partition(|text| !text.starts_with("CREATE VIEW") && !text.starts_with("CREATE PROC"));
        for statement in tables_first {
            self.output.write_answer(&format!("{statement};\n"));
        }
        // Views fill themselves: they come before the rows, and rows are written for tables only.
        for statement in rest {
            self.output.write_answer(&format!("{statement};\n"));
        }
        let wanted = |table: &&TableSummary| {
            table.kind == TableKind::Table && name.is_none_or(|name| table.name.eq_ignore_ascii_case(name))
        };
        for table in tables.iter().filter(wanted) {
            let query = format!("SELECT * FROM {}", table.name);
            let flow = self.execute(&query, &query, place, |session, outcome| {
                for row in outcome.results.iter().flat_map(|set| &set.rows) {
                    let values: Vec<String> = row.iter().map(literal).collect();
                    let line = format!("INSERT INTO {} VALUES ({});\n", table.name, values.join(", "));
                    session.output.write_answer(&line);
                }
                Flow::Continue
            });
            if flow != Flow::Continue {
                return flow;
            }
        }
        Flow::Continue
    }

    /// Shows how the schema in a file differs from what there is, and takes the difference over, all of it or nothing.
    pub(super) fn reload(&mut self, path: &Path, place: Place<'_>) -> Flow {
        let text = match source::read(path) {
            Ok(text) => text,
            Err(message) => return self.fail(Failure::File, &message, place),
        };
        let Some(mut scratch) = self.db.scratch() else {
            return self.complain("this database cannot try a schema", place);
        };
        for statement in input::split(&text) {
            if let Err(error) = scratch.execute(&statement.text) {
                let shown = path.display();
                let text = format!("{shown}:{}: {error}; nothing was changed", statement.first_line);
                return self.complain(&text, place);
            }
        }
        let changes = differences(self.db, &*scratch);
        if changes.is_empty() {
            self.output.write("no difference\n");
            return Flow::Continue;
        }
        let shown: String = changes.iter().map(|change| format!("{}\n", change.shown)).collect();
        self.output.write(&shown);
        let batch: String = changes.iter().flat_map(|change| &change.statements).map(|s| format!("{s};\n")).collect();
        match self.db.execute_batch(&batch) {
            Ok(notes) => {
                self.note_schema_change();
                self.output
                    .write(&format!("{} taken over; rows are kept\n", units::plural(changes.len() as u64, "change")));
                self.notes(&notes);
                Flow::Continue
            }
            Err(errors) => {
                let reasons: Vec<String> = errors.iter().map(StatementError::to_string).collect();
                self.complain(&format!("nothing was changed: {}", reasons.join("; ")), place)
            }
        }
    }

    /// Tries an index on each column that the query compares, on a copy of its tables.
    pub(super) fn suggest(&mut self, query: &str, place: Place<'_>) -> Flow {
        let tables = self.db.tables();
        let used: Vec<&TableSummary> = tables.iter().filter(|table| schema::mentions(query, &table.name)).collect();
        let Some(mut scratch) = self.db.scratch().filter(|_| !used.is_empty()) else {
            return self.complain("the query names no table", place);
        };
        if let Err(error) = self.copy_tables(&used, &mut *scratch) {
            return self.complain(&format!("cannot copy the tables: {error}"), place);
        }
        let (plan, time) = match measured(&mut *scratch, query) {
            Ok(before) => before,
            Err(error) => return self.complain(&error.message, place),
        };
        self.output.write(&format!("now, {}:\n{plan}\n", units::duration(time)));
        let mut best: Option<(Duration, String, String)> = None;
        for (table, column) in candidates(query, &used) {
            let index = format!("CREATE INDEX {}_{column} ON {} ({column})", table.name, table.name);
            if scratch.execute(&index).is_err() {
                continue;
            }
            if let Ok((plan, time)) = measured(&mut *scratch, query)
                && best.as_ref().is_none_or(|(best, ..)| time < *best)
            {
                best = Some((time, index, plan));
            }
            let _ = scratch.execute(&format!("DROP INDEX {}_{column}", table.name));
        }
        match best.filter(|(best, ..)| best.as_secs_f64() < time.as_secs_f64() * 0.8) {
            Some((time, index, plan)) => {
                self.output.write(&format!("with {index}, {}:\n{plan}\n{index};\n", units::duration(time)));
            }
            None => self.output.write("no index on one column makes it faster\n"),
        }
        Flow::Continue
    }

    fn copy_tables(&mut self, tables: &[&TableSummary], scratch: &mut dyn ShellDatabase) -> Result<(), StatementError> {
        let all: Vec<TableSummary> = self.db.tables();
        let wanted: Vec<TableSummary> = all
            .into_iter()
            .filter(|table| {
                tables.iter().any(|used| used.name == table.name || schema::mentions(&used.text, &table.name))
            })
            .collect();
        for statement in schema::statements(&wanted, &[], None).map_err(StatementError::new)? {
            scratch.execute(&statement)?;
        }
        for table in wanted.iter().filter(|table| table.kind == TableKind::Table) {
            let rows = self.db.execute(&format!("SELECT * FROM {} LIMIT {SAMPLE_ROWS}", table.name))?;
            let marks = vec!["?"; table.columns.len()].join(", ");
            let insert = format!("INSERT INTO {} VALUES ({marks})", table.name);
            for row in rows.results.iter().flat_map(|set| &set.rows) {
                scratch.execute_with(&insert, row)?;
            }
        }
        Ok(())
    }
}

/// The plan of a query, and the shortest of five times.
fn measured(db: &mut dyn ShellDatabase, query: &str) -> Result<(String, Duration), StatementError> {
    let plan = db.execute(&format!("EXPLAIN {query}"))?;
    let lines: Vec<String> =
        plan.results.iter().flat_map(|set| &set.rows).flatten().map(|value| format!("  {value}")).collect();
    let mut best = Duration::MAX;
    for _ in 0..5 {
        best = best.min(db.execute(query)?.elapsed);
    }
    Ok((lines.join("\n").replace("\\n", "\n  "), best))
}

/// Columns that stand beside a comparison in the query and lead no index yet.
fn candidates<'t>(query: &str, tables: &[&'t TableSummary]) -> Vec<(&'t TableSummary, String)> {
    let upper = query.to_ascii_uppercase();
    let Some(from) = upper.find("WHERE").or_else(|| upper.find(" ON ")) else { return Vec::new() };
    let conditions = &query[from..];
    let mut found = Vec::new();
    for table in tables.iter().filter(|table| table.kind == TableKind::Table) {
        for column in &table.columns {
            let leads = table.indexes.iter().any(|index| index.columns.split(", ").next() == Some(&column.name));
            if !leads && schema::mentions(conditions, &column.name) {
                found.push((*table, column.name.clone()));
            }
        }
    }
    found
}

/// One difference, as shown and as DDL.
struct Change {
    shown: String,
    statements: Vec<String>,
}

fn differences(old: &dyn ShellDatabase, new: &dyn ShellDatabase) -> Vec<Change> {
    let (old_tables, new_tables) = (old.tables(), new.tables());
    let (old_procedures, new_procedures) = (old.procedures(), new.procedures());
    let mut changes = Vec::new();
    let mut change = |shown: String, statements: Vec<String>| changes.push(Change { shown, statements });
    for procedure in &old_procedures {
        match new_procedures.iter().find(|other| other.name.eq_ignore_ascii_case(&procedure.name)) {
            None => {
                change(format!("- procedure {}", procedure.name), vec![format!("DROP PROCEDURE {}", procedure.name)])
            }
            Some(other) if other.text.split_whitespace().ne(procedure.text.split_whitespace()) => change(
                format!("~ procedure {}", procedure.name),
                vec![format!("DROP PROCEDURE {}", procedure.name), other.text.clone()],
            ),
            Some(_) => {}
        }
    }
    let find = |tables: &[TableSummary], name: &str| tables.iter().position(|t| t.name.eq_ignore_ascii_case(name));
    for table in &old_tables {
        match find(&new_tables, &table.name) {
            None => {
                let kind = table.kind.name();
                change(
                    format!("- {kind} {}", table.name),
                    vec![format!("DROP {} {}", kind.to_uppercase(), table.name)],
                );
            }
            Some(at) => table_changes(table, &new_tables[at], &mut change),
        }
    }
    for kind in [TableKind::Table, TableKind::View] {
        for table in new_tables.iter().filter(|t| t.kind == kind && find(&old_tables, &t.name).is_none()) {
            let own = schema::statements(std::slice::from_ref(table), &[], Some(&table.name)).unwrap_or_default();
            change(format!("+ {} {}", kind.name(), table.name), own);
        }
    }
    let known = |name: &str| old_procedures.iter().any(|other| other.name.eq_ignore_ascii_case(name));
    for procedure in new_procedures.iter().filter(|procedure| !known(&procedure.name)) {
        change(format!("+ procedure {}", procedure.name), vec![procedure.text.clone()]);
    }
    changes
}

fn table_changes(old: &TableSummary, new: &TableSummary, change: &mut impl FnMut(String, Vec<String>)) {
    let name = &old.name;
    if old.kind == TableKind::View {
        if old.text.split_whitespace().ne(new.text.split_whitespace()) {
            let own = schema::statements(std::slice::from_ref(new), &[], Some(&new.name)).unwrap_or_default();
            change(format!("~ view {name}"), [vec![format!("DROP VIEW {name}")], own].concat());
        }
        return;
    }
    let spelled = |column: &super::database::ColumnSummary| {
        let default = column.default_text.as_ref().map_or(String::new(), |text| format!(" DEFAULT {text}"));
        format!("{} {}{default}{}", column.name, column.type_text, if column.nullable { "" } else { " NOT NULL" })
    };
    for column in &old.columns {
        match new.columns.iter().find(|other| other.name.eq_ignore_ascii_case(&column.name)) {
            None => change(
                format!("- column {name}.{}", column.name),
                vec![format!("ALTER TABLE {name} DROP COLUMN {}", column.name)],
            ),
            Some(other) if spelled(other) != spelled(column) => change(
                format!("~ column {name}.{}: {} -> {}", column.name, spelled(column), spelled(other)),
                vec![format!("ALTER TABLE {name} ALTER COLUMN {}", spelled(other))],
            ),
            Some(_) => {}
        }
    }
    for column in &new.columns {
        if !old.columns.iter().any(|other| other.name.eq_ignore_ascii_case(&column.name)) {
            change(
                format!("+ column {name}.{}", spelled(column)),
                vec![format!("ALTER TABLE {name} ADD COLUMN {}", spelled(column))],
            );
        }
    }
    for index in old.indexes.iter().filter(|index| !index.is_of_constraint) {
        if !new.indexes.contains(index) {
            change(format!("- index {}", index.name), vec![format!("DROP INDEX {}", index.name)]);
        }
    }
    for index in new.indexes.iter().filter(|index| !index.is_of_constraint) {
        if !old.indexes.contains(index) {
            let unique = if index.is_unique { "UNIQUE " } else { "" };
            change(
                format!("+ index {} ({})", index.name, index.columns),
                vec![format!("CREATE {unique}INDEX {} ON {name} ({})", index.name, index.columns)],
            );
        }
    }
    if old.partitioned_on != new.partitioned_on
        && let Some(column) = &new.partitioned_on
    {
        change(
            format!("~ table {name}: partitioned on {column}"),
            vec![format!("PARTITION TABLE {name} ON COLUMN {column}")],
        );
    }
}
