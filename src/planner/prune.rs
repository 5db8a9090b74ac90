//! Takes out what nobody reads: columns of scans, computed values, aggregates; and fills in which registers the nodes
//! that keep rows (sort, window, joins) must keep.

use super::plan::{Node, Subquery, SubqueryKind};
use super::registers::{RegSet, fills, operands, scan_exprs};
use crate::expr::expr::{Expr, ExprKind};
use crate::sql::ast::SetOp;

/// Prunes a statement from its top down. Whatever reads a register stands above (or, in the inner side of a join, beside)
/// what fills it, so one pass is enough.
pub(super) struct Pruner<'s> {
    pub subqueries: &'s mut Vec<Subquery>,
    /// Registers that somebody above reads.
    pub used: RegSet,
    /// Leaves the columns of scans, so that one can still see what an index key says of them.
    pub keep_columns: bool,
}

impl Pruner<'_> {
    pub fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Reg(reg) => self.used.insert(*reg),
            ExprKind::Subquery { index, .. } => self.subquery(*index),
            _ => operands(expr, &mut |operand| self.expr(operand)),
        }
    }

    fn subquery(&mut self, index: usize) {
        let mut kind = std::mem::replace(&mut self.subqueries[index].kind, SubqueryKind::Exists);
        let mut root = std::mem::replace(&mut self.subqueries[index].root, Node::One);
        match &mut kind {
            SubqueryKind::Scalar { value } => self.used.insert(*value),
            SubqueryKind::Exists => {}
            SubqueryKind::In { operands, columns } => {
                columns.iter().for_each(|&(reg, _)| self.used.insert(reg));
                operands.iter().for_each(|operand| self.expr(operand));
            }
            SubqueryKind::Quantified { test, .. } => self.expr(test),
        }
        self.node(&mut root);
        self.subqueries[index].kind = kind;
        self.subqueries[index].root = root;
    }

    pub fn node(&mut self, node: &mut Node) {
        match node {
            Node::One => {}
            Node::Values { rows, out } => {
                let keep: Vec<bool> = out.iter().map(|&reg| self.used.contains(reg)).collect();
                retain(out, &keep);
                rows.iter_mut().for_each(|row| retain(row, &keep));
                rows.iter().flatten().for_each(|expr| self.expr(expr));
            }
            Node::Scan(scan) => {
                scan_exprs(scan, &mut |expr| self.expr(expr));
                scan.columns.retain(|&(_, reg)| self.keep_columns || self.used.contains(reg));
                // An order that depends on nothing but the columns: plans read better so.
                scan.columns.sort_unstable();
            }
            Node::Rows { columns, .. } => columns.retain(|&(_, reg)| self.used.contains(reg)),
            Node::Filter { input, predicate } => {
                self.expr(predicate);
                self.node(input);
            }
            Node::Compute { input, exprs } => {
                exprs.retain(|&(reg, _)| self.used.contains(reg));
                exprs.iter().for_each(|(_, expr)| self.expr(expr));
                self.node(input);
                if exprs.is_empty() {
                    *node = std::mem::replace(&mut **input, Node::One);
                }
            }
            Node::Join { outer, inner, on, inner_out, .. } => {
                *inner_out = fills(inner).intersection(&self.used).iter().collect();
                on.iter().for_each(|on| self.expr(on));
                self.node(inner);
                self.node(outer);
            }
            Node::HashJoin { .. } => self.hash_join(node),
            Node::Aggregate { input, keys, calls } => {
                calls.retain(|call| self.used.contains(call.out));
                keys.iter().for_each(|(_, key)| self.expr(key));
                calls.iter().flat_map(|call| &call.argument).for_each(|argument| self.expr(argument));
                self.node(input);
            }
            Node::Window { .. } => self.window(node),
            Node::Sort { input, keys, carry, top } => {
                *carry = fills(input).intersection(&self.used).iter().collect();
                keys.iter().for_each(|key| self.expr(&key.expr));
                top.iter().for_each(|top| self.expr(top));
                self.node(input);
            }
            Node::Distinct { input, columns } => {
                columns.iter().for_each(|&(reg, _)| self.used.insert(reg));
                self.node(input);
            }
            Node::Limit { input, limit, offset } => {
                limit.iter().chain(offset.iter()).for_each(|expr| self.expr(expr));
                self.node(input);
            }
            Node::SetOperation { .. } => self.set_operation(node),
            Node::Recursive { base, base_columns, step, step_columns, .. } => {
                base_columns.iter().chain(step_columns.iter()).for_each(|expr| self.expr(expr));
                self.node(step);
                self.node(base);
            }
            Node::Working { .. } => {}
        }
    }

    fn hash_join(&mut self, node: &mut Node) {
        let Node::HashJoin { probe, build, probe_keys, build_keys, build_out, probe_out, on, .. } = node else {
            unreachable!("called for hash joins only")
        };
        on.iter().for_each(|on| self.expr(on));
        *build_out = fills(build).intersection(&self.used).iter().collect();
        *probe_out = fills(probe).intersection(&self.used).iter().collect();
        probe_keys.iter().chain(build_keys.iter()).for_each(|key| self.expr(key));
        self.node(build);
        self.node(probe);
    }

    fn window(&mut self, node: &mut Node) {
        let Node::Window { input, carry, partition_by, order_by, calls } = node else {
            unreachable!("called for windows only")
        };
        calls.retain(|call| self.used.contains(call.out));
        if calls.is_empty() {
            *node = std::mem::replace(&mut **input, Node::One);
            return self.node(node);
        }
        *carry = fills(input).intersection(&self.used).iter().collect();
        partition_by.iter().for_each(|expr| self.expr(expr));
        order_by.iter().for_each(|key| self.expr(&key.expr));
        calls.iter().flat_map(|call| &call.arguments).for_each(|argument| self.expr(argument));
        self.node(input);
    }

    /// Columns of UNION ALL that nobody reads; the other operations compare whole rows.
    fn set_operation(&mut self, node: &mut Node) {
        let Node::SetOperation { op, all, left, left_columns, right, right_columns, out } = node else {
            unreachable!("called for set operations only")
        };
        if *all && *op == SetOp::Union {
            let keep: Vec<bool> = out.iter().map(|&(reg, _)| self.used.contains(reg)).collect();
            retain(out, &keep);
            retain(left_columns, &keep);
            retain(right_columns, &keep);
        }
        left_columns.iter().chain(right_columns.iter()).for_each(|expr| self.expr(expr));
        self.node(right);
        self.node(left);
    }
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| *keep.next().expect("one flag for each"));
}
