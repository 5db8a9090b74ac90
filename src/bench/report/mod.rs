//! Reports: what stays of a benchmark, as text, CSV, JSON, charts and one page of HTML.

pub mod charts;
pub mod closing;
pub mod compare;
pub mod csv;
pub mod files;
pub mod gallery;
pub mod html;
pub mod table;
pub mod text;
