//! Which registers trees read and fill.

use super::plan::{Access, Node, Scan, Subquery, SubqueryKind};
use crate::expr::expr::{Expr, ExprKind};
use crate::types::Reg;

/// A set of registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RegSet {
    words: Vec<u64>,
}

impl RegSet {
    pub fn insert(&mut self, reg: Reg) {
        let word = reg as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (reg % 64);
    }
    pub fn contains(&self, reg: Reg) -> bool {
        self.words.get(reg as usize / 64).is_some_and(|word| word & (1 << (reg % 64)) != 0)
    }
    pub fn union(&mut self, other: &RegSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }
    pub fn intersection(&self, other: &RegSet) -> RegSet {
        RegSet { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() }
    }
    pub fn is_subset(&self, other: &RegSet) -> bool {
        self.words.iter().enumerate().all(|(i, word)| word & !other.words.get(i).copied().unwrap_or(0) == 0)
    }
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
    pub fn intersects(&self, other: &RegSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }
    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            (0..64u32).filter(move |bit| word & (1 << bit) != 0).map(move |bit| (i as u32 * 64 + bit) as Reg)
        })
    }
}

impl FromIterator<Reg> for RegSet {
    fn from_iter<I: IntoIterator<Item = Reg>>(regs: I) -> RegSet {
        let mut set = RegSet::default();
        regs.into_iter().for_each(|reg| set.insert(reg));
        set
    }
}

/// Calls `f` with each direct operand, left to right.
pub(super) fn operands(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    expr.operands(f);
}

/// [`operands`], to change them.
pub(super) fn operands_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    use ExprKind::*;
    match &mut expr.kind {
        Literal(_) | Reg(_) | Now | Subquery { .. } => {}
        Arithmetic { left, right, .. } | Compare { left, right, .. } => {
            f(left);
            f(right);
        }
        Negate(a) | Not(a) | IsNull(a) | IsTruth(a, _) | Cast(a) => f(a),
        And(list) | Or(list) | Coalesce(list) | Function { arguments: list, .. } => list.iter_mut().for_each(f),
        InList { operand, list } => {
            f(operand);
            list.iter_mut().for_each(f);
        }
        Case { branches, otherwise } => {
            for (condition, value) in branches {
                f(condition);
                f(value);
            }
            if let Some(value) = otherwise {
                f(value);
            }
        }
        Like { operand, pattern, .. } => {
            f(operand);
            f(pattern);
        }
        StartsWith { operand, prefix } => {
            f(operand);
            f(prefix);
        }
    }
}

/// True for `expr` or any part of it, the inside of subqueries excluded.
pub(super) fn any_part(expr: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    if test(expr) {
        return true;
    }
    let mut found = false;
    operands(expr, &mut |operand| found = found || any_part(operand, test));
    found
}

pub(super) fn has_subquery(expr: &Expr) -> bool {
    any_part(expr, &|part| matches!(part.kind, ExprKind::Subquery { .. }))
}

/// Replaces every part for which `f` has something else; what it gives isn't looked into again.
pub(super) fn replace(expr: &mut Expr, f: &dyn Fn(&Expr) -> Option<Expr>) {
    match f(expr) {
        Some(other) => *expr = other,
        None => operands_mut(expr, &mut |operand| replace(operand, f)),
    }
}

/// The registers that `expr` reads, those that its subqueries read inside included.
pub(super) fn reads(expr: &Expr, subqueries: &[Subquery], into: &mut RegSet) {
    match &expr.kind {
        ExprKind::Reg(reg) => into.insert(*reg),
        ExprKind::Subquery { index, .. } => subquery_reads(&subqueries[*index], subqueries, into),
        _ => operands(expr, &mut |operand| reads(operand, subqueries, into)),
    }
}

fn subquery_reads(subquery: &Subquery, subqueries: &[Subquery], into: &mut RegSet) {
    node_reads(&subquery.root, subqueries, into);
    subquery_exprs(subquery, &mut |expr| reads(expr, subqueries, into));
}

/// The expressions that a subquery's kind has.
pub(super) fn subquery_exprs(subquery: &Subquery, f: &mut dyn FnMut(&Expr)) {
    match &subquery.kind {
        SubqueryKind::Scalar { .. } | SubqueryKind::Exists => {}
        SubqueryKind::In { operands, .. } => operands.iter().for_each(f),
        SubqueryKind::Quantified { test, .. } => f(test),
    }
}

fn node_reads(node: &Node, subqueries: &[Subquery], into: &mut RegSet) {
    node_exprs(node, &mut |expr| reads(expr, subqueries, into));
    inputs(node, &mut |input| node_reads(input, subqueries, into));
}

/// The nodes right below.
pub(super) fn inputs<'n>(node: &'n Node, f: &mut dyn FnMut(&'n Node)) {
    match node {
        Node::One | Node::Values { .. } | Node::Scan(_) | Node::Rows { .. } | Node::Working { .. } => {}
        Node::Filter { input, .. }
        | Node::Compute { input, .. }
        | Node::Aggregate { input, .. }
        | Node::Window { input, .. }
        | Node::Sort { input, .. }
        | Node::Distinct { input, .. }
        | Node::Limit { input, .. } => f(input),
        Node::Join { outer, inner, .. } => {
            f(outer);
            f(inner);
        }
        Node::HashJoin { probe, build, .. } => {
            f(probe);
            f(build);
        }
        Node::SetOperation { left, right, .. } => {
            f(left);
            f(right);
        }
        Node::Recursive { base, step, .. } => {
            f(base);
            f(step);
        }
    }
}

/// The expressions of this node alone.
pub(super) fn node_exprs(node: &Node, f: &mut dyn FnMut(&Expr)) {
    match node {
        Node::One | Node::Rows { .. } | Node::Working { .. } | Node::Distinct { .. } => {}
        Node::Values { rows, .. } => rows.iter().flatten().for_each(f),
        Node::Scan(scan) => scan_exprs(scan, f),
        Node::Filter { predicate, .. } => f(predicate),
        Node::Compute { exprs, .. } => exprs.iter().for_each(|(_, expr)| f(expr)),
        Node::Join { on, .. } => on.iter().for_each(f),
        Node::HashJoin { probe_keys, build_keys, on, .. } => {
            probe_keys.iter().chain(build_keys).chain(on).for_each(f);
        }
        Node::Aggregate { keys, calls, .. } => {
            keys.iter().for_each(|(_, expr)| f(expr));
            calls.iter().flat_map(|call| &call.argument).for_each(f);
        }
        Node::Window { partition_by, order_by, calls, .. } => {
            partition_by.iter().for_each(&mut *f);
            order_by.iter().for_each(|key| f(&key.expr));
            calls.iter().flat_map(|call| &call.arguments).for_each(f);
        }
        Node::Sort { keys, top, .. } => {
            keys.iter().for_each(|key| f(&key.expr));
            top.iter().for_each(f);
        }
        Node::Limit { limit, offset, .. } => limit.iter().chain(offset).for_each(f),
        Node::SetOperation { left_columns, right_columns, .. } => {
            left_columns.iter().chain(right_columns).for_each(f);
        }
        Node::Recursive { base_columns, step_columns, .. } => {
            base_columns.iter().chain(step_columns).for_each(f);
        }
    }
}

pub(super) fn scan_exprs(scan: &Scan, f: &mut dyn FnMut(&Expr)) {
    match &scan.access {
        Access::Full => {}
        Access::Equal { key, .. } => key.iter().for_each(&mut *f),
        Access::Range { equal, low, high, .. } => {
            equal.iter().for_each(&mut *f);
            low.iter().chain(high).for_each(|(bound, _)| f(bound));
        }
    }
    scan.filter.iter().chain(&scan.partition).for_each(f);
}

/// The registers that a node leaves filled for what is above it.
pub(super) fn fills(node: &Node) -> RegSet {
    let mut set = RegSet::default();
    add_fills(node, &mut set);
    set
}

fn add_fills(node: &Node, set: &mut RegSet) {
    match node {
        Node::One => {}
        Node::Values { out, .. } | Node::Working { out, .. } => out.iter().for_each(|&reg| set.insert(reg)),
        Node::Scan(scan) => {
            scan.columns.iter().for_each(|&(_, reg)| set.insert(reg));
            scan.row.iter().for_each(|&reg| set.insert(reg));
        }
        Node::Rows { columns, .. } => columns.iter().for_each(|&(_, reg)| set.insert(reg)),
        Node::Filter { input, .. } | Node::Limit { input, .. } | Node::Sort { input, .. } => add_fills(input, set),
        Node::Compute { input, exprs } => {
            add_fills(input, set);
            exprs.iter().for_each(|&(reg, _)| set.insert(reg));
        }
        Node::Join { kind, outer, inner, .. } => {
            add_fills(outer, set);
            if !matches!(kind, super::plan::JoinKind::Semi | super::plan::JoinKind::Anti) {
                add_fills(inner, set);
            }
        }
        Node::HashJoin { kind, probe, build, .. } => {
            add_fills(probe, set);
            if !matches!(kind, super::plan::JoinKind::Semi | super::plan::JoinKind::Anti) {
                add_fills(build, set);
            }
        }
        Node::Aggregate { keys, calls, .. } => {
            keys.iter().for_each(|&(reg, _)| set.insert(reg));
            calls.iter().for_each(|call| set.insert(call.out));
        }
        Node::Window { input, calls, .. } => {
            add_fills(input, set);
            calls.iter().for_each(|call| set.insert(call.out));
        }
        Node::Distinct { columns, .. } => columns.iter().for_each(|&(reg, _)| set.insert(reg)),
        Node::SetOperation { out, .. } | Node::Recursive { out, .. } => {
            out.iter().for_each(|&(reg, _)| set.insert(reg));
        }
    }
}

/// [`inputs`], to change them.
pub(super) fn inputs_mut(node: &mut Node, f: &mut dyn FnMut(&mut Node)) {
    match node {
        Node::One | Node::Values { .. } | Node::Scan(_) | Node::Rows { .. } | Node::Working { .. } => {}
        Node::Filter { input, .. }
        | Node::Compute { input, .. }
        | Node::Aggregate { input, .. }
        | Node::Window { input, .. }
        | Node::Sort { input, .. }
        | Node::Distinct { input, .. }
        | Node::Limit { input, .. } => f(input),
        Node::Join { outer: a, inner: b, .. }
        | Node::HashJoin { probe: a, build: b, .. }
        | Node::SetOperation { left: a, right: b, .. }
        | Node::Recursive { base: a, step: b, .. } => {
            f(a);
            f(b);
        }
    }
}
