//! LOAD PROCEDURES: what has changed in a folder of files is compiled anew, all of it or nothing.

use super::engine::{Executed, Tag};
use super::error::Origin;
use super::library::files;
use super::{Engine, StatementError};
use crate::procedure;
use crate::sql::ast::{self, Ddl, Statement};
use crate::sql::{Span, parse_script, parse_statement};
use std::path::Path;
use std::sync::Arc;

/// A procedure of a file.
struct Found {
    ast: ast::Procedure,
    /// Its statement, with OR REPLACE.
    text: String,
    origin: Option<Box<Origin>>,
    /// Where it begins in its file.
    start: usize,
}

const OR_REPLACE: &str = " OR REPLACE";

impl Engine {
    /// Creates or replaces the procedures in the `.sql` files of `folder` and those below it whose text has changed.
    /// Calls under way finish on the old version. On failure nothing has changed, and every error is told with its file.
    pub fn load_procedures(&self, folder: &Path) -> Result<Executed, StatementError> {
        if !folder.is_dir() {
            return Err(StatementError::unlocated(format!("{} is no folder", folder.display())));
        }
        let (found, mut errors) = read(folder);
        let schema = self.schema();
        let (same, changed): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|found| {
            let current = schema.catalog.procedure(&found.ast.name.name);
            let whole = |origin: &Option<Box<Origin>>, text: &str| origin.as_ref().is_some_and(|o| &*o.text == text);
            current.is_some_and(|current| current.text == found.text || whole(&found.origin, &current.text))
        });
        let (ordered, wrong) = self.in_order(changed);
        errors.extend(wrong);
        if !errors.is_empty() {
            return Err(StatementError::several(errors));
        }
        let count = ordered.len();
        let mut notes = Vec::new();
        if count > 0 {
            let batch: String = ordered.iter().map(|found| found.text.clone() + ";\n").collect();
            notes = self.execute_batch(&batch).map_err(StatementError::several)?.notes;
        }
        let tag = format!("{count} procedures loaded, {} unchanged", same.len());
        Ok(Executed { results: Vec::new(), tag: Tag::Done(tag), place: None, notes })
    }

    /// Callees before their callers, tried against a draft; and what is wrong with those that fit in no order.
    fn in_order(&self, mut waiting: Vec<Found>) -> (Vec<Found>, Vec<StatementError>) {
        let mut draft = self.draft();
        let mut ordered = Vec::with_capacity(waiting.len());
        loop {
            let (mut later, mut errors) = (Vec::new(), Vec::new());
            let before = ordered.len();
            for found in waiting {
                match procedure::compile(&found.ast, &found.text, &draft.schema.catalog) {
                    Ok(compiled) => {
                        draft.schema.catalog.put_procedure((*compiled.definition).clone());
                        ordered.push(found);
                    }
                    Err(wrong) => {
                        errors.extend(wrong.into_iter().map(|error| located(StatementError::from(error), &found)));
                        later.push(found);
                    }
                }
            }
            if later.is_empty() || ordered.len() == before {
                return (ordered, errors);
            }
            waiting = later;
        }
    }
}

/// The error at its place in the file.
fn located(error: StatementError, found: &Found) -> StatementError {
    let place = |at: usize| found.start + if at > "CREATE".len() { at.saturating_sub(OR_REPLACE.len()) } else { at };
    let written = found.origin.as_ref().is_some_and(|o| o.text[found.start..].starts_with(found.text.as_str()));
    let span = error.span.map(|span| match written {
        true => Span::new(found.start + span.start, found.start + span.end),
        false => Span::new(place(span.start), place(span.end)),
    });
    StatementError { span, ..error.with_origin(&found.origin) }
}

/// The procedures of all files, and what is wrong with the files.
fn read(folder: &Path) -> (Vec<Found>, Vec<StatementError>) {
    let (mut all, mut errors) = (Vec::<Found>::new(), Vec::new());
    for path in files(folder) {
        let shown = path.display().to_string();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                errors.push(StatementError::unlocated(format!("cannot read {shown}: {error}")));
                continue;
            }
        };
        let origin = Some(Box::new(Origin { file: shown, text: Arc::from(text.as_str()) }));
        let (statements, wrong) = parse_script(&text);
        errors.extend(wrong.into_iter().map(|error| StatementError::from(error).with_origin(&origin)));
        for (statement, span) in statements {
            let Statement::Ddl(Ddl::CreateProcedure(ast)) = statement else {
                let error = StatementError::new("a file of procedures has CREATE PROCEDURE statements only", span);
                errors.push(error.with_origin(&origin));
                continue;
            };
            if all.iter().any(|other| other.ast.name.name == ast.name.name) {
                let error = StatementError::new(format!("procedure {} is there twice", ast.name.name), ast.name.span);
                errors.push(error.with_origin(&origin));
                continue;
            }
            let mut own = text[span.start..span.end].to_owned();
            if !ast.or_replace {
                own.insert_str("CREATE".len(), OR_REPLACE);
            }
            let Ok(Statement::Ddl(Ddl::CreateProcedure(ast))) = parse_statement(&own) else {
                unreachable!("the same statement was read within its file")
            };
            all.push(Found { ast, text: own, origin: origin.clone(), start: span.start });
        }
    }
    (all, errors)
}
