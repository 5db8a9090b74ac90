//! What an expression needs from whoever evaluates it.

use super::error::EvalError;
use crate::types::Frame;

/// Runs the subqueries of a statement and knows its transaction's time.
pub trait Host {
    type Error: From<EvalError>;
    /// Runs subquery number `index` of the statement on the values that `frame` has now, and leaves its value in the
    /// register that the plan gave it.
    fn subquery(&mut self, index: usize, frame: &mut Frame) -> Result<(), Self::Error>;
    /// The transaction's time, in microseconds since 1970.
    fn now(&self) -> i64;
}

/// A host for expressions without subqueries.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost {
    /// Microseconds since 1970.
    pub now: i64,
}

impl Host for NoHost {
    type Error = EvalError;

    fn subquery(&mut self, index: usize, _: &mut Frame) -> Result<(), EvalError> {
        unreachable!("subquery {index} in an expression that must not have any")
    }
    fn now(&self) -> i64 {
        self.now
    }
}
