//! The store against a model: a map of rows, and views computed afresh.

mod fixture;
mod model;
mod schema;
