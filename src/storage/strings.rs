//! Strings too long for a row: each in a cell of the next larger power of two, by size in heaps of their own, so that
//! snapshots cover them.

use super::heap::{Heap, HeapSnapshot, RowId};

/// Smallest cell: 16 bytes, the shortest long string.
const SMALLEST: u32 = 4;
/// Sizes from 16 bytes to 1 MiB, the longest VARCHAR.
const CLASSES: usize = 17;

/// Where a string lies among those of its length's size class.
pub type CellId = u32;

#[derive(Debug, Default)]
pub struct StringPool {
    classes: [Option<Heap>; CLASSES],
}

fn class_of(len: usize) -> usize {
    debug_assert!(len > 0);
    (len.next_power_of_two().trailing_zeros().max(SMALLEST) - SMALLEST) as usize
}

impl StringPool {
    /// Copies `bytes` (1 byte to 1 MiB) into a cell. None if there are too many cells.
    pub fn put(&mut self, bytes: &[u8]) -> Option<CellId> {
        let class = class_of(bytes.len());
        let heap = self.classes[class].get_or_insert_with(|| Heap::new(1 << (class as u32 + SMALLEST)));
        let new = heap.allocate()?;
        // SAFETY: the cell is as long as its class says, which is at least `bytes.len()`, and it is ours to write.
        unsafe { new.cell.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Some(new.row.0)
    }

    /// The string of `len` bytes that `put` gave this cell.
    #[inline]
    pub fn get(&self, cell: CellId, len: usize) -> &[u8] {
        let heap = self.classes[class_of(len)].as_ref().expect("a string of this class was put");
        // SAFETY: the cell holds at least `len` bytes, and nobody writes while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(heap.cell(RowId(cell)), len) }
    }

    /// Frees the cell of a string of `len` bytes.
    pub fn free(&mut self, cell: CellId, len: usize) {
        self.classes[class_of(len)].as_mut().expect("a string of this class was put").release(RowId(cell));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.classes.iter().flatten().map(Heap::bytes).sum()
    }

    /// Strings held.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.classes.iter().flatten().map(Heap::len).sum()
    }

    pub fn snapshot(&mut self) -> StringSnapshot {
        StringSnapshot { classes: self.classes.each_mut().map(|heap| heap.as_mut().map(Heap::snapshot)) }
    }
}

/// The strings of a table as they were.
#[derive(Debug, Clone)]
pub struct StringSnapshot {
    classes: [Option<HeapSnapshot>; CLASSES],
}

impl StringSnapshot {
    pub fn get(&self, cell: CellId, len: usize) -> &[u8] {
        let heap = self.classes[class_of(len)].as_ref().expect("a string of this class was put");
        // SAFETY: pages of a snapshot are never written to, and the cell holds `len` bytes.
        unsafe { std::slice::from_raw_parts(heap.cell(RowId(cell)), len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_lengths_come_back() {
        let mut pool = StringPool::default();
        let lens = [1, 15, 16, 17, 31, 32, 33, 1000, 65536, 65537, 1 << 20];
        let text = |len: usize| (0..len).map(|i| (i * 7 + len) as u8).collect::<Vec<u8>>();
        let cells: Vec<CellId> = lens.iter().map(|&len| pool.put(&text(len)).unwrap()).collect();
        let snapshot = pool.snapshot();
        for (&cell, &len) in cells.iter().zip(&lens) {
            assert_eq!(pool.get(cell, len), text(len));
            pool.free(cell, len);
            pool.put(&vec![0; len]).unwrap();
            assert_eq!(snapshot.get(cell, len), text(len));
        }
        assert_eq!(pool.len(), lens.len());
    }
}
