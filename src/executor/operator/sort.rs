//! ORDER BY: rows are kept, sorted by their keys (equal ones stay in order of arrival) and handed on.

use super::{Flow, Operator, Sink, count};
use crate::executor::{ExecError, Reader, RowBuffer};
use crate::expr::{CompiledExpr, compare_datums};
use crate::types::{Arena, DataType, Datum, Frame, Reg};
use std::cmp::Ordering;

pub struct Sort {
    pub input: Operator,
    pub keys: Vec<SortKey>,
    /// Registers that are read above: saved with each row.
    pub carry: Vec<Reg>,
    /// At most that many rows are wanted.
    pub top: Option<CompiledExpr>,
}

pub struct SortKey {
    pub expr: CompiledExpr,
    pub ty: DataType,
    pub descending: bool,
    pub nulls_first: bool,
}

/// The order of two rows whose keys stand at the start of `a` and `b`.
pub fn compare_rows(keys: &[SortKey], a: &[Datum], b: &[Datum], arena: &Arena) -> Ordering {
    for ((key, &a), &b) in keys.iter().zip(a).zip(b) {
        let order = match (a.is_null(), b.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) if key.nulls_first => Ordering::Less,
            (true, false) => Ordering::Greater,
            (false, true) if key.nulls_first => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) if key.descending => compare_datums(b, a, key.ty, arena),
            (false, false) => compare_datums(a, b, key.ty, arena),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// Keeps only the first `top` of the rows listed in `order`, sorted.
fn cut(order: &mut Vec<u32>, top: usize, mut compare: impl FnMut(&u32, &u32) -> Ordering) {
    if order.len() > top {
        if top > 0 {
            order.select_nth_unstable_by(top - 1, &mut compare);
        }
        order.truncate(top);
    }
}

impl Sort {
    pub fn run(&self, rd: &Reader<'_>, frame: &mut Frame, sink: &mut Sink<'_>) -> Result<Flow, ExecError> {
        let top = count(&self.top, rd, frame)?.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        if top == 0 {
            return Ok(Flow::Continue);
        }
        let mut rows = RowBuffer::new(self.keys.len() + self.carry.len());
        self.input.run(rd, frame, &mut |frame| {
            rows.begin();
            for key in &self.keys {
                let datum = rd.eval(&key.expr, frame)?;
                rows.add(datum, &frame.arena);
            }
            self.carry.iter().for_each(|&reg| rows.add(frame.get(reg), &frame.arena));
            Ok(Flow::Continue)
        })?;
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        // Arrival decides between equal keys, so that the unstable selection and sort are stable.
        let compare = |a: &u32, b: &u32| {
            compare_rows(&self.keys, rows.row(*a as usize), rows.row(*b as usize), rows.arena()).then(a.cmp(b))
        };
        cut(&mut order, top, compare);
        order.sort_unstable_by(compare);
        for at in order {
            let mark = frame.arena.mark();
            rows.load(at as usize, self.keys.len(), &self.carry, frame);
            if sink(frame)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            frame.arena.truncate(mark);
        }
        Ok(Flow::Continue)
    }
}
