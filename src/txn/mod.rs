//! What a transaction is asked and what it answers.

mod response;

pub use response::{Response, Status};
