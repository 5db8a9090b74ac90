//! How to put back each change of the running transaction, newest first.
//!
//! A change is a few numbers; the bytes that an update or delete overwrote lie on a stack beside them. Cells of strings
//! that rows gave up are freed only at commit, so that an old image's pointers stay good. `Store` applies the log.

use super::strings::CellId;
use super::table::Contents;
use crate::catalog::TableId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// `reused`: the row's place came from the free list.
    Insert {
        table: TableId,
        row: u32,
        reused: bool,
    },
    /// The row's bytes are the topmost image.
    Delete {
        table: TableId,
        row: u32,
    },
    Update {
        table: TableId,
        row: u32,
    },
    /// The table's former contents are the topmost.
    Replace {
        table: TableId,
    },
}

impl Change {
    pub fn table(self) -> TableId {
        match self {
            Change::Insert { table, .. }
            | Change::Delete { table, .. }
            | Change::Update { table, .. }
            | Change::Replace { table } => table,
        }
    }
}

/// A place in the log to go back to, within one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Savepoint {
    changes: usize,
    freed: usize,
    writes: u64,
}

/// A string that no row has any more.
#[derive(Clone, Copy, Debug)]
pub struct FreedString {
    pub table: TableId,
    pub cell: CellId,
    pub len: u32,
    /// `Contents::generation` of the pool that has it.
    pub generation: u32,
}

#[derive(Default)]
pub struct UndoLog {
    /// False: changes are not kept, and freed strings go at the end of each operation.
    keep: bool,
    changes: Vec<Change>,
    images: Vec<u8>,
    contents: Vec<Contents>,
    freed: Vec<FreedString>,
    /// Changes made since the store began, kept or not: to find a rollback that cannot work.
    writes: u64,
    begun_at: u64,
}

impl UndoLog {
    pub fn begin(&mut self, keep: bool) {
        debug_assert!(self.changes.is_empty() && self.freed.is_empty(), "the last transaction was ended");
        self.keep = keep;
        self.begun_at = self.writes;
    }

    #[inline(always)]
    pub fn keeps(&self) -> bool {
        self.keep
    }

    #[inline(always)]
    pub fn push(&mut self, change: Change) {
        self.writes += 1;
        if self.keep {
            self.changes.push(change);
        }
    }

    /// As [`UndoLog::push`], with the `len` bytes that are about to be overwritten.
    ///
    /// # Safety
    /// `len` bytes at `image` are readable.
    #[inline(always)]
    pub unsafe fn push_image(&mut self, change: Change, image: *const u8, len: usize) {
        self.push(change);
        if self.keep {
            // SAFETY: the caller's promise.
            self.images.extend_from_slice(unsafe { std::slice::from_raw_parts(image, len) });
        }
    }

    pub fn push_contents(&mut self, table: TableId, contents: Contents) {
        self.push(Change::Replace { table });
        if self.keep {
            self.contents.push(contents);
        }
    }

    #[inline(always)]
    pub fn push_freed(&mut self, freed: FreedString) {
        self.freed.push(freed);
    }

    /// From now on freed strings need not wait.
    pub fn stop_keeping(&mut self) {
        self.keep = false;
    }

    #[inline(always)]
    pub fn has_freed(&self) -> bool {
        !self.freed.is_empty()
    }

    pub fn pop_freed(&mut self) -> Option<FreedString> {
        self.freed.pop()
    }

    pub fn savepoint(&self) -> Savepoint {
        Savepoint { changes: self.changes.len(), freed: self.freed.len(), writes: self.writes }
    }

    /// Where the transaction began.
    pub fn start(&self) -> Savepoint {
        Savepoint { changes: 0, freed: 0, writes: self.begun_at }
    }

    /// The newest change after `savepoint`, which is now the caller's to undo.
    pub fn pop(&mut self, savepoint: Savepoint) -> Option<Change> {
        debug_assert!(self.keep || self.writes == savepoint.writes, "a rollback after a write without an undo log");
        debug_assert!(self.changes.len() >= savepoint.changes, "a savepoint of this transaction");
        if self.changes.len() <= savepoint.changes {
            self.freed.truncate(savepoint.freed);
            return None;
        }
        self.changes.pop()
    }

    /// Takes the topmost image, of `len` bytes, into `out`.
    pub fn pop_image(&mut self, len: usize, out: &mut Vec<u8>) {
        let at = self.images.len() - len;
        out.clear();
        out.extend_from_slice(&self.images[at..]);
        self.images.truncate(at);
    }

    pub fn pop_contents(&mut self) -> Contents {
        self.contents.pop().expect("pushed with the change")
    }

    /// Forgets all changes. The freed strings must be gone by now.
    pub fn commit(&mut self) {
        debug_assert!(self.freed.is_empty());
        self.changes.clear();
        self.images.clear();
        self.contents.clear();
        self.keep = false;
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.changes.capacity() * size_of::<Change>()
            + self.images.capacity()
            + self.freed.capacity() * size_of::<FreedString>()
    }
}
