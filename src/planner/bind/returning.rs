//! RETURNING: expressions over the row as it is after the change, or as it was before it was deleted.

use crate::catalog::Table;
use crate::expr::expr::Expr;
use crate::planner::binder::Binder;
use crate::planner::error::Result;
use crate::planner::plan::{Output, Returning};
use crate::planner::registers::RegSet;
use crate::planner::scope::{Relation, Scope, Source};
use crate::sql::Span;
use crate::sql::ast::{Ident, SelectItem};
use crate::types::Reg;
use std::sync::Arc;

impl<'a> Binder<'a> {
    pub(super) fn returning(
        &mut self,
        table: &Arc<Table>,
        alias: &Ident,
        items: &'a [SelectItem],
    ) -> Result<Option<Returning>> {
        if items.is_empty() {
            return Ok(None);
        }
        let instance = self.add_instance(Arc::clone(table));
        let mut scope = Scope::new();
        scope.no_aggregates = Some("RETURNING");
        scope.no_windows = Some("RETURNING");
        scope.relations.push(Relation { alias: alias.name.clone(), source: Source::Table(instance), nullable: false });
        self.scopes.push(scope);
        let items = self.items(items, Span::NONE);
        self.scopes.pop();
        let there: RegSet = self.instances[instance].columns.iter().map(|&(_, reg)| reg).collect();
        let mut exprs: Vec<(Reg, Expr)> = Vec::new();
        let output = items?
            .into_iter()
            .map(|item| {
                let column = self.output(item, &there, &mut exprs);
                Output { name: column.name, ty: column.ty, reg: column.reg }
            })
            .collect();
        Ok(Some(Returning { columns: self.instances[instance].columns.clone(), exprs, output }))
    }
}
