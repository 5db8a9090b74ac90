//! Latency histograms and rates: what happened, in fixed memory, readable while it is written.
//!
//! A [`Histogram`] has one owner. A [`SharedHistogram`] has one writer and any number of readers, and nobody waits.
//! Not here: what is measured, when a window starts, how a number is shown.

mod counters;
mod histogram;
mod rate;
mod shared;

pub use counters::{Counter, PartitionCounters, ProcedureCounters, Sample, Sampled};
pub use histogram::{Histogram, LARGEST_NS};
pub use rate::{RateWindow, Ring};
pub use shared::SharedHistogram;
