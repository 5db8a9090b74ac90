//! Batches of DDL: all of it on every partition, or nothing anywhere.
//!
//! A batch is first carried out on a copy of the catalog, and every procedure is compiled against the result. Only if all
//! of that worked are the partitions held and their stores changed; a store that fails (a unique index over duplicates,
//! say) makes the others go back.

use super::error::Origin;
use super::{Engine, StatementError};
use crate::catalog::{CatalogChange, ProcedurePartitioning, TableId};
use crate::durability::{Attachment, Clock, Definition, Record};
use crate::executor::owner;
use crate::partition::{Schema, TxnError};
use crate::planner::{BindError, ddl};
use crate::procedure::{self, Procedure};
use crate::sql::ast::{self, Ddl, Ident, ObjectKind, PartitionClause, Statement};
use crate::sql::{Span, nearest, parse_script};
use crate::storage::StorageError;
use crate::types::{Arena, Datum, Name};
use std::sync::Arc;

/// Stands in the log for the text of a procedure that is a closure.
pub(super) const NATIVE: &str = "(native)";

/// What a batch did.
#[derive(Debug, Default)]
pub struct Changed {
    /// One for each statement: `table created`.
    pub tags: Vec<String>,
    pub notes: Vec<String>,
}

/// The next version in the making.
pub(super) struct Draft {
    pub(super) schema: Schema,
    changes: Vec<CatalogChange>,
    pub(super) done: Changed,
    /// A procedure was replaced or dropped: others may have called it.
    replaced: bool,
    /// Texts that came from files.
    attachments: Vec<Attachment>,
}

impl Draft {
    /// Takes in a procedure that was compiled against this draft.
    fn put_procedure(&mut self, compiled: Procedure) {
        let name = compiled.definition.name.clone();
        self.schema.catalog.put_procedure((*compiled.definition).clone());
        self.replaced |= self.schema.procedures.insert(name, Arc::new(compiled)).is_some();
    }
}

impl Engine {
    /// Runs the DDL statements of `text` as one batch. On failure nothing has changed, and every error is listed, its span
    /// in `text`.
    pub fn execute_batch(&self, text: &str) -> Result<Changed, Vec<StatementError>> {
        let (statements, errors) = parse_script(text);
        let mut errors: Vec<StatementError> = errors.into_iter().map(StatementError::from).collect();
        if self.initiator.partitions()[0].look(|site| site.paused) {
            return Err(vec![StatementError::from(&crate::partition::TxnError::Paused)]);
        }
        let _one_at_a_time = self.changing.lock();
        let mut draft = self.draft();
        for (statement, span) in &statements {
            let result = match statement {
                Statement::Ddl(ddl) => self.change(&mut draft, ddl, text, *span),
                _ => Err(vec![StatementError::new("a batch of definitions cannot hold other statements", *span)]),
            };
            if let Err(found) = result {
                errors.extend(found);
            }
        }
        if errors.is_empty() {
            errors.extend(recompile(&mut draft));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        self.publish(draft, text).map_err(|error| vec![error])
    }

    fn change(&self, draft: &mut Draft, ddl: &Ddl, text: &str, span: Span) -> Result<(), Vec<StatementError>> {
        match ddl {
            Ddl::CreateProcedure(procedure) => {
                // Spans of the body are of the whole text; the procedure keeps its own statement only.
                let own = &text[span.start..span.end];
                let parsed =
                    crate::sql::parse_statement(own).map_err(|e| vec![StatementError::from(e).at(span.start)])?;
                let Statement::Ddl(Ddl::CreateProcedure(own_ast)) = parsed else {
                    return Err(vec![StatementError::new("not a procedure", procedure.name.span)]);
                };
                self.create_procedure(draft, &own_ast, own)
                    .map_err(|errors| errors.into_iter().map(|error| error.at(span.start)).collect())
            }
            Ddl::ProcedureFromClass { class, partition, or_replace, directed, roles } => {
                let with = |ast: &mut ast::Procedure| {
                    // Loading a class again is the way to replace it, but another procedure of that name is not.
                    ast.or_replace = *or_replace;
                    ast.directed |= *directed;
                    ast.roles.extend(roles.iter().cloned());
                };
                self.procedure_from_class(draft, class, partition.as_ref(), with)
            }
            Ddl::PartitionProcedure { name, partition } => partition_procedure(draft, name, partition),
            Ddl::Drop { kind: ObjectKind::Procedure, name, if_exists, .. } => {
                drop_procedure(draft, name, *if_exists).map_err(|error| vec![error])
            }
            Ddl::LoadClasses { .. } => {
                draft.done.tags.push("classes not needed".to_owned());
                let note = "procedures come from .sql files in procs/, not from classes: nothing was loaded";
                draft.done.notes.push(note.to_owned());
                Ok(())
            }
            ddl => {
                let outcome = ddl::apply(&mut draft.schema.catalog, ddl, text)
                    .map_err(|error| vec![StatementError::from(error)])?;
                draft.changes.extend(outcome.changes);
                draft.done.notes.extend(outcome.notes);
                draft.done.tags.push(outcome.tag);
                Ok(())
            }
        }
    }

    fn create_procedure(&self, draft: &mut Draft, ast: &ast::Procedure, text: &str) -> Result<(), Vec<StatementError>> {
        let name = &ast.name.name;
        if draft.schema.procedures.contains_key(name) && !ast.or_replace {
            let message = format!("there is a procedure {name} already; use CREATE OR REPLACE, or drop it first");
            return Err(vec![StatementError::new(message, ast.name.span)]);
        }
        let compiled = procedure::compile(ast, text, &draft.schema.catalog).map_err(from_bind)?;
        if let (true, ProcedurePartitioning::Single { parameter, .. }) =
            (compiled.definition.partitioning_found, compiled.definition.partitioning)
        {
            let key = &compiled.definition.parameters[parameter].name;
            draft.done.notes.push(format!("{name} is single-partition by {key}: every statement is fixed to it"));
        }
        draft.done.notes.extend(compiled.notes.iter().cloned());
        draft.put_procedure(compiled);
        draft.done.tags.push("procedure created".to_owned());
        Ok(())
    }

    /// Makes a closure of this program a procedure, or replaces the one of its name.
    pub fn register(&self, native: procedure::NativeDefinition) -> Result<(), Vec<StatementError>> {
        let _one_at_a_time = self.changing.lock();
        let mut draft = self.draft();
        let native = Arc::new(native);
        let compiled = procedure::compile_native(&native, &draft.schema.catalog).map_err(from_bind)?;
        draft.attachments.push(Attachment {
            name: native.name().to_string(),
            file: NATIVE.to_owned(),
            text: String::new(),
        });
        draft.put_procedure(compiled);
        let errors = recompile(&mut draft);
        if !errors.is_empty() {
            return Err(errors);
        }
        self.publish(draft, "").map(drop).map_err(|error| vec![error])
    }

    pub(super) fn draft(&self) -> Draft {
        let current = self.schema();
        let mut draft = Draft {
            schema: Schema { catalog: current.catalog.clone(), procedures: current.procedures.clone() },
            changes: Vec::new(),
            done: Changed::default(),
            replaced: false,
            attachments: Vec::new(),
        };
        draft.schema.catalog.version += 1;
        draft
    }

    /// CREATE PROCEDURE .. FROM CLASS a.b.Name: the text of `Name.sql`, with the partition clause that is written here.
    fn procedure_from_class(
        &self,
        draft: &mut Draft,
        class: &Ident,
        partition: Option<&PartitionClause>,
        with: impl FnOnce(&mut ast::Procedure),
    ) -> Result<(), Vec<StatementError>> {
        let name = Name::new(class.name.as_str().rsplit('.').next().unwrap_or_default());
        let library = self.library.read();
        let found = library.find(&name).map_err(|message| vec![StatementError::new(message, class.span)])?;
        let Some((file, text)) = found else {
            let names = library.names();
            let hint = nearest(name.as_str(), names.iter().map(String::as_str));
            let hint = hint.map_or(String::new(), |n| format!("; did you mean {n}?"));
            let message = format!("no file {name}.sql among the procedures{hint}");
            return Err(vec![StatementError::new(message, class.span)]);
        };
        let attachment = Attachment { name: name.as_str().to_owned(), file: file.clone(), text: text.clone() };
        draft.attachments.push(attachment);
        let origin = Some(Box::new(Origin { file, text: Arc::from(text.as_str()) }));
        let inside = |errors: Vec<StatementError>| -> Vec<StatementError> {
            errors.into_iter().map(|error| error.with_origin(&origin)).collect()
        };
        let (statements, errors) = parse_script(&text);
        if !errors.is_empty() {
            return Err(inside(errors.into_iter().map(StatementError::from).collect()));
        }
        let mut procedures = statements.into_iter().filter_map(|(statement, _)| match statement {
            Statement::Ddl(Ddl::CreateProcedure(procedure)) if procedure.name.name == name => Some(procedure),
            _ => None,
        });
        let Some(mut ast) = procedures.next() else {
            let message = format!("this file does not create a procedure {name}");
            return Err(inside(vec![StatementError::new(message, Span::new(0, text.len().min(1)))]));
        };
        // The clause's names are of the caller's text: errors in it are told there.
        if let Some(clause) = partition {
            check_clause(draft, clause).map_err(|error| vec![error])?;
            ast.partition = Some(clause.clone());
        }
        with(&mut ast);
        self.create_procedure(draft, &ast, &text).map_err(inside)
    }

    /// Changes the stores, and makes the draft the current version.
    fn publish(&self, draft: Draft, text: &str) -> Result<Changed, StatementError> {
        let Draft { schema, changes, done, attachments, .. } = draft;
        let schema = Arc::new(schema);
        let now = self.clock.now_micros();
        let mut all = self.initiator.hold_all();
        if let Some(reason) = all.refusal() {
            return Err(StatementError::from(&TxnError::ReadOnly { reason }));
        }
        apply_all(&mut all, &changes, &schema, now)?;
        for site in all.sites() {
            site.store.finish_apply();
            site.schema = Arc::clone(&schema);
        }
        *self.schema.write() = schema;
        let definition = Definition { now, text: text.to_owned(), attachments };
        let record = Record::Definitions { now, text, attachments: definition.attachments.clone() };
        all.note(self.initiator.log(), &record);
        self.history.lock().push(definition);
        self.initiator.settle_all(all).map_err(|error| StatementError::from(&*error))?;
        self.start_expiry();
        Ok(done)
    }
}

/// Applies the changes to every store, or to none.
fn apply_all(
    all: &mut crate::initiator::AllSites<'_>,
    changes: &[CatalogChange],
    schema: &Schema,
    now: i64,
) -> Result<(), StatementError> {
    let mut applied = 0;
    let mut result = Ok(());
    for site in all.sites() {
        result = site.store.apply(changes, &schema.catalog, now);
        if result.is_err() {
            break;
        }
        applied += 1;
    }
    for change in changes {
        if let (Ok(()), CatalogChange::Repartition(id)) = (&result, change) {
            result = move_rows(all, *id, schema, now);
        }
    }
    result.map_err(|error| {
        all.sites().take(applied).for_each(|site| site.store.undo_apply());
        let sqlstate = error.sqlstate().to_owned();
        StatementError { sqlstate, ..StatementError::unlocated(error.to_string()) }
    })
}

/// Gives every store the rows of a table that it should have.
fn move_rows(
    all: &mut crate::initiator::AllSites<'_>,
    id: TableId,
    schema: &Schema,
    now: i64,
) -> Result<(), StorageError> {
    let Some(table) = schema.catalog.get(id) else { return Ok(()) };
    let mut exports = Vec::new();
    for site in all.sites() {
        // A table that was the same everywhere gives its rows once.
        let was_spread = site.schema.catalog.get(id).is_some_and(|table| table.spread);
        if was_spread || exports.is_empty() {
            exports.push(site.store.export_rows(id));
        }
    }
    for site in all.sites() {
        let own = site.store.partition();
        let hashinator = Arc::clone(&site.hashinator);
        let wanted = |row: &[Datum], arena: &Arena| match table.partition_column {
            Some(column) => owner(&hashinator, row[column], table.columns[column].ty, arena) == own,
            None => true,
        };
        site.store.replace_rows(id, &exports, &schema.catalog, wanted, now)?;
    }
    Ok(())
}

fn from_bind(errors: Vec<BindError>) -> Vec<StatementError> {
    errors.into_iter().map(StatementError::from).collect()
}

/// Compiles every procedure anew. One that no longer fits refuses the batch.
fn recompile(draft: &mut Draft) -> Vec<StatementError> {
    let version = draft.schema.catalog.version;
    let mut errors = Vec::new();
    // Without a change of tables, only callers of what was replaced can be concerned.
    let (all, callers) = (!draft.changes.is_empty(), draft.replaced);
    if !all && !callers {
        return errors;
    }
    let concerned = |p: &&Arc<Procedure>| p.version != version && (all || !p.definition.calls.is_empty());
    let old: Vec<Arc<Procedure>> = draft.schema.procedures.values().filter(concerned).cloned().collect();
    for procedure in old {
        let definition = &procedure.definition;
        let compiled = match &procedure.native {
            Some(native) => {
                procedure::compile_native(native, &draft.schema.catalog).map_err(|errors| errors[0].message.clone())
            }
            None => compile_again(definition, draft),
        };
        match compiled {
            Ok(compiled) => {
                draft.schema.catalog.put_procedure((*compiled.definition).clone());
                draft.schema.procedures.insert(definition.name.clone(), Arc::new(compiled));
            }
            Err(error) => {
                let message = format!(
                    "procedure {} depends on what is changed ({error}); drop it first, or create it anew in the same batch",
                    definition.name
                );
                errors.push(StatementError::unlocated(message));
            }
        }
    }
    errors
}

fn compile_again(definition: &crate::catalog::Procedure, draft: &Draft) -> Result<Procedure, String> {
    let catalog = &draft.schema.catalog;
    let (statements, _) = parse_script(&definition.text);
    let ast = statements.into_iter().find_map(|(statement, _)| match statement {
        Statement::Ddl(Ddl::CreateProcedure(ast)) if ast.name.name == definition.name => Some(ast),
        _ => None,
    });
    let mut ast = ast.expect("its text was parsed when it was created");
    ast.directed = definition.partitioning == ProcedurePartitioning::Directed;
    ast.roles = definition.roles.iter().map(|role| Ident { name: role.clone(), span: Span::NONE }).collect();
    // The clause may have been given from outside of the text.
    ast.partition = match definition.partitioning {
        // What was found is found again, or not.
        _ if definition.partitioning_found => None,
        ProcedurePartitioning::Multi | ProcedurePartitioning::Directed => None,
        ProcedurePartitioning::Single { parameter, table, column } => {
            let Some(table) = catalog.get(table) else { return Err("its partitioned table is gone".to_owned()) };
            let ident = |name: &Name| Ident { name: name.clone(), span: Span::NONE };
            Some(PartitionClause {
                table: ident(&table.name),
                column: ident(&table.columns[column].name),
                parameter: Some(parameter),
            })
        }
    };
    procedure::compile(&ast, &definition.text, catalog).map_err(|errors| errors[0].message.clone())
}

fn check_clause(draft: &Draft, clause: &PartitionClause) -> Result<(), StatementError> {
    match draft.schema.catalog.table(&clause.table.name) {
        None => Err(StatementError::new(format!("no table {}", clause.table.name), clause.table.span)),
        Some(table) if table.column(&clause.column.name).is_none() => {
            let message = format!("no column {} in {}", clause.column.name, table.name);
            Err(StatementError::new(message, clause.column.span))
        }
        Some(_) => Ok(()),
    }
}

fn partition_procedure(draft: &mut Draft, name: &Ident, clause: &PartitionClause) -> Result<(), Vec<StatementError>> {
    let Some(current) = draft.schema.procedures.get(&name.name).cloned() else {
        return Err(vec![StatementError::new(format!("no procedure {}", name.name), name.span)]);
    };
    check_clause(draft, clause).map_err(|error| vec![error])?;
    let mut definition = (*current.definition).clone();
    let table = draft.schema.catalog.table(&clause.table.name).expect("checked").clone();
    definition.partitioning = ProcedurePartitioning::Single {
        parameter: clause.parameter.unwrap_or(0),
        table: table.id,
        column: table.column(&clause.column.name).expect("checked"),
    };
    definition.partitioning_found = false;
    let compiled =
        compile_again(&definition, draft).map_err(|message| vec![StatementError::new(message, name.span)])?;
    draft.put_procedure(compiled);
    draft.done.tags.push("procedure partitioned".to_owned());
    draft.done.notes.push("PARTITION PROCEDURE is deprecated: write PARTITION ON in CREATE PROCEDURE".to_owned());
    Ok(())
}

fn drop_procedure(draft: &mut Draft, name: &Ident, if_exists: bool) -> Result<(), StatementError> {
    if draft.schema.procedures.remove(&name.name).is_some() {
        draft.schema.catalog.remove_procedure(&name.name);
        draft.replaced = true;
        draft.done.tags.push("procedure dropped".to_owned());
        return Ok(());
    }
    if if_exists {
        draft.done.tags.push("nothing dropped".to_owned());
        draft.done.notes.push(format!("there is no procedure {}", name.name));
        return Ok(());
    }
    let hint = nearest(name.name.as_str(), draft.schema.procedures.keys().map(Name::as_str));
    let hint = hint.map_or(String::new(), |n| format!("; did you mean {n}?"));
    Err(StatementError::new(format!("no procedure {}{hint}", name.name), name.span))
}
