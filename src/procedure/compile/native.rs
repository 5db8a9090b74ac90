//! A native procedure: its statements are compiled like those of a body, which itself is a closure.

use super::Compiler;
use crate::catalog::Catalog;
use crate::planner::{BindError, Environment, Placeholders, plan_statement};
use crate::procedure::code::{Extra, Op, Procedure};
use crate::procedure::native::NativeDefinition;
use crate::sql::ast::{self, Body, Ident, PartitionClause, Statement};
use crate::sql::{Span, parse_statement};
use crate::types::Reg;
use std::sync::Arc;

/// Compiles a native procedure against a catalog version. Errors' spans are of the statement that they name.
pub fn compile_native(native: &Arc<NativeDefinition>, catalog: &Catalog) -> Result<Procedure, Vec<BindError>> {
    let parameters = native.parameters.clone();
    let ident = |name: &crate::types::Name| Ident { name: name.clone(), span: Span::NONE };
    let partition = native.partition.as_ref().map(|(table, column, parameter)| PartitionClause {
        table: ident(table),
        column: ident(column),
        parameter: Some(*parameter),
    });
    let ast = ast::Procedure {
        name: ident(&native.name),
        or_replace: false,
        directed: false,
        roles: Vec::new(),
        parameters: Some(Vec::new()),
        partition: partition.clone(),
        returns: native.returns,
        body: Body::Block(Vec::new()),
    };
    let mut compiler = Compiler::new(catalog, &ast, &parameters);
    compiler.partitioning(partition.as_ref(), &parameters);
    for sql in &native.statements {
        if let Err(error) = compiler.native_statement(sql) {
            compiler.errors.push(BindError { message: format!("{} (in: {sql})", error.message), ..error });
        }
    }
    compiler.emit(Op::Extra(Box::new(Extra::Native(native.body.clone()))), Span::NONE);
    if !compiler.errors.is_empty() {
        return Err(compiler.errors);
    }
    let definition = compiler.definition(native.name.clone(), parameters.clone(), "");
    let mut procedure = Procedure {
        definition: Arc::new(definition),
        version: catalog.version,
        code: compiler.finish(),
        native: None,
        notes: Vec::new(),
    };
    procedure.native = Some(Arc::clone(native));
    Ok(procedure)
}

impl Compiler<'_> {
    /// Its `?` lie in the registers behind the parameters, which a call of the statement fills.
    fn native_statement(&mut self, sql: &str) -> Result<(), BindError> {
        let statement = parse_statement(sql).map_err(|error| BindError::new(error.message, error.span))?;
        if matches!(statement, Statement::Ddl(_) | Statement::Exec(_) | Statement::Explain(_)) {
            return Err(BindError::new("a procedure's statements are queries and changes of data", Span::NONE));
        }
        let env = Environment {
            catalog: self.catalog,
            variables: &[],
            first_register: self.next as Reg,
            placeholders: Placeholders { base: self.next as Reg, types: Vec::new() },
            system: None,
        };
        let plan = plan_statement(&statement, &env)?;
        self.program(&plan, false, Span::NONE);
        Ok(())
    }
}
