//! The answer of a transaction that committed.

use crate::topology::PartitionId;
use crate::types::{ResultSet, Value};

/// What a call of a procedure gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The value of RETURN; NULL without one.
    pub returned: Value,
    /// The result sets of the body's bare queries, in order.
    pub results: Vec<ResultSet>,
    /// Where it ran; None: on all partitions.
    pub partition: Option<PartitionId>,
    /// What the procedure told beside its results, by SET STATUS.
    pub status: Option<Box<Status>>,
}

/// A status of the application's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// -128 to 127.
    pub code: Option<i8>,
    pub text: Option<String>,
}
