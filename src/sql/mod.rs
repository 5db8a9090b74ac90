//! Text to AST, and nothing after that.
//!
//!     script --split--> statements --parse--> ast::Statement        or SqlError { message, span }

pub mod ast;
mod error;
mod span;

pub use error::SqlError;
pub use span::Span;
