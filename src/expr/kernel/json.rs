//! JSON in VARCHAR: reading a document, walking a path, changing a field.
//!
//! A document keeps the order of its keys, and its numbers and strings as they were written, so that nothing that a change
//! does not touch is rewritten but for blanks. Of a key that stands twice, the last counts.

use crate::expr::error::EvalError;

/// Levels that arrays and objects may lie in each other.
const DEPTH_MAX: usize = 500;
/// Largest index that SET_FIELD takes: a document is padded with nulls up to it.
const INDEX_MAX: usize = 500_000;

/// A value of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Key(String),
    Index(usize),
    /// `[-1]`: the last element, or, in SET_FIELD, the place after it.
    Last,
}

/// Reads a document; blanks around it are nothing.
pub fn parse(function: &'static str, text: &str) -> Result<Json, EvalError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let document = reader.value().and_then(|value| {
        reader.blanks();
        if reader.at == text.len() { Ok(value) } else { Err("something follows the document") }
    });
    document.map_err(|what| EvalError::BadArgument {
        function,
        problem: format!(
            "the JSON document is malformed at character {}: {what}",
            text[..reader.at].chars().count() + 1
        ),
    })
}

/// Reads a path: `name`, `a.b`, `[0]`, `a[0].b[-1]`; a backslash takes the meaning from the next character.
pub fn parse_path(function: &'static str, path: &str) -> Result<Vec<Step>, EvalError> {
    let bad = |problem: &str| EvalError::BadArgument { function, problem: format!("the path '{path}' {problem}") };
    let (mut steps, mut key) = (Vec::new(), Some(String::new()));
    let mut chars = path.chars().peekable();
    // A path that begins with an index has no key before it.
    if chars.peek() == Some(&'[') {
        key = None;
    }
    while let Some(c) = chars.next() {
        match (c, &mut key) {
            ('.', _) => {
                steps.extend(key.take().map(Step::Key));
                key = Some(String::new());
            }
            ('[', _) => {
                steps.extend(key.take().map(Step::Key));
                let mut index = String::new();
                loop {
                    match chars.next() {
                        Some(']') => break,
                        Some(c) => index.push(c),
                        None => return Err(bad("has a [ without its ]")),
                    }
                }
                steps.push(match index.as_str() {
                    "-1" => Step::Last,
                    digits if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                        Step::Index(digits.parse().map_err(|_| bad("has an index that is too large"))?)
                    }
                    _ => return Err(bad("has an index that is neither -1 nor 0 or more")),
                });
            }
            ('\\', Some(key)) => key.push(chars.next().ok_or_else(|| bad("ends with a backslash"))?),
            (c, Some(key)) => key.push(c),
            (_, None) => return Err(bad("goes on after a ] without a point")),
        }
    }
    steps.extend(key.map(Step::Key));
    Ok(steps)
}

impl Json {
    /// What lies at the end of a path, if anything does.
    pub fn at(&self, path: &[Step]) -> Option<&Json> {
        path.iter().try_fold(self, |value, step| match (value, step) {
            (Json::Object(members), Step::Key(key)) => members.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            (Json::Array(elements), Step::Index(index)) => elements.get(*index),
            (Json::Array(elements), Step::Last) => elements.last(),
            _ => None,
        })
    }

    /// Puts `value` at the end of a path; parents that are missing are made, arrays padded. Changes nothing where the path
    /// goes through a value of another kind.
    pub fn set(&mut self, path: &[Step], value: Json) -> Result<(), EvalError> {
        if path.iter().any(|step| matches!(step, Step::Index(index) if *index > INDEX_MAX)) {
            let problem = format!("an index in the path exceeds {INDEX_MAX}");
            return Err(EvalError::BadArgument { function: "SET_FIELD", problem });
        }
        if self.takes(path) {
            self.put(path, value);
        }
        Ok(())
    }

    /// Whether each step of the path meets a value of its kind, or nothing.
    fn takes(&self, path: &[Step]) -> bool {
        let Some((step, rest)) = path.split_first() else { return true };
        match (self, step) {
            (Json::Null, _) => true,
            (Json::Object(_), Step::Key(_)) | (Json::Array(_), Step::Index(_)) => {
                self.at(&path[..1]).is_none_or(|inner| inner.takes(rest))
            }
            (Json::Array(_), Step::Last) => true,
            _ => false,
        }
    }

    fn put(&mut self, path: &[Step], value: Json) {
        let Some((step, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if *self == Json::Null {
            *self = if matches!(step, Step::Key(_)) { Json::Object(Vec::new()) } else { Json::Array(Vec::new()) };
        }
        match (self, step) {
            (Json::Object(members), Step::Key(key)) => {
                let at = members.iter().rposition(|(k, _)| k == key).unwrap_or_else(|| {
                    members.push((key.clone(), Json::Null));
                    members.len() - 1
                });
                members[at].1.put(rest, value);
            }
            (Json::Array(elements), step) => {
                let at = if let Step::Index(index) = step { *index } else { elements.len() };
                if elements.len() <= at {
                    elements.resize(at + 1, Json::Null);
                }
                elements[at].put(rest, value);
            }
            _ => unreachable!("`takes` has walked this path"),
        }
    }

    /// What FIELD gives: the characters of a string, compact JSON of anything else; None for null. Numbers with a point or an
    /// exponent are written in their shortest form with a point.
    pub fn field_text(&self) -> Option<String> {
        match self {
            Json::Null => None,
            Json::String(text) => Some(text.clone()),
            Json::Number(digits) => Some(plain_number(digits)),
            other => Some(other.compact()),
        }
    }

    /// The document without blanks.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Json::Number(digits) => out.push_str(digits),
            Json::String(text) => write_string(text, out),
            Json::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    element.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    write_string(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// `1.50` as `1.5`, `1e5` as `100000.0`; integers, and numbers of more digits than a double keeps, as they are.
fn plain_number(digits: &str) -> String {
    const DOUBLE_DIGITS: usize = 16;
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let significant = mantissa.bytes().filter(u8::is_ascii_digit).count();
    match digits.parse::<f64>() {
        Ok(v) if digits.contains(['.', 'e', 'E']) && significant <= DOUBLE_DIGITS && v.is_finite() => {
            if v != 0.0 && !(1e-5..1e16).contains(&v.abs()) { format!("{v:e}") } else { format!("{v:?}") }
        }
        _ => digits.to_owned(),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The next byte that is no blank, if it is this one, is taken.
    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self) -> Read<Json> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => {
                for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err("a value should stand here")
            }
            None => Err("it ends where a value should stand"),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Json>) -> Read<Json> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("arrays and objects lie too deep in each other");
        }
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn array(&mut self) -> Read<Json> {
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if self.take(b']') {
                return Ok(Json::Array(elements));
            }
            if !self.take(b',') {
                return Err("a , or ] should stand here");
            }
        }
    }

    fn object(&mut self) -> Read<Json> {
        let mut members = Vec::new();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err("a key in double quotes should stand here");
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err("a : should stand here");
            }
            members.push((key, self.value()?));
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.take(b',') {
                return Err("a , or } should stand here");
            }
        }
    }

    fn number(&mut self) -> Read<Json> {
        let rest = &self.text[self.at..];
        let of_number = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
        let len = rest.bytes().position(|b| !of_number(b)).unwrap_or(rest.len());
        let digits = &rest[..len];
        if !digits.ends_with(|c: char| c.is_ascii_digit()) || digits.parse::<f64>().is_err() {
            return Err("this is no number");
        }
        self.at += len;
        Ok(Json::Number(digits.to_owned()))
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let len = rest.find(['"', '\\']).ok_or("a string has no end")?;
            out.push_str(&rest[..len]);
            self.at += len + 1;
            if rest.as_bytes()[len] == b'"' {
                return Ok(out);
            }
            let escaped = self.peek().ok_or("a string has no end")?;
            let c = match escaped {
                b'"' | b'\\' | b'/' => escaped as char,
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    out.push(self.escaped_code()?);
                    continue;
                }
                _ => return Err("no escape begins so"),
            };
            self.at += 1;
            out.push(c);
        }
    }

    /// uXXXX, or two of them for a character of two halves.
    fn escaped_code(&mut self) -> Read<char> {
        const BAD: &str = "\\u needs four hex digits of a character";
        let unit = |reader: &mut Self| {
            let digits = reader.text.get(reader.at + 1..reader.at + 5).ok_or(BAD)?;
            reader.at += 5;
            u16::from_str_radix(digits, 16).map_err(|_| BAD)
        };
        let first = unit(self)?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            units.push(unit(self)?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(c)), None) => Ok(c),
            _ => Err(BAD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(document: &str, path: &str) -> Option<String> {
        let path = parse_path("FIELD", path).unwrap();
        parse("FIELD", document).unwrap().at(&path).and_then(Json::field_text)
    }

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        let document =
            r#"{"a":1,"b":{"c":[10,20,{"d":"deep"}]},"a.b":"x","":{"":"empty"},"n":null,"é":"\u00e9\n\ud83d\ude00"}"#;
        for (path, value) in [
            ("a", Some("1")),
            ("b.c[1]", Some("20")),
            ("b.c[-1].d", Some("deep")),
            ("b.c[-1]", Some(r#"{"d":"deep"}"#)),
            ("b.c[7]", None),
            ("b.c.x", None),
            ("a\\.b", Some("x")),
            ("a.b", None),
            (".", Some("empty")),
            ("n", None),
            ("é", Some("é\n😀")),
            ("[0]", None),
        ] {
            assert_eq!(field(document, path).as_deref(), value, "{path}");
        }
        assert_eq!(field("[[1,[2]]]", "[0][1][0]").as_deref(), Some("2"));
        assert_eq!(field(r#"{"a":1,"a":2}"#, "a").as_deref(), Some("2"));
        for path in ["[", "[x]", "[-2]", "a[0", "a[0]b", "a\\", "[]"] {
            assert_eq!(parse_path("FIELD", path).unwrap_err().sqlstate(), "22023", "{path}");
        }
    }

    #[test]
    fn numbers_lose_nothing_but_form() {
        for (written, shown) in [
            ("1.50", "1.5"),
            ("1e5", "100000.0"),
            ("-0.0", "-0.0"),
            ("12345678901234567890", "12345678901234567890"),
            ("0.12345678901234567890", "0.12345678901234567890"),
            ("1e30", "1e30"),
        ] {
            assert_eq!(field(&format!("[{written}]"), "[0]").as_deref(), Some(shown));
        }
    }

    #[test]
    fn malformed_documents_are_refused_with_their_place() {
        for text in [
            "",
            "{",
            "{a:1}",
            "[1,2",
            "[1,]",
            "\"a",
            "\"\\x\"",
            "01x",
            "-",
            "1.",
            "nul",
            "[1] x",
            "\"\\ud800\"",
            "{\"a\"}",
        ] {
            assert_eq!(parse("FIELD", text).unwrap_err().sqlstate(), "22023", "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse("FIELD", &deep).is_err());
        assert!(parse("FIELD", "[1,é]").unwrap_err().to_string().contains("at character 4"));
    }

    #[test]
    fn a_change_makes_what_is_missing_and_keeps_what_is_there() {
        for (document, path, value, changed) in [
            (r#"{"b":1.50,"a":2}"#, "a", "3", r#"{"b":1.50,"a":3}"#),
            (r#"{"b":1}"#, "new.deep[1]", "true", r#"{"b":1,"new":{"deep":[null,true]}}"#),
            ("[1]", "[-1]", "7", "[1,7]"),
            ("[1]", "[3]", "7", "[1,null,null,7]"),
            ("[1]", "x", "7", "[1]"),
            (r#"{"a":1}"#, "a.b", "1", r#"{"a":1}"#),
            (r#"{"a":null}"#, "a.b", "[ ]", r#"{"a":{"b":[]}}"#),
        ] {
            let mut json = parse("SET_FIELD", document).unwrap();
            json.set(&parse_path("SET_FIELD", path).unwrap(), parse("SET_FIELD", value).unwrap()).unwrap();
            assert_eq!(json.compact(), changed, "{document} {path}");
        }
        let mut json = Json::Array(Vec::new());
        assert_eq!(json.set(&[Step::Index(500_001)], Json::Null).unwrap_err().sqlstate(), "22023");
    }
}
