//! Plan to program: nodes to operators, expressions to code, and what can be known before it runs.

use super::operator::{
    Aggregate, AggregateCall, Change, ConflictUpdate, Distinct, Fetch, FrameBound, HashJoin, Insert, Modify,
    NestedLoopJoin, OnConflict, Operator, PointScan, QuickTest, RangeScan, Recursive, Returning, RowValue,
    SetOperation, Sort, SortKey, TableScan, Upsert, Window, WindowCall,
};
use super::program::{Action, PointKey, Program, Subplan, SubplanKind};
use super::shortcut::Shortcut;
use super::vectorize;
use crate::catalog::{Catalog, Table, TableId, ViewAggregateKind};
use crate::expr::CompiledExpr;
use crate::expr::expr::{Expr, ExprKind};
use crate::planner::plan::{self, Access, JoinKind, Node, Plan, PlanKind, Scan, SubqueryKind};
use crate::types::{DataType, Reg};

use std::sync::Arc;

impl Program {
    /// Compiles a plan that was bound against `catalog`. Cannot fail: the planner has checked everything.
    pub fn compile(plan: &Plan, catalog: &Catalog) -> Program {
        Program::compile_as(plan, catalog, false)
    }

    /// The same for an expression of which only matters whether it is TRUE.
    pub fn compile_condition(plan: &Plan, catalog: &Catalog) -> Program {
        Program::compile_as(plan, catalog, true)
    }

    fn compile_as(plan: &Plan, catalog: &Catalog, condition: bool) -> Program {
        let mut compiler = Compiler { catalog, next: plan.registers, uses_now: false, point_keys: Vec::new() };
        let subplans = plan.subqueries.iter().map(|s| compiler.subquery(s)).collect();
        let action = match &plan.kind {
            PlanKind::Expression(expr) if condition => Action::Expression(compiler.condition(expr)),
            kind => compiler.action(kind, plan),
        };
        let shortcut = match &plan.kind {
            PlanKind::Expression(expr) if condition => Shortcut::of_condition(expr, plan, catalog),
            PlanKind::Expression(expr) => Shortcut::of_value(expr, plan, catalog),
            _ => None,
        };
        Program {
            shortcut,
            action,
            subplans,
            registers: compiler.next,
            placeholders: plan.placeholders.clone(),
            partitioning: plan.partitioning.clone(),
            read_only: plan.read_only,
            uses_now: compiler.uses_now,
            fails_after_write: fails_after_write(&plan.kind, catalog),
            point_keys: compiler.point_keys,
        }
    }
}

/// Whether a failure can come after the first change. Constraints of a row are checked before it is written.
fn fails_after_write(kind: &PlanKind, catalog: &Catalog) -> bool {
    match kind {
        PlanKind::Query { .. } | PlanKind::Expression(_) => false,
        PlanKind::Insert { table, source: Node::One, returning: None, upsert: None, conflict: None, .. } => {
            let table = catalog.table_by_id(*table);
            !table.views.iter().all(|&view| only_counts(catalog.table_by_id(view)))
        }
        _ => true,
    }
}

/// True for a view whose upkeep cannot fail: plain columns and row counts.
fn only_counts(table: &Table) -> bool {
    table.view.as_ref().is_some_and(|view| {
        view.filter.is_none()
            && view.groups.iter().all(|group| group.as_reg().is_some())
            && view.aggregates.iter().all(|a| a.kind == ViewAggregateKind::CountStar)
    })
}

fn new_register(next: &mut usize) -> Reg {
    *next += 1;
    Reg::try_from(*next - 1).expect("the planner bounds a statement's registers")
}

struct Compiler<'a> {
    catalog: &'a Catalog,
    next: usize,
    uses_now: bool,
    point_keys: Vec<PointKey>,
}

impl Compiler<'_> {
    fn expr(&mut self, expr: &Expr) -> CompiledExpr {
        let next = &mut self.next;
        let compiled = CompiledExpr::compile(expr, &mut || new_register(next));
        self.uses_now |= compiled.uses_now();
        compiled
    }
    fn exprs(&mut self, exprs: &[Expr]) -> Vec<CompiledExpr> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }
    fn option(&mut self, expr: &Option<Expr>) -> Option<CompiledExpr> {
        expr.as_ref().map(|e| self.expr(e))
    }
    /// Where only TRUE counts.
    fn condition(&mut self, expr: &Expr) -> CompiledExpr {
        let next = &mut self.next;
        let compiled = CompiledExpr::compile_condition(expr, &mut || new_register(next));
        self.uses_now |= compiled.uses_now();
        compiled
    }
    fn optional_condition(&mut self, expr: &Option<Expr>) -> Option<CompiledExpr> {
        expr.as_ref().map(|e| self.condition(e))
    }
    fn bound(&mut self, bound: &Option<(Expr, bool)>) -> Option<(CompiledExpr, bool)> {
        bound.as_ref().map(|(e, inclusive)| (self.expr(e), *inclusive))
    }
    fn assignments<K: Copy>(&mut self, exprs: &[(K, Expr)]) -> Vec<(K, CompiledExpr)> {
        exprs.iter().map(|(to, e)| (*to, self.expr(e))).collect()
    }

    fn action(&mut self, kind: &PlanKind, plan: &Plan) -> Action {
        match kind {
            PlanKind::Query { root, output } => Action::Query { root: self.node(root), output: output.clone() },
            PlanKind::Expression(expr) => Action::Expression(self.expr(expr)),
            PlanKind::Insert { table, source, row, upsert, conflict, returning } => {
                let mut insert = self.insert(*table, source, row, upsert.as_deref(), returning.as_ref(), plan);
                insert.conflict = conflict.as_ref().map(|conflict| self.conflict(*table, conflict));
                insert.direct = insert.is_direct();
                Action::Insert(insert)
            }
            PlanKind::Update { table, source, target, assignments, returning } => {
                let change = Change::Update(self.assignments(assignments));
                self.modify(*table, source, *target, change, returning.as_ref())
            }
            PlanKind::Delete { table, source, target, returning } => {
                self.modify(*table, source, *target, Change::Delete, returning.as_ref())
            }
            PlanKind::Truncate { table } => {
                Action::Truncate { table: *table, spread: self.catalog.table_by_id(*table).spread }
            }
        }
    }

    fn insert(
        &mut self,
        id: TableId,
        source: &Node,
        row: &[Expr],
        upsert: Option<&[usize]>,
        returning: Option<&plan::Returning>,
        plan: &Plan,
    ) -> Insert {
        let table = self.catalog.table_by_id(id).clone();
        self.insert_point_keys(&table, row);
        let source = self.node(source);
        let first = self.next as Reg;
        self.next += row.len();
        Insert {
            table: id,
            source,
            row: row
                .iter()
                .map(|expr| RowValue { shortcut: Shortcut::of_value(expr, plan, self.catalog), expr: self.expr(expr) })
                .collect(),
            first,
            spread: table.spread,
            partition: table.partition_column.map(|column| (column, table.columns[column].ty)),
            upsert: upsert.map(|columns| {
                let index = table.primary_key.expect("UPSERT needs a primary key");
                let key = table.indexes[index].columns().expect("a primary key has plain columns");
                Upsert { index, key, columns: columns.to_vec() }
            }),
            returning: returning.map(|r| self.returning(r)),
            conflict: None,
            direct: false,
        }
    }

    fn conflict(&mut self, table: TableId, conflict: &plan::Conflict) -> OnConflict {
        let indexes = &self.catalog.table_by_id(table).indexes;
        let key = |&at: &usize| (at, indexes[at].columns().expect("only keys of plain columns are meant"));
        let keys = conflict.indexes.iter().map(key).collect();
        let update = conflict.update.as_ref().map(|update| ConflictUpdate {
            existing: update.existing.clone(),
            proposed: update.proposed.clone(),
            assignments: self.assignments(&update.assignments),
            filter: self.optional_condition(&update.filter),
        });
        OnConflict { keys, update }
    }

    /// Index slots that writing `row` will touch, where registers alone say which.
    fn insert_point_keys(&mut self, table: &Table, row: &[Expr]) {
        for (index, def) in table.indexes.iter().enumerate().filter(|(_, def)| def.unique) {
            let regs = def.columns().and_then(|columns| columns.iter().map(|&c| row[c].as_reg()).collect());
            if let Some(regs) = regs {
                self.point_keys.push(PointKey { table: table.id, index, regs });
            }
        }
        for &view in &table.views {
            let def = self.catalog.table_by_id(view).view.as_ref().expect("it is a view");
            let groups: Option<Vec<Reg>> =
                def.groups.iter().map(|g| g.as_reg().and_then(|column| row[column as usize].as_reg())).collect();
            if let Some(regs) = groups.filter(|regs| !regs.is_empty()) {
                self.point_keys.push(PointKey { table: view, index: 0, regs });
            }
        }
    }

    fn modify(
        &mut self,
        table: TableId,
        source: &Node,
        target: Reg,
        change: Change,
        returning: Option<&plan::Returning>,
    ) -> Action {
        let rekeys = match &change {
            Change::Update(assignments) => {
                let assigned = |column: usize| assignments.iter().any(|(at, _)| *at == column);
                let unique = self.catalog.table_by_id(table).indexes.iter().filter(|index| index.unique);
                // What a key that is computed, or a filter, reads isn't looked into.
                unique.into_iter().any(|index| {
                    index.filter.is_some() || index.columns().is_none_or(|keys| keys.into_iter().any(assigned))
                })
            }
            Change::Delete => false,
        };
        let def = self.catalog.table_by_id(table);
        let moves = match (&change, def.partition_column) {
            (Change::Update(assignments), Some(column)) if assignments.iter().any(|(at, _)| *at == column) => {
                Some((column, def.columns[column].ty))
            }
            _ => None,
        };
        Action::Modify(Modify {
            moves,
            table,
            source: self.node(source),
            target,
            spread: self.catalog.table_by_id(table).spread,
            rekeys,
            change,
            returning: returning.map(|r| self.returning(r)),
        })
    }

    fn returning(&mut self, returning: &plan::Returning) -> Returning {
        Returning {
            columns: returning.columns.clone(),
            exprs: self.assignments(&returning.exprs),
            output: returning.output.clone(),
        }
    }

    fn subquery(&mut self, subquery: &plan::Subquery) -> Subplan {
        let root = self.node(&subquery.root);
        let kind = match &subquery.kind {
            SubqueryKind::Scalar { value } => SubplanKind::Scalar { value: *value },
            SubqueryKind::Exists => SubplanKind::Exists,
            SubqueryKind::In { operands, columns } => SubplanKind::In {
                operands: self.exprs(operands),
                columns: columns.iter().map(|(reg, _)| *reg).collect(),
            },
            SubqueryKind::Quantified { test, all } => SubplanKind::Quantified { test: self.expr(test), all: *all },
        };
        Subplan { root, kind, result: subquery.result, correlated: subquery.correlated }
    }

    fn boxed(&mut self, node: &Node) -> Box<Operator> {
        Box::new(self.node(node))
    }

    fn node(&mut self, node: &Node) -> Operator {
        match node {
            Node::One => Operator::One,
            Node::Values { rows, out } => {
                Operator::Values { rows: rows.iter().map(|row| self.exprs(row)).collect(), out: out.clone() }
            }
            Node::Scan(scan) => self.scan(scan),
            Node::Rows { rows, columns, .. } => Operator::Rows { rows: Arc::clone(rows), columns: columns.clone() },
            Node::Filter { input, predicate } => {
                Operator::Filter { input: self.boxed(input), predicate: self.condition(predicate) }
            }
            Node::Compute { input, exprs } => {
                Operator::Compute { input: self.boxed(input), exprs: self.assignments(exprs) }
            }
            Node::Join { kind, outer, inner, on, inner_out } => {
                assert!(*kind != JoinKind::Full, "the planner makes FULL joins hash joins");
                Operator::NestedLoopJoin(Box::new(NestedLoopJoin {
                    kind: *kind,
                    outer: self.node(outer),
                    inner: self.node(inner),
                    on: self.optional_condition(on),
                    inner_out: inner_out.clone(),
                }))
            }
            Node::HashJoin { .. } => self.hash_join(node),
            Node::Aggregate { input, keys, calls } => {
                let columns = vectorize::aggregate(input, keys, calls, self.catalog);
                let input = self.node(input);
                let keys = self.assignments(keys);
                let aggregate =
                    Aggregate::new(input, keys, calls.iter().map(|call| self.aggregate_call(call)).collect());
                Operator::Aggregate(Box::new(match columns {
                    Some(columns) => aggregate.over_batches(columns),
                    None => aggregate,
                }))
            }
            Node::Window { .. } => self.window(node),
            Node::Sort { input, keys, carry, top } => Operator::Sort(Box::new(Sort {
                input: self.node(input),
                keys: keys.iter().map(|key| self.sort_key(key)).collect(),
                carry: carry.clone(),
                top: self.option(top),
            })),
            Node::Distinct { input, columns } => Operator::Distinct(Box::new(Distinct {
                input: self.node(input),
                columns: columns.iter().map(|(reg, _)| *reg).collect(),
            })),
            Node::Limit { input, limit, offset } => {
                Operator::Limit { input: self.boxed(input), limit: self.option(limit), offset: self.option(offset) }
            }
            Node::SetOperation { op, all, left, left_columns, right, right_columns, out } => {
                Operator::SetOperation(Box::new(SetOperation {
                    op: *op,
                    all: *all,
                    left: self.node(left),
                    left_columns: self.exprs(left_columns),
                    right: self.node(right),
                    right_columns: self.exprs(right_columns),
                    out: out.iter().map(|(reg, _)| *reg).collect(),
                }))
            }
            Node::Recursive { id, all, base, base_columns, step, step_columns, out } => {
                Operator::Recursive(Box::new(Recursive {
                    id: *id,
                    all: *all,
                    base: self.node(base),
                    base_columns: self.exprs(base_columns),
                    step: self.node(step),
                    step_columns: self.exprs(step_columns),
                    out: out.iter().map(|(reg, _)| *reg).collect(),
                }))
            }
            Node::Working { id, out } => Operator::Working { id: *id, out: out.clone() },
        }
    }

    fn hash_join(&mut self, node: &Node) -> Operator {
        let Node::HashJoin { kind, probe, build, probe_keys, build_keys, build_out, probe_out, on } = node else {
            unreachable!("called for hash joins")
        };
        Operator::HashJoin(Box::new(HashJoin {
            kind: *kind,
            probe: self.node(probe),
            build: self.node(build),
            probe_keys: self.exprs(probe_keys),
            build_keys: self.exprs(build_keys),
            build_out: build_out.clone(),
            probe_out: probe_out.clone(),
            on: self.optional_condition(on),
            one_lane: vectorize::is_one_lane_key(probe_keys) && vectorize::is_one_lane_key(build_keys),
        }))
    }

    fn aggregate_call(&mut self, call: &plan::AggregateCall) -> AggregateCall {
        AggregateCall {
            kind: call.kind,
            distinct: call.distinct,
            ty: call.argument.as_ref().map_or(DataType::BigInt, |a| a.ty),
            argument: self.option(&call.argument),
            out: call.out,
        }
    }

    fn sort_key(&mut self, key: &plan::SortKey) -> SortKey {
        SortKey {
            ty: key.expr.ty,
            expr: self.expr(&key.expr),
            descending: key.descending,
            nulls_first: key.nulls_first,
        }
    }

    fn frame_bound(&mut self, bound: &plan::FrameBound) -> FrameBound {
        match bound {
            plan::FrameBound::UnboundedPreceding => FrameBound::First,
            plan::FrameBound::Preceding(offset) => FrameBound::Before(self.expr(offset)),
            plan::FrameBound::CurrentRow => FrameBound::Current,
            plan::FrameBound::Following(offset) => FrameBound::After(self.expr(offset)),
            plan::FrameBound::UnboundedFollowing => FrameBound::Last,
        }
    }

    fn window(&mut self, node: &Node) -> Operator {
        let Node::Window { input, carry, partition_by, order_by, calls } = node else {
            unreachable!("called for windows")
        };
        let mut keys: Vec<SortKey> = partition_by
            .iter()
            .map(|expr| SortKey { ty: expr.ty, expr: self.expr(expr), descending: false, nulls_first: true })
            .collect();
        keys.extend(order_by.iter().map(|key| self.sort_key(key)));
        let calls = calls
            .iter()
            .map(|call| WindowCall {
                out: call.out,
                kind: call.kind,
                ty: call.arguments.first().map_or(DataType::BigInt, |a| a.ty),
                arguments: self.exprs(&call.arguments),
                unit: call.frame.unit,
                start: self.frame_bound(&call.frame.start),
                end: self.frame_bound(&call.frame.end),
            })
            .collect();
        let input = self.node(input);
        Operator::Window(Box::new(Window {
            input,
            carry: carry.clone(),
            partition_keys: partition_by.len(),
            keys,
            calls,
        }))
    }

    /// The conditions of a full scan that can be checked for many rows at once, and the rest.
    fn quick_tests(&mut self, scan: &Scan, filter: &Expr) -> (Vec<QuickTest>, Option<Expr>) {
        let conjuncts = match &filter.kind {
            ExprKind::And(conjuncts) => conjuncts.as_slice(),
            _ => std::slice::from_ref(filter),
        };
        let (mut tests, mut rest) = (Vec::new(), Vec::new());
        for conjunct in conjuncts {
            match vectorize::test(scan, conjunct) {
                Some(test) => tests.push(QuickTest {
                    column: test.column,
                    float: test.float,
                    outcomes: test.outcomes,
                    value: self.expr(test.value),
                }),
                None => rest.push(conjunct.clone()),
            }
        }
        let rest = match rest.len() {
            0 => None,
            1 => rest.pop(),
            _ => Some(Expr { kind: ExprKind::And(rest), ty: filter.ty, nullable: filter.nullable }),
        };
        (tests, rest)
    }

    fn scan(&mut self, scan: &Scan) -> Operator {
        let table = self.catalog.table_by_id(scan.table).clone();
        let (tests, filter) = match (&scan.access, &scan.filter) {
            (Access::Full, Some(filter)) => self.quick_tests(scan, filter),
            (_, filter) => (Vec::new(), filter.clone()),
        };
        let fetch = Fetch {
            table: scan.table,
            spread: table.spread,
            partition: scan.partition.as_ref().map(|expr| {
                let column = table.partition_column.expect("only a partition column's value is bound");
                (self.expr(expr), table.columns[column].ty)
            }),
            columns: scan.columns.clone(),
            row: scan.row,
            filter: self.optional_condition(&filter),
            tests,
        };
        match &scan.access {
            Access::Full => Operator::Table(TableScan { fetch, by: None }),
            // A unique key's row is at one place at most, unless it is unique within each partition only.
            Access::Equal { index, key, unique }
                if *unique && PointScan::fits(key.len()) && !table.indexes[*index].assume_unique =>
            {
                if let Some(regs) = key.iter().map(Expr::as_reg).collect() {
                    self.point_keys.push(PointKey { table: scan.table, index: *index, regs });
                }
                // A view's groups are unique in each partition, not over all.
                if table.is_view() && table.spread && table.partition_column.is_none() {
                    return Operator::Table(TableScan { fetch, by: Some((*index, self.exprs(key))) });
                }
                Operator::Point(PointScan { fetch, index: *index, key: self.exprs(key) })
            }
            Access::Equal { index, key, .. } => {
                Operator::Table(TableScan { fetch, by: Some((*index, self.exprs(key))) })
            }
            Access::Range { index, equal, low, high, descending } => Operator::Range(RangeScan {
                fetch,
                index: *index,
                equal: self.exprs(equal),
                low: self.bound(low),
                high: self.bound(high),
                descending: *descending,
            }),
        }
    }
}
