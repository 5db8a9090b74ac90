//! The two streams that a session writes to, and what has to be remembered about them.

use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Answers may wait this long in a buffer, so that a script of many small statements does not write each by itself.
const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// Standard output and standard error.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    /// `out` failed: nothing is written to it any more.
    is_closed: bool,
    /// Something was written since the last empty line: at the prompt, an empty line should follow.
    is_answer_open: bool,
    last_flush: Instant,
}

impl<'a> Output<'a> {
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Output<'a> {
        Output { out, err, is_closed: false, is_answer_open: false, last_flush: Instant::now() }
    }

    /// True once standard output has failed.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes to standard output; it may stay in the buffer until [`Output::flush`].
    pub fn write(&mut self, text: &str) {
        if self.is_closed || text.is_empty() {
            return;
        }
        self.is_answer_open = !text.ends_with("\n\n");
        let result = self.out.write_all(text.as_bytes());
        self.check(result);
        if self.last_flush.elapsed() > FLUSH_EVERY {
            self.flush();
        }
    }

    /// Writes to standard error, after everything that went to standard output before. Standard error is the last resort:
    /// where it fails, there is nobody left to tell.
    pub fn write_error(&mut self, text: &str) {
        self.flush();
        self.is_answer_open = true;
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }

    /// Sets an answer off from the next prompt by an empty line.
    pub fn end_answer(&mut self) {
        if self.is_answer_open {
            self.write("\n");
            self.is_answer_open = false;
        }
        self.flush();
    }

    pub fn flush(&mut self) {
        if !self.is_closed {
            let result = self.out.flush();
            self.last_flush = Instant::now();
            self.check(result);
        }
    }

    fn check(&mut self, result: io::Result<()>) {
        let Err(error) = result else {
            return;
        };
        self.is_closed = true;
        // Whoever closed the pipe (`head`) has what it wanted; anything else should be heard of.
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.write_error(&format!("error: cannot write the output: {error}\n"));
        }
    }
}
