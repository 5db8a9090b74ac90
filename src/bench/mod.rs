//! The benchmark: drives a database with a workload, measures what its clients see, checks what it left behind.
//!
//! ```text
//! Workload -> client threads -> VoteTarget        (driver, clients)
//!                  |
//!              Recorder -> Sample -> Observer     (five times a second: a dashboard or a line of text)
//!                  |
//!               Outcome -> Check -> Report        (after the run: text, JSON)
//! ```
//!
//! What holds here:
//! 1. A call is recorded once, by the client thread that made it, without a lock.
//! 2. The run is paced and measured by client threads alone: a slow screen delays samples, never calls.
//! 3. Under a rate, latency counts from when a call should have started.
//!
//! Not here: how a call reaches a partition ([`target::VoteTarget`] is all that is known of the database), and the SQL
//! that counts rows afterwards ([`verify`] is handed the numbers).

pub mod args;
mod clients;
pub mod clock;
pub mod command;
pub mod controls;
pub mod database;
pub mod driver;
pub mod machine;
pub mod options;
pub mod pacer;
mod processor;
pub mod random;
pub mod recorder;
pub mod report;
pub mod results;
pub mod run;
pub mod sampler;
pub mod signals;
pub mod suite;
pub mod target;
#[cfg(test)]
mod test_target;
pub mod tui;
pub mod units;
pub mod verify;
pub mod workloads;
