//! The two streams that a session writes to, and what has to be remembered about them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
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
    /// Where answers go in place of standard output.
    file: Option<BufWriter<File>>,
    /// What was written since recording began.
    recorded: Option<String>,
    /// Why the last write to a file failed, until someone asks.
    failure: Option<String>,
}

impl<'a> Output<'a> {
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Output<'a> {
        Output {
            out,
            err,
            is_closed: false,
            is_answer_open: false,
            last_flush: Instant::now(),
            file: None,
            recorded: None,
            failure: None,
        }
    }

    /// True once standard output has failed.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Sends answers to a file, or with None to standard output again. The error says what could not be written.
    pub fn redirect(&mut self, path: Option<&Path>) -> io::Result<()> {
        let before = self.file.take().map_or(Ok(()), |mut file| file.flush());
        if let Some(path) = path {
            self.file = Some(BufWriter::new(File::create(path)?));
        }
        before
    }

    pub fn is_redirected(&self) -> bool {
        self.file.is_some()
    }

    /// Starts to keep what is written, errors too.
    pub fn record(&mut self) {
        self.recorded = Some(String::new());
    }

    /// What was kept, and starts anew; None where nothing is kept.
    pub fn take_recorded(&mut self) -> Option<String> {
        self.recorded.as_mut().map(std::mem::take)
    }

    pub fn stop_recording(&mut self) {
        self.recorded = None;
    }

    /// Writes an answer: to standard output, or to the file that answers go to.
    pub fn write_answer(&mut self, text: &str) {
        let Some(file) = &mut self.file else { return self.write(text) };
        if let Err(error) = file.write_all(text.as_bytes()) {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.file = None;
        self.failure = Some(format!("cannot write answers to the file: {error}; they go to standard output again"));
    }

    /// Why answers could not be written to their file: told once.
    pub fn take_failure(&mut self) -> Option<String> {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.flush()) {
            self.fail(&error);
        }
        self.failure.take()
    }

    /// Writes to standard output; it may stay in the buffer until [`Output::flush`].
    pub fn write(&mut self, text: &str) {
        if self.is_closed || text.is_empty() {
            return;
        }
        self.is_answer_open = !text.ends_with("\n\n");
        if let Some(recorded) = &mut self.recorded {
            recorded.push_str(text);
        }
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
        if let Some(recorded) = &mut self.recorded {
            recorded.push_str(text);
        }
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
