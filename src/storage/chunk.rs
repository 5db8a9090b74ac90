//! The process's stock of 2 MiB chunks: mapped, zeroed and touched before anybody needs them.
//!
//! The first write to fresh memory is where a growing table waits: the kernel clears a huge page (0.2 ms where the
//! machine has the memory at hand, several ms in a virtual machine whose host has to find it), and the transaction that
//! met the edge of a page pays for it. A thread of its own keeps a few chunks ready, so that a partition only takes one
//! from a list; chunks that come back are cleared there too and used again. The thread starts with the first chunk:
//! small databases have none.

use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::{alloc, thread};

/// Size and alignment of a chunk: the size of a huge page.
pub const CHUNK_BYTES: usize = 2 << 20;
/// Chunks that lie ready.
const READY: usize = 6;
/// Most chunks that are kept after use: 256 MiB, which the kernel may take back any time.
const KEPT: usize = 128;
const PAGE_BYTES: usize = 4096;

#[derive(Default)]
struct Stock {
    /// Addresses of chunks that are zero and have memory behind them.
    ready: Vec<usize>,
    /// Addresses of chunks that came back.
    used: Vec<usize>,
}

static STOCK: Mutex<Stock> = Mutex::new(Stock { ready: Vec::new(), used: Vec::new() });
static WANTED: Condvar = Condvar::new();
static SUPPLIER: Once = Once::new();

/// A zeroed chunk.
pub fn take() -> *mut u8 {
    SUPPLIER.call_once(|| {
        // Without the thread, every chunk is mapped by whoever needs it.
        let _ = thread::Builder::new().name(String::from("votedb-memory")).spawn(supply);
    });
    let mut stock = STOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let chunk = stock.ready.pop();
    if stock.ready.len() < READY / 2 {
        WANTED.notify_one();
    }
    drop(stock);
    chunk.map_or_else(map, |chunk| chunk as *mut u8)
}

/// Takes a chunk back that `take` gave, and that nobody uses any more.
pub fn give_back(chunk: *mut u8) {
    let mut stock = STOCK.lock().unwrap_or_else(PoisonError::into_inner);
    if stock.used.len() < KEPT {
        // SAFETY: the chunk is mapped and nobody's; what is in it may go.
        #[cfg(target_os = "linux")]
        unsafe {
            libc::madvise(chunk.cast(), CHUNK_BYTES, libc::MADV_FREE);
        }
        stock.used.push(chunk as usize);
        return;
    }
    drop(stock);
    unmap(chunk);
}

fn supply() {
    let mut stock = STOCK.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if stock.ready.len() >= READY {
            stock = WANTED.wait(stock).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let used = stock.used.pop();
        drop(stock);
        let chunk = match used {
            Some(chunk) => {
                // SAFETY: the chunk was given back, so it is nobody's, and it is this long.
                unsafe { (chunk as *mut u8).write_bytes(0, CHUNK_BYTES) };
                chunk
            }
            None => {
                let chunk = map();
                for page in (0..CHUNK_BYTES).step_by(PAGE_BYTES) {
                    // SAFETY: the page lies in the chunk that was just mapped, which is zero anyway.
                    unsafe { chunk.add(page).write_volatile(0) };
                }
                chunk as usize
            }
        };
        stock = STOCK.lock().unwrap_or_else(PoisonError::into_inner);
        stock.ready.push(chunk);
    }
}

/// [`CHUNK_BYTES`] of zeroed memory, aligned to as much.
#[cfg(unix)]
fn map() -> *mut u8 {
    // SAFETY: an anonymous mapping touches no memory of ours; the parts cut off are of the mapping just made.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        let map = libc::mmap(std::ptr::null_mut(), 2 * CHUNK_BYTES, protection, flags, -1, 0);
        if map == libc::MAP_FAILED {
            alloc::handle_alloc_error(alloc::Layout::from_size_align_unchecked(CHUNK_BYTES, CHUNK_BYTES));
        }
        let start = map as usize;
        let aligned = start.next_multiple_of(CHUNK_BYTES);
        if aligned > start {
            libc::munmap(map, aligned - start);
        }
        let rest = start + 2 * CHUNK_BYTES - (aligned + CHUNK_BYTES);
        if rest > 0 {
            libc::munmap((aligned + CHUNK_BYTES) as *mut libc::c_void, rest);
        }
        // Only a hint: where it is refused, the pages are small.
        #[cfg(target_os = "linux")]
        libc::madvise(aligned as *mut libc::c_void, CHUNK_BYTES, libc::MADV_HUGEPAGE);
        aligned as *mut u8
    }
}

#[cfg(unix)]
fn unmap(chunk: *mut u8) {
    // SAFETY: `chunk` was mapped by `map` with this size, and nobody uses it.
    let result = unsafe { libc::munmap(chunk.cast(), CHUNK_BYTES) };
    debug_assert_eq!(result, 0);
}

#[cfg(not(unix))]
const LAYOUT: alloc::Layout = match alloc::Layout::from_size_align(CHUNK_BYTES, CHUNK_BYTES) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};

#[cfg(not(unix))]
fn map() -> *mut u8 {
    // SAFETY: the layout's size is not zero.
    let start = unsafe { alloc::alloc_zeroed(LAYOUT) };
    if start.is_null() { alloc::handle_alloc_error(LAYOUT) } else { start }
}

#[cfg(not(unix))]
fn unmap(chunk: *mut u8) {
    // SAFETY: allocated by `map` with this layout, and nobody uses it.
    unsafe { alloc::dealloc(chunk, LAYOUT) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_zeroed_and_aligned_also_after_use() {
        for round in 0..3 {
            let chunks: Vec<*mut u8> = (0..2 * READY).map(|_| take()).collect();
            for &chunk in &chunks {
                assert_eq!(chunk as usize % CHUNK_BYTES, 0);
                // SAFETY: the chunk is ours and this long.
                let bytes = unsafe { std::slice::from_raw_parts_mut(chunk, CHUNK_BYTES) };
                assert!(bytes.iter().all(|&b| b == 0), "round {round}");
                bytes.fill(7);
            }
            chunks.into_iter().for_each(give_back);
        }
    }
}
