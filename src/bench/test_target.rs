//! A voter on a hash map, for tests: shared by all clients, with the queues and the mistakes of a real database.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use crate::bench::target::{ACCEPTED, OVER_THE_LIMIT, UNKNOWN_CONTESTANT, VoteDone, VoteTarget};
use crate::bench::verify::Stored;

/// What a faulty database does to every thousandth call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Counts the vote and says so, but keeps no row.
    DropRow,
    /// Never answers.
    DropAnswer,
    /// Answers twice.
    AnswerTwice,
    /// Fails, having done nothing.
    Fail,
    Panic,
}

/// The votes of all clients.
#[derive(Default)]
pub struct Votes {
    by_phone: HashMap<i64, u64>,
    by_contestant: HashMap<i32, u64>,
    rows: u64,
    calls: u64,
}

pub struct MapTarget {
    votes: Arc<Mutex<Votes>>,
    partitions: u32,
    contestants: i32,
    /// Phones are folded to this many, so that limits are reached.
    phones: i64,
    fault: Fault,
    waiting: VecDeque<(u64, Result<VoteDone, String>)>,
}

impl MapTarget {
    pub fn new(votes: Arc<Mutex<Votes>>, partitions: u32, contestants: i32, phones: i64, fault: Fault) -> MapTarget {
        MapTarget { votes, partitions, contestants, phones, fault, waiting: VecDeque::new() }
    }

    fn call(&mut self, phone: i64, contestant: i32, max_votes: i64) -> (Result<VoteDone, String>, Fault) {
        let phone = phone % self.phones;
        let mut votes = self.votes.lock().unwrap();
        votes.calls += 1;
        let fault = if votes.calls.is_multiple_of(1000) { self.fault } else { Fault::None };
        match fault {
            Fault::Fail => return (Err("the disk is full".to_owned()), fault),
            Fault::Panic => panic!("this client is broken"),
            _ => {}
        }
        let partition = (phone % self.partitions as i64) as u32;
        if !(1..=self.contestants).contains(&contestant) {
            return (Ok(VoteDone { answer: UNKNOWN_CONTESTANT, partition }), Fault::None);
        }
        let given = votes.by_phone.entry(phone).or_default();
        if *given >= max_votes as u64 {
            return (Ok(VoteDone { answer: OVER_THE_LIMIT, partition }), fault);
        }
        *given += 1;
        *votes.by_contestant.entry(contestant).or_default() += 1;
        votes.rows += u64::from(fault != Fault::DropRow);
        (Ok(VoteDone { answer: ACCEPTED, partition }), fault)
    }
}

impl VoteTarget for MapTarget {
    fn vote(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String> {
        self.call(phone, contestant, max_votes).0
    }

    fn submit(&mut self, phone: i64, contestant: i32, max_votes: i64, tag: u64) -> Result<(), String> {
        let (result, fault) = self.call(phone, contestant, max_votes);
        match fault {
            Fault::Fail => return result.map(|_| ()),
            Fault::DropAnswer => return Ok(()),
            Fault::AnswerTwice => self.waiting.push_back((tag, result.clone())),
            _ => {}
        }
        self.waiting.push_back((tag, result));
        Ok(())
    }

    fn poll(&mut self, wait: bool, done: &mut dyn FnMut(u64, Result<VoteDone, String>)) -> usize {
        // Without waiting only a part has come back, as if from a queue.
        let ready = if wait { self.waiting.len() } else { self.waiting.len() / 2 };
        self.waiting.drain(..ready).for_each(|(tag, result)| done(tag, result));
        ready
    }

    fn in_flight(&self) -> usize {
        self.waiting.len()
    }

    fn flush(&mut self) {}
}

/// What SQL would find afterwards.
pub fn stored(votes: &Mutex<Votes>) -> Stored {
    let votes = votes.lock().unwrap();
    Stored {
        rows: votes.rows,
        views: vec![
            ("v_votes_by_phone_number".to_owned(), votes.by_phone.values().sum()),
            ("v_votes_by_contestant_number_state".to_owned(), votes.by_contestant.values().sum()),
        ],
        votes_per_phone_max: votes.by_phone.values().copied().max().unwrap_or(0),
        votes_for_unknown: 0,
    }
}
