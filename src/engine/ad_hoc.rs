//! Statements that were not compiled ahead: planned, compiled, cached, routed and run.

use super::engine::{Executed, Tag, place_of, store};
use super::system::Tables;
use super::{Engine, StatementError};
use crate::executor::{Answer, Program, owner};
use crate::expr::convert_value;
use crate::expr::expr::ExprKind;
use crate::initiator::Asked;
use crate::partition::{Schema, TxnError};
use crate::planner::plan::Partitioning;
use crate::planner::{Environment, plan_statement};
use crate::sql::Span;
use crate::sql::ast::Statement;
use crate::topology::PartitionId;
use crate::types::{Arena, Frame, ResultSet, Value};
use std::sync::Arc;
use std::time::Instant;

impl Engine {
    /// Runs `text` if its program is in the cache.
    pub(super) fn execute_cached(&self, text: &str, arguments: &[Value]) -> Option<Result<Executed, StatementError>> {
        let schema = self.schema();
        let program = self.plans.get(schema.catalog.version, text)?;
        self.run(&schema, &program, Asked { text, arguments })
    }

    pub(super) fn execute_ad_hoc(
        &self,
        text: &str,
        statement: &Statement,
        arguments: &[Value],
    ) -> Result<Executed, StatementError> {
        loop {
            let schema = self.schema();
            let started = Instant::now();
            let system = Tables::new(self);
            let env = Environment { system: Some(&system), ..Environment::ad_hoc(&schema.catalog) };
            let plan = plan_statement(statement, &env).inspect_err(|_| self.plans.planned(started.elapsed(), false))?;
            let program = Arc::new(Program::compile(&plan, &schema.catalog));
            self.plans.planned(started.elapsed(), true);
            // A system table's rows are those of now: they are in the plan.
            if !system.was_read() {
                self.plans.put(schema.catalog.version, text, &program);
            }
            if let Some(done) = self.run(&schema, &program, Asked { text, arguments }) {
                return done;
            }
            // The schema changed between planning and running: plan again.
        }
    }

    /// None: the schema has moved on, and nothing ran.
    fn run(&self, schema: &Schema, program: &Program, asked: Asked<'_>) -> Option<Result<Executed, StatementError>> {
        let mut frame = Frame::new(program.registers);
        if let Err(error) = bind_arguments(program, asked.arguments, &mut frame) {
            return Some(Err(error));
        }
        let version = schema.catalog.version;
        let one = match &program.partitioning {
            Partitioning::Any => Some((PartitionId(0), None)),
            Partitioning::One { key, table, column } => {
                let column = &schema.catalog.table_by_id(*table).columns[*column];
                let id = match &key.kind {
                    ExprKind::Reg(reg) => owner(self.initiator.hashinator(), frame.get(*reg), key.ty, &frame.arena),
                    ExprKind::Literal(value) => {
                        let mut arena = Arena::default();
                        let datum = store(value, &mut arena);
                        owner(self.initiator.hashinator(), datum, key.ty, &arena)
                    }
                    _ => return self.on_all(version, program, &mut frame, asked),
                };
                Some((id, Some(column.name.as_str())))
            }
            Partitioning::All => None,
        };
        match one {
            Some((id, key)) => {
                let answer = self.initiator.execute_at(id, version, program, &mut frame, asked)?;
                Some(executed(answer, place_of(Some(id), key)))
            }
            None => self.on_all(version, program, &mut frame, asked),
        }
    }

    fn on_all(
        &self,
        version: u64,
        program: &Program,
        frame: &mut Frame,
        asked: Asked<'_>,
    ) -> Option<Result<Executed, StatementError>> {
        let answer = self.initiator.execute_on_all(version, program, frame, asked)?;
        Some(executed(answer, place_of(None, None)))
    }
}

fn executed(answer: Result<Answer, TxnError>, place: String) -> Result<Executed, StatementError> {
    let (tag, result): (Tag, ResultSet) = match answer.map_err(|error| StatementError::from(&error))? {
        Answer::Rows(rows) => (Tag::Rows, rows),
        Answer::Modified(count) => (Tag::Modified(count), ResultSet::modified(count)),
    };
    Ok(Executed { results: vec![result], tag, place: Some(place), notes: Vec::new() })
}

fn bind_arguments(program: &Program, arguments: &[Value], frame: &mut Frame) -> Result<(), StatementError> {
    if arguments.len() != program.placeholders.len() {
        let message = format!(
            "the statement has {} parameters, {} values were given",
            program.placeholders.len(),
            arguments.len()
        );
        return Err(StatementError { sqlstate: "07001".to_owned(), ..StatementError::new(message, Span::NONE) });
    }
    for (at, (value, &ty)) in arguments.iter().zip(&program.placeholders).enumerate() {
        let converted = convert_value(value, ty).map_err(|error| StatementError {
            sqlstate: error.sqlstate().to_owned(),
            ..StatementError::new(format!("parameter {}: {error}", at + 1), Span::NONE)
        })?;
        let datum = frame.datum(&converted);
        frame.set(at as u16, datum);
    }
    Ok(())
}
