//! Materialized views: from a change of a row to the change of its group.
//!
//! [`ViewUpdater`] is a view's definition in compiled form. What can fail on the row alone (filter, groups, arguments)
//! is
//! computed before the base table changes. A view of plain columns that only counts takes a short way: one probe of the
//! index on its groups, which the insert that may follow uses again.

use super::error::StorageError;
use super::eval::{Evaluator, RowExpr};
use super::heap::RowId;
use super::index::key;
use super::join_view::JoinView;
use super::layout::LongStrings;
use super::table::{Table, Work};
use super::undo::UndoLog;
use crate::catalog::{self, TableId, ViewAggregateKind};
use crate::expr::{EvalError, compare_datums};
use crate::types::{Arena, DataType, Datum};
use std::cmp::Ordering;

pub struct ViewUpdater {
    pub view: TableId,
    pub kind: UpdaterKind,
}

pub enum UpdaterKind {
    Counting(CountingView),
    General(Box<GeneralView>),
    Join(Box<JoinView>),
}

/// Where MIN and MAX are looked for when the old one goes.
#[derive(Clone, Copy)]
pub enum Source<'t> {
    /// The one table of the view.
    Table(&'t Table),
    /// All tables of the store but the view itself, and which of them is the join's base.
    Join(&'t JoinView, &'t [Option<Box<Table>>], usize),
}

impl ViewUpdater {
    /// For the view `def`, as `source` changes, one of its tables in `catalog`.
    pub fn new(def: &catalog::Table, source: &catalog::Table, catalog: &catalog::Catalog) -> ViewUpdater {
        let view = def.view.as_ref().expect("a view");
        if !view.joined.is_empty() {
            let changing = view.sources().position(|id| id == source.id).expect("the source lists its views");
            return ViewUpdater {
                view: def.id,
                kind: UpdaterKind::Join(Box::new(JoinView::new(def, changing, catalog))),
            };
        }
        let plain: Option<Vec<usize>> = view.groups.iter().map(|g| g.as_reg().map(usize::from)).collect();
        let counts = view.aggregates.iter().all(|a| a.kind == ViewAggregateKind::CountStar);
        // An index on the groups and no other: whoever counts knows how to keep it.
        let bare = def.indexes.len() == usize::from(!view.groups.is_empty());
        let kind = match plain {
            Some(groups) if counts && bare && view.filter.is_none() => {
                UpdaterKind::Counting(CountingView { groups: groups.into(), columns: def.columns.len() })
            }
            _ => UpdaterKind::General(Box::new(GeneralView::new(def, view, source))),
        };
        ViewUpdater { view: def.id, kind }
    }

    /// True if a row may be refused after the base table has changed.
    pub fn can_fail_late(&self) -> bool {
        !matches!(self.kind, UpdaterKind::Counting(_))
    }
}

/// The one row of a view without groups, before there is anything to aggregate.
pub fn empty_row(def: &catalog::Table) -> Vec<Datum> {
    let view = def.view.as_ref().expect("a view");
    let mut row = vec![Datum::NULL; def.columns.len()];
    for aggregate in &view.aggregates {
        if matches!(aggregate.kind, ViewAggregateKind::CountStar | ViewAggregateKind::Count) {
            row[aggregate.column] = Datum::int(0);
        }
    }
    row
}

/// Where a row's group is: the hash of its key, and its row if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub tag: u32,
    pub row: Option<RowId>,
}

/// No filter; groups are columns; all aggregates are COUNT(*).
pub struct CountingView {
    /// Columns of the base table.
    groups: Box<[usize]>,
    columns: usize,
}

impl CountingView {
    /// The columns of the base table that make the groups.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// The group of a base row, and room for it if it is new.
    #[inline(always)]
    pub fn probe(&self, view: &mut Table, row: &[Datum], long: &impl LongStrings) -> Result<Probe, StorageError> {
        if self.groups.is_empty() {
            return Ok(Probe { tag: 0, row: Some(RowId(0)) });
        }
        let probe = view.probe_group(&|i| row[self.groups[i]], long);
        if probe.row.is_none() {
            view.reserve_group(probe.tag)?;
        }
        Ok(probe)
    }

    /// Counts a row in.
    #[inline(always)]
    pub fn add(
        &self,
        view: &mut Table,
        probe: Probe,
        row: &[Datum],
        arena: &Arena,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        match probe.row {
            Some(group) => {
                for column in self.groups.len()..self.columns {
                    view.bump(group, column, 1, column == self.groups.len(), undo);
                }
                Ok(())
            }
            None => {
                let groups = self.groups.iter().map(|&column| row[column]);
                let counts = std::iter::repeat_n(Datum::int(1), self.columns - self.groups.len());
                view.insert_group(probe.tag, groups.chain(counts), arena, work, undo)
            }
        }
    }

    /// Counts a row out; the group goes with its last.
    pub fn subtract(&self, view: &mut Table, probe: Probe, undo: &mut UndoLog) {
        let group = probe.row.expect("the group of a row that is counted");
        let rows = view.rows();
        if !self.groups.is_empty() && rows.load(group, view.slot(self.groups.len())).as_i64() == 1 {
            return view.delete_group(probe.tag, group, undo);
        }
        for column in self.groups.len()..self.columns {
            view.bump(group, column, -1, column == self.groups.len(), undo);
        }
    }
}

/// What a base row means to a view.
#[derive(Clone, Default)]
pub struct ViewInput {
    /// False: the filter leaves it out, or there is no row.
    included: bool,
    /// Groups, then arguments; long strings are in `arena`.
    values: Vec<Datum>,
    arena: Arena,
}

impl ViewInput {
    pub fn clear(&mut self) {
        self.included = false;
    }

    fn is_same(&self, other: &ViewInput) -> bool {
        let same = |(&a, &b)| key::same(a, &self.arena, b, &other.arena);
        self.included == other.included && (!self.included || self.values.iter().zip(&other.values).all(same))
    }
}

struct Aggregate {
    kind: ViewAggregateKind,
    /// Position in `ViewInput::values`.
    argument: Option<usize>,
    column: usize,
    /// Column that counts the values that are not NULL.
    counter: usize,
    ty: DataType,
    /// An ordered index of the base on the groups, then the argument; and which group each of its first parts is.
    index: Option<(usize, Vec<usize>)>,
}

/// Knows an ordered index for MIN or MAX of a column among groups of columns, and which group each of its first parts is.
pub type FindExtreme<'a> = dyn Fn(&[usize], usize) -> Option<(usize, Vec<usize>)> + 'a;

/// Any view over one table, and what one over a join does with the joined rows.
pub struct GeneralView {
    filter: Option<RowExpr>,
    /// Groups, then arguments.
    inputs: Vec<RowExpr>,
    groups: usize,
    /// Counts first: the others look at them.
    aggregates: Vec<Aggregate>,
    count_column: usize,
    /// Some input must be evaluated.
    computes: bool,
}

impl GeneralView {
    fn new(def: &catalog::Table, view: &catalog::View, source: &catalog::Table) -> GeneralView {
        GeneralView::over(def, view, source.columns.len(), &|groups, argument| extreme_index(source, groups, argument))
    }

    /// Over rows of `columns` columns. `index` knows an index for MIN and MAX of a column among groups of columns.
    pub fn over(def: &catalog::Table, view: &catalog::View, columns: usize, index: &FindExtreme<'_>) -> GeneralView {
        let compile = |expr| RowExpr::new(expr, columns);
        let mut inputs: Vec<RowExpr> = view.groups.iter().map(compile).collect();
        let mut aggregates = Vec::new();
        for aggregate in &view.aggregates {
            let argument = aggregate.argument.as_ref().map(|argument| {
                inputs.push(compile(argument));
                inputs.len() - 1
            });
            let is_extreme = matches!(aggregate.kind, ViewAggregateKind::Min | ViewAggregateKind::Max);
            let argument_column = argument.and_then(|a| inputs[a].column()).filter(|_| is_extreme);
            let groups: Option<Vec<usize>> = inputs[..view.groups.len()].iter().map(RowExpr::column).collect();
            aggregates.push(Aggregate {
                kind: aggregate.kind,
                argument,
                column: aggregate.column,
                counter: aggregate.count_column.unwrap_or(view.count_column),
                ty: def.columns[aggregate.column].ty,
                index: groups.zip(argument_column).and_then(|(g, a)| index(&g, a)),
            });
        }
        aggregates.sort_by_key(|a| !matches!(a.kind, ViewAggregateKind::CountStar | ViewAggregateKind::Count));
        GeneralView {
            filter: view.filter.as_ref().map(compile),
            computes: view.filter.is_some() || inputs.iter().any(|i| i.column().is_none()),
            inputs,
            groups: view.groups.len(),
            aggregates,
            count_column: view.count_column,
        }
    }

    /// Computes what the view wants to know of a row.
    pub fn input(
        &self,
        row: &[Datum],
        long: &impl LongStrings,
        evaluator: &mut Evaluator,
        out: &mut ViewInput,
    ) -> Result<(), EvalError> {
        out.included = true;
        out.values.clear();
        out.arena.truncate(0);
        if !self.computes {
            for input in &self.inputs {
                let datum = row[input.column().expect("nothing to compute")];
                let arena = &mut out.arena;
                let datum = if datum.is_long() { long.with_long(datum, |bytes| arena.store(bytes)) } else { datum };
                out.values.push(datum);
            }
            return Ok(());
        }
        evaluator.load(row, long);
        if let Some(filter) = &self.filter {
            out.included = evaluator.eval(filter)?.is_true();
        }
        if out.included {
            for input in &self.inputs {
                let datum = evaluator.eval(input)?;
                out.values.push(out.arena.adopt(datum, evaluator.arena()));
            }
        }
        Ok(())
    }

    /// As `input`, for a row of the join that the evaluator has at hand; its conditions are known to be true.
    pub fn joined_input(&self, evaluator: &mut Evaluator, out: &mut ViewInput) -> Result<(), EvalError> {
        out.included = true;
        out.values.clear();
        out.arena.truncate(0);
        for input in &self.inputs {
            let datum = evaluator.eval(input)?;
            out.values.push(out.arena.adopt(datum, evaluator.arena()));
        }
        Ok(())
    }

    /// Brings the view in line with a base row that was `old` and is `new`. `base` has changed already.
    pub fn apply(
        &self,
        base: &Table,
        view: &mut Table,
        [old, new]: &[ViewInput; 2],
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        if old.is_same(new) {
            return Ok(());
        }
        if old.included {
            self.change(Source::Table(base), view, old, -1, work, undo)?;
        }
        if new.included {
            self.change(Source::Table(base), view, new, 1, work, undo)?;
        }
        Ok(())
    }

    /// Counts an input in (`sign` 1) or out (-1).
    pub fn change(
        &self,
        base: Source<'_>,
        view: &mut Table,
        input: &ViewInput,
        sign: i64,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        let found = match self.groups {
            0 => Some(RowId(0)),
            _ => view.probe_group(&|i| input.values[i], &input.arena).row,
        };
        let mut row = std::mem::take(&mut work.group_row);
        let mut arena = std::mem::take(&mut work.group_arena);
        row.clear();
        arena.truncate(0);
        match found {
            Some(group) => row.extend((0..view.def().columns.len()).map(|i| view.load(group, i, &mut arena))),
            None => {
                row.extend(empty_row(view.def()));
                for (to, &from) in row.iter_mut().zip(&input.values[..self.groups]) {
                    *to = arena.adopt(from, &input.arena);
                }
            }
        }
        let result = self
            .aggregate(base, input, sign, &mut row, &mut arena, &mut work.evaluator)
            .and_then(|()| self.store(view, found, &row, &arena, work, undo));
        work.group_row = row;
        work.group_arena = arena;
        result
    }

    fn store(
        &self,
        view: &mut Table,
        found: Option<RowId>,
        row: &[Datum],
        arena: &Arena,
        work: &mut Work,
        undo: &mut UndoLog,
    ) -> Result<(), StorageError> {
        match found {
            Some(group) if self.groups > 0 && row[self.count_column].as_i64() == 0 => {
                view.prepare_delete(group, work)?;
                view.delete(group, work, undo);
            }
            Some(group) => {
                view.prepare_change(group, row, arena, work)?;
                view.update(group, row, arena, work, undo)?;
            }
            None => {
                view.prepare_insert(row, arena, work)?;
                view.insert(row, arena, work, undo)?;
            }
        }
        Ok(())
    }

    /// Changes the aggregates in `row`, whose long strings are in `arena`.
    fn aggregate(
        &self,
        base: Source<'_>,
        input: &ViewInput,
        sign: i64,
        row: &mut [Datum],
        arena: &mut Arena,
        evaluator: &mut Evaluator,
    ) -> Result<(), StorageError> {
        for aggregate in &self.aggregates {
            let argument = aggregate.argument.map_or(Datum::TRUE, |a| arena.adopt(input.values[a], &input.arena));
            if argument.is_null() {
                continue;
            }
            let old = row[aggregate.column];
            let emptied = sign < 0 && row[aggregate.counter].as_i64() == 0;
            row[aggregate.column] = match aggregate.kind {
                ViewAggregateKind::CountStar | ViewAggregateKind::Count => Datum::int(old.as_i64() + sign),
                _ if emptied => Datum::NULL,
                ViewAggregateKind::Sum if old.is_null() => argument,
                ViewAggregateKind::Sum => add(old, argument, sign, aggregate.ty)?,
                ViewAggregateKind::Min | ViewAggregateKind::Max => {
                    let better = old.is_null() || aggregate.is_better(argument, old, arena);
                    // Several rows of a join may go with one row of a table: the first that went had it looked for.
                    let was_it = sign < 0
                        && !old.is_null()
                        && compare_datums(argument, old, aggregate.ty, arena) == Ordering::Equal;
                    match (sign, base) {
                        (1, _) if better => argument,
                        (-1, Source::Table(base)) if was_it => {
                            self.extreme(base, aggregate, input, arena, evaluator)?
                        }
                        (-1, Source::Join(join, tables, base)) if was_it => {
                            self.joined_extreme(join, tables, base, aggregate, input, arena, evaluator)?
                        }
                        _ => old,
                    }
                }
            };
        }
        Ok(())
    }

    /// The smallest or largest argument in a group of a join, from the tables as they are now.
    #[allow(clippy::too_many_arguments)]
    fn joined_extreme(
        &self,
        join: &JoinView,
        tables: &[Option<Box<Table>>],
        base: usize,
        aggregate: &Aggregate,
        group: &ViewInput,
        arena: &mut Arena,
        evaluator: &mut Evaluator,
    ) -> Result<Datum, StorageError> {
        let mut best = Datum::NULL;
        join.for_all(tables, base, evaluator, &mut |input| {
            let in_group = |i: usize| key::same(input.values[i], &input.arena, group.values[i], &group.arena);
            let value = input.values[aggregate.argument.expect("MIN and MAX have one")];
            if value.is_null() || !(0..self.groups).all(in_group) {
                return;
            }
            let value = arena.adopt(value, &input.arena);
            if best.is_null() || aggregate.is_better(value, best, arena) {
                best = value;
            }
        })?;
        Ok(best)
    }

    /// The smallest or largest argument in a group, from the base table as it is now.
    fn extreme(
        &self,
        base: &Table,
        aggregate: &Aggregate,
        group: &ViewInput,
        arena: &mut Arena,
        evaluator: &mut Evaluator,
    ) -> Result<Datum, StorageError> {
        let mut best = Datum::NULL;
        let mut failed = None;
        let mut row = Vec::new();
        let mut input = ViewInput::default();
        // Takes a row into account; false: no better one can come.
        let mut visit = |id: RowId, in_order: bool| {
            base.load_row(id, &mut row);
            if let Err(error) = self.input(&row, base.rows().strings, evaluator, &mut input) {
                failed = Some(error);
                return false;
            }
            let in_group = |i: usize| key::same(input.values[i], &input.arena, group.values[i], &group.arena);
            if !input.included || !(0..self.groups).all(in_group) {
                return true;
            }
            let value = input.values[aggregate.argument.expect("MIN and MAX have one")];
            if value.is_null() {
                return true;
            }
            let value = arena.adopt(value, &input.arena);
            if best.is_null() || aggregate.is_better(value, best, arena) {
                best = value;
            }
            !in_order
        };
        let has_null_group = group.values[..self.groups].iter().any(|d| d.is_null());
        match &aggregate.index {
            Some((index, order)) if !has_null_group => {
                let equal: Vec<Datum> = order.iter().map(|&g| group.values[g]).collect();
                let descending = aggregate.kind == ViewAggregateKind::Max;
                base.range(*index, &equal, None, None, &group.arena, descending, &mut |id| visit(id, true));
            }
            _ => {
                let mut next = base.first_row();
                while let Some(id) = next.filter(|&id| visit(id, false)) {
                    next = base.next_row(id);
                }
            }
        }
        failed.map_or(Ok(best), |error| Err(error.into()))
    }
}

impl Aggregate {
    fn is_better(&self, value: Datum, than: Datum, arena: &Arena) -> bool {
        let wanted = if self.kind == ViewAggregateKind::Min { Ordering::Less } else { Ordering::Greater };
        compare_datums(value, than, self.ty, arena) == wanted
    }
}

/// An ordered index whose first keys are just `groups`, in any order, and whose next is `argument`.
fn extreme_index(source: &catalog::Table, groups: &[usize], argument: usize) -> Option<(usize, Vec<usize>)> {
    source.indexes.iter().enumerate().find_map(|(at, index)| {
        let columns = index.columns()?;
        let fits = index.kind == catalog::IndexKind::Ordered
            && index.filter.is_none()
            && columns.get(groups.len()) == Some(&argument);
        let order: Option<Vec<usize>> =
            columns.iter().take(groups.len()).map(|c| groups.iter().position(|g| g == c)).collect();
        let order = order.filter(|o| (0..groups.len()).all(|g| o.contains(&g)));
        order.filter(|_| fits).map(|order| (at, order))
    })
}

/// `sum` and `sign` times `value`, checked.
fn add(sum: Datum, value: Datum, sign: i64, ty: DataType) -> Result<Datum, EvalError> {
    let overflow = EvalError::Overflow { ty };
    match ty {
        DataType::Float => {
            let result = sum.as_f64() + sign as f64 * value.as_f64();
            if result.is_finite() { Ok(Datum::float(result)) } else { Err(overflow) }
        }
        DataType::Decimal => {
            let (a, b) = (sum.as_decimal(), value.as_decimal());
            let result = if sign > 0 { a.checked_add(b) } else { a.checked_sub(b) };
            result.map(Datum::decimal).ok_or(overflow)
        }
        _ => {
            let (a, b) = (sum.as_i64(), value.as_i64());
            let result = if sign > 0 { a.checked_add(b) } else { a.checked_sub(b) };
            result.map(Datum::int).ok_or(overflow)
        }
    }
}
