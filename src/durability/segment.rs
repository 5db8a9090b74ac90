//! The form of a log segment: a header, then blocks, then zeros.
//!
//! ```text
//! header, 64 bytes: magic 8 | version 4 | partitions 4 | number 8 | first transaction 8 | first block 8 | created 8 |
//!                   zeros 12 | CRC-32C of all before 4
//! block:            length of the payload 4 | block number, low 32 bits 4 | CRC-32C of both and the payload 4 | payload
//! ```
//!
//! All numbers are little-endian. The payload is records; a block is what one write and one sync made durable. Space ahead
//! of the blocks is filled with zeros, and a segment is never written twice.

use super::error::Problem;

pub const SEGMENT_HEADER: usize = 64;
pub const BLOCK_HEADER: usize = 12;
pub const SEGMENT_VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"VOTELOG\n";
/// How many blocks a damaged one may be followed by, for the rest to be recognised.
const BLOCKS_AHEAD: u64 = 1 << 24;

/// What a segment says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    pub number: u64,
    /// How many transactions the log has before this segment.
    pub first_transaction: u64,
    /// The number of its first block.
    pub first_block: u64,
    pub partitions: u32,
    /// Microseconds since 1970.
    pub created: i64,
}

/// A header that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadHeader {
    Damaged,
    Newer { found: u32 },
}

pub fn segment_name(number: u64) -> String {
    format!("log-{number:010}.vlog")
}

/// The number in a segment's name.
pub fn segment_number(name: &str) -> Option<u64> {
    name.strip_prefix("log-")?.strip_suffix(".vlog")?.parse().ok()
}

impl SegmentHeader {
    pub fn to_bytes(self) -> [u8; SEGMENT_HEADER] {
        let mut bytes = [0; SEGMENT_HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&SEGMENT_VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.partitions.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.first_transaction.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.first_block.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.created.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..60]);
        bytes[60..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<SegmentHeader, BadHeader> {
        let Some(bytes) = bytes.get(..SEGMENT_HEADER) else { return Err(BadHeader::Damaged) };
        let crc = crc32c::crc32c(&bytes[..60]);
        if bytes[..8] != *MAGIC || le32(bytes, 60) != crc {
            return Err(BadHeader::Damaged);
        }
        let found = le32(bytes, 8);
        if found > SEGMENT_VERSION {
            return Err(BadHeader::Newer { found });
        }
        Ok(SegmentHeader {
            partitions: le32(bytes, 12),
            number: le64(bytes, 16),
            first_transaction: le64(bytes, 24),
            first_block: le64(bytes, 32),
            created: le64(bytes, 40) as i64,
        })
    }
}

pub(super) fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}
pub(super) fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Fills in the header of a block: `bytes` has room for it before the payload.
pub fn seal_block(bytes: &mut [u8], number: u64) {
    let len = (bytes.len() - BLOCK_HEADER) as u32;
    bytes[..4].copy_from_slice(&len.to_le_bytes());
    bytes[4..8].copy_from_slice(&(number as u32).to_le_bytes());
    let crc = block_checksum(bytes);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
}

fn block_checksum(block: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&block[..8]), &block[BLOCK_HEADER..])
}

/// The block of that number at `offset`, header included, if it is intact. `lenient`: whatever its checksum says.
fn block_at(bytes: &[u8], offset: usize, number: u64, lenient: bool) -> Option<&[u8]> {
    let header = bytes.get(offset..offset + BLOCK_HEADER)?;
    let len = le32(header, 0) as usize;
    if len == 0 || le32(header, 4) != number as u32 {
        return None;
    }
    let block = bytes.get(offset..offset + BLOCK_HEADER + len)?;
    (lenient || le32(header, 8) == block_checksum(block)).then_some(block)
}

/// Walks the blocks of a segment.
pub struct Blocks<'a> {
    bytes: &'a [u8],
    offset: usize,
    number: u64,
    /// Checksums are not looked at: a planted bug.
    lenient: bool,
}

/// What comes after the last intact block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Nothing but zeros.
    Clean,
    /// A block that was not written whole; so many bytes go up to the last one that is not zero.
    Torn { dropped: u64 },
    /// Something else, and intact blocks after it.
    Damaged(Problem),
}

impl<'a> Blocks<'a> {
    pub fn new(bytes: &'a [u8], first_block: u64, lenient: bool) -> Blocks<'a> {
        Blocks { bytes, offset: SEGMENT_HEADER, number: first_block, lenient }
    }
    /// Where the next block starts.
    pub fn offset(&self) -> u64 {
        self.offset as u64
    }
    /// Its number.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn tail(&self) -> Tail {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let Some(last) = rest.iter().rposition(|&b| b != 0) else { return Tail::Clean };
        match intact_block_follows(rest, self.number) {
            true => Tail::Damaged(Problem::Checksum),
            false => Tail::Torn { dropped: last as u64 + 1 },
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a [u8];
    /// The payload of the next intact block.
    fn next(&mut self) -> Option<&'a [u8]> {
        let block = block_at(self.bytes, self.offset, self.number, self.lenient)?;
        self.offset += block.len();
        self.number += 1;
        Some(&block[BLOCK_HEADER..])
    }
}

/// True if some block from `number` on lies intact anywhere in `bytes`.
pub fn intact_block_follows(bytes: &[u8], number: u64) -> bool {
    (0..bytes.len().saturating_sub(BLOCK_HEADER)).any(|at| {
        let ahead = le32(bytes, at + 4).wrapping_sub(number as u32);
        u64::from(ahead) < BLOCKS_AHEAD && block_at(bytes, at, number + u64::from(ahead), false).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: SegmentHeader =
        SegmentHeader { number: 3, first_transaction: 40, first_block: 9, partitions: 2, created: 77 };

    fn segment(payloads: &[&[u8]]) -> Vec<u8> {
        let mut bytes = HEADER.to_bytes().to_vec();
        for (i, payload) in payloads.iter().enumerate() {
            let mut block = vec![0; BLOCK_HEADER];
            block.extend_from_slice(payload);
            seal_block(&mut block, HEADER.first_block + i as u64);
            bytes.extend_from_slice(&block);
        }
        bytes.resize(bytes.len() + 100, 0);
        bytes
    }

    fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, Tail) {
        let mut blocks = Blocks::new(bytes, HEADER.first_block, false);
        let payloads = blocks.by_ref().map(<[u8]>::to_vec).collect();
        (payloads, blocks.tail())
    }

    #[test]
    fn blocks_come_back_up_to_the_zeros() {
        let bytes = segment(&[b"one", b"two"]);
        assert_eq!(SegmentHeader::from_bytes(&bytes), Ok(HEADER));
        assert_eq!(read(&bytes), (vec![b"one".to_vec(), b"two".to_vec()], Tail::Clean));
    }

    #[test]
    fn every_flipped_bit_is_a_bad_header_a_torn_tail_or_damage() {
        let bytes = segment(&[b"one", b"two", b"three"]);
        let end = bytes.len() - 100;
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            if at / 8 < SEGMENT_HEADER {
                assert!(SegmentHeader::from_bytes(&flipped).is_err(), "bit {at}");
                continue;
            }
            let (payloads, tail) = read(&flipped);
            let last = end - BLOCK_HEADER - 5;
            match at / 8 {
                byte if byte < last => assert_eq!(tail, Tail::Damaged(Problem::Checksum), "bit {at}"),
                byte if byte < end => assert!(payloads.len() == 2 && matches!(tail, Tail::Torn { .. }), "bit {at}"),
                _ => assert!(payloads.len() == 3 && matches!(tail, Tail::Torn { .. }), "bit {at}"),
            }
        }
    }

    #[test]
    fn a_newer_version_is_told_from_damage() {
        let mut bytes = HEADER.to_bytes();
        bytes[8] = 9;
        let crc = crc32c::crc32c(&bytes[..60]);
        bytes[60..].copy_from_slice(&crc.to_le_bytes());
        assert_eq!(SegmentHeader::from_bytes(&bytes), Err(BadHeader::Newer { found: 9 }));
    }
}
