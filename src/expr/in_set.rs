//! A constant IN list as a set.

use crate::types::{Arena, Datum};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// The values of a constant list. Values that lie in a lane are found by their lane, which is one to one in each type.
#[derive(Clone, Debug, Default)]
pub struct InSet {
    lanes: HashSet<(u64, u64), BuildHasherDefault<LaneHasher>>,
    long: HashSet<Box<[u8]>>,
    has_null: bool,
    is_empty: bool,
}

impl InSet {
    /// `members` are of one type family; long strings lie in `arena`.
    pub fn new(members: &[Datum], arena: &Arena) -> InSet {
        let mut set = InSet { is_empty: members.is_empty(), ..InSet::default() };
        for member in members {
            if member.is_null() {
                set.has_null = true;
            } else if member.is_long() {
                set.long.insert(arena.bytes(*member, &mut [0; 16]).into());
            } else {
                set.lanes.insert((member.lo, member.hi));
            }
        }
        set
    }

    /// `operand IN (..)`, three-valued.
    #[inline]
    pub fn contains(&self, operand: Datum, arena: &Arena) -> Datum {
        if self.is_empty {
            return Datum::FALSE;
        }
        if operand.is_null() {
            return Datum::NULL;
        }
        let found = if operand.is_long() {
            self.long.contains(arena.bytes(operand, &mut [0; 16]))
        } else {
            self.lanes.contains(&(operand.lo, operand.hi))
        };
        if !found && self.has_null { Datum::NULL } else { Datum::bool(found) }
    }
}

/// Mixes the two halves of a lane by a multiplication each. The members come from the statement's own text, so nobody
/// gains by choosing ones that collide.
#[derive(Clone, Copy, Debug, Default)]
struct LaneHasher(u64);

impl Hasher for LaneHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write_u64(&mut self, v: u64) {
        let product = (self.0 ^ v) as u128 * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(*byte as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_in_the_list_makes_a_miss_unknown() {
        let arena = Arena::default();
        let set = |members: &[Datum]| InSet::new(members, &arena);
        let (one, two) = (Datum::int(1), Datum::int(2));
        assert_eq!(set(&[one, two]).contains(two, &arena), Datum::TRUE);
        assert_eq!(set(&[one]).contains(two, &arena), Datum::FALSE);
        assert_eq!(set(&[one, Datum::NULL]).contains(two, &arena), Datum::NULL);
        assert_eq!(set(&[one, Datum::NULL]).contains(one, &arena), Datum::TRUE);
        assert_eq!(set(&[one]).contains(Datum::NULL, &arena), Datum::NULL);
        assert_eq!(set(&[]).contains(Datum::NULL, &arena), Datum::FALSE);
    }

    #[test]
    fn integers_of_all_signs_and_texts_of_all_lengths_are_found() {
        let members: Vec<Datum> = (-2000..2000).step_by(2).map(Datum::int).collect();
        let arena = Arena::default();
        let set = InSet::new(&members, &arena);
        for v in -2001..2001 {
            let there = v % 2 == 0 && v < 2000;
            assert_eq!(set.contains(Datum::int(v), &arena), Datum::bool(there), "{v}");
        }
        let (mut own, mut other) = (Arena::default(), Arena::default());
        let members = [own.store(b"x"), own.store(b"longer than a lane can be")];
        let set = InSet::new(&members, &own);
        other.store(b"some other long string before it");
        for (text, there) in
            [("x", true), ("", false), ("longer than a lane can be", true), ("longer than a lane can", false)]
        {
            let datum = other.store(text.as_bytes());
            assert_eq!(set.contains(datum, &other), Datum::bool(there), "{text}");
        }
    }
}
