//! Voter: a telephone vote for the contestants of a show.
//!
//! Every call names a phone and a contestant. Area codes have favourites, so states differ; one call in a hundred
//! names a contestant that does not exist.

use crate::bench::random::{Random, share_of};

const CONTESTANTS: &str = include_str!("../../../data/contestants.csv");
const AREA_CODES: &str = include_str!("../../../data/area_code_state.csv");

/// The contestant that nobody knows, named in 1 % of the calls.
pub const UNKNOWN: i32 = 999;
/// How many contestants have names.
pub const CONTESTANTS_MAX: usize = 12;
/// Telephone numbers under one area code.
const PHONES_PER_AREA: u64 = 10_000_000;

/// The names of contestants 1, 2, ... in order; [`CONTESTANTS_MAX`] of them.
pub fn contestant_names() -> Vec<&'static str> {
    rows(CONTESTANTS).map(|(_, name)| name).collect()
}

/// The 305 area codes and the state of each, in the order in which they are loaded.
pub fn area_codes() -> Vec<(i16, &'static str)> {
    rows(AREA_CODES).map(|(code, state)| (code.parse().expect("the embedded area codes are numbers"), state)).collect()
}

fn rows(csv: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    csv.lines()
        .skip(1)
        .filter(|line| !line.is_empty())
        .map(|line| line.split_once(',').expect("every line of the embedded data has two columns"))
}

/// One call of Vote, but for the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub phone: i64,
    pub contestant: i32,
}

/// Calls without end, the same for the same seed and stream.
///
/// The favourites depend on the seed alone, so that all clients of a run vote alike.
#[derive(Debug, Clone)]
pub struct CallGenerator {
    random: Random,
    /// First telephone number and favourite contestant of each area code.
    areas: Box<[(i64, i32)]>,
    contestants: u64,
}

impl CallGenerator {
    /// `contestants` from 1 to [`CONTESTANTS_MAX`] (asserted); `stream` is the number of the client.
    pub fn new(seed: u64, stream: u64, contestants: usize) -> CallGenerator {
        assert!((1..=CONTESTANTS_MAX).contains(&contestants), "1 to {CONTESTANTS_MAX} contestants");
        let mut taste = Random::stream(seed, u64::MAX);
        let areas = area_codes()
            .iter()
            .enumerate()
            .map(|(i, &(code, _))| {
                let local = ((i as f64).sin() * contestants as f64).abs() as i32 % contestants as i32 + 1;
                let favourite = if taste.chance(share_of(0.3)) { 1 } else { local };
                (code as i64 * PHONES_PER_AREA as i64, favourite)
            })
            .collect();
        CallGenerator { random: Random::stream(seed, stream), areas, contestants: contestants as u64 }
    }

    /// The next call: two random numbers, some 5 ns.
    #[inline]
    pub fn next_call(&mut self) -> Call {
        // The product's upper half chooses the area, its lower half is as good as a fresh number for the phone.
        let wide = self.random.next_u64() as u128 * self.areas.len() as u128;
        let (first_phone, favourite) = self.areas[(wide >> 64) as usize];
        let phone = first_phone + ((wide as u64 as u128 * PHONES_PER_AREA as u128) >> 64) as i64;
        // One bit for the favourite, 31 for the unknown contestant, 32 for the choice.
        let dice = self.random.next_u64();
        let contestant = if ((dice >> 1) as u32 & 0x7FFF_FFFF) < share_of(0.01) / 2 {
            UNKNOWN
        } else if dice & 1 == 0 {
            favourite
        } else {
            (((dice >> 32) * self.contestants) >> 32) as i32 + 1
        };
        Call { phone, contestant }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn the_embedded_data_is_complete() {
        let codes = area_codes();
        assert_eq!(codes.len(), 305);
        assert_eq!(codes.iter().map(|c| c.0).collect::<HashSet<_>>().len(), 305);
        assert_eq!(codes.iter().map(|c| c.1).collect::<HashSet<_>>().len(), 51);
        assert_eq!(contestant_names().len(), CONTESTANTS_MAX);
        assert_eq!(contestant_names()[0], "Edwina Burnam");
    }

    #[test]
    fn calls_have_known_area_codes_and_the_stated_share_of_unknown_contestants() {
        let codes: HashSet<i64> = area_codes().iter().map(|c| c.0 as i64).collect();
        let mut generator = CallGenerator::new(42, 0, 6);
        let mut chosen: HashMap<i32, u32> = HashMap::new();
        for _ in 0..200_000 {
            let call = generator.next_call();
            assert!(codes.contains(&(call.phone / 10_000_000)));
            *chosen.entry(call.contestant).or_default() += 1;
        }
        assert!((1_800..2_200).contains(&chosen[&UNKNOWN]), "{chosen:?}");
        assert_eq!(chosen.len(), 7);
        assert!((2..=6).all(|c| chosen[&1] > chosen[&c]), "contestant 1 is the favourite of most: {chosen:?}");
    }

    #[test]
    fn half_of_the_calls_from_an_area_go_to_its_favourite() {
        let mut generator = CallGenerator::new(1, 0, 6);
        let (first_phone, favourite) = generator.areas[17];
        let mut votes = [0u32; 2];
        for _ in 0..1_000_000 {
            let call = generator.next_call();
            if call.phone / 10_000_000 == first_phone / 10_000_000 {
                votes[(call.contestant == favourite) as usize] += 1;
            }
        }
        let share = votes[1] as f64 / (votes[0] + votes[1]) as f64;
        // Half, and a sixth of the other half by chance, less the unknown ones.
        assert!((0.54..0.62).contains(&share), "{share}");
    }

    #[test]
    fn clients_of_one_seed_call_differently_but_share_their_favourites() {
        let (mut a, mut b) = (CallGenerator::new(9, 0, 12), CallGenerator::new(9, 1, 12));
        assert_eq!(a.areas, b.areas);
        assert_ne!(
            (0..8).map(|_| a.next_call()).collect::<Vec<_>>(),
            (0..8).map(|_| b.next_call()).collect::<Vec<_>>()
        );
        let mut again = CallGenerator::new(9, 1, 12);
        for _ in 0..8 {
            again.next_call();
        }
        assert_eq!(again.next_call(), b.next_call());
    }
}
