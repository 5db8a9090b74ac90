//! Rows that outlive the scan that made them: sorted, grouped, joined, returned to a FOR.

use crate::types::{Arena, Datum, Frame, Reg};

/// Rows of a fixed width with their own copy of long strings.
#[derive(Default, Debug, Clone)]
pub struct RowBuffer {
    width: usize,
    len: usize,
    datums: Vec<Datum>,
    arena: Arena,
}

impl RowBuffer {
    /// `width`: datums in a row, may be 0.
    pub fn new(width: usize) -> RowBuffer {
        RowBuffer { width, ..RowBuffer::default() }
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    pub fn arena(&self) -> &Arena {
        &self.arena
    }
    /// Begins a row; exactly `width` calls of [`RowBuffer::add`] follow.
    #[inline]
    pub fn begin(&mut self) {
        debug_assert_eq!(self.datums.len(), self.len * self.width);
        self.len += 1;
    }
    #[inline]
    pub fn add(&mut self, datum: Datum, arena: &Arena) {
        let datum = self.arena.adopt(datum, arena);
        self.datums.push(datum);
    }
    /// Appends the row that lies in `regs`.
    #[inline]
    pub fn push(&mut self, regs: &[Reg], frame: &Frame) {
        debug_assert_eq!(regs.len(), self.width);
        self.begin();
        for &reg in regs {
            self.add(frame.get(reg), &frame.arena);
        }
    }
    #[inline]
    pub fn row(&self, at: usize) -> &[Datum] {
        &self.datums[at * self.width..(at + 1) * self.width]
    }
    /// Puts the datums of row `at`, from its `from`-th on, into `regs`.
    #[inline]
    pub fn load(&self, at: usize, from: usize, regs: &[Reg], frame: &mut Frame) {
        for (&reg, &datum) in regs.iter().zip(&self.row(at)[from..]) {
            let datum = frame.arena.adopt(datum, &self.arena);
            frame.set(reg, datum);
        }
    }
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.datums.len() * size_of::<Datum>() + self.arena.mark()
    }
}
