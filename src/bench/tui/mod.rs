//! The dashboard: a run's samples as a screen.
//!
//! ```text
//! Sample, key -> update -> Model -> view -> Frame      (pure: the same model gives the same frame)
//!                             terminal: raw mode, keys, signals; restored however the program leaves
//! ```
//!
//! Not here: what is measured (`sampler`) and what stays in the scrollback afterwards (`report::text`).

mod canvas;
mod chart;
mod curve;
mod distribution;
mod election;
mod latency;
mod map;
mod model;
mod operations;
mod partitions;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod timeline;
mod update;
mod view;

pub use model::{Model, View};
pub use terminal::Dashboard;
pub use update::{Event, Key, update};
pub use view::view;
