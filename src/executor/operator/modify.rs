//! UPDATE and DELETE: all rows are found, and their new values computed, before the first changes.

use super::{Flow, Operator};
use crate::catalog::TableId;
use crate::executor::program::{Answer, Environment, Subplan, columns};
use crate::executor::reader::{owner, unplace};
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::CompiledExpr;
use crate::planner::plan::Output;
use crate::storage::{RowId, Store};
use crate::types::{Arena, DataType, Datum, Frame, Reg, ResultSet};

pub struct Modify {
    pub table: TableId,
    pub source: Operator,
    /// The register with the row's place.
    pub target: Reg,
    pub spread: bool,
    /// Unique keys may change: they are checked when all rows have theirs, so that rows can trade them.
    pub rekeys: bool,
    /// Column and type of the partition column, if it is assigned: rows may move to another partition.
    pub moves: Option<(usize, DataType)>,
    pub change: Change,
    pub returning: Option<Returning>,
}

pub enum Change {
    /// Column and new value.
    Update(Vec<(usize, CompiledExpr)>),
    Delete,
}

/// RETURNING of a changed row.
pub struct Returning {
    pub columns: Vec<(usize, Reg)>,
    pub exprs: Vec<(Reg, CompiledExpr)>,
    pub output: Vec<Output>,
}

impl Modify {
    pub fn run(
        &self,
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &mut [&mut Store],
        frame: &mut Frame,
    ) -> Result<Answer, ExecError> {
        if !self.spread && stores.len() != env.hashinator.partitions() as usize {
            let table = stores[0].table(self.table).def().name.to_string();
            return Err(ExecError::ReplicatedWrite { table });
        }
        let rows = self.gather(env, subplans, stores, frame)?;
        let mut places: Vec<(usize, RowId)> = (0..rows.len()).map(|at| unplace(rows.row(at)[0])).collect();
        let before = match (&self.returning, &self.change) {
            (Some(returning), Change::Delete) => {
                Some(returning.rows(self.table, &places, env, subplans, stores, frame)?)
            }
            _ => None,
        };
        match &self.change {
            Change::Update(assignments) if self.moves.is_some() || self.rekeys && places.len() > 1 => {
                self.replace(assignments, &rows, &mut places, stores, env)?;
            }
            _ => self.apply_each(&rows, &places, stores, env.now)?,
        }
        match (&self.returning, before) {
            (_, Some(rows)) => Ok(Answer::Rows(rows)),
            (Some(returning), None) => {
                returning.rows(self.table, &places, env, subplans, stores, frame).map(Answer::Rows)
            }
            (None, None) => Ok(Answer::Modified(rows.len() as i64)),
        }
    }

    /// The place of each row to change, and for UPDATE the new values.
    fn gather(
        &self,
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<RowBuffer, ExecError> {
        let assignments: &[_] = match &self.change {
            Change::Update(assignments) => assignments,
            Change::Delete => &[],
        };
        let mut rows = RowBuffer::new(1 + assignments.len());
        let rd = Reader::new(stores, env.hashinator, env.now, env.limits, subplans);
        self.source.run(&rd, frame, &mut |frame| {
            rows.begin();
            rows.add(frame.get(self.target), &frame.arena);
            for (_, expr) in assignments {
                let datum = rd.eval(expr, frame)?;
                rows.add(datum, &frame.arena);
            }
            Ok(Flow::Continue)
        })?;
        Ok(rows)
    }

    fn apply_each(
        &self,
        rows: &RowBuffer,
        places: &[(usize, RowId)],
        stores: &mut [&mut Store],
        now: i64,
    ) -> Result<(), ExecError> {
        for (at, &(store, row)) in places.iter().enumerate() {
            if self.spread {
                self.apply(stores[store], row, &rows.row(at)[1..], rows.arena(), now)?;
                continue;
            }
            // Copies of a replicated table went through the same changes: a row has the same place in each.
            for store in stores.iter_mut() {
                self.apply(store, row, &rows.row(at)[1..], rows.arena(), now)?;
            }
        }
        Ok(())
    }

    /// Takes all rows out before the first comes back with its new values; `places` become the new ones.
    fn replace(
        &self,
        assignments: &[(usize, CompiledExpr)],
        rows: &RowBuffer,
        places: &mut [(usize, RowId)],
        stores: &mut [&mut Store],
        env: &Environment<'_>,
    ) -> Result<(), ExecError> {
        let mut changed = RowBuffer::new(stores[0].table(self.table).def().visible);
        for (at, &(store, row)) in places.iter().enumerate() {
            let mut strings = Arena::default();
            let columns = self.changed(stores[store], row, assignments, &rows.row(at)[1..], rows.arena(), &mut strings);
            changed.begin();
            columns.into_iter().for_each(|datum| changed.add(datum, &strings));
        }
        let holders = |store: usize, count: usize| if self.spread { store..store + 1 } else { 0..count };
        let count = stores.len();
        for &(store, row) in places.iter() {
            for holder in holders(store, count) {
                stores[holder].delete(self.table, row, env.now)?;
            }
        }
        for (at, (store, row)) in places.iter_mut().enumerate() {
            if let Some((column, ty)) = self.moves {
                *store = self.owner(changed.row(at)[column], ty, changed.arena(), stores, env)?;
            }
            for holder in holders(*store, count) {
                *row = stores[holder].insert(self.table, changed.row(at), changed.arena(), env.now)?;
            }
        }
        Ok(())
    }

    /// The position of the store that a row with this partition value belongs to.
    fn owner(
        &self,
        value: Datum,
        ty: DataType,
        arena: &Arena,
        stores: &[&mut Store],
        env: &Environment<'_>,
    ) -> Result<usize, ExecError> {
        let owner = owner(env.hashinator, value, ty, arena);
        if stores.len() == env.hashinator.partitions() as usize {
            return Ok(owner.index());
        }
        let here = stores[0].partition();
        let table = || stores[0].table(self.table).def().name.to_string();
        if owner == here { Ok(0) } else { Err(ExecError::Mispartitioned { table: table(), owner, here }) }
    }

    fn apply(&self, store: &mut Store, row: RowId, values: &[Datum], arena: &Arena, now: i64) -> Result<(), ExecError> {
        let Change::Update(assignments) = &self.change else {
            return Ok(store.delete(self.table, row, now)?);
        };
        let mut strings = Arena::default();
        let columns = self.changed(store, row, assignments, values, arena, &mut strings);
        Ok(store.update(self.table, row, &columns, &strings, now)?)
    }

    /// The row at `row` with `values` assigned; its long strings go to `strings`.
    fn changed(
        &self,
        store: &Store,
        row: RowId,
        assignments: &[(usize, CompiledExpr)],
        values: &[Datum],
        arena: &Arena,
        strings: &mut Arena,
    ) -> Vec<Datum> {
        let table = store.table(self.table);
        let mut columns: Vec<Datum> = (0..table.def().visible).map(|column| table.load(row, column, strings)).collect();
        for ((column, _), &value) in assignments.iter().zip(values) {
            columns[*column] = strings.adopt(value, arena);
        }
        columns
    }
}

impl Returning {
    /// The output for rows at `places`, as they are now.
    pub fn rows(
        &self,
        table: TableId,
        places: &[(usize, RowId)],
        env: &Environment<'_>,
        subplans: &[Subplan],
        stores: &[&mut Store],
        frame: &mut Frame,
    ) -> Result<ResultSet, ExecError> {
        let rd = Reader::new(stores, env.hashinator, env.now, env.limits, subplans);
        let mut rows = Vec::with_capacity(places.len());
        for &(store, row) in places {
            let mark = frame.arena.mark();
            for &(column, reg) in &self.columns {
                let datum = rd.table(store, table).load(row, column, &mut frame.arena);
                frame.set(reg, datum);
            }
            for (reg, expr) in &self.exprs {
                let datum = rd.eval(expr, frame)?;
                frame.set(*reg, datum);
            }
            rows.push(self.output.iter().map(|o| frame.value(o.reg, o.ty)).collect());
            frame.arena.truncate(mark);
        }
        Ok(ResultSet { columns: columns(&self.output), rows })
    }
}
