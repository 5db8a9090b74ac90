//! One SELECT: FROM, WHERE, GROUP BY, the list, HAVING, ORDER BY, in the order in which they mean something.

use super::group::{has_aggregate, position};
use super::query::{Tail, sort_key};
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::binder::{Binder, OutColumn, Rows};
use crate::planner::error::{Result, fail};
use crate::planner::from::From;
use crate::planner::plan::{Node, SortKey};
use crate::planner::registers::RegSet;
use crate::planner::scope::Scope;
use crate::sql::Span;
use crate::sql::ast::{self, ExprKind as Ast, Ident, SelectItem};
use crate::types::{Name, Reg, Value};

/// A column of the SELECT list.
pub(super) struct Item {
    pub name: String,
    pub expr: Expr,
}

impl<'a> Binder<'a> {
    pub(super) fn select(&mut self, select: &'a ast::Select, tail: Tail<'a>) -> Result<Rows> {
        self.scopes.push(Scope::new());
        let rows = self.select_in_scope(select, tail);
        self.scopes.pop();
        rows
    }

    fn select_in_scope(&mut self, select: &'a ast::Select, tail: Tail<'a>) -> Result<Rows> {
        let mut from = self.bind_from(&select.from)?;
        if let Some(filter) = &select.filter {
            self.scope().no_aggregates = Some("WHERE");
            self.scope().no_windows = Some("WHERE");
            let conjuncts = self.conjuncts(filter, "WHERE")?;
            from = from.filter(conjuncts);
        }
        let grouped = is_grouped(select, tail);
        if grouped {
            self.group_by(select)?;
        }
        self.scope().no_aggregates = None;
        self.scope().no_windows = None;
        let items = self.items(&select.items, select.span)?;
        let having = self.having(select, &items)?;
        let keys = self.select_order(tail, &items, select.distinct)?;
        if grouped {
            let grouping = self.scope().grouping.take().expect("GROUP BY was bound");
            from = From::Aggregate { input: Box::new(from), keys: grouping.keys, calls: grouping.calls }.filter(having);
        }
        from = self.windows(from);
        self.select_output(from, items, keys, select.distinct, tail)
    }

    fn having(&mut self, select: &'a ast::Select, items: &[Item]) -> Result<Vec<Expr>> {
        let Some(having) = &select.having else { return Ok(Vec::new()) };
        self.scope().no_windows = Some("HAVING");
        self.scope().aliases = aliases(items);
        let conjuncts = self.conjuncts(having, "HAVING");
        self.scope().aliases.clear();
        let mut conjuncts = conjuncts?;
        conjuncts.iter_mut().try_for_each(|conjunct| self.regroup(conjunct))?;
        Ok(conjuncts)
    }

    pub(super) fn items(&mut self, items: &'a [SelectItem], span: Span) -> Result<Vec<Item>> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            match item {
                SelectItem::Wildcard(at) => self.wildcard(None, *at, &mut out)?,
                SelectItem::QualifiedWildcard(table) => self.wildcard(Some(table), table.span, &mut out)?,
                SelectItem::Expr { expr, alias } => {
                    let mut bound = self.expr(expr)?;
                    self.regroup(&mut bound)?;
                    let name = match (alias, &expr.kind) {
                        (Some(alias), _) => alias.name.to_string(),
                        (None, Ast::Column { qualifier, column }) => self.declared(qualifier.as_ref(), column),
                        (None, Ast::Variable(name)) => name.name.to_string(),
                        (None, _) => format!("C{}", out.len() + 1),
                    };
                    out.push(Item { name, expr: bound });
                }
            }
        }
        if out.is_empty() {
            return fail("nothing to select", span);
        }
        Ok(out)
    }

    /// A column's name as it was declared.
    fn declared(&self, qualifier: Option<&Ident>, column: &Ident) -> String {
        let relations = self.scopes.iter().rev().filter(|s| s.visible).flat_map(|s| &s.relations);
        relations
            .filter(|relation| qualifier.is_none_or(|q| q.name == relation.alias))
            .flat_map(|relation| self.relation_columns(relation))
            .find(|name| *name == column.name)
            .map_or_else(|| column.name.to_string(), |name| name.to_string())
    }

    /// `*`: columns that USING made one first, then the others. `t.*`: those of `t`.
    fn wildcard(&mut self, table: Option<&Ident>, span: Span, out: &mut Vec<Item>) -> Result<()> {
        let depth = self.scopes.len() - 1;
        let scope = &self.scopes[depth];
        if scope.relations.is_empty() {
            return fail("* needs a FROM", span);
        }
        let mut skip: Vec<(usize, usize)> = Vec::new();
        if table.is_none() {
            for merged in &scope.merged {
                skip.extend(&merged.members);
                out.push(Item { name: merged.name.to_string(), expr: merged.value.clone() });
            }
        } else if let Some(table) = table
            && !scope.relations.iter().any(|r| r.alias == table.name)
        {
            let names = scope.relations.iter().map(|r| r.alias.as_str());
            let hint = crate::planner::error::did_you_mean(table.name.as_str(), names);
            return fail(format!("no table {} in FROM{hint}", table.name), table.span);
        }
        for relation in 0..self.scopes[depth].relations.len() {
            let of = &self.scopes[depth].relations[relation];
            if table.is_some_and(|table| table.name != of.alias) {
                continue;
            }
            for (column, name) in self.relation_columns(of).into_iter().enumerate() {
                if !skip.contains(&(relation, column)) {
                    let expr = self.relation_column(depth, relation, column);
                    let mut expr = self.grouped(depth, expr, name.as_str(), span)?;
                    self.regroup(&mut expr)?;
                    out.push(Item { name: name.to_string(), expr });
                }
            }
        }
        Ok(())
    }

    /// ORDER BY of a SELECT: positions, names of the list, any expression.
    fn select_order(&mut self, tail: Tail<'a>, items: &[Item], distinct: bool) -> Result<Vec<SortKey>> {
        self.scope().no_windows = None;
        self.scope().aliases = aliases(items);
        let mut keys = Vec::with_capacity(tail.order_by.len());
        for key in tail.order_by {
            let expr = self.order_expr(&key.expr, items)?;
            if distinct && !items.iter().any(|item| item.expr.kind == expr.kind) {
                return fail("ORDER BY with DISTINCT takes only what is selected", key.expr.span);
            }
            keys.push(sort_key(expr, key));
        }
        self.scope().aliases.clear();
        Ok(keys)
    }

    fn order_expr(&mut self, e: &'a ast::Expr, items: &[Item]) -> Result<Expr> {
        match &e.kind {
            Ast::Literal(Value::Int(n)) => {
                let item = usize::try_from(*n).ok().and_then(|n| items.get(n.wrapping_sub(1)));
                match item {
                    Some(item) => Ok(item.expr.clone()),
                    None => fail(position("ORDER BY", *n, items.len()), e.span),
                }
            }
            Ast::Column { qualifier: None, column } => {
                let mut named = items.iter().filter(|item| column.name == *item.name.as_str());
                match (named.next(), named.next()) {
                    (Some(item), other) => {
                        if other.is_some_and(|other| other.expr.kind != item.expr.kind) {
                            let message = format!(
                                "ORDER BY {} is ambiguous: several columns of the SELECT have that name",
                                column.name
                            );
                            return fail(message, e.span);
                        }
                        Ok(item.expr.clone())
                    }
                    (None, _) => self.order_value(e),
                }
            }
            _ => self.order_value(e),
        }
    }

    fn order_value(&mut self, e: &'a ast::Expr) -> Result<Expr> {
        let mut bound = self.expr(e)?;
        self.regroup(&mut bound)?;
        Ok(bound)
    }

    /// Window nodes over `from`, one for each kind of partition and order.
    fn windows(&mut self, from: From) -> From {
        let windows = std::mem::take(&mut self.scope().windows);
        if windows.is_empty() {
            return from;
        }
        let mut node = self.lower(from);
        for window in windows {
            node = Node::Window {
                input: Box::new(node),
                carry: Vec::new(),
                partition_by: window.partition_by,
                order_by: window.order_by,
                calls: window.calls,
            };
        }
        From::Node(node)
    }

    /// Computes the list, below or above the sort, whichever is less work, and the end of the query.
    fn select_output(
        &mut self,
        from: From,
        items: Vec<Item>,
        mut keys: Vec<SortKey>,
        distinct: bool,
        tail: Tail<'a>,
    ) -> Result<Rows> {
        let there = from.fills(&self.instances);
        let mut computed: Vec<(Reg, Expr)> = Vec::new();
        let columns: Vec<OutColumn> = items.into_iter().map(|item| self.output(item, &there, &mut computed)).collect();
        for key in &mut keys {
            if let Some((reg, expr)) = computed.iter().find(|(_, expr)| expr.kind == key.expr.kind) {
                key.expr = Expr::reg(*reg, expr.ty, expr.nullable);
            }
        }
        let is_key = |reg: Reg| keys.iter().any(|key| key.expr.as_reg() == Some(reg));
        let (below, above): (Vec<_>, Vec<_>) = computed.into_iter().partition(|&(reg, _)| distinct || is_key(reg));
        let mut from = from.compute(below);
        if distinct {
            let input = Box::new(self.lower(from));
            from = From::Node(Node::Distinct { input, columns: columns.iter().map(|c| (c.reg, c.ty)).collect() });
        }
        let from = self.sort_and_limit(from, keys, tail)?.compute(above);
        Ok(Rows { from, columns })
    }

    /// The register of a select item: the one where it is already, or a new one that is to be computed.
    pub(super) fn output(&mut self, item: Item, there: &RegSet, computed: &mut Vec<(Reg, Expr)>) -> OutColumn {
        let Expr { ty, nullable, .. } = item.expr;
        let reg = match item.expr.as_reg() {
            Some(reg) if there.contains(reg) => reg,
            _ => match computed.iter().find(|(_, expr)| expr.kind == item.expr.kind && expr.ty == ty) {
                Some((reg, _)) => *reg,
                None => {
                    let reg = self.fresh();
                    computed.push((reg, item.expr));
                    reg
                }
            },
        };
        OutColumn { name: item.name, reg, ty, nullable }
    }
}

fn aliases(items: &[Item]) -> Vec<(Name, Expr)> {
    let named = items.iter().filter(|item| !matches!(item.expr.kind, ExprKind::Literal(Value::Null)));
    named.map(|item| (Name::new(&item.name), item.expr.clone())).collect()
}

/// GROUP BY, HAVING, or an aggregate anywhere in the list or the order.
fn is_grouped(select: &ast::Select, tail: Tail<'_>) -> bool {
    !select.group_by.is_empty()
        || select.having.is_some()
        || select.items.iter().any(|item| matches!(item, SelectItem::Expr { expr, .. } if has_aggregate(expr)))
        || tail.order_by.iter().any(|key| has_aggregate(&key.expr))
}
