//! How a table's rows are found: which index, with which keys, and what is left to test.

use super::bind::coerce::Family;
use super::binder::{Binder, Instance};
use super::from::From;
use super::lower::predicate;
use super::plan::{Access, Node, Scan, SortKey};
use super::registers::{RegSet, operands_mut, replace};
use crate::catalog::{Index, IndexKind};
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::types::DataType;

/// An access path and the conditions that it guarantees.
struct Choice {
    access: Access,
    /// Positions among the conjuncts.
    guaranteed: Vec<usize>,
    /// Positions of the conditions that gave the keys for equality.
    equal: Vec<usize>,
    score: usize,
}

impl Binder<'_> {
    pub(super) fn scan(&self, instance: usize, conjuncts: Vec<Expr>) -> Node {
        let choice = self.choose(instance, &conjuncts);
        let instance = &self.instances[instance];
        let (access, guaranteed) = match choice {
            Some(choice) => (choice.access, choice.guaranteed),
            None => (Access::Full, Vec::new()),
        };
        let mut at = 0;
        let mut left = conjuncts;
        left.retain(|_| {
            at += 1;
            !guaranteed.contains(&(at - 1))
        });
        Node::Scan(Scan {
            table: instance.table.id,
            columns: instance.columns.clone(),
            row: instance.row,
            access,
            filter: predicate(left),
            partition: None,
        })
    }

    /// True if constants (nothing of this FROM) find at most one row by a unique index.
    pub(super) fn is_unique_lookup(&self, leaf: &From, own: &[Expr], local: &RegSet) -> bool {
        let Some((instance, conjuncts)) = table_of(leaf, own) else { return false };
        let Some(choice) = self.choose(instance, &conjuncts) else { return false };
        let Access::Equal { key, unique: true, .. } = &choice.access else { return false };
        key.iter().all(|expr| !self.reads(expr).intersects(local))
    }

    /// True if an index of the leaf's table finds rows by values of the outer side.
    pub(super) fn is_join_lookup(&self, leaf: &From, own: &[Expr], on: &[Expr], outer: &RegSet) -> bool {
        let all: Vec<Expr> = own.iter().chain(on).cloned().collect();
        let Some((instance, conjuncts)) = table_of(leaf, &all) else { return false };
        let Some(choice) = self.choose(instance, &conjuncts) else { return false };
        choice.equal.iter().any(|&at| self.reads(&conjuncts[at]).intersects(outer))
    }

    /// The best index for these conditions, if any helps.
    fn choose(&self, instance: usize, conjuncts: &[Expr]) -> Option<Choice> {
        let instance = &self.instances[instance];
        let mut best: Option<Choice> = None;
        for (at, index) in instance.table.indexes.iter().enumerate() {
            if let Some(choice) = self.try_index(instance, at, index, conjuncts)
                && best.as_ref().is_none_or(|best| choice.score > best.score)
            {
                best = Some(choice);
            }
        }
        best
    }

    fn try_index(&self, instance: &Instance, at: usize, index: &Index, conjuncts: &[Expr]) -> Option<Choice> {
        if let Some(filter) = &index.filter
            && !implied(filter, instance, conjuncts)
        {
            return None;
        }
        let own: RegSet = instance.columns.iter().map(|&(_, reg)| reg).collect();
        let (mut key, mut equal) = (Vec::new(), Vec::new());
        let mut bounds = None;
        for part in &index.keys {
            let Some(expr) = mapped(&part.expr, instance) else { break };
            match self.find(&expr, &[Comparison::Eq], conjuncts, &own) {
                Some((position, value)) => {
                    key.push(value);
                    equal.push(position);
                }
                None => {
                    bounds = Some((
                        self.find(&expr, &[Comparison::Gt, Comparison::GtEq], conjuncts, &own),
                        self.find(&expr, &[Comparison::Lt, Comparison::LtEq], conjuncts, &own),
                        part.expr.nullable,
                    ));
                    break;
                }
            }
        }
        let unique = index.unique || index.assume_unique;
        if key.len() == index.keys.len() {
            let score = if unique { 10_000 } else { 5_000 } + 10 * key.len();
            return Some(Choice {
                access: Access::Equal { index: at, key, unique },
                guaranteed: equal.clone(),
                equal,
                score,
            });
        }
        if index.kind == IndexKind::Hash {
            return None;
        }
        let (low, high, nullable) = bounds.unwrap_or((None, None, false));
        let score = 10 * key.len() + 3 * (usize::from(low.is_some()) + usize::from(high.is_some()));
        if score == 0 {
            return None;
        }
        let mut guaranteed = equal.clone();
        guaranteed.extend(low.as_ref().map(|(position, _)| *position));
        // Without a lower end the range starts with NULL, which no comparison is true for.
        if low.is_some() || !nullable {
            guaranteed.extend(high.as_ref().map(|(position, _)| *position));
        }
        let bound =
            |found: Option<(usize, Expr)>| found.map(|(position, value)| (value, is_inclusive(&conjuncts[position])));
        let access = Access::Range { index: at, equal: key, low: bound(low), high: bound(high), descending: false };
        Some(Choice { access, guaranteed, equal, score })
    }

    /// The first `key op value` (or `value op' key`) whose value needs nothing of this table.
    fn find(&self, key: &Expr, ops: &[Comparison], conjuncts: &[Expr], own: &RegSet) -> Option<(usize, Expr)> {
        conjuncts.iter().enumerate().find_map(|(position, conjunct)| {
            let ExprKind::Compare { op, left, right } = &conjunct.kind else { return None };
            let value = if ops.contains(op) && same(left, key) {
                right
            } else if ops.contains(&mirrored(*op)) && same(right, key) {
                left
            } else {
                return None;
            };
            let known = !self.reads(value).intersects(own) && Family::of(value.ty) == Family::of(key.ty);
            known.then(|| (position, value.as_ref().clone()))
        })
    }

    /// The node with its scan reading an ordered index that gives the wanted order; the node itself if none does.
    /// Only for tables that are the same in all partitions: otherwise rows of several partitions meet.
    #[allow(clippy::result_large_err)] // not an error: the node goes back to its owner
    pub(super) fn in_index_order(&self, node: Node, keys: &[SortKey]) -> Result<Node, Node> {
        match node {
            Node::Compute { input, exprs } => match self.in_index_order(*input, keys) {
                Ok(input) => Ok(Node::Compute { input: Box::new(input), exprs }),
                Err(input) => Err(Node::Compute { input: Box::new(input), exprs }),
            },
            Node::Scan(mut scan) => match self.ordered_access(&scan, keys) {
                Some(access) => {
                    scan.access = access;
                    Ok(Node::Scan(scan))
                }
                None => Err(Node::Scan(scan)),
            },
            node => Err(node),
        }
    }

    fn ordered_access(&self, scan: &Scan, keys: &[SortKey]) -> Option<Access> {
        let table = self.catalog.table_by_id(scan.table);
        let descending = keys.first()?.descending;
        // NULL sorts lowest in an index, as it does by default.
        if table.spread || keys.iter().any(|key| key.descending != descending || key.nulls_first == descending) {
            return None;
        }
        let fits = |index: &Index, skip: usize| {
            index.kind == IndexKind::Ordered
                && skip + keys.len() <= index.keys.len()
                && index.keys[skip..].iter().zip(keys).all(|(part, key)| {
                    let column = scan.columns.iter().find(|&&(_, reg)| key.expr.as_reg() == Some(reg));
                    part.column.is_some() && part.column == column.map(|&(column, _)| column)
                })
        };
        match &scan.access {
            Access::Equal { unique: true, .. } => Some(scan.access.clone()),
            Access::Equal { .. } => None,
            Access::Range { index, equal, low, high, .. } => fits(&table.indexes[*index], equal.len()).then(|| {
                let (index, equal, low, high) = (*index, equal.clone(), low.clone(), high.clone());
                Access::Range { index, equal, low, high, descending }
            }),
            Access::Full => {
                let usable = |index: &&std::sync::Arc<Index>| index.filter.is_none() && fits(index, 0);
                let index = table.indexes.iter().position(|index| usable(&index))?;
                Some(Access::Range { index, equal: Vec::new(), low: None, high: None, descending })
            }
        }
    }
}

/// The table that a leaf of FROM reads, and all conditions on it.
fn table_of(leaf: &From, conjuncts: &[Expr]) -> Option<(usize, Vec<Expr>)> {
    match leaf {
        From::Table(instance) => Some((*instance, conjuncts.to_vec())),
        From::Compute { input, .. } => table_of(input, conjuncts),
        From::Filter { input, conjuncts: own } => {
            let mut all = own.clone();
            all.extend_from_slice(conjuncts);
            table_of(input, &all)
        }
        _ => None,
    }
}

/// An expression of the catalog, where register `i` is column `i`, over the registers of an instance.
fn mapped(expr: &Expr, instance: &Instance) -> Option<Expr> {
    let known = std::cell::Cell::new(true);
    let mut out = expr.clone();
    replace(&mut out, &|part| {
        let column = part.as_reg()? as usize;
        match instance.columns.iter().find(|(c, _)| *c == column) {
            Some(&(_, reg)) => Some(Expr::reg(reg, part.ty, part.nullable)),
            None => {
                known.set(false);
                None
            }
        }
    });
    known.get().then_some(out)
}

/// The same value: types that differ only in width, and what is known of NULL, don't matter.
fn same(a: &Expr, b: &Expr) -> bool {
    match (a.as_reg(), b.as_reg()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a == b || plain(a) == plain(b),
        _ => false,
    }
}

fn plain(expr: &Expr) -> Expr {
    let mut out = expr.clone();
    strip(&mut out);
    out
}

fn strip(expr: &mut Expr) {
    expr.nullable = true;
    if !matches!(expr.kind, ExprKind::Cast(_)) {
        expr.ty = match expr.ty {
            ty if ty.is_integer() => DataType::BigInt,
            ty if ty.is_text() => DataType::TEXT,
            ty => ty,
        };
    }
    operands_mut(expr, &mut strip);
}

/// True if each term of a partial index's condition stands among the conjuncts.
fn implied(filter: &Expr, instance: &Instance, conjuncts: &[Expr]) -> bool {
    let terms = match &filter.kind {
        ExprKind::And(terms) => terms.as_slice(),
        _ => std::slice::from_ref(filter),
    };
    terms
        .iter()
        .all(|term| mapped(term, instance).is_some_and(|term| conjuncts.iter().any(|conjunct| same(conjunct, &term))))
}

fn mirrored(op: Comparison) -> Comparison {
    match op {
        Comparison::Lt => Comparison::Gt,
        Comparison::LtEq => Comparison::GtEq,
        Comparison::Gt => Comparison::Lt,
        Comparison::GtEq => Comparison::LtEq,
        op => op,
    }
}

fn is_inclusive(conjunct: &Expr) -> bool {
    matches!(&conjunct.kind, ExprKind::Compare { op: Comparison::LtEq | Comparison::GtEq, .. })
}
