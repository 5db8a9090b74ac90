//! Reports of a run for people: while it goes on, and when it is over.

pub mod text;
