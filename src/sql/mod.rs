//! Text to AST, and nothing after that.
//!
//! ```text
//! script --split--> statements --parse--> ast::Statement        or SqlError { message, span }
//! ```
//!
//! One lexer serves the splitter, the parser and whoever colours a text. The grammar of expressions and queries is
//! sqlparser's, seen by `parser` alone; the rest of the language is read here. No name is looked up: what a name means is
//! the planner's.

pub mod ast;
mod error;
pub mod lexer;
mod nearest;
mod parser;
mod span;
mod split;

pub use error::{SqlError, render_error};
pub use nearest::nearest;
pub use parser::{parse_all, parse_expression, parse_script, parse_statement};
pub use span::Span;
pub use split::{Piece, split};
