//! Where a statement must run: which partitions own the rows that it reads and writes.

use super::plan::{Access, JoinKind, Node, Partitioning, Plan, PlanKind, Scan, Subquery};
use super::registers::{RegSet, has_subquery, operands, reads, subquery_exprs};
use crate::catalog::{Catalog, IndexKind, TableId};
use crate::expr::expr::{Comparison, Expr, ExprKind};
use crate::types::{DataType, Reg};

/// What is known of registers at a point of the plan: `register = expression`, for every row that matters there.
type Facts = Vec<(Expr, Expr)>;

struct Walk<'p> {
    catalog: &'p Catalog,
    subqueries: &'p [Subquery],
    /// Registers that some node fills: they are no constants.
    filled: &'p RegSet,
    /// For each scan of rows that are spread over partitions: the constant that its partition column equals.
    found: Vec<(TableId, usize, Option<Expr>)>,
}

/// Decides [`Plan::partitioning`]. `constants`: registers below are parameters and variables.
pub(super) fn decide(plan: &Plan, catalog: &Catalog, constants: usize) -> Partitioning {
    let filled: RegSet = (constants.min(plan.registers)..plan.registers).map(|reg| reg as Reg).collect();
    let mut walk = Walk { catalog, subqueries: &plan.subqueries, filled: &filled, found: Vec::new() };
    match &plan.kind {
        PlanKind::Query { root, .. } => walk.node(root, &Facts::new()),
        PlanKind::Expression(expr) => walk.expr(expr, &Facts::new()),
        PlanKind::Insert { table, source, row, conflict, returning, .. } => {
            walk.node(source, &Facts::new());
            conflict.iter().flat_map(|c| c.exprs()).for_each(|expr| walk.expr(expr, &Facts::new()));
            row.iter().for_each(|expr| walk.expr(expr, &Facts::new()));
            returning.iter().flat_map(|r| &r.exprs).for_each(|(_, expr)| walk.expr(expr, &Facts::new()));
            let target = catalog.table_by_id(*table);
            match target.partition_column {
                Some(column) if matches!(source, Node::One) => {
                    let key = walk.constant(&row[column]);
                    walk.found.push((*table, column, key));
                }
                _ => return Partitioning::All,
            }
        }
        PlanKind::Update { table, source, assignments, returning, .. } => {
            if !catalog.table_by_id(*table).spread {
                return Partitioning::All;
            }
            // A row may move to any partition.
            let partition_column = catalog.table_by_id(*table).partition_column;
            if assignments.iter().any(|(column, _)| Some(*column) == partition_column) {
                return Partitioning::All;
            }
            let facts = walk.region(source);
            walk.node(source, &Facts::new());
            let returned = returning.iter().flat_map(|r| r.exprs.iter().map(|(_, expr)| expr));
            assignments.iter().map(|(_, expr)| expr).chain(returned).for_each(|expr| walk.expr(expr, &facts));
        }
        PlanKind::Delete { table, source, returning, .. } => {
            if !catalog.table_by_id(*table).spread {
                return Partitioning::All;
            }
            walk.node(source, &Facts::new());
            returning.iter().flat_map(|r| &r.exprs).for_each(|(_, expr)| walk.expr(expr, &Facts::new()));
        }
        PlanKind::Truncate { .. } => return Partitioning::All,
    }
    conclude(walk.found)
}

fn conclude(found: Vec<(TableId, usize, Option<Expr>)>) -> Partitioning {
    let mut found = found.into_iter();
    let Some((table, column, first)) = found.next() else { return Partitioning::Any };
    let Some(key) = first else { return Partitioning::All };
    let all_same = found.all(|(_, _, other)| other.is_some_and(|other| other.kind == key.kind));
    if all_same { Partitioning::One { key, table, column } } else { Partitioning::All }
}

impl Walk<'_> {
    /// `expr` itself, without casts that keep the value, if it is the same for the whole statement.
    fn constant(&self, expr: &Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Literal(value) if !value.is_null() => Some(expr.clone()),
            ExprKind::Reg(reg) if !self.filled.contains(*reg) => Some(expr.clone()),
            ExprKind::Cast(operand) if same_value(operand.ty, expr.ty) => self.constant(operand),
            _ => None,
        }
    }

    /// The subqueries of an expression, evaluated where `facts` hold.
    fn expr(&mut self, expr: &Expr, facts: &Facts) {
        if let ExprKind::Subquery { index, .. } = expr.kind {
            let subqueries = self.subqueries;
            let subquery = &subqueries[index];
            let mut inside = Vec::new();
            subquery_exprs(subquery, &mut |expr| inside.push(expr.clone()));
            inside.iter().for_each(|expr| self.expr(expr, facts));
            self.node(&subquery.root, facts);
        } else if has_subquery(expr) {
            let mut inside = Vec::new();
            operands(expr, &mut |operand| inside.push(operand.clone()));
            inside.iter().for_each(|operand| self.expr(operand, facts));
        }
    }

    /// `outer`: what is known of rows further out, or of the nodes above in the same region.
    fn node(&mut self, node: &Node, outer: &Facts) {
        let mut facts = outer.clone();
        facts.extend(self.region(node));
        self.visit(node, &facts, outer);
    }

    /// Walks down while what holds for the rows above also holds for those below.
    fn visit(&mut self, node: &Node, facts: &Facts, outer: &Facts) {
        let mut own = Vec::new();
        super::registers::node_exprs(node, &mut |expr| {
            if has_subquery(expr) {
                own.push(expr.clone());
            }
        });
        own.iter().for_each(|expr| self.expr(expr, facts));
        match node {
            Node::One | Node::Values { .. } | Node::Rows { .. } | Node::Working { .. } => {}
            Node::Scan(scan) => self.scan(scan, facts),
            Node::Filter { input, .. } | Node::Compute { input, .. } | Node::Distinct { input, .. } => {
                self.visit(input, facts, outer);
            }
            Node::Sort { input, top: None, .. } => self.visit(input, facts, outer),
            Node::Aggregate { input, keys, .. } if !keys.is_empty() => self.visit(input, facts, outer),
            // Rows that are not wanted above still count here.
            Node::Aggregate { input, .. }
            | Node::Sort { input, .. }
            | Node::Limit { input, .. }
            | Node::Window { input, .. } => self.node(input, outer),
            Node::Join { kind, outer: left, inner: right, on, .. } => {
                let on: Vec<&Expr> = on.iter().collect();
                self.join(*kind, (left, right), &on, &[], facts, outer);
            }
            Node::HashJoin { kind, probe, build, probe_keys, build_keys, on, .. } => {
                let keys: Facts = probe_keys.iter().cloned().zip(build_keys.iter().cloned()).collect();
                let on: Vec<&Expr> = on.iter().collect();
                self.join(*kind, (probe, build), &on, &keys, facts, outer);
            }
            Node::SetOperation { left, right, .. } => {
                self.node(left, outer);
                self.node(right, outer);
            }
            Node::Recursive { base, step, .. } => {
                self.node(base, outer);
                self.node(step, outer);
            }
        }
    }

    fn join(
        &mut self,
        kind: JoinKind,
        (left, right): (&Node, &Node),
        on: &[&Expr],
        keys: &[(Expr, Expr)],
        facts: &Facts,
        outer: &Facts,
    ) {
        match kind {
            JoinKind::Inner => {
                self.visit(left, facts, outer);
                self.visit(right, facts, outer);
            }
            // What holds for the left rows, and the condition of the join, hold for the right rows that matter.
            JoinKind::Left | JoinKind::Semi | JoinKind::Anti => {
                self.visit(left, facts, outer);
                let mut inside = facts.clone();
                on.iter().for_each(|on| equalities(on, &mut inside));
                inside.extend_from_slice(keys);
                inside.extend(self.region(right));
                self.visit(right, &inside, outer);
            }
            JoinKind::Full => {
                self.node(left, outer);
                self.node(right, outer);
            }
        }
    }

    /// The equalities that hold for all rows of a node that reach its top.
    fn region(&self, node: &Node) -> Facts {
        let mut facts = Facts::new();
        self.gather(node, &mut facts);
        facts
    }

    fn gather(&self, node: &Node, facts: &mut Facts) {
        match node {
            Node::One | Node::Values { .. } | Node::Rows { .. } | Node::Working { .. } => {}
            Node::SetOperation { .. } | Node::Recursive { .. } => {}
            Node::Limit { .. } | Node::Window { .. } => {}
            Node::Scan(scan) => self.scan_facts(scan, facts),
            Node::Filter { input, predicate } => {
                equalities(predicate, facts);
                self.gather(input, facts);
            }
            Node::Compute { input, exprs } => {
                renamings(exprs, facts);
                self.gather(input, facts);
            }
            Node::Aggregate { input, keys, .. } => {
                renamings(keys, facts);
                if !keys.is_empty() {
                    self.gather(input, facts);
                }
            }
            Node::Sort { input, top: None, .. } | Node::Distinct { input, .. } => self.gather(input, facts),
            Node::Sort { .. } => {}
            Node::Join { kind, outer, inner, on, .. } => {
                if *kind == JoinKind::Inner {
                    on.iter().for_each(|on| equalities(on, facts));
                    self.gather(inner, facts);
                }
                if *kind != JoinKind::Full {
                    self.gather(outer, facts);
                }
            }
            Node::HashJoin { kind, probe, build, probe_keys, build_keys, on, .. } => {
                if *kind == JoinKind::Inner {
                    on.iter().for_each(|on| equalities(on, facts));
                    facts.extend(probe_keys.iter().cloned().zip(build_keys.iter().cloned()));
                    self.gather(build, facts);
                }
                if *kind != JoinKind::Full {
                    self.gather(probe, facts);
                }
            }
        }
    }

    fn scan_facts(&self, scan: &Scan, facts: &mut Facts) {
        if let Some(filter) = &scan.filter {
            equalities(filter, facts);
        }
        let (index, values) = match &scan.access {
            Access::Full => return,
            Access::Equal { index, key, .. } => (*index, key),
            Access::Range { index, equal, .. } => (*index, equal),
        };
        let index = &self.catalog.table_by_id(scan.table).indexes[index];
        debug_assert!(index.kind == IndexKind::Ordered || values.len() == index.keys.len());
        for (key, value) in index.keys.iter().zip(values) {
            let column = scan.columns.iter().find(|(column, _)| key.column == Some(*column));
            if let Some(&(_, reg)) = column {
                facts.push((Expr::reg(reg, key.ty, true), value.clone()));
            }
        }
    }

    fn scan(&mut self, scan: &Scan, facts: &Facts) {
        let table = self.catalog.table_by_id(scan.table);
        if !table.spread {
            return;
        }
        let Some(column) = table.partition_column else {
            return self.found.push((scan.table, usize::MAX, None));
        };
        let reg = scan.columns.iter().find(|(c, _)| *c == column).map(|&(_, reg)| reg);
        // The column itself may have been pruned from the scan when an index look-up made its comparison superfluous.
        let own = scan.partition.as_ref().and_then(|value| match value.as_reg() {
            Some(reg) => self.constant(value).or_else(|| self.constant_of(reg, facts)),
            None => self.constant(value),
        });
        let key = own.or_else(|| reg.and_then(|reg| self.constant_of(reg, facts)));
        self.found.push((scan.table, column, key));
    }

    /// The constant that a register equals, directly or through others.
    fn constant_of(&self, reg: Reg, facts: &Facts) -> Option<Expr> {
        let mut class: Vec<Reg> = vec![reg];
        let mut at = 0;
        while at < class.len() {
            let member = class[at];
            at += 1;
            for (a, b) in facts {
                for (this, other) in [(a, b), (b, a)] {
                    if this.as_reg() != Some(member) {
                        continue;
                    }
                    if let Some(constant) = self.constant(other) {
                        return Some(constant);
                    }
                    class.extend(other.as_reg().filter(|reg| !class.contains(reg)));
                }
            }
        }
        None
    }
}

/// `a = b` among the terms of a condition.
fn equalities(condition: &Expr, facts: &mut Facts) {
    match &condition.kind {
        ExprKind::And(terms) => terms.iter().for_each(|term| equalities(term, facts)),
        ExprKind::Compare { op: Comparison::Eq, left, right } => {
            facts.push((left.as_ref().clone(), right.as_ref().clone()));
        }
        _ => {}
    }
}

/// Registers that only hold what another register holds.
fn renamings(exprs: &[(Reg, Expr)], facts: &mut Facts) {
    let plain = exprs.iter().filter(|(_, expr)| expr.as_reg().is_some());
    facts.extend(plain.map(|(reg, expr)| (Expr::reg(*reg, expr.ty, expr.nullable), expr.clone())));
}

/// A cast between these changes no value: it only checks it.
fn same_value(from: DataType, to: DataType) -> bool {
    from.is_integer() && to.is_integer()
        || from.is_text() && to.is_text()
        || matches!((from, to), (DataType::Varbinary { .. }, DataType::Varbinary { .. }))
}

/// Sets [`Scan::partition`] of each scan whose own conditions say which partition has its rows.
pub(super) fn mark_scans(node: &mut Node, catalog: &Catalog, subqueries: &[Subquery]) {
    if let Node::Scan(scan) = node {
        scan.partition = own_partition(scan, catalog, subqueries);
    }
    super::registers::inputs_mut(node, &mut |input| mark_scans(input, catalog, subqueries));
}

fn own_partition(scan: &Scan, catalog: &Catalog, subqueries: &[Subquery]) -> Option<Expr> {
    let table = catalog.table_by_id(scan.table);
    let column = table.partition_column.filter(|_| table.spread)?;
    let own: RegSet = scan.columns.iter().map(|&(_, reg)| reg).collect();
    let known = |expr: &Expr| {
        let mut set = RegSet::default();
        reads(expr, subqueries, &mut set);
        !set.intersects(&own) && !has_subquery(expr)
    };
    let (index, values) = match &scan.access {
        Access::Full => (None, [].as_slice()),
        Access::Equal { index, key, .. } => (Some(*index), key.as_slice()),
        Access::Range { index, equal, .. } => (Some(*index), equal.as_slice()),
    };
    let by_key = index.and_then(|index| {
        let keys = table.indexes[index].keys.iter().zip(values);
        keys.filter(|(key, value)| key.column == Some(column) && known(value)).map(|(_, value)| value.clone()).next()
    });
    by_key.or_else(|| {
        let reg = scan.columns.iter().find(|(c, _)| *c == column)?.1;
        let mut facts = Facts::new();
        equalities(scan.filter.as_ref()?, &mut facts);
        facts.into_iter().find_map(|(a, b)| match (a.as_reg() == Some(reg), b.as_reg() == Some(reg)) {
            (true, _) if known(&b) => Some(b),
            (_, true) if known(&a) => Some(a),
            _ => None,
        })
    })
}
