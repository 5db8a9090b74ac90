//! Aggregate functions.

/// Which aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    CountStar,
    Count,
    Sum,
    Avg,
    Min,
    Max,
}
