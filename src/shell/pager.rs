//! Long answers through a pager.

use std::io::Write;
use std::process::{Command, Stdio};

/// Shows `text` in `$PAGER`, or in `less -RFX`. False if there is none that starts: then nothing was shown.
pub fn show(text: &str) -> bool {
    let pager = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
    let mut command = match &pager {
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(pager);
            shell
        }
        None => {
            let mut less = Command::new("less");
            less.arg("-RFX");
            less
        }
    };
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Whoever leaves the pager early has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    // A shell that does not find the pager says so with 127.
    child.wait().is_ok_and(|status| status.code() != Some(127))
}
