//! Verify: does what the clients were told agree with what the database holds?
//!
//! A pure function over counts: the clients' come from the run, the database's from SQL that the caller runs after it.

use crate::bench::recorder::VoteCounts;
use crate::bench::units::grouped;

/// What the clients saw of a whole run, warm-up included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    pub votes: VoteCounts,
    /// Calls handed to the database.
    pub submitted: u64,
    /// Calls that failed.
    pub errors: u64,
    pub first_error: Option<String>,
    /// Calls that were never answered.
    pub lost: u64,
    /// Answers to no call, or to one that had been answered.
    pub unasked: u64,
}

/// What the database holds after the run, less what it held before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// Rows in `votes`.
    pub rows: u64,
    /// Each view's name and the sum of its vote counts.
    pub views: Vec<(String, u64)>,
    /// The most votes of one phone.
    pub votes_per_phone_max: u64,
    /// Votes for contestants that do not exist.
    pub votes_for_unknown: u64,
}

/// The promises that the run broke, each in a sentence. `Ok` when all were kept.
///
/// `limit` is the number of votes that a phone has.
pub fn verify(told: &Told, stored: &Stored, limit: i64) -> Result<(), Vec<String>> {
    let mut broken = Vec::new();
    let accepted = told.votes.accepted;
    if stored.rows != accepted {
        broken.push(format!(
            "{} votes were accepted, but votes holds {} rows ({})",
            grouped(accepted),
            grouped(stored.rows),
            difference(accepted, stored.rows)
        ));
    }
    for (view, sum) in &stored.views {
        if *sum != stored.rows {
            broken.push(format!(
                "view {view} counts {} votes, but votes holds {} rows ({})",
                grouped(*sum),
                grouped(stored.rows),
                difference(stored.rows, *sum)
            ));
        }
    }
    if i128::from(stored.votes_per_phone_max) > i128::from(limit) {
        broken.push(format!("a phone has {} votes, but may have {limit}", grouped(stored.votes_per_phone_max)));
    }
    if stored.votes_for_unknown > 0 {
        broken.push(format!("{} votes are for contestants that do not exist", grouped(stored.votes_for_unknown)));
    }
    broken.extend(broken_calls(told));
    if broken.is_empty() { Ok(()) } else { Err(broken) }
}

/// What is wrong with the calls themselves, whatever the database holds.
fn broken_calls(told: &Told) -> Vec<String> {
    let mut broken = Vec::new();
    if told.errors > 0 {
        let first = told.first_error.as_deref().unwrap_or("no message");
        broken.push(format!("calls that failed: {}; the first: {first}", grouped(told.errors)));
    }
    if told.lost > 0 {
        broken.push(format!("calls never answered: {}", grouped(told.lost)));
    }
    if told.unasked > 0 {
        broken.push(format!("answers that came twice or to no call: {}", grouped(told.unasked)));
    }
    let answered = told.votes.calls() + told.errors + told.lost;
    if answered != told.submitted {
        broken.push(format!(
            "{} calls were made, but accepted, rejected, failed and lost ones add up to {} ({})",
            grouped(told.submitted),
            grouped(answered),
            difference(told.submitted, answered)
        ));
    }
    broken
}

fn difference(expected: u64, found: u64) -> String {
    let word = if found < expected { "missing" } else { "too many" };
    format!("{} {word}", grouped(expected.abs_diff(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (Told, Stored) {
        let votes = VoteCounts { accepted: 1_000, rejected_contestant: 10, rejected_limit: 5 };
        let told = Told { votes, submitted: 1_015, ..Told::default() };
        let views = vec![("v_votes_by_phone_number".to_owned(), 1_000)];
        (told, Stored { rows: 1_000, views, votes_per_phone_max: 2, votes_for_unknown: 0 })
    }

    #[test]
    fn a_run_that_kept_its_promises_passes() {
        let (told, stored) = kept();
        assert_eq!(verify(&told, &stored, 2), Ok(()));
    }

    #[test]
    fn each_broken_promise_is_told_with_its_numbers() {
        let broken = |change: fn(&mut Told, &mut Stored)| {
            let (mut told, mut stored) = kept();
            change(&mut told, &mut stored);
            verify(&told, &stored, 2).unwrap_err().join("\n")
        };
        assert_eq!(
            broken(|t, _| (t.votes.accepted, t.submitted) = (1_001, 1_016)),
            "1,001 votes were accepted, but votes holds 1,000 rows (1 missing)"
        );
        assert_eq!(
            broken(|_, s| s.views[0].1 = 1_003),
            "view v_votes_by_phone_number counts 1,003 votes, but votes holds 1,000 rows (3 too many)"
        );
        assert_eq!(broken(|_, s| s.votes_per_phone_max = 3), "a phone has 3 votes, but may have 2");
        assert!(broken(|_, s| s.votes_for_unknown = 1).contains("do not exist"));
        assert!(broken(|t, _| t.submitted += 1).contains("1,016 calls were made"));
        assert_eq!(broken(|t, _| (t.lost, t.submitted) = (1, 1_016)), "calls never answered: 1");
        assert!(broken(|t, _| t.unasked = 1).contains("twice"));
        assert!(broken(|t, _| (t.errors, t.submitted) = (1, 1_016)).contains("no message"));
    }
}
