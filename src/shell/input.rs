//! Lines to statements, one line at a time: where a statement ends is known as soon as its last line is there.
//!
//! A statement ends at a semicolon that is not in quotes, in a comment, or in the BEGIN .. END body of a procedure. The
//! words before and after mean nothing here: that is the parser's business.

use std::mem;

/// One statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitStatement {
    /// From its first word to its end, comments inside included, the semicolon not.
    pub text: String,
    /// Line of the script on which `text` begins, from 1.
    pub first_line: usize,
    /// False for the rest of a script that ended without a semicolon.
    pub terminated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Code,
    /// Up to the next single or double quote. A doubled quote ends and begins one: the same here.
    Quotes(u8),
    BlockComment,
}

/// Cuts a script into statements.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    /// Of the statement that is not complete; empty between statements.
    text: String,
    first_line: usize,
    line: usize,
    inside: Inside,
    body: Body,
}

impl Splitter {
    pub fn new() -> Splitter {
        Splitter::default()
    }

    /// Takes the next line, without its line end, and gives the statements that end on it. `number` is the line's place
    /// in its source: the caller counts, since lines that are commands never come here.
    pub fn push_line(&mut self, number: usize, line: &str) -> Vec<SplitStatement> {
        self.line = number;
        let mut done = Vec::new();
        if self.inside == Inside::Code && line.trim_start().starts_with("//") {
            self.end_line();
            return done;
        }
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            match self.inside {
                Inside::Quotes(quote) => {
                    at = find(bytes, at, &[quote]).map_or(bytes.len(), |end| end + 1);
                    if bytes[at - 1] == quote {
                        self.inside = Inside::Code;
                    }
                }
                Inside::BlockComment => {
                    at = match line[at..].find("*/") {
                        Some(end) => {
                            self.inside = Inside::Code;
                            at + end + 2
                        }
                        None => bytes.len(),
                    };
                    if self.is_between() {
                        continue;
                    }
                }
                Inside::Code => match self.code(line, at) {
                    Step::To(end) => at = end,
                    Step::Skip(end) => {
                        at = end;
                        continue;
                    }
                    Step::End => {
                        done.extend(self.take(true));
                        at += 1;
                        continue;
                    }
                },
            }
            self.keep(&line[start..at]);
        }
        self.end_line();
        done
    }

    /// The rest, if there is any, as the last statement of the script; the splitter is as new.
    pub fn finish(&mut self) -> Option<SplitStatement> {
        self.inside = Inside::Code;
        self.take(false)
    }

    /// True where a statement (or a command of the shell) may begin.
    pub fn is_at_start(&self) -> bool {
        self.is_between() && self.inside == Inside::Code
    }

    /// True outside of quotes and comments.
    pub fn is_in_code(&self) -> bool {
        self.inside == Inside::Code
    }

    /// True in quotes: whatever comes next is part of a text.
    pub fn is_in_quotes(&self) -> bool {
        matches!(self.inside, Inside::Quotes(_))
    }

    fn is_between(&self) -> bool {
        self.text.is_empty()
    }

    /// One step through code from byte `at` of `line`.
    fn code(&mut self, line: &str, at: usize) -> Step {
        let bytes = line.as_bytes();
        let rest = &bytes[at..];
        match bytes[at] {
            b';' if self.body.ends_statement() => Step::End,
            b'\'' | b'"' => {
                self.body.symbol(bytes[at]);
                self.inside = Inside::Quotes(bytes[at]);
                Step::To(at + 1)
            }
            b'-' if rest.starts_with(b"--") => self.comment(bytes.len()),
            b'/' if rest.starts_with(b"/*") => {
                self.inside = Inside::BlockComment;
                self.comment(at + 2)
            }
            c if c.is_ascii_whitespace() => self.comment(at + 1),
            c if is_word(c) => {
                let end = at + rest.iter().position(|c| !is_word(*c)).unwrap_or(rest.len());
                self.body.word(&line[at..end], self.is_between());
                Step::To(end)
            }
            c => {
                self.body.symbol(c);
                Step::To(at + 1)
            }
        }
    }

    /// Comments and spaces count only inside a statement.
    fn comment(&self, end: usize) -> Step {
        if self.is_between() { Step::Skip(end) } else { Step::To(end) }
    }

    fn keep(&mut self, part: &str) {
        if self.is_between() {
            self.first_line = self.line;
        }
        self.text.push_str(part);
    }

    fn end_line(&mut self) {
        if !self.is_between() {
            self.text.push('\n');
        }
    }

    fn take(&mut self, terminated: bool) -> Option<SplitStatement> {
        self.body = Body::default();
        let mut text = mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        (!text.is_empty()).then_some(SplitStatement { text, first_line: self.first_line, terminated })
    }
}

enum Step {
    /// The part up to here belongs to the statement.
    To(usize),
    /// The part up to here belongs to nothing.
    Skip(usize),
    /// A semicolon that ends the statement.
    End,
}

/// How deep in BEGIN .. END a statement is. Only CREATE PROCEDURE and its like have bodies.
#[derive(Clone, Debug, Default)]
struct Body {
    is_create: bool,
    has_body: bool,
    depth: usize,
    /// END was read; the next word says whether it ends a block, or a loop or condition that was not counted.
    after_end: bool,
    after_point: bool,
}

impl Body {
    fn word(&mut self, word: &str, is_first: bool) {
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        if mem::take(&mut self.after_point) {
            return;
        }
        if is_first {
            self.is_create = is("CREATE");
        }
        if mem::take(&mut self.after_end) {
            if ["IF", "WHILE", "FOR", "LOOP", "REPEAT"].into_iter().any(is) {
                return;
            }
            self.depth -= 1;
            if is("CASE") {
                return;
            }
        }
        if self.is_create && self.depth == 0 && ["PROCEDURE", "FUNCTION", "TRIGGER"].into_iter().any(is) {
            self.has_body = true;
        }
        if self.depth > 0 && is("END") {
            self.after_end = true;
        } else if (self.has_body && is("BEGIN")) || (self.depth > 0 && is("CASE")) {
            self.depth += 1;
        }
    }

    fn symbol(&mut self, symbol: u8) {
        if mem::take(&mut self.after_end) {
            self.depth -= 1;
        }
        self.after_point = symbol == b'.';
    }

    fn ends_statement(&mut self) -> bool {
        self.symbol(b';');
        self.depth == 0
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

fn find(bytes: &[u8], from: usize, any: &[u8]) -> Option<usize> {
    bytes[from..].iter().position(|byte| any.contains(byte)).map(|found| from + found)
}

/// All statements of a script.
pub fn split(script: &str) -> Vec<SplitStatement> {
    let mut splitter = Splitter::new();
    let mut statements = Vec::new();
    for (i, line) in script.lines().enumerate() {
        statements.extend(splitter.push_line(i + 1, line));
    }
    statements.extend(splitter.finish());
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<String> {
        split(script).into_iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn semicolons_in_quotes_and_comments_end_nothing() {
        let script = "SELECT 'a;''b;', \"c;d\" -- e;\n FROM t /* f; \n g; */ WHERE x; SELECT 2;";
        assert_eq!(texts(script), ["SELECT 'a;''b;', \"c;d\" -- e;\n FROM t /* f; \n g; */ WHERE x", "SELECT 2"]);
    }

    #[test]
    fn comments_between_statements_are_dropped_and_lines_are_counted() {
        let script = "-- one\n// two; it's\n/* three\n four */ SELECT 1;;\n\n ; -- five\n  SELECT\n// six;\n  2";
        let statements = split(script);
        assert_eq!(statements.len(), 2);
        assert_eq!(statements[0], SplitStatement { text: "SELECT 1".into(), first_line: 4, terminated: true });
        assert_eq!(statements[1], SplitStatement { text: "SELECT\n\n  2".into(), first_line: 7, terminated: false });
    }

    #[test]
    fn two_slashes_after_code_are_code_and_in_quotes_are_text() {
        assert_eq!(texts("SELECT 4 // 2;\nSELECT 'a\n// b;\n';"), ["SELECT 4 // 2", "SELECT 'a\n// b;\n'"]);
    }

    #[test]
    fn a_body_goes_on_to_its_own_end() {
        let body = "CREATE PROCEDURE Vote(a INT) PARTITION ON TABLE votes COLUMN phone AS\nBEGIN\n\
                    DECLARE n INT;\n\
                    IF a > 1 THEN SET n = CASE WHEN a = 2 THEN 3 ELSE 4 END; ELSEIF a = 5 THEN SET n = 6; END IF;\n\
                    CASE a WHEN 1 THEN SET n = 1; END CASE;\n\
                    WHILE n < 3 DO SET n = n + 1; END WHILE;\n\
                    FOR r AS SELECT a FROM t DO SET n = r.end; END FOR;\n\
                    l: LOOP LEAVE l; END\n LOOP l;\n\
                    BEGIN SET n = 'END'; /* END */ END;\n\
                    RETURN 0;\n\
                    END";
        assert_eq!(texts(&format!("{body};\nSELECT 1;")), [body, "SELECT 1"]);
        assert_eq!(texts(&format!("{body} -- done\n;SELECT 1")), [format!("{body} -- done"), "SELECT 1".into()]);
    }

    #[test]
    fn begin_and_case_mean_nothing_outside_of_procedures() {
        assert_eq!(
            texts("SELECT CASE WHEN a THEN b; SELECT begin; END;"),
            ["SELECT CASE WHEN a THEN b", "SELECT begin", "END"]
        );
        assert_eq!(texts("CREATE VIEW begin AS SELECT CASE x WHEN 1 THEN 2 END FROM t; SELECT 1").len(), 2);
        assert_eq!(texts("CREATE PROCEDURE p AS SELECT CASE x WHEN 1 THEN 2 END FROM t; SELECT 1").len(), 2);
    }

    #[test]
    fn splitting_line_by_line_knows_when_it_is_between_statements() {
        let mut splitter = Splitter::new();
        for (line, at_start) in
            [("", true), ("/* a", false), ("*/", true), ("SELECT", false), ("help", false), ("; -- x", true)]
        {
            splitter.push_line(1, line);
            assert_eq!(splitter.is_at_start(), at_start, "{line}");
        }
    }

    #[test]
    fn any_text_splits_without_losing_more_than_semicolons_spaces_and_leading_comments() {
        let pieces = ["'", "\"", ";", "--", "/*", "*/", "\n", " ", "END", "BEGIN", "CREATE PROCEDURE", "é", "//", "IF"];
        let mut state = 7u64;
        for _ in 0..5_000 {
            let mut script = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                script.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            for statement in split(&script) {
                let first = statement.text.lines().next().expect("no statement is empty");
                assert!(script.contains(first), "{script:?} gave {statement:?}");
            }
        }
    }
}
