//! A hash map from one lane (an integer, FLOAT, TIMESTAMP or BOOLEAN) to a row's number, for GROUP BY and hash joins.

/// No value. Values are below it.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    key: i64,
    /// [`NONE`]: free.
    value: u32,
}

/// Open addressing, at most half full. Keys are never removed.
pub struct LaneMap {
    slots: Vec<Slot>,
    len: usize,
    /// The top bits of a hash that make a slot's number: 64 less their count.
    shift: u32,
}

const FREE: Slot = Slot { key: 0, value: NONE };

impl LaneMap {
    /// With room for that many keys.
    pub fn with_capacity(keys: usize) -> LaneMap {
        let slots = (keys.max(8) * 2).next_power_of_two();
        LaneMap { slots: vec![FREE; slots], len: 0, shift: 64 - slots.trailing_zeros() }
    }

    #[inline(always)]
    fn home(&self, key: i64) -> usize {
        let product = (key as u64 ^ 0x9E37_79B9_7F4A_7C15) as u128 * 0xD6E8_FEB8_6659_FD93;
        let hash = (product as u64 ^ (product >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> self.shift) as usize
    }

    #[inline(always)]
    fn slot(&self, key: i64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(key) & mask;
        while self.slots[at].value != NONE && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// The key's value, or [`NONE`].
    #[inline(always)]
    pub fn get(&self, key: i64) -> u32 {
        self.slots[self.slot(key)].value
    }

    /// Gives the key a value; what it had before, or [`NONE`].
    #[inline(always)]
    pub fn replace(&mut self, key: i64, value: u32) -> u32 {
        debug_assert!(value != NONE);
        let at = self.slot(key);
        let old = self.slots[at].value;
        self.slots[at] = Slot { key, value };
        if old == NONE {
            self.added();
        }
        old
    }

    #[inline(always)]
    fn added(&mut self) {
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            self.grow();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut larger = LaneMap::with_capacity(self.slots.len());
        for slot in self.slots.iter().filter(|slot| slot.value != NONE) {
            let at = larger.slot(slot.key);
            larger.slots[at] = *slot;
        }
        larger.len = self.len;
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_value_while_the_map_grows() {
        let mut map = LaneMap::with_capacity(0);
        for step in [1i64, 1 << 20, 1 << 44] {
            for i in 1..5_000 {
                assert_eq!(map.get(i * step + step / 3), NONE);
                assert_eq!(map.replace(i * step + step / 3, i as u32), NONE);
            }
            for i in 1..5_000 {
                assert_eq!(map.replace(i * step + step / 3, i as u32 + 1), i as u32);
                assert_eq!(map.get(i * step + step / 3), i as u32 + 1);
            }
        }
        assert_eq!(map.get(0), NONE);
    }
}
