//! Fixed-width cells in copy-on-write pages: the rows of a table, or the strings of one size.
//!
//! A cell keeps its number (the row id) until it is freed. A page is a block: a bitmap of live cells, then the cells. A
//! snapshot shares the pages; the heap copies a page when it first writes to it afterwards, if the snapshot still
//! lives.
//! The write path only compares the page's epoch with the heap's.
//!
//! The heap knows nothing of columns, and what is in a freed cell is its own: the number of the next free one.

use super::block::{Block, BlockPool};
use std::sync::Arc;

/// Number of a row in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u32);

/// Aim for the size of a page, in bytes.
const PAGE_BYTES: usize = 64 << 10;
/// Most cells in a page: their bitmap takes 512 bytes.
const CELLS_MAX: usize = 4096;
/// Cells in the first page of a new heap.
const CELLS_FIRST: u32 = 8;
/// With more pages than these, further ones are carved from chunks.
const PAGES_UNPOOLED: usize = 16;
/// Bytes past the last cell that may be read: a column is loaded with one 16-byte read.
const TAIL: usize = 16;
/// The end of the free list. Also one more than the largest cell number.
const NONE: u32 = u32::MAX - 1;

#[derive(Debug)]
struct PageSlot {
    /// The first cell.
    cells: *mut u8,
    /// The heap's epoch when this page was last known to be ours alone.
    epoch: u64,
    block: Arc<Block>,
}

#[derive(Debug)]
pub struct Heap {
    pages: Vec<PageSlot>,
    stride: u32,
    /// Cells in a page: 1 << shift.
    shift: u32,
    /// Bytes before the first cell of a page: the bitmap, up to a cache line's end.
    cells_offset: u32,
    /// Cells below this have been used at some time.
    end: u32,
    /// Cells that the pages have room for.
    capacity: u32,
    /// The cell freed last, each holds the number of the one freed before it.
    free: u32,
    len: u32,
    epoch: u64,
    pool: Option<Arc<BlockPool>>,
}

// SAFETY: the pointers go into blocks that the heap (and snapshots, which only read) hold by `Arc`.
unsafe impl Send for Heap {}
// SAFETY: `&Heap` only reads cells; writes take `&mut Heap`.
unsafe impl Sync for Heap {}

/// A new cell.
pub struct NewCell {
    pub row: RowId,
    /// The cell's bytes: zero, or those of its former life.
    pub cell: *mut u8,
    /// True if the cell came from the free list.
    pub reused: bool,
}

impl Heap {
    /// A heap for cells of `stride` bytes, 4 at least.
    pub fn new(stride: usize) -> Heap {
        assert!(stride >= 4, "a free cell holds the number of the next");
        let per_page = (PAGE_BYTES / stride).clamp(1, CELLS_MAX);
        let shift = per_page.ilog2();
        Heap {
            pages: Vec::new(),
            stride: stride as u32,
            shift,
            cells_offset: (1u32 << shift).div_ceil(8).next_multiple_of(64),
            end: 0,
            capacity: 0,
            free: NONE,
            len: 0,
            epoch: 0,
            pool: None,
        }
    }

    /// Live cells.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Bytes held: pages and their list, free cells included.
    pub fn bytes(&self) -> usize {
        let unpooled: usize = self.pages.iter().filter(|p| !p.block.is_pooled()).map(|p| p.block.bytes()).sum();
        let mapped = self.pool.as_ref().map_or(0, |p| p.mapped_bytes());
        unpooled + mapped + self.pages.capacity() * size_of::<PageSlot>()
    }

    /// The bytes of a live cell, to read: a cell's size and 16 more that mean nothing.
    #[inline(always)]
    pub fn cell(&self, row: RowId) -> *const u8 {
        debug_assert!(self.is_live(row), "row {row:?} is not live");
        self.address(row)
    }

    #[inline(always)]
    fn address(&self, row: RowId) -> *mut u8 {
        let (page, at) = (row.0 >> self.shift, row.0 & ((1 << self.shift) - 1));
        debug_assert!(row.0 < self.end);
        // SAFETY: pages cover all cells below `end`; a row id is handed out by this heap only.
        unsafe { self.pages.get_unchecked(page as usize).cells.add(at as usize * self.stride as usize) }
    }

    /// The bytes of a live cell, to write: the page is copied first if a snapshot holds it.
    #[inline(always)]
    pub fn cell_mut(&mut self, row: RowId) -> *mut u8 {
        debug_assert!(self.is_live(row), "row {row:?} is not live");
        self.own(row);
        self.address(row)
    }

    #[inline(always)]
    fn own(&mut self, row: RowId) {
        let page = (row.0 >> self.shift) as usize;
        debug_assert!(page < self.pages.len());
        // SAFETY: pages cover all cells of this heap.
        if unsafe { self.pages.get_unchecked(page).epoch } != self.epoch {
            self.copy_shared(page);
        }
    }

    #[cold]
    #[inline(never)]
    fn copy_shared(&mut self, page: usize) {
        if Arc::get_mut(&mut self.pages[page].block).is_none() {
            let old = Arc::clone(&self.pages[page].block);
            let new = if old.is_pooled() { self.pooled_block() } else { Block::new(old.bytes()) };
            // SAFETY: both blocks have that many bytes, and the new one is nobody else's.
            unsafe { new.start().copy_from_nonoverlapping(old.start(), old.bytes()) };
            self.pages[page] = self.slot(new);
        }
        self.pages[page].epoch = self.epoch;
    }

    #[inline(always)]
    fn bitmap_word(&self, row: RowId) -> (*mut u64, u64) {
        let (page, at) = ((row.0 >> self.shift) as usize, row.0 & ((1 << self.shift) - 1));
        // SAFETY: the bitmap lies before the cells in the same block, and has a bit for each cell of the page.
        let word = unsafe {
            let start = self.pages.get_unchecked(page).cells.sub(self.cells_offset());
            start.cast::<u64>().add(at as usize / 64)
        };
        (word, 1 << (at % 64))
    }

    pub fn is_live(&self, row: RowId) -> bool {
        if row.0 >= self.end {
            return false;
        }
        let (word, bit) = self.bitmap_word(row);
        // SAFETY: the word lies in a page of ours.
        unsafe { *word & bit != 0 }
    }

    /// Makes a cell live. The page is ours to write. None if there are too many (about 4 thousand million).
    #[inline(always)]
    pub fn allocate(&mut self) -> Option<NewCell> {
        if self.free != NONE {
            return Some(self.reuse());
        }
        if self.end == self.capacity && !self.grow() {
            return None;
        }
        let row = RowId(self.end);
        self.end += 1;
        self.own(row);
        self.mark_live(row);
        Some(NewCell { row, cell: self.address(row), reused: false })
    }

    #[inline(always)]
    fn mark_live(&mut self, row: RowId) {
        let (word, bit) = self.bitmap_word(row);
        // SAFETY: the word lies in a page that is ours alone: `own` was called.
        unsafe { *word |= bit };
        self.len += 1;
    }

    #[inline(never)]
    fn reuse(&mut self) -> NewCell {
        let row = RowId(self.free);
        self.own(row);
        let cell = self.address(row);
        // SAFETY: a free cell holds the number of the next one in its first four bytes.
        self.free = unsafe { cell.cast::<u32>().read_unaligned() };
        self.mark_live(row);
        NewCell { row, cell, reused: true }
    }

    /// Frees a live cell: it is the next to be reused.
    pub fn release(&mut self, row: RowId) {
        let cell = self.cell_mut(row);
        // SAFETY: the cell is at least four bytes and its page is ours.
        unsafe { cell.cast::<u32>().write_unaligned(self.free) };
        self.free = row.0;
        let (word, bit) = self.bitmap_word(row);
        // SAFETY: as above.
        unsafe { *word &= !bit };
        self.len -= 1;
    }

    /// Undoes the latest `allocate` that is not undone yet.
    pub fn undo_allocate(&mut self, row: RowId, reused: bool) {
        self.release(row);
        if !reused {
            // SAFETY: `release` has just put it there.
            self.free = unsafe { self.address(row).cast::<u32>().read_unaligned() };
            debug_assert_eq!(row.0 + 1, self.end, "undone newest first");
            self.end -= 1;
        }
    }

    /// Undoes the latest `release` that is not undone yet. The caller puts the bytes back.
    pub fn undo_release(&mut self, row: RowId) -> *mut u8 {
        debug_assert_eq!(self.free, row.0, "undone newest first");
        self.reuse().cell
    }

    #[inline(always)]
    fn cells_offset(&self) -> usize {
        self.cells_offset as usize
    }

    fn block_bytes(&self, cells: usize) -> usize {
        (self.cells_offset() + cells * self.stride as usize + TAIL).next_multiple_of(64)
    }

    fn slot(&self, block: Block) -> PageSlot {
        // SAFETY: every block is longer than its bitmap.
        let cells = unsafe { block.start().add(self.cells_offset()) };
        PageSlot { cells, epoch: self.epoch, block: Arc::new(block) }
    }

    fn pooled_block(&mut self) -> Block {
        let bytes = self.block_bytes(1 << self.shift);
        self.pool.get_or_insert_with(|| BlockPool::new(bytes)).take()
    }

    /// Room for more cells: the first page doubles until it is full size, then there are more pages.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> bool {
        let per_page = 1u32 << self.shift;
        if self.capacity > NONE - per_page {
            return false;
        }
        if self.capacity < per_page {
            let cells = if self.capacity == 0 { CELLS_FIRST.min(per_page) } else { self.capacity * 2 };
            let block = Block::new(self.block_bytes(cells as usize));
            if let Some(old) = self.pages.pop() {
                // SAFETY: the new block is longer than the old one, and nobody else's.
                unsafe { block.start().copy_from_nonoverlapping(old.block.start(), old.block.bytes()) };
            }
            let slot = self.slot(block);
            self.pages.push(slot);
            self.capacity = cells;
            return true;
        }
        let bytes = self.block_bytes(per_page as usize);
        let pooled = self.pages.len() >= PAGES_UNPOOLED && bytes <= 2 * PAGE_BYTES;
        let block = if pooled { self.pooled_block() } else { Block::new(bytes) };
        let slot = self.slot(block);
        self.pages.push(slot);
        self.capacity += per_page;
        true
    }

    /// The live cell with the smallest number of at least `from`.
    pub fn live_from(&self, from: u32) -> Option<RowId> {
        next_live(from, self.end, self.shift, |page| {
            // SAFETY: the bitmap starts the block.
            unsafe { self.pages[page].cells.sub(self.cells_offset()).cast::<u64>() }
        })
    }

    /// Shows `visit` up to `most` live cells from the number `from` on, in order: number and bytes, to read. Gives the
    /// number to go on from.
    #[inline(always)]
    pub fn visit_live(&self, from: u32, most: usize, mut visit: impl FnMut(RowId, *const u8)) -> u32 {
        let (mut at, mut left) = (from, most);
        let in_page_mask = (1u32 << self.shift) - 1;
        while at < self.end && left > 0 {
            let (word, _) = self.bitmap_word(RowId(at));
            let bit = (at & in_page_mask) % 64;
            // Cells that this word has bits for, from `at` on.
            let span = (64 - bit).min(in_page_mask + 1 - (at & in_page_mask)).min(self.end - at);
            // SAFETY: the word lies in a page of ours, since `at` is below `end`.
            let mut live = unsafe { *word } >> bit;
            if span < 64 {
                live &= (1 << span) - 1;
            }
            let first = self.address(RowId(at)).cast_const();
            while live != 0 && left > 0 {
                let step = live.trailing_zeros();
                // SAFETY: the cells of a word lie one after the other in one page.
                visit(RowId(at + step), unsafe { first.add(step as usize * self.stride as usize) });
                live &= live - 1;
                left -= 1;
                if left == 0 {
                    return at + step + 1;
                }
            }
            at += span;
        }
        at
    }

    /// The state of now, for as long as the snapshot lives. Costs a reference per page, and later a copy of each page
    /// that is written to.
    pub fn snapshot(&mut self) -> HeapSnapshot {
        self.epoch += 1;
        HeapSnapshot {
            pages: self.pages.iter().map(|p| Arc::clone(&p.block)).collect(),
            stride: self.stride,
            shift: self.shift,
            cells_offset: self.cells_offset(),
            end: self.end,
            len: self.len,
        }
    }

    /// The numbers of the free cells in the order of their reuse, then the one that is appended next.
    #[cfg(test)]
    pub fn reuse_order(&self) -> Vec<u32> {
        let mut order = Vec::new();
        let mut next = self.free;
        while next != NONE {
            order.push(next);
            // SAFETY: a free cell holds the number of the next one.
            next = unsafe { self.address(RowId(next)).cast::<u32>().read_unaligned() };
        }
        order.push(self.end);
        order
    }
}

/// First live cell in `from..end`; `bitmap` gives a page's words.
fn next_live(from: u32, end: u32, shift: u32, bitmap: impl Fn(usize) -> *const u64) -> Option<RowId> {
    let per_page = 1u32 << shift;
    let mut at = from;
    while at < end {
        let in_page = at & (per_page - 1);
        // SAFETY: the page exists since `at < end`, and its bitmap has a word for this cell.
        let word = unsafe { *bitmap((at >> shift) as usize).add(in_page as usize / 64) } >> (in_page % 64);
        if word != 0 {
            return Some(RowId(at + word.trailing_zeros()));
        }
        let next = (in_page / 64 + 1) * 64;
        at = at - in_page + next.min(per_page);
    }
    None
}

/// The cells of a heap as they were. Any thread may read it.
#[derive(Debug, Clone)]
pub struct HeapSnapshot {
    pages: Vec<Arc<Block>>,
    stride: u32,
    shift: u32,
    cells_offset: usize,
    end: u32,
    len: u32,
}

impl HeapSnapshot {
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The live cell with the smallest number of at least `from`.
    pub fn live_from(&self, from: u32) -> Option<RowId> {
        next_live(from, self.end, self.shift, |page| self.pages[page].start().cast::<u64>())
    }

    /// The bytes of a cell that was live.
    #[inline]
    pub fn cell(&self, row: RowId) -> *const u8 {
        assert!(row.0 < self.end);
        let at = row.0 & ((1 << self.shift) - 1);
        let start = self.pages[(row.0 >> self.shift) as usize].start();
        // SAFETY: the page has that cell since `row < end`.
        unsafe { start.add(self.cells_offset + at as usize * self.stride as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(heap: &mut Heap, value: u64) -> RowId {
        let new = heap.allocate().unwrap();
        // SAFETY: cells of these tests have eight bytes.
        unsafe { new.cell.cast::<u64>().write_unaligned(value) };
        new.row
    }
    fn get(heap: &Heap, row: RowId) -> u64 {
        // SAFETY: as above.
        unsafe { heap.cell(row).cast::<u64>().read_unaligned() }
    }

    #[test]
    fn a_snapshot_keeps_the_old_state_while_pages_change() {
        let mut heap = Heap::new(8);
        for i in 0..100_000u64 {
            assert_eq!(put(&mut heap, i), RowId(i as u32));
        }
        let snapshot = heap.snapshot();
        for i in (0..100_000u32).step_by(3) {
            heap.release(RowId(i));
        }
        for i in (1..100_000u32).step_by(3) {
            // SAFETY: as above.
            unsafe { heap.cell_mut(RowId(i)).cast::<u64>().write_unaligned(7) };
        }
        put(&mut heap, 1);
        let mut at = 0;
        for i in 0..100_000u64 {
            let row = snapshot.live_from(at).unwrap();
            // SAFETY: as above.
            assert_eq!(unsafe { snapshot.cell(row).cast::<u64>().read_unaligned() }, i);
            at = row.0 + 1;
        }
        assert_eq!(snapshot.live_from(at), None);
        let other = std::thread::spawn(move || snapshot.len());
        assert_eq!(other.join().unwrap(), 100_000);
        assert_eq!(get(&heap, RowId(4)), 7);
        assert_eq!(get(&heap, RowId(5)), 5);
    }

    #[test]
    fn freed_cells_are_reused_last_first_and_undo_restores_that_order() {
        let mut heap = Heap::new(8);
        for i in 0..20 {
            put(&mut heap, i);
        }
        [3, 9, 5].into_iter().for_each(|i| heap.release(RowId(i)));
        let before = heap.reuse_order();
        assert_eq!(before, [5, 9, 3, 20]);
        let added: Vec<NewCell> = (0..5).map(|_| heap.allocate().unwrap()).collect();
        heap.release(RowId(0));
        heap.undo_release(RowId(0));
        added.iter().rev().for_each(|c| heap.undo_allocate(c.row, c.reused));
        assert_eq!(heap.reuse_order(), before);
        assert_eq!(heap.len(), 17);
    }

    #[test]
    fn small_heaps_stay_small_and_big_ones_live_in_chunks() {
        let mut heap = Heap::new(16);
        put(&mut heap, 1);
        assert!(heap.bytes() < 1024, "{}", heap.bytes());
        for i in 0..500_000 {
            put(&mut heap, i);
        }
        assert!(heap.pages.last().unwrap().block.is_pooled());
        assert!(heap.bytes() < 500_000 * 16 * 12 / 10 + (2 << 20), "{}", heap.bytes());
    }
}
