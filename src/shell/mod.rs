//! The shell: reads statements and commands, runs them on a database, prints answers.
//!
//! ```text
//! keys -> editor --\
//! files, stdin, -c --> session: line by line -> input (statements), directives (commands)
//!                          statements -> ShellDatabase -> answer, complaint -> standard output, standard error
//! ```
//!
//! Knows a database only as the trait [`ShellDatabase`]; terminals only in `editor`. SQL itself is the database's: here a
//! statement is a text that ends.

mod answer;
mod args;
mod complaint;
mod database;
mod directives;
mod editor;
mod embedded;
#[cfg(test)]
mod fake;
mod help;
mod input;
mod interrupt;
mod listing;
mod nearest;
mod output;
mod repl;
mod session;
mod source;
mod words;

pub use answer::AnswerStyle;
pub use args::{Args, Step};
pub use database::{
    ColumnSummary, Outcome, ParameterSummary, ProcedureSummary, ShellDatabase, StatementError, TableKind, TableSummary,
    Tag,
};
pub use embedded::Embedded;
pub use input::{SplitStatement, Splitter, split};
pub use repl::run;
pub use session::{Flow, ScriptResult, Session, Settings, run_script};
