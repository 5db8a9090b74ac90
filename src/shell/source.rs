//! Where lines come from: scripts, their names and places, and the batches inside them.

use super::complaint::Place;
use super::database::StatementError;
use super::directives;
use super::input::{self, Splitter};
use super::variables::Branches;
use std::fs;
use std::path::{Path, PathBuf};

/// A script that is being run.
#[derive(Debug)]
pub struct Source {
    /// As errors name it; None for what was typed or piped in.
    pub(super) name: Option<String>,
    base_dir: PathBuf,
    /// Lines read so far: the number of the current line.
    pub(super) lines: usize,
    pub(super) splitter: Splitter,
    pub(super) batch: Option<InlineBatch>,
    pub(super) branches: Branches,
}

impl Source {
    pub fn new(name: Option<&str>, base_dir: &Path) -> Source {
        Source {
            name: name.map(str::to_owned),
            base_dir: base_dir.to_owned(),
            lines: 0,
            splitter: Splitter::new(),
            batch: None,
            branches: Branches::default(),
        }
    }

    /// True while lines are collected for FILE -inlinebatch.
    pub fn is_in_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// True if what follows `before`, the beginning of the next line, is code: not in quotes and not in a comment.
    pub(super) fn is_code_at(&self, before: &str) -> bool {
        let mut probe = self.splitter.clone();
        probe.push_line(self.lines, before);
        probe.is_in_code() && !before.contains("--")
    }

    /// The current line.
    pub(super) fn place(&self) -> Place<'_> {
        Place { file: self.name.as_deref(), first_line: self.lines }
    }

    /// The path that a FILE command in this source means: beside the source, or else from the current directory. `~/` is
    /// the home directory.
    pub(super) fn find(&self, path: &str) -> PathBuf {
        if let Some(rest) = path.strip_prefix("~/")
            && let Some(home) = std::env::var_os("HOME")
        {
            return Path::new(&home).join(rest);
        }
        let beside = self.base_dir.join(path);
        if beside.exists() { beside } else { PathBuf::from(path) }
    }
}

/// Lines between `FILE -inlinebatch WORD` and `WORD`.
#[derive(Debug)]
pub struct InlineBatch {
    pub(super) word: String,
    pub(super) text: String,
    /// The line of the FILE command.
    pub(super) opened_on: usize,
    /// The first line that is a command of the shell, which no batch may hold.
    pub(super) command: Option<(usize, String)>,
    splitter: Splitter,
    lines: usize,
}

impl InlineBatch {
    pub(super) fn new(word: String, opened_on: usize) -> InlineBatch {
        InlineBatch { word, text: String::new(), opened_on, command: None, splitter: Splitter::new(), lines: 0 }
    }

    pub(super) fn ends_with(&self, line: &str) -> bool {
        line.trim() == self.word
    }

    pub(super) fn push(&mut self, line: &str) {
        self.lines += 1;
        if self.command.is_none() && self.splitter.is_at_start() && directives::parse(line).is_some() {
            self.command = Some((self.opened_on + self.lines, line.trim().to_owned()));
        }
        self.splitter.push_line(self.lines, line);
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// The text of a batch, put together from pieces that each remember where they came from.
#[derive(Debug, Default)]
pub(super) struct BatchText {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    name: Option<String>,
    first_line: usize,
    start: usize,
}

impl BatchText {
    pub(super) fn push(&mut self, name: Option<String>, first_line: usize, text: &str) {
        self.pieces.push(Piece { name, first_line, start: self.text.len() });
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The piece that an error is about, and the error with its span in that piece.
    pub(super) fn locate(&self, mut error: StatementError) -> (StatementError, &str, Place<'_>) {
        let start = error.span.map_or(0, |(start, _)| start);
        let at = self.pieces.iter().rposition(|piece| piece.start <= start).unwrap_or(0);
        let end = self.pieces.get(at + 1).map_or(self.text.len(), |next| next.start);
        let Some(piece) = self.pieces.get(at) else {
            return (error, &self.text, Place { file: None, first_line: 1 });
        };
        error.span = error.span.map(|(start, end)| (start - piece.start, end.saturating_sub(piece.start)));
        let place = Place { file: piece.name.as_deref(), first_line: piece.first_line };
        (error, &self.text[piece.start..end], place)
    }
}

/// The text of a script file, or why it cannot be read.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    match decode(&bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned()),
        Err(at) => {
            let byte = bytes[at];
            Err(format!("{shown} is not UTF-8 text: byte {at} (0x{byte:02X}) is not valid; save the file as UTF-8"))
        }
    }
}

/// The text, or the offset of the first byte that is no UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, usize> {
    std::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
}

/// Where the scripts that a script names are looked up first.
pub(super) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// True for a script with statements that are all definitions, and no command of the shell. Not with DROP: scripts drop
/// what they create next, and no batch may do both to one name.
pub(super) fn is_all_ddl(text: &str) -> bool {
    let mut splitter = Splitter::new();
    for line in text.lines() {
        if splitter.is_at_start() && directives::parse(line).is_some() {
            return false;
        }
        splitter.push_line(1, line);
    }
    let statements = input::split(text);
    let is_ddl = |text: &str| {
        let word = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        ["CREATE", "ALTER", "PARTITION", "DR"].iter().any(|ddl| ddl.eq_ignore_ascii_case(word))
    };
    !statements.is_empty() && statements.iter().all(|statement| is_ddl(&statement.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_definitions_is_told_from_others() {
        assert!(is_all_ddl("-- schema\nCREATE TABLE t (help INT,\nshow INT);\nPARTITION TABLE t ON COLUMN help;"));
        assert!(!is_all_ddl("CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);"));
        assert!(!is_all_ddl("DROP TABLE t IF EXISTS;\nCREATE TABLE t (a INT);"));
        assert!(!is_all_ddl("CREATE TABLE t (a INT);\nshow tables\n"));
        assert!(!is_all_ddl("-- nothing\n"));
    }

    #[test]
    fn an_error_in_a_batch_is_found_in_its_piece() {
        let mut batch = BatchText::default();
        batch.push(Some("a.sql".into()), 1, "CREATE a;");
        batch.push(Some("b.sql".into()), 1, "CREATE b;\nCREATE c;\n");
        let error = StatementError { span: Some((27, 28)), ..StatementError::new("wrong") };
        let (error, text, place) = batch.locate(error);
        assert_eq!(place.file, Some("b.sql"));
        let (start, end) = error.span.expect("it keeps its span");
        assert_eq!(&text[start..end], "c");
    }
}
