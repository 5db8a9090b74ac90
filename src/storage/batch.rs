//! Full scans some hundreds of rows at a time: tests and columns in tight loops over the rows' cells.

use super::heap::RowId;
use super::layout::{Slot, SlotKind};
use super::table::Table;
use crate::types::{Arena, Datum};

/// Rows of the first batch: whoever wants only the first few rows doesn't pay for more.
const ROWS_FIRST: usize = 16;
const ROWS_MAX: usize = 1024;

/// A place in a full scan of a table: the live rows of the batch at hand, in the order of their ids.
pub struct RowBatch<'t> {
    table: &'t Table,
    /// Each points at a live row of `table`, which cannot change while it is borrowed.
    cells: Vec<*const u8>,
    rows: Vec<RowId>,
    next: u32,
    room: usize,
}

/// A set of outcomes of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
}

impl Outcomes {
    /// The values that compare so with `value` are those of a range, or of it but one: smallest, largest, exception.
    fn range(self, value: i64) -> (i64, i64, Option<i64>) {
        let but = if self.equal { None } else { Some(value) };
        match (self.less, self.greater) {
            (true, true) => (i64::MIN, i64::MAX, but),
            (true, false) => (i64::MIN, value, but),
            (false, true) => (value, i64::MAX, but),
            (false, false) => (value, value, but),
        }
    }
}

/// The bits of a FLOAT as an integer in the total order of floats.
#[inline(always)]
fn ordered(bits: i64) -> i64 {
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

impl<'t> RowBatch<'t> {
    /// Before the first row of `table`.
    pub fn new(table: &'t Table) -> RowBatch<'t> {
        RowBatch { table, cells: Vec::new(), rows: Vec::new(), next: 0, room: ROWS_FIRST }
    }

    pub fn table(&self) -> &'t Table {
        self.table
    }

    /// Goes to the next rows. False: there are no more.
    pub fn advance(&mut self) -> bool {
        self.cells.clear();
        self.rows.clear();
        let room = self.room;
        self.room = (room * 4).min(ROWS_MAX);
        let (cells, rows) = (&mut self.cells, &mut self.rows);
        self.next = self.table.contents.heap.visit_live(self.next, room, |row, cell| {
            cells.push(cell);
            rows.push(row);
        });
        !self.cells.is_empty()
    }

    /// Rows in the batch.
    pub fn len(&self) -> usize {
        self.cells.len()
    }
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// The id of the row at a position in the batch.
    pub fn row(&self, at: usize) -> RowId {
        self.rows[at]
    }

    /// A column of the row at a position in the batch; a long string is copied to `arena`.
    #[inline(always)]
    pub fn load(&self, at: usize, column: usize, arena: &mut Arena) -> Datum {
        // SAFETY: a live row of this table.
        let datum = unsafe { self.table.slot(column).load(self.cells[at]) };
        if datum.is_long() { self.table.load(self.rows[at], column, arena) } else { datum }
    }

    /// True if the column's values fit [`RowBatch::ints`] and the tests.
    pub fn is_one_lane(table: &Table, column: usize) -> bool {
        table.slot(column).kind == SlotKind::Int
    }

    /// The column of each row as [`Datum::lo`] has it, and whether it is NULL (then the other is 0). `nulls` stays empty
    /// if the column is NOT NULL. The column has one lane.
    pub fn ints(&self, column: usize, values: &mut Vec<i64>, nulls: &mut Vec<bool>) {
        let slot = self.table.slot(column);
        assert_eq!(slot.kind, SlotKind::Int, "a column of one lane");
        values.clear();
        nulls.clear();
        // SAFETY: live rows of this table, and the slot is an integer.
        unsafe {
            values.extend(self.cells.iter().map(|&cell| slot.load_int(cell)));
            if slot.is_nullable() {
                nulls.extend(self.cells.iter().map(|&cell| slot.is_null(cell)));
            }
        }
    }

    /// Keeps the rows whose column compares so with `value`: a [`Datum::lo`] of the column's type; NULL never does. The
    /// column has one lane; `float`: it is a FLOAT.
    pub fn retain(&mut self, column: usize, outcomes: Outcomes, value: i64, float: bool) {
        let slot = self.table.slot(column);
        assert_eq!(slot.kind, SlotKind::Int, "a column of one lane");
        if float {
            let (low, high, but) = outcomes.range(ordered(value));
            self.retain_where(slot, |x| (low..=high).contains(&ordered(x)) & (Some(ordered(x)) != but));
        } else {
            let (low, high, but) = outcomes.range(value);
            self.retain_where(slot, |x| (low <= x) & (x <= high) & (Some(x) != but));
        }
    }

    /// Keeps the rows that are not NULL in `slot`, an integer, and for which `test` is true.
    #[inline(always)]
    fn retain_where(&mut self, slot: Slot, test: impl Fn(i64) -> bool) {
        let nullable = slot.is_nullable();
        let mut kept = 0;
        for at in 0..self.cells.len() {
            let cell = self.cells[at];
            self.cells[kept] = cell;
            self.rows[kept] = self.rows[at];
            // SAFETY: a live row of this table, and the slot is an integer.
            let passes = unsafe { test(slot.load_int(cell)) & !(nullable && slot.is_null(cell)) };
            kept += passes as usize;
        }
        self.cells.truncate(kept);
        self.rows.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_float_bits_is_the_total_order() {
        let floats = [f64::NEG_INFINITY, -1.5, -1e-300, 0.0, 1e-300, 2.0, f64::INFINITY, f64::NAN];
        assert!(floats.map(|f| ordered(f.to_bits() as i64)).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn outcomes_name_the_values_that_have_them() {
        for bits in 0..8 {
            let outcomes = Outcomes { less: bits & 1 != 0, equal: bits & 2 != 0, greater: bits & 4 != 0 };
            let (low, high, but) = outcomes.range(7);
            for (x, wanted) in [(i64::MIN, outcomes.less), (6, outcomes.less), (7, outcomes.equal)]
                .into_iter()
                .chain([(8, outcomes.greater), (i64::MAX, outcomes.greater)])
            {
                assert_eq!((low..=high).contains(&x) && Some(x) != but, wanted, "{x} for {outcomes:?}");
            }
        }
    }
}
