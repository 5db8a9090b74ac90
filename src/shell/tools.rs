//! What the program writes about itself: completions for shells, a manual page.

use super::args::Args;
use super::commands;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{self, Write};

const NAME: &str = "votedb-shell";

/// The completion script for `shell`; the error says which there are.
pub fn completions(shell: &str, out: &mut dyn Write) -> Result<(), String> {
    let Ok(shell) = shell.parse::<Shell>() else {
        return Err(format!("no completions for {shell}; there are bash, zsh and fish"));
    };
    clap_complete::generate(shell, &mut Args::command(), NAME, &mut Sink(out));
    Ok(())
}

/// The manual page, in roff: options as the command line has them, commands as the shell has them.
pub fn manual(out: &mut dyn Write) -> io::Result<()> {
    clap_mangen::Man::new(Args::command()).render(out)?;
    out.write_all(commands::manual().as_bytes())
}

/// A reader that has gone away is no reason to panic.
struct Sink<'a>(&'a mut dyn Write);

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_and_the_manual_name_options_and_commands() {
        for shell in ["bash", "zsh", "fish"] {
            let mut script = Vec::new();
            completions(shell, &mut script).unwrap();
            assert!(String::from_utf8(script).unwrap().contains("on-error"), "{shell}");
        }
        assert!(completions("tcsh", &mut Vec::new()).is_err());
        let mut page = Vec::new();
        manual(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("\\-\\-on\\-error") && page.contains("\\ewatch"), "{page}");
    }
}
