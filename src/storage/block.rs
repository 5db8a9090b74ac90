//! Blocks of memory for pages and index segments: from the allocator, or carved from 2 MiB chunks.
//!
//! Tables of many megabytes live in chunks that the kernel may back with 2 MiB pages, which takes a third off a random
//! access. A chunk goes back to the stock (see `chunk`) with its last block.

use super::chunk::{self, CHUNK_BYTES};
use std::alloc::{self, Layout};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks are aligned to cache lines.
const ALIGN: usize = 64;

/// Memory that is owned, zeroed when it is handed out, and aligned to 64 bytes.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
    /// Where it goes when it is dropped; None: to the allocator.
    pool: Option<Arc<BlockPool>>,
}

// SAFETY: a block owns its memory; who shares one through `Arc` only reads it.
unsafe impl Send for Block {}
// SAFETY: as above; all writes go through the one heap or index that owns the block.
unsafe impl Sync for Block {}

impl Block {
    /// `bytes` (above 0) from the allocator.
    pub fn new(bytes: usize) -> Block {
        let layout = Layout::from_size_align(bytes, ALIGN).expect("blocks are far smaller than the address space");
        assert!(bytes > 0);
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc::alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| alloc::handle_alloc_error(layout));
        Block { start, bytes, pool: None }
    }

    /// Where the memory starts. It stays there until the block is dropped.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// True if the block is part of a chunk, whose bytes its pool counts.
    pub fn is_pooled(&self) -> bool {
        self.pool.is_some()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match &self.pool {
            Some(pool) => pool.give_back(self.start.as_ptr()),
            // SAFETY: allocated in `new` with this layout, and nobody else frees it.
            None => unsafe {
                alloc::dealloc(self.start.as_ptr(), Layout::from_size_align_unchecked(self.bytes, ALIGN));
            },
        }
    }
}

/// Blocks of one size. Snapshots may drop theirs on any thread, so there is a lock; it is taken once per block.
#[derive(Debug)]
pub struct BlockPool {
    /// Size of a block, a multiple of [`ALIGN`], at most [`CHUNK_BYTES`].
    block_bytes: usize,
    chunks: Mutex<BTreeMap<usize, Chunk>>,
}

#[derive(Debug, Default)]
struct Chunk {
    /// Blocks that were never handed out start here; they are still zero.
    fresh: usize,
    /// Blocks that came back.
    free: Vec<usize>,
}

impl BlockPool {
    pub fn new(block_bytes: usize) -> Arc<BlockPool> {
        assert!(block_bytes > 0 && block_bytes.is_multiple_of(ALIGN) && block_bytes <= CHUNK_BYTES);
        Arc::new(BlockPool { block_bytes, chunks: Mutex::default() })
    }

    /// A zeroed block. Maps a chunk if no mapped one has room.
    pub fn take(self: &Arc<Self>) -> Block {
        let per_chunk = CHUNK_BYTES / self.block_bytes;
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        // The last chunk is nearly always the one with room.
        let open = chunks.iter().rev().find(|(_, c)| !c.free.is_empty() || c.fresh < per_chunk).map(|(&base, _)| base);
        let base = open.unwrap_or_else(|| {
            let base = chunk::take() as usize;
            chunks.insert(base, Chunk::default());
            base
        });
        let chunk = chunks.get_mut(&base).expect("found or inserted above");
        let (at, used) = match chunk.free.pop() {
            Some(at) => (at, true),
            None => {
                chunk.fresh += 1;
                (chunk.fresh - 1, false)
            }
        };
        let start = (base + at * self.block_bytes) as *mut u8;
        if used {
            // SAFETY: the block lies inside a mapped chunk and nobody holds it.
            unsafe { start.write_bytes(0, self.block_bytes) };
        }
        let start = NonNull::new(start).expect("a chunk is never mapped at 0");
        Block { start, bytes: self.block_bytes, pool: Some(Arc::clone(self)) }
    }

    /// Bytes of all chunks that are mapped now.
    pub fn mapped_bytes(&self) -> usize {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner).len() * CHUNK_BYTES
    }

    fn give_back(&self, start: *mut u8) {
        let base = start as usize & !(CHUNK_BYTES - 1);
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let chunk = chunks.get_mut(&base).expect("a pooled block lies in a chunk of its pool");
        chunk.free.push((start as usize - base) / self.block_bytes);
        if chunk.free.len() == chunk.fresh {
            chunks.remove(&base);
            chunk::give_back(base as *mut u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_zeroed_also_when_they_were_used_before() {
        let pool = BlockPool::new(512 << 10);
        let blocks: Vec<Block> = (0..5).map(|_| pool.take()).collect();
        assert_eq!(pool.mapped_bytes(), 2 * CHUNK_BYTES);
        for block in &blocks {
            // SAFETY: the block is ours and this long.
            unsafe { block.start().write_bytes(7, block.bytes()) };
        }
        let mut blocks = blocks.into_iter();
        drop(blocks.next());
        let again = pool.take();
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(again.start(), again.bytes()) };
        assert!(bytes.iter().all(|&b| b == 0));
        drop(again);
        drop(blocks);
        assert_eq!(pool.mapped_bytes(), 0, "chunks go with their last block");
    }
}
