//! Rows from files and into files: what \copy was asked, and readers of CSV, TSV and JSON lines.

use crate::types::Value;
use std::io::{self, BufRead};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Csv,
    Tsv,
    Jsonl,
}

/// `\copy table[(columns)] from|to 'file' [csv|tsv|jsonl] [header|noheader] [delimiter 'c'] [null 'text'] [max-errors n]
/// [reject 'file']`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyCommand {
    /// A table, or a query in parentheses (only `to`).
    pub what: String,
    pub columns: Vec<String>,
    pub is_import: bool,
    pub path: String,
    pub format: FileFormat,
    pub header: bool,
    pub delimiter: char,
    /// What stands for NULL; None: an unquoted empty field (CSV), `\N` (TSV).
    pub null: Option<String>,
    /// More rejected rows than this end an import.
    pub errors_max: u64,
    /// Where rejected rows go; None: beside the file, `file.rejects`.
    pub reject: Option<String>,
}

impl CopyCommand {
    /// `words`: each with whether it was quoted.
    pub fn parse(words: &[(String, bool)]) -> Result<CopyCommand, String> {
        let usage = "\\copy needs: table from|to 'file'";
        let is_direction = |(word, quoted): &(String, bool)| {
            !quoted && (word.eq_ignore_ascii_case("from") || word.eq_ignore_ascii_case("to"))
        };
        // A query in parentheses may hold FROM: the last such word with a quoted path, or else the last, is ours.
        let at =
            words.iter().enumerate().rposition(|(i, word)| is_direction(word) && i + 1 < words.len()).ok_or(usage)?;
        let spelled = |(word, quoted): &(String, bool)| if *quoted { format!("'{word}'") } else { word.clone() };
        let what = words[..at].iter().map(spelled).collect::<Vec<_>>().join(" ");
        if what.is_empty() {
            return Err(usage.to_owned());
        }
        let is_import = words[at].0.eq_ignore_ascii_case("from");
        let path = words[at + 1].0.clone();
        let mut command = CopyCommand::new(&what, is_import, &path);
        if let Some(inner) = what.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            if is_import {
                return Err("rows can be copied into a table, not into a query".to_owned());
            }
            command.what = inner.trim().to_owned();
            command.columns = vec![String::new()];
        } else if let Some((table, columns)) = what.split_once('(') {
            command.columns = columns.trim_end_matches(')').split(',').map(|name| name.trim().to_owned()).collect();
            command.what = table.trim().to_owned();
        }
        command.options(&words[at + 2..])?;
        Ok(command)
    }

    /// `.import file table`
    pub fn import(words: &[(String, bool)]) -> Result<CopyCommand, String> {
        match words {
            [(path, _), (table, _), options @ ..] => {
                let mut command = CopyCommand::new(table, true, path);
                command.options(options)?;
                Ok(command)
            }
            _ => Err(".import needs: file table".to_owned()),
        }
    }

    fn new(what: &str, is_import: bool, path: &str) -> CopyCommand {
        let ending = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        let format = match ending.as_str() {
            "tsv" | "tab" => FileFormat::Tsv,
            "jsonl" | "ndjson" | "json" => FileFormat::Jsonl,
            _ => FileFormat::Csv,
        };
        CopyCommand {
            what: what.to_owned(),
            columns: Vec::new(),
            is_import,
            path: path.to_owned(),
            format,
            header: true,
            delimiter: if format == FileFormat::Tsv { '\t' } else { ',' },
            null: None,
            errors_max: 0,
            reject: None,
        }
    }

    /// True if `what` is a query.
    pub fn is_query(&self) -> bool {
        self.columns.first().is_some_and(String::is_empty)
    }

    fn options(&mut self, words: &[(String, bool)]) -> Result<(), String> {
        let mut words = words.iter();
        while let Some((word, _)) = words.next() {
            let option = word.trim_matches(['(', ')', ',']).to_ascii_lowercase();
            let (name, glued) = option.split_once('=').unwrap_or((&option, ""));
            let mut value = |what: &str| match glued {
                "" => words.next().map(|(value, _)| value.clone()).ok_or(format!("{name} needs {what}")),
                glued => Ok(glued.to_owned()),
            };
            match name.trim_start_matches('-') {
                "csv" => self.format = FileFormat::Csv,
                "tsv" | "tab" => (self.format, self.delimiter) = (FileFormat::Tsv, '\t'),
                "jsonl" => self.format = FileFormat::Jsonl,
                "with" | "format" | "" => {}
                "header" => self.header = true,
                "noheader" | "no-header" => self.header = false,
                "delimiter" => {
                    let text = value("a character")?;
                    let mut letters = text.chars();
                    self.delimiter = match (text.as_str(), letters.next(), letters.next()) {
                        ("\\t", ..) => '\t',
                        (_, Some(c), None) if c != '"' => c,
                        _ => return Err(format!("a delimiter is one character, not {text}")),
                    };
                }
                "null" => self.null = Some(value("a text")?),
                "max-errors" | "max_errors" | "maxerrors" => {
                    let text = value("a number")?;
                    self.errors_max = text.parse().map_err(|_| format!("max-errors is a number, not {text}"))?;
                }
                "reject" | "rejects" => self.reject = Some(value("the path of a file")?),
                other => {
                    return Err(format!(
                        "\\copy has no option {other}; there are csv, tsv, jsonl, header, noheader, delimiter, null, \
                         max-errors and reject"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A record as it stands in a file: None is NULL.
pub type Fields = Vec<Option<String>>;

/// Reads records one after another.
pub struct Records<R> {
    input: R,
    format: FileFormat,
    delimiter: u8,
    null: Option<String>,
    /// Lines read.
    pub lines: u64,
    /// The text of the last record, with its line ends.
    pub text: Vec<u8>,
}

/// Longest record, in bytes: a quote that is never closed must not eat a whole file.
const RECORD_MAX: usize = 16 << 20;

impl<R: BufRead> Records<R> {
    pub fn new(input: R, command: &CopyCommand) -> Records<R> {
        Records {
            input,
            format: command.format,
            delimiter: u8::try_from(command.delimiter).unwrap_or(b','),
            null: command.null.clone(),
            lines: 0,
            text: Vec::new(),
        }
    }

    /// The next record, or what is wrong with it; None at the end.
    pub fn next(&mut self, columns: &[String]) -> io::Result<Option<Result<Fields, String>>> {
        loop {
            self.text.clear();
            if self.read_line()? == 0 {
                return Ok(None);
            }
            let is_blank = self.text.iter().all(|byte| matches!(byte, b'\n' | b'\r'));
            if !(is_blank && (self.format == FileFormat::Jsonl || columns.len() != 1)) {
                break;
            }
        }
        if self.format == FileFormat::Csv {
            while self.text.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
                if self.text.len() > RECORD_MAX || self.read_line()? == 0 {
                    return Ok(Some(Err("a quote is not closed".to_owned())));
                }
            }
        }
        let Ok(text) = std::str::from_utf8(&self.text) else {
            return Ok(Some(Err("not UTF-8 text".to_owned())));
        };
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let text = if self.lines == 1 { text.trim_start_matches('\u{FEFF}') } else { text };
        Ok(Some(match self.format {
            FileFormat::Csv => csv(text, char::from(self.delimiter), self.null.as_deref()),
            FileFormat::Tsv => Ok(tsv(text, char::from(self.delimiter), self.null.as_deref().unwrap_or("\\N"))),
            FileFormat::Jsonl => json(text, columns),
        }))
    }

    fn read_line(&mut self) -> io::Result<usize> {
        let count = self.input.read_until(b'\n', &mut self.text)?;
        self.lines += u64::from(count > 0);
        Ok(count)
    }
}

fn csv(text: &str, delimiter: char, null: Option<&str>) -> Result<Fields, String> {
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let (field, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let (value, after) = quoted_field(quoted).ok_or("a quote is not closed")?;
            (Some(value), after)
        } else {
            let end = rest.find(delimiter).unwrap_or(rest.len());
            let value = &rest[..end];
            let is_null = null.map_or(value.is_empty(), |null| value == null);
            ((!is_null).then(|| value.to_owned()), &rest[end..])
        };
        fields.push(field);
        match after.strip_prefix(delimiter) {
            Some(after) => rest = after,
            None if after.is_empty() => return Ok(fields),
            None => return Err("after a closing quote a delimiter must follow".to_owned()),
        }
    }
}

/// The value before the closing quote, and what follows it.
fn quoted_field(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return Some((value, rest)),
        }
    }
}

fn tsv(text: &str, delimiter: char, null: &str) -> Fields {
    text.split(delimiter).map(|field| (field != null).then(|| unescaped(field))).collect()
}

fn unescaped(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    let mut out = String::with_capacity(field.len());
    let mut letters = field.chars();
    while let Some(c) = letters.next() {
        match (c, if c == '\\' { letters.next() } else { None }) {
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}

fn json(text: &str, columns: &[String]) -> Result<Fields, String> {
    let read: serde_json::Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let serde_json::Value::Object(object) = read else {
        return Err("each line must be a JSON object".to_owned());
    };
    if let Some(key) = object.keys().find(|key| !columns.iter().any(|column| column.eq_ignore_ascii_case(key))) {
        return Err(format!("no column {key}"));
    }
    let field = |column: &String| {
        let value = object.iter().find(|(key, _)| key.eq_ignore_ascii_case(column)).map(|(_, value)| value);
        match value {
            None | Some(serde_json::Value::Null) => None,
            Some(serde_json::Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        }
    };
    Ok(columns.iter().map(field).collect())
}

/// A field as a value for a column of this type; the engine converts what is left a text. The error says why not.
pub fn value(field: Option<String>, type_text: &str) -> Result<Value, String> {
    let Some(text) = field else { return Ok(Value::Null) };
    let wrong = || format!("{text:?} is no {type_text}");
    match type_text {
        "BIGINT" | "INTEGER" | "SMALLINT" | "TINYINT" => text.trim().parse().map(Value::Int).map_err(|_| wrong()),
        "FLOAT" => text.trim().parse().map(Value::Float).map_err(|_| wrong()),
        "BOOLEAN" => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "f" | "0" => Ok(Value::Bool(false)),
            _ => Err(wrong()),
        },
        _ => Ok(Value::Text(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, bool)> {
        let word = |word: &str| (word.trim_matches('\'').to_owned(), word.starts_with('\''));
        text.split_whitespace().map(word).collect()
    }

    #[test]
    fn options_are_words_and_the_ending_gives_the_format() {
        let command = CopyCommand::parse(&words("t from 'a.tsv' null '-' max-errors 5 noheader")).unwrap();
        assert_eq!((command.format, command.delimiter, command.header), (FileFormat::Tsv, '\t', false));
        assert_eq!((command.null.as_deref(), command.errors_max), (Some("-"), 5));
        let command = CopyCommand::parse(&words("(SELECT a FROM t) to 'a.csv'")).unwrap();
        assert!(command.is_query() && command.what == "SELECT a FROM t");
        assert!(CopyCommand::parse(&words("t from")).is_err());
        assert!(CopyCommand::parse(&words("t from 'a' frobnicate")).unwrap_err().contains("no option frobnicate"));
    }

    fn read(text: &str, path: &str) -> Vec<Result<Fields, String>> {
        let command = CopyCommand::new("t", true, path);
        let mut records = Records::new(text.as_bytes(), &command);
        let columns = ["a".to_owned(), "b".to_owned()];
        std::iter::from_fn(|| records.next(&columns).expect("memory can be read")).collect()
    }

    #[test]
    fn records_may_have_quotes_line_ends_and_nulls() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("1,\"two\nlines, \"\"x\"\"\"\r\n,\"\"\n\nx,y", "a.csv"),
            [Ok(vec![some("1"), some("two\nlines, \"x\"")]), Ok(vec![None, some("")]), Ok(vec![some("x"), some("y")])]
        );
        assert_eq!(read("a\\tb\t\\N\n", "a.tsv"), [Ok(vec![some("a\tb"), None])]);
        assert_eq!(read("{\"B\":1.50,\"a\":\"x\"}\n", "a.jsonl"), [Ok(vec![some("x"), some("1.5")])]);
    }

    #[test]
    fn a_broken_record_is_an_error_and_reading_goes_on_or_ends() {
        assert_eq!(read("\"a\"b,c\nd,e\n", "a.csv").len(), 2);
        assert!(read("\"a,b\nc\n", "a.csv")[0].is_err());
        assert!(read("[1]\n{\"c\":1}\n", "a.jsonl").iter().all(Result::is_err));
    }
}
