//! From trees whose conditions can move to nodes: each condition goes to the lowest place where its registers are there,
//! joins get their order and kind.

use super::bind::expr::logic_of;
use super::binder::Binder;
use super::from::From;
use super::plan::{JoinKind, Node, SortKey};
use super::registers::{RegSet, has_subquery, reads, replace};
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::types::DataType;

impl Binder<'_> {
    pub(super) fn lower(&self, from: From) -> Node {
        self.place(from, Vec::new())
    }

    /// A Sort, unless an index gives the rows in that order.
    pub(super) fn sorted(&self, from: From, keys: Vec<SortKey>, top: Option<Expr>) -> Node {
        let input = self.lower(from);
        match self.in_index_order(input, &keys) {
            Ok(node) => node,
            Err(input) => Node::Sort { input: Box::new(input), keys, carry: Vec::new(), top },
        }
    }

    pub(super) fn reads(&self, expr: &Expr) -> RegSet {
        let mut set = RegSet::default();
        reads(expr, &self.subqueries, &mut set);
        set
    }

    fn place(&self, from: From, conjuncts: Vec<Expr>) -> Node {
        match from {
            From::One => filtered(Node::One, conjuncts),
            From::Node(node) => filtered(node, conjuncts),
            From::Table(instance) => self.scan(instance, conjuncts),
            From::Filter { input, conjuncts: mut own } => {
                own.extend(conjuncts);
                self.place(*input, own)
            }
            From::Compute { input, exprs } => {
                let computed: RegSet = exprs.iter().map(|&(reg, _)| reg).collect();
                let (above, below): (Vec<_>, Vec<_>) =
                    conjuncts.into_iter().partition(|conjunct| self.reads(conjunct).intersects(&computed));
                filtered(Node::Compute { input: Box::new(self.place(*input, below)), exprs }, above)
            }
            From::Aggregate { input, keys, calls } => {
                let (below, above) = self.through_aggregate(conjuncts, &keys, &calls);
                let input = Box::new(self.place(*input, below));
                filtered(Node::Aggregate { input, keys, calls }, above)
            }
            From::Join { kind: JoinKind::Left, left, right, on } => self.left_join(*left, *right, on, conjuncts),
            From::Join { kind: JoinKind::Full, left, right, on } => {
                let (left_fills, right_fills) = (left.fills(&self.instances), right.fills(&self.instances));
                let probe = self.lower(*left);
                let build = self.lower(*right);
                let node = self.hash_join(JoinKind::Full, (probe, &left_fills), (build, &right_fills), on);
                filtered(node, conjuncts)
            }
            inner @ From::Join { .. } => self.inner_joins(inner, conjuncts),
        }
    }

    /// Conditions on whole groups hold for each row of them, so they can go below.
    fn through_aggregate(
        &self,
        conjuncts: Vec<Expr>,
        keys: &[(crate::types::Reg, Expr)],
        calls: &[super::plan::AggregateCall],
    ) -> (Vec<Expr>, Vec<Expr>) {
        let results: RegSet = calls.iter().map(|call| call.out).collect();
        let (mut below, above): (Vec<_>, Vec<_>) = conjuncts.into_iter().partition(|conjunct| {
            !keys.is_empty() && !has_subquery(conjunct) && !self.reads(conjunct).intersects(&results)
        });
        for conjunct in &mut below {
            replace(conjunct, &|part| {
                let reg = part.as_reg()?;
                keys.iter().find(|(out, _)| *out == reg).map(|(_, key)| key.clone())
            });
        }
        (below, above)
    }

    fn left_join(&self, left: From, right: From, on: Vec<Expr>, conjuncts: Vec<Expr>) -> Node {
        let (left_fills, right_fills) = (left.fills(&self.instances), right.fills(&self.instances));
        let (above, below): (Vec<_>, Vec<_>) =
            conjuncts.into_iter().partition(|conjunct| self.reads(conjunct).intersects(&right_fills));
        let outer = self.place(left, below);
        let (join, own): (Vec<_>, Vec<_>) =
            on.into_iter().partition(|conjunct| self.reads(conjunct).intersects(&left_fills));
        filtered(self.join_step(JoinKind::Left, (outer, &left_fills), right, own, join), above)
    }

    /// Inner joins in the order in which they are written, but: first what a unique index finds by constants, and then
    /// always something that a condition connects to what is there already, if there is such a thing.
    fn inner_joins(&self, from: From, conjuncts: Vec<Expr>) -> Node {
        let mut leaves = Vec::new();
        let mut on = Vec::new();
        flatten(from, &mut leaves, &mut on);
        on.extend(conjuncts);
        self.derive_constants(&mut on);
        let leaf_fills: Vec<RegSet> = leaves.iter().map(|leaf| leaf.fills(&self.instances)).collect();
        let all = leaf_fills.iter().fold(RegSet::default(), |mut all, fills| {
            all.union(fills);
            all
        });
        let mut own: Vec<Vec<Expr>> = leaves.iter().map(|_| Vec::new()).collect();
        let mut join: Vec<(RegSet, Expr)> = Vec::new();
        let mut constant: Vec<Expr> = Vec::new();
        for conjunct in on {
            let local = self.reads(&conjunct).intersection(&all);
            match leaf_fills.iter().position(|fills| local.is_subset(fills)) {
                _ if local.is_empty() => constant.push(conjunct),
                Some(leaf) => own[leaf].push(conjunct),
                None => join.push((local, conjunct)),
            }
        }
        let mut left: Vec<Option<(From, Vec<Expr>)>> = leaves.into_iter().zip(own).map(Some).collect();
        let is_unique = |at: &Option<(From, Vec<Expr>)>| {
            at.as_ref().is_some_and(|(leaf, own)| self.is_unique_lookup(leaf, own, &all))
        };
        let first = left.iter().position(is_unique).unwrap_or(0);
        let (leaf, mut own) = left[first].take().expect("nothing is taken yet");
        constant.append(&mut own);
        let mut there = leaf_fills[first].clone();
        let mut node = self.place(leaf, constant);
        while left.iter().any(Option::is_some) {
            let connected = |i: usize| {
                join.iter().any(|(local, _)| local.intersects(&leaf_fills[i]) && local.intersects(&there) && {
                    let mut known = there.clone();
                    known.union(&leaf_fills[i]);
                    local.is_subset(&known)
                })
            };
            let waiting = || (0..left.len()).filter(|&i| left[i].is_some());
            let next = waiting()
                .find(|&i| is_unique(&left[i]))
                .or_else(|| waiting().find(|&i| connected(i)))
                .or_else(|| waiting().next())
                .expect("one is left");
            let (leaf, own) = left[next].take().expect("it is waiting");
            let mut known = there.clone();
            known.union(&leaf_fills[next]);
            let (now, later): (Vec<_>, Vec<_>) = join.into_iter().partition(|(local, _)| local.is_subset(&known));
            join = later;
            let now = now.into_iter().map(|(_, conjunct)| conjunct).collect();
            node = self.join_step(JoinKind::Inner, (node, &there), leaf, own, now);
            there = known;
        }
        node
    }

    /// Where `a = b` and `a = constant`, also `b = constant`: an index or a partition may be found by it.
    fn derive_constants(&self, conjuncts: &mut Vec<Expr>) {
        let equal = |conjunct: &Expr| match &conjunct.kind {
            ExprKind::Compare { op: Comparison::Eq, left, right } => Some((left.as_ref().clone(), right.as_ref().clone())),
            _ => None,
        };
        let is_constant = |expr: &Expr| match expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Reg(reg) => (reg as usize) < self.constants,
            _ => false,
        };
        let mut at = 0;
        // Derived ones are looked at too, so that constants travel along chains.
        while at < conjuncts.len() {
            at += 1;
            let Some((a, b)) = equal(&conjuncts[at - 1]) else { continue };
            let (column, constant) = if is_constant(&b) { (a, b) } else { (b, a) };
            if !is_constant(&constant) || column.as_reg().is_none() || is_constant(&column) {
                continue;
            }
            let same = |expr: &Expr| expr.as_reg() == column.as_reg();
            let others: Vec<Expr> = conjuncts
                .iter()
                .filter_map(equal)
                .filter_map(|(a, b)| if same(&a) { Some(b) } else { same(&b).then_some(a) })
                .filter(|other| other.as_reg().is_some() && !is_constant(other))
                .collect();
            for other in others {
                let known = conjuncts.iter().filter_map(equal).any(|(a, b)| {
                    a.as_reg() == other.as_reg() && is_constant(&b) || b.as_reg() == other.as_reg() && is_constant(&a)
                });
                if !known {
                    let nullable = other.nullable || constant.nullable;
                    let (left, right) = (Box::new(other), Box::new(constant.clone()));
                    let kind = ExprKind::Compare { op: Comparison::Eq, left, right };
                    conjuncts.push(Expr { kind, ty: DataType::Boolean, nullable });
                }
            }
        }
    }

    /// One more join: by an index of the new side if there is a fit one, by hashing if there is an equality, else each
    /// row with each. `own`: conditions on the new side alone; `on`: on both.
    fn join_step(
        &self,
        kind: JoinKind,
        (outer, outer_fills): (Node, &RegSet),
        leaf: From,
        own: Vec<Expr>,
        on: Vec<Expr>,
    ) -> Node {
        let outer = Box::new(outer);
        if self.is_join_lookup(&leaf, &own, &on, outer_fills) {
            let mut conjuncts = own;
            conjuncts.extend(on);
            let inner = Box::new(self.place(leaf, conjuncts));
            return Node::Join { kind, outer, inner, on: None, inner_out: Vec::new() };
        }
        let inner_fills = leaf.fills(&self.instances);
        let inner = self.place(leaf, own);
        if on.iter().any(|conjunct| self.as_equality(conjunct, outer_fills, &inner_fills).is_some()) {
            return self.hash_join(kind, (*outer, outer_fills), (inner, &inner_fills), on);
        }
        let on = (!on.is_empty()).then(|| logic_of(on, true));
        Node::Join { kind, outer, inner: Box::new(inner), on, inner_out: Vec::new() }
    }

    fn hash_join(
        &self,
        kind: JoinKind,
        (probe, probe_fills): (Node, &RegSet),
        (build, build_fills): (Node, &RegSet),
        on: Vec<Expr>,
    ) -> Node {
        let (mut probe_keys, mut build_keys, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for conjunct in on {
            match self.as_equality(&conjunct, probe_fills, build_fills) {
                Some((left, right)) => {
                    probe_keys.push(left);
                    build_keys.push(right);
                }
                None => rest.push(conjunct),
            }
        }
        let on = (!rest.is_empty()).then(|| logic_of(rest, true));
        let (probe, build) = (Box::new(probe), Box::new(build));
        Node::HashJoin { kind, probe, build, probe_keys, build_keys, build_out: Vec::new(), probe_out: Vec::new(), on }
    }

    /// `left expression = right expression`, each over one side, in that order.
    pub(super) fn as_equality(&self, conjunct: &Expr, left: &RegSet, right: &RegSet) -> Option<(Expr, Expr)> {
        let ExprKind::Compare { op: Comparison::Eq, left: a, right: b } = &conjunct.kind else { return None };
        if has_subquery(conjunct) {
            return None;
        }
        let (ra, rb) = (self.reads(a), self.reads(b));
        let only = |reads: &RegSet, this: &RegSet, other: &RegSet| reads.intersects(this) && !reads.intersects(other);
        if only(&ra, left, right) && only(&rb, right, left) {
            return Some((a.as_ref().clone(), b.as_ref().clone()));
        }
        if only(&rb, left, right) && only(&ra, right, left) {
            return Some((b.as_ref().clone(), a.as_ref().clone()));
        }
        None
    }
}

/// Takes inner joins and the conditions among them apart.
fn flatten(from: From, leaves: &mut Vec<From>, conjuncts: &mut Vec<Expr>) {
    match from {
        From::Join { kind: JoinKind::Inner, left, right, on } => {
            flatten(*left, leaves, conjuncts);
            flatten(*right, leaves, conjuncts);
            conjuncts.extend(on);
        }
        From::Filter { input, conjuncts: own } => {
            flatten(*input, leaves, conjuncts);
            conjuncts.extend(own);
        }
        leaf => leaves.push(leaf),
    }
}

/// Conditions with subqueries come last: the others are cheaper.
pub(super) fn predicate(conjuncts: Vec<Expr>) -> Option<Expr> {
    if conjuncts.is_empty() {
        return None;
    }
    let (costly, cheap): (Vec<_>, Vec<_>) = conjuncts.into_iter().partition(has_subquery);
    Some(logic_of(cheap.into_iter().chain(costly).collect(), true))
}

pub(super) fn filtered(node: Node, conjuncts: Vec<Expr>) -> Node {
    match predicate(conjuncts) {
        Some(predicate) => Node::Filter { input: Box::new(node), predicate },
        None => node,
    }
}
