//! A hash table from 32-bit hashes to rows, made for one cache miss per look-up and for growth without stalls.
//!
//! A bucket is a cache line: the hashes of eight entries, then their rows. A full bucket overflows into the next.
//! Buckets
//! lie in segments; the top bits of a hash choose the segment through a directory, the low bits its home bucket there.
//! A
//! segment that is full splits in two by its own hashes, without a look at the rows, so that no insert waits for more
//! than
//! one segment's work, however large the table is.
//!
//! What holds: an entry lies in its home bucket, or all buckets from there to the one before its own are full; the
//! entries
//! of a bucket come first, then free places. Keys are the caller's: it gives the hash, and compares rows.

use crate::storage::block::{Block, BlockPool};
use crate::storage::heap::RowId;
use std::sync::Arc;

const SLOTS: usize = 8;
/// Buckets of a full-grown segment, a power of two: 256 KiB, split in about 50 us.
const SEGMENT_BUCKETS: usize = 4096;
/// The directory grows no further: with 4096 buckets, that is room for 3.4 thousand million entries.
const DEPTH_MAX: u32 = 17;

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Bucket {
    tags: [u32; SLOTS],
    /// Row id + 1; 0: free.
    rows: [u32; SLOTS],
}

impl Bucket {
    /// A bit for each place that has `tag`; also for free places if it is 0.
    #[inline(always)]
    fn matches(&self, tag: u32) -> u32 {
        equal_lanes(&self.tags, tag)
    }
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.rows[SLOTS - 1] != 0
    }
    /// Entries: they come first.
    #[inline(always)]
    fn count(&self) -> usize {
        (equal_lanes(&self.rows, 0) | 1 << SLOTS).trailing_zeros() as usize
    }
    fn push(&mut self, tag: u32, row: u32) {
        let at = self.count();
        self.tags[at] = tag;
        self.rows[at] = row;
    }
    /// Removes the entry of that place; the last one takes it.
    fn remove(&mut self, at: usize) {
        let last = self.count() - 1;
        self.tags[at] = self.tags[last];
        self.rows[at] = self.rows[last];
        self.tags[last] = 0;
        self.rows[last] = 0;
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_lanes(lanes: &[u32; SLOTS], value: u32) -> u32 {
    use core::arch::x86_64::*;
    // SAFETY: SSE2 is part of x86-64; both loads lie in the 32 bytes of `lanes`.
    unsafe {
        let wanted = _mm_set1_epi32(value as i32);
        let low = _mm_cmpeq_epi32(_mm_loadu_si128(lanes.as_ptr().cast()), wanted);
        let high = _mm_cmpeq_epi32(_mm_loadu_si128(lanes.as_ptr().add(4).cast()), wanted);
        let words = _mm_packs_epi32(low, high);
        _mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128())) as u32
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_lanes(lanes: &[u32; SLOTS], value: u32) -> u32 {
    lanes.iter().enumerate().fold(0, |mask, (i, &lane)| mask | ((lane == value) as u32) << i)
}

#[derive(Clone, Copy)]
struct Entry {
    buckets: *mut Bucket,
    /// Position in `segments`.
    segment: u32,
}

struct Segment {
    buckets: *mut Bucket,
    /// Entries.
    len: u32,
    /// Leading bits that all its hashes share.
    depth: u32,
    /// Owns what `buckets` points to.
    block: Block,
}

/// See the module. Holds at most one entry per row; entries may share a hash.
pub struct HashTable {
    /// By the top `depth` bits of a hash.
    directory: Vec<Entry>,
    segments: Vec<Segment>,
    depth: u32,
    /// Buckets per segment - 1. Below full size there is only one segment.
    bucket_mask: u32,
    /// Entries that a segment may have.
    limit: u32,
    len: usize,
    pool: Option<Arc<BlockPool>>,
}

// SAFETY: the pointers go into blocks that the table owns.
unsafe impl Send for HashTable {}
// SAFETY: `&HashTable` only reads them.
unsafe impl Sync for HashTable {}

/// Nobody can add an entry with this hash: too many rows share it.
#[derive(Debug, PartialEq, Eq)]
pub struct TableFull;

impl Default for HashTable {
    fn default() -> Self {
        let mut table = HashTable {
            directory: Vec::new(),
            segments: Vec::new(),
            depth: 0,
            bucket_mask: 0,
            limit: 0,
            len: 0,
            pool: None,
        };
        table.restart(1);
        table
    }
}

impl HashTable {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let unpooled: usize = self.segments.iter().filter(|s| !s.block.is_pooled()).map(|s| s.block.bytes()).sum();
        let mapped = self.pool.as_ref().map_or(0, |p| p.mapped_bytes());
        unpooled
            + mapped
            + self.directory.capacity() * size_of::<Entry>()
            + self.segments.capacity() * size_of::<Segment>()
    }

    #[inline(always)]
    fn entry(&self, tag: u32) -> Entry {
        // The shift is below 64 also for depth 0.
        let at = (tag as u64 >> (32 - self.depth)) as usize;
        debug_assert!(at < self.directory.len());
        // SAFETY: the directory has 1 << depth entries, and `at` has `depth` bits.
        unsafe { *self.directory.get_unchecked(at) }
    }

    #[inline(always)]
    fn buckets(&self, tag: u32) -> *mut Bucket {
        self.entry(tag).buckets
    }

    /// Brings the cache line in which a look-up of `tag` begins.
    #[inline(always)]
    pub fn prefetch(&self, tag: u32) {
        #[cfg(target_arch = "x86_64")]
        {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the home bucket lies in its segment.
            unsafe { _mm_prefetch(self.buckets(tag).add((tag & self.bucket_mask) as usize).cast(), _MM_HINT_T0) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = tag;
    }

    /// The entry with this hash for which `is_it` is true.
    #[inline(always)]
    pub fn find(&self, tag: u32, mut is_it: impl FnMut(RowId) -> bool) -> Option<RowId> {
        let buckets = self.buckets(tag);
        let mut at = tag & self.bucket_mask;
        loop {
            // SAFETY: `at` is masked to the segment's buckets.
            let bucket = unsafe { &*buckets.add(at as usize) };
            let mut hits = bucket.matches(tag);
            while hits != 0 {
                // SAFETY: `matches` gives eight bits.
                let row = unsafe { *bucket.rows.get_unchecked(hits.trailing_zeros() as usize) };
                if row != 0 && is_it(RowId(row - 1)) {
                    return Some(RowId(row - 1));
                }
                hits &= hits - 1;
            }
            if !bucket.is_full() {
                return None;
            }
            at = (at + 1) & self.bucket_mask;
        }
    }

    /// Makes room for one more entry of that hash, so that the next `insert` of it cannot fail.
    #[inline(always)]
    pub fn reserve(&mut self, tag: u32) -> Result<(), TableFull> {
        let entry = self.entry(tag);
        if self.segment(entry).len < self.limit { Ok(()) } else { self.make_room(tag) }
    }

    #[inline(always)]
    fn segment(&mut self, entry: Entry) -> &mut Segment {
        debug_assert!((entry.segment as usize) < self.segments.len());
        // SAFETY: entries of the directory name segments that exist.
        unsafe { self.segments.get_unchecked_mut(entry.segment as usize) }
    }

    #[inline(always)]
    fn owner(&self, tag: u32) -> usize {
        self.entry(tag).segment as usize
    }

    /// Adds an entry. There is room: `reserve` was called for this hash, or the entry was there before (undo),
    /// asserted.
    #[inline(always)]
    pub fn insert(&mut self, tag: u32, row: RowId) {
        let mut entry = self.entry(tag);
        if self.segment(entry).len >= self.limit {
            self.make_room(tag).expect("room was reserved");
            entry = self.entry(tag);
        }
        self.segment(entry).len += 1;
        self.len += 1;
        // SAFETY: the segment has that many buckets, and one that is not full: `limit` is less than all places.
        unsafe { place(entry.buckets, self.bucket_mask, tag, row.0 + 1) };
    }

    /// Where the entry is: segment, bucket, place.
    fn locate(&self, tag: u32, row: RowId) -> Option<(usize, u32, usize)> {
        let owner = self.owner(tag);
        let mut at = tag & self.bucket_mask;
        loop {
            // SAFETY: `at` is masked to the segment's buckets.
            let bucket = unsafe { &*self.segments[owner].buckets.add(at as usize) };
            let hits = equal_lanes(&bucket.rows, row.0 + 1);
            if hits != 0 {
                return Some((owner, at, hits.trailing_zeros() as usize));
            }
            if !bucket.is_full() {
                return None;
            }
            at = (at + 1) & self.bucket_mask;
        }
    }

    /// Lets the entry of `old` stand for `new`, which has the same hash.
    pub fn replace(&mut self, tag: u32, old: RowId, new: RowId) {
        let (owner, bucket, place) = self.locate(tag, old).expect("the entry is there");
        // SAFETY: `locate` gives a bucket of the segment.
        unsafe { (*self.segments[owner].buckets.add(bucket as usize)).rows[place] = new.0 + 1 };
    }

    /// Removes the entry of that hash and row, which must be there.
    pub fn remove(&mut self, tag: u32, row: RowId) {
        let (owner, bucket, place) = self.locate(tag, row).expect("the entry is there");
        self.segments[owner].len -= 1;
        self.len -= 1;
        // SAFETY: `locate` gives a bucket of the segment, which is ours alone.
        unsafe {
            let buckets = self.segments[owner].buckets;
            let was_full = (*buckets.add(bucket as usize)).is_full();
            (*buckets.add(bucket as usize)).remove(place);
            if was_full {
                pull_back(buckets, self.bucket_mask, bucket);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, tag: u32) -> Result<(), TableFull> {
        while self.segments[self.owner(tag)].len >= self.limit {
            if self.buckets_per_segment() < SEGMENT_BUCKETS {
                self.enlarge();
            } else {
                self.split(self.owner(tag), tag)?;
            }
        }
        Ok(())
    }

    fn buckets_per_segment(&self) -> usize {
        self.bucket_mask as usize + 1
    }

    /// One segment of `buckets`, empty.
    fn restart(&mut self, buckets: usize) {
        let block = Block::new(buckets * size_of::<Bucket>());
        let start = block.start().cast();
        self.segments = vec![Segment { buckets: start, len: 0, depth: 0, block }];
        self.directory = vec![Entry { buckets: start, segment: 0 }];
        self.bucket_mask = buckets as u32 - 1;
        self.limit = (buckets * SLOTS * 4 / 5) as u32;
    }

    /// Four times as many buckets for the only segment, or a full-grown one.
    fn enlarge(&mut self) {
        let old = self.segments.pop().expect("there is one");
        let old_buckets = self.buckets_per_segment();
        self.restart((old_buckets * 4).min(SEGMENT_BUCKETS));
        self.segments[0].len = old.len;
        for at in 0..old_buckets {
            // SAFETY: `old` has that many buckets and still owns them; the new segment has room for all entries.
            unsafe {
                let bucket = &*old.buckets.add(at);
                for i in 0..bucket.count() {
                    place(self.segments[0].buckets, self.bucket_mask, bucket.tags[i], bucket.rows[i]);
                }
            }
        }
    }

    /// Moves the upper half of a full-grown segment's hashes to a new one.
    fn split(&mut self, owner: usize, tag: u32) -> Result<(), TableFull> {
        let depth = self.segments[owner].depth;
        if depth == self.depth {
            if depth == DEPTH_MAX {
                return Err(TableFull);
            }
            self.directory = self.directory.iter().flat_map(|&b| [b, b]).collect();
            self.depth += 1;
        }
        let bytes = SEGMENT_BUCKETS * size_of::<Bucket>();
        let block = self.pool.get_or_insert_with(|| BlockPool::new(bytes)).take();
        let (low, high) = (self.segments[owner].buckets, block.start().cast::<Bucket>());
        // SAFETY: both segments are ours and full-grown.
        let moved = unsafe { separate(low, high, self.bucket_mask, 31 - depth) };
        let segment = &mut self.segments[owner];
        segment.len -= moved;
        segment.depth = depth + 1;
        self.segments.push(Segment { buckets: high, len: moved, depth: depth + 1, block });
        // The directory's entries that share the upper half's leading bits.
        let prefix = ((tag as u64 >> (32 - depth)) << 1 | 1) as usize;
        let span = 1usize << (self.depth - depth - 1);
        let entry = Entry { buckets: high, segment: self.segments.len() as u32 - 1 };
        self.directory[prefix * span..][..span].fill(entry);
        Ok(())
    }
}

/// Puts an entry into its home bucket, or the next one that is not full.
///
/// # Safety
/// `buckets` has `mask + 1` buckets that are ours to write, and not all are full.
#[inline(always)]
unsafe fn place(buckets: *mut Bucket, mask: u32, tag: u32, row: u32) {
    let mut at = tag & mask;
    loop {
        // SAFETY: `at` is masked.
        let bucket = unsafe { &mut *buckets.add(at as usize) };
        let free = bucket.count();
        if free < SLOTS {
            bucket.tags[free] = tag;
            bucket.rows[free] = row;
            return;
        }
        at = (at + 1) & mask;
    }
}

/// Fills the free place that was made in a full bucket with an entry that overflowed past it, and so on.
///
/// # Safety
/// As [`place`]; `hole` is one of the buckets.
unsafe fn pull_back(buckets: *mut Bucket, mask: u32, mut hole: u32) {
    let mut at = hole;
    loop {
        at = (at + 1) & mask;
        if at == hole {
            return;
        }
        // SAFETY: `at` and `hole` are masked, and differ.
        let (bucket, target) = unsafe { (&mut *buckets.add(at as usize), &mut *buckets.add(hole as usize)) };
        let was_full = bucket.is_full();
        let distance = at.wrapping_sub(hole) & mask;
        let passed = (0..bucket.count()).find(|&i| at.wrapping_sub(bucket.tags[i]) & mask >= distance);
        if let Some(i) = passed {
            target.push(bucket.tags[i], bucket.rows[i]);
            bucket.remove(i);
            hole = at;
        }
        if !was_full {
            return;
        }
    }
}

/// Moves the entries whose hash has bit `bit` from `low` to `high`, which is empty. Returns how many.
///
/// # Safety
/// Both have `mask + 1` buckets that are ours to write.
unsafe fn separate(low: *mut Bucket, high: *mut Bucket, mask: u32, bit: u32) -> u32 {
    let mut moved = 0;
    // What overflowed in `low` may now fit in an earlier bucket.
    let mut displaced = Vec::new();
    for at in 0..=mask {
        // SAFETY: `at` is at most `mask`.
        let bucket = unsafe { &mut *low.add(at as usize) };
        let old = *bucket;
        *bucket = Bucket { tags: [0; SLOTS], rows: [0; SLOTS] };
        let mut kept = 0;
        for i in 0..old.count() {
            let (tag, row) = (old.tags[i], old.rows[i]);
            if tag >> bit & 1 == 1 {
                moved += 1;
                // SAFETY: `high` has room for all of `low`.
                unsafe { place(high, mask, tag, row) };
            } else if tag & mask == at {
                bucket.tags[kept] = tag;
                bucket.rows[kept] = row;
                kept += 1;
            } else {
                displaced.push((tag, row));
            }
        }
    }
    for (tag, row) in displaced {
        // SAFETY: they were in `low` before.
        unsafe { place(low, mask, tag, row) };
    }
    moved
}

#[cfg(test)]
impl HashTable {
    /// Checks what the module says that holds.
    pub fn check(&self) {
        let mut total = 0;
        for entry in &self.directory {
            assert_eq!(entry.buckets, self.segments[entry.segment as usize].buckets);
        }
        for segment in &self.segments {
            let bucket = |at: u32| unsafe { &*segment.buckets.add((at & self.bucket_mask) as usize) };
            let mut len = 0;
            for at in 0..=self.bucket_mask {
                let count = bucket(at).count();
                assert!(bucket(at).rows[count..].iter().all(|&r| r == 0));
                for &tag in &bucket(at).tags[..count] {
                    assert_eq!(self.buckets(tag), segment.buckets);
                    let distance = at.wrapping_sub(tag) & self.bucket_mask;
                    assert!((0..distance).all(|d| bucket(tag.wrapping_add(d)).is_full()));
                }
                len += count;
            }
            assert_eq!(len, segment.len as usize);
            total += len;
        }
        assert_eq!(total, self.len);
    }

    pub fn segments(&self) -> usize {
        self.segments.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes with much in common in their low bits, so that buckets overflow and wrap around.
    fn tag(i: u32) -> u32 {
        let mixed = i.wrapping_mul(0x9E37_79B9);
        if i.is_multiple_of(3) { mixed | 0xFF8 } else { mixed }
    }

    #[test]
    fn entries_are_found_through_splits_and_removals() {
        let mut table = HashTable::default();
        let rows = 200_000;
        for i in 0..rows {
            table.insert(tag(i), RowId(i));
            if i < 300 || i % 20_000 == 0 {
                table.check();
            }
        }
        assert!(table.segments() > 4, "{} segments", table.segments());
        table.check();
        for i in 0..rows {
            assert_eq!(table.find(tag(i), |r| r == RowId(i)), Some(RowId(i)));
        }
        for i in (0..rows).filter(|i| i % 5 < 3) {
            table.remove(tag(i), RowId(i));
        }
        table.check();
        for i in 0..rows {
            assert_eq!(table.find(tag(i), |r| r == RowId(i)).is_some(), i % 5 >= 3);
        }
    }

    #[test]
    fn rows_that_share_one_hash_fill_the_table_but_do_not_hang_it() {
        let mut table = HashTable::default();
        let mut row = 0;
        while table.reserve(5) == Ok(()) {
            table.insert(5, RowId(row));
            row += 1;
        }
        assert!(row as usize > SEGMENT_BUCKETS);
        assert_eq!(table.reserve(u32::MAX), Ok(()), "others still fit");
        table.remove(5, RowId(0));
        assert_eq!(table.reserve(5), Ok(()));
    }
}
