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

mod advise;
mod answer;
mod args;
mod chart_options;
mod commands;
mod complaint;
mod config;
mod copy;
mod database;
mod directives;
mod editor;
mod embedded;
mod exec;
#[cfg(test)]
mod fake;
mod help;
mod history;
mod input;
mod interrupt;
mod listing;
mod nearest;
mod output;
mod pager;
mod perform;
mod record;
mod repl;
mod schema;
mod session;
mod source;
mod tools;
mod transfer;
mod variables;
mod words;

pub use answer::{AnswerStyle, Sqlcmd};
pub use args::{Args, ColorChoice, OnError, Step};
pub use database::{
    ColumnSummary, IndexSummary, Outcome, ParameterSummary, ProcedureSummary, ShellDatabase, StatementError, TableKind,
    TableSummary, Tag,
};
pub use embedded::Embedded;
pub use input::{SplitStatement, Splitter, split};
pub use record::replay;
pub use repl::run;
pub use session::{Failure, Flow, ScriptResult, Session, Settings, run_script};
pub use tools::{completions, manual};
