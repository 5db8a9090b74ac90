//! Reports: what stays of a benchmark, as text, CSV, JSON, charts and one page of HTML.

pub mod closing;
pub mod csv;
pub mod files;
pub mod text;
