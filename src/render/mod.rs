//! Results and numbers as text for people and programs.
//!
//! Pure functions from values to text: nothing here opens a terminal, reads the environment or knows where the text
//! goes. Colour is the [`Theme`] that the caller passes; a theme without colour gives plain text.

pub mod format;
pub mod theme;
pub mod units;

pub use format::{Format, Layout, UnknownFormat};
pub use theme::{Role, Theme};
