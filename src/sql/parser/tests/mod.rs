//! What is read, what is refused and how, and that nothing brings the parser down.

mod errors;
mod hostile;
mod show;
mod statements;

use super::*;
use show::show;
