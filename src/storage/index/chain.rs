//! A hash index whose keys may repeat: one entry per key, and a ring of the rows that share it.
//!
//! Ten thousand rows of one key cost no more to add or remove than one. Rows of a key come in the order of their
//! insertion.

use super::hash::{HashTable, TableFull};
use crate::storage::heap::RowId;

#[derive(Clone, Copy, Default)]
struct Link {
    next: u32,
    previous: u32,
}

#[derive(Default)]
pub struct ChainedTable {
    /// The first row of each key.
    heads: HashTable,
    /// By row.
    links: Vec<Link>,
}

impl ChainedTable {
    pub fn reserve(&mut self, tag: u32) -> Result<(), TableFull> {
        self.heads.reserve(tag)
    }

    pub fn prefetch(&self, tag: u32) {
        self.heads.prefetch(tag);
    }

    /// The first row of the key for which `is_it` is true.
    #[inline]
    pub fn find(&self, tag: u32, is_it: impl FnMut(RowId) -> bool) -> Option<RowId> {
        self.heads.find(tag, is_it)
    }

    /// Rows of the key whose first row is `head`, until `f` says false.
    pub fn for_each(&self, head: RowId, f: &mut dyn FnMut(RowId) -> bool) {
        let mut at = head.0;
        while f(RowId(at)) {
            at = self.links[at as usize].next;
            if at == head.0 {
                return;
            }
        }
    }

    /// Adds a row; `is_it` tells rows of the same key. Room was reserved.
    pub fn insert(&mut self, tag: u32, row: RowId, is_it: impl FnMut(RowId) -> bool) {
        let at = row.0 as usize;
        if self.links.len() <= at {
            self.links.resize(at + 1, Link::default());
        }
        match self.heads.find(tag, is_it) {
            None => {
                self.links[at] = Link { next: row.0, previous: row.0 };
                self.heads.insert(tag, row);
            }
            Some(head) => {
                let last = self.links[head.0 as usize].previous;
                self.links[at] = Link { next: head.0, previous: last };
                self.links[last as usize].next = row.0;
                self.links[head.0 as usize].previous = row.0;
            }
        }
    }

    /// Removes a row that is there; `is_it` tells rows of the same key.
    pub fn remove(&mut self, tag: u32, row: RowId, is_it: impl FnMut(RowId) -> bool) {
        let head = self.heads.find(tag, is_it).expect("the row's key is there");
        let link = self.links[row.0 as usize];
        if link.next == row.0 {
            return self.heads.remove(tag, row);
        }
        self.links[link.previous as usize].next = link.next;
        self.links[link.next as usize].previous = link.previous;
        if head == row {
            self.heads.replace(tag, row, RowId(link.next));
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.heads.bytes() + self.links.capacity() * size_of::<Link>()
    }
}
