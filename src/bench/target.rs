//! What the driver needs of a database.

/// What Vote answered: the vote is stored.
pub const ACCEPTED: i64 = 0;
/// What Vote answered: there is no such contestant.
pub const UNKNOWN_CONTESTANT: i64 = 1;
/// What Vote answered: this phone has all its votes.
pub const OVER_THE_LIMIT: i64 = 2;

/// A call of Vote that came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoteDone {
    /// [`ACCEPTED`], [`UNKNOWN_CONTESTANT`] or [`OVER_THE_LIMIT`].
    pub answer: i64,
    /// The partition that ran it, from 0.
    pub partition: u32,
}

/// What the driver needs of a database: one per client thread, used by that thread alone.
///
/// A client calls `vote` only while nothing that it submitted is in flight.
pub trait VoteTarget: Send {
    /// Calls Vote and waits for its answer.
    fn vote(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String>;

    /// As [`VoteTarget::vote`], but as the text of a statement, where the database reads text.
    fn vote_by_text(&mut self, phone: i64, contestant: i32, max_votes: i64) -> Result<VoteDone, String> {
        self.vote(phone, contestant, max_votes)
    }

    /// Hands a call over; it may run calls, its own or others', before it returns. `tag` comes back with the completion.
    ///
    /// On an error the call did not start, and its tag never comes back.
    fn submit(&mut self, phone: i64, contestant: i32, max_votes: i64, tag: u64) -> Result<(), String>;

    /// Hands each completion that is there to `done(tag, answer)` and returns how many there were.
    ///
    /// `wait`: blocks until none is in flight or at least one came. Every accepted `submit` comes back exactly once.
    fn poll(&mut self, wait: bool, done: &mut dyn FnMut(u64, Result<VoteDone, String>)) -> usize;

    /// Calls submitted and not yet handed to `done`.
    fn in_flight(&self) -> usize;

    /// Sends on what `submit` may have gathered.
    fn flush(&mut self);
}
