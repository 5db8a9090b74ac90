//! Text to tokens, tolerantly: for the splitter, the highlighter and the parser alike, so that all three agree on what is
//! a string and what is a comment.
//!
//! Never fails: what isn't closed is one [`Kind::Unterminated`] token to the end of the text. Blanks make no token.

use super::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An unquoted word of [`KEYWORDS`].
    Keyword,
    /// Any other word, or `".."`.
    Identifier,
    Number,
    /// `'..'`, also with the X of a hex literal.
    String,
    /// `-- ..`, `/* .. */`, and `// ..` where nothing but blanks stands before it in its line.
    Comment,
    /// One operator or punctuation mark; a character that no statement can have is one too.
    Operator,
    /// `?` or `:name`.
    Placeholder,
    /// A string, quoted name or comment whose end is missing.
    Unterminated,
}

/// A token and the bytes it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
}

impl Token {
    /// The token as written in `text`, the text it was cut from.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.span.start..self.span.end]
    }

    /// Is it this unquoted word, whatever its case?
    pub fn is_word(&self, text: &str, word: &str) -> bool {
        matches!(self.kind, Kind::Keyword | Kind::Identifier) && self.text(text).eq_ignore_ascii_case(word)
    }

    /// Is it this operator?
    pub fn is_operator(&self, text: &str, operator: &str) -> bool {
        self.kind == Kind::Operator && self.text(text) == operator
    }
}

/// The words with a meaning of their own, upper case, in order.
pub const KEYWORDS: &[&str] = &[
    "ALL",
    "ALLOW",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "ASSUMEUNIQUE",
    "ATOMIC",
    "BEGIN",
    "BETWEEN",
    "BIGINT",
    "BOOLEAN",
    "BY",
    "BYTES",
    "CALL",
    "CASCADE",
    "CASE",
    "CAST",
    "CHAR",
    "CHARACTERS",
    "CHECK",
    "CLASS",
    "CLASSES",
    "COLUMN",
    "CONSTRAINT",
    "CREATE",
    "CROSS",
    "CURRENT_TIMESTAMP",
    "DECIMAL",
    "DECLARE",
    "DEFAULT",
    "DELETE",
    "DESC",
    "DISTINCT",
    "DO",
    "DOUBLE",
    "DROP",
    "ELSE",
    "ELSEIF",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXEC",
    "EXECUTE",
    "EXISTS",
    "EXPLAIN",
    "FALSE",
    "FETCH",
    "FIRST",
    "FLOAT",
    "FOR",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "IF",
    "ILIKE",
    "IN",
    "INDEX",
    "INNER",
    "INSERT",
    "INT",
    "INTEGER",
    "INTERSECT",
    "INTO",
    "IS",
    "ITERATE",
    "JOIN",
    "KEY",
    "LAST",
    "LEAVE",
    "LEFT",
    "LIKE",
    "LIMIT",
    "LOAD",
    "LOOP",
    "MESSAGE_TEXT",
    "NATURAL",
    "NOT",
    "NULL",
    "NULLS",
    "NUMERIC",
    "OFFSET",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARAMETER",
    "PARTITION",
    "PRIMARY",
    "PROCEDURE",
    "RANGE",
    "REAL",
    "RECURSIVE",
    "REMOVE",
    "REPLACE",
    "REPLICATE",
    "RETURN",
    "RETURNING",
    "RETURNS",
    "RIGHT",
    "ROWS",
    "SELECT",
    "SET",
    "SIGNAL",
    "SMALLINT",
    "SQLSTATE",
    "STARTS",
    "TABLE",
    "THEN",
    "TIMESTAMP",
    "TINYINT",
    "TOP",
    "TRUE",
    "TRUNCATE",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "UPSERT",
    "USING",
    "VALUES",
    "VARBINARY",
    "VARCHAR",
    "VIEW",
    "WHEN",
    "WHERE",
    "WHILE",
    "WITH",
];

/// Operators of several characters, longer ones before their beginnings; every other one has one.
const LONG: [&str; 11] = ["->>", "<>", "!=", "<=", ">=", "||", "::", ":=", "==", "->", "=>"];

/// Cuts `text` into tokens, comments included.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, line_is_blank: true };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.token() {
        tokens.push(token);
    }
    tokens
}

/// Whether an unquoted name may start with this character; `@` starts the names of system procedures.
pub(super) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '@'
}

/// Whether an unquoted name may go on with this character.
pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Nothing but blanks stands before `at` in its line.
    line_is_blank: bool,
}

impl Lexer<'_> {
    fn token(&mut self) -> Option<Token> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let (kind, length) = self.measure(rest, first);
        let span = Span::new(self.at, self.at + length);
        self.at = span.end;
        self.line_is_blank = false;
        Some(Token { kind, span })
    }

    fn skip_blanks(&mut self) {
        for c in self.text[self.at..].chars() {
            if c == '\n' {
                self.line_is_blank = true;
            } else if !c.is_whitespace() && c != '\u{feff}' {
                return;
            }
            self.at += c.len_utf8();
        }
    }

    /// Kind and length in bytes of the token that `rest` begins with; `first` is its first character.
    fn measure(&self, rest: &str, first: char) -> (Kind, usize) {
        let to_line_end = || rest.find('\n').unwrap_or(rest.len());
        if rest.starts_with("--") || (self.line_is_blank && rest.starts_with("//")) {
            return (Kind::Comment, to_line_end());
        }
        if let Some(body) = rest.strip_prefix("/*") {
            return match body.find("*/") {
                Some(length) => (Kind::Comment, length + 4),
                None => (Kind::Unterminated, rest.len()),
            };
        }
        let hex = matches!(first, 'x' | 'X') && rest[1..].starts_with('\'');
        match first {
            _ if hex => quoted(rest, 1, b'\'', Kind::String),
            '\'' => quoted(rest, 0, b'\'', Kind::String),
            '"' => quoted(rest, 0, b'"', Kind::Identifier),
            '?' => (Kind::Placeholder, 1),
            ':' if self.starts_variable(rest) => (Kind::Placeholder, 1 + name_length(&rest[1..])),
            c if starts_name(c) => {
                let length = name_length(rest);
                (if is_keyword(&rest[..length]) { Kind::Keyword } else { Kind::Identifier }, length)
            }
            c if c.is_ascii_digit() || (c == '.' && starts_with_digit(&rest[1..])) => {
                (Kind::Number, number_length(rest.as_bytes()))
            }
            c => {
                let long = LONG.iter().find(|long| rest.starts_with(**long));
                (Kind::Operator, long.map_or(c.len_utf8(), |long| long.len()))
            }
        }
    }

    /// A colon that follows a word at once ends a label (`again:LOOP`), any other one before a name starts a variable.
    fn starts_variable(&self, rest: &str) -> bool {
        rest[1..].starts_with(starts_name)
            && !self.text[..self.at].ends_with(|c| continues_name(c) || matches!(c, '"' | ':'))
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
}

fn name_length(text: &str) -> usize {
    text.find(|c| !continues_name(c)).unwrap_or(text.len())
}

/// Whether this word, in any case, is one of [`KEYWORDS`].
pub fn is_keyword(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    KEYWORDS.binary_search(&upper.as_str()).is_ok()
}

/// Length of a quoted token whose opening quote stands at `from`; a doubled quote stands for itself.
fn quoted(rest: &str, from: usize, quote: u8, kind: Kind) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let mut at = from + 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return (kind, at + 1);
            }
            at += 1;
        }
        at += 1;
    }
    (Kind::Unterminated, rest.len())
}

/// Length of digits, with a point and an exponent where they follow.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        at += digits(at);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let from = at + 1 + sign;
        if from < bytes.len() && digits(from) > 0 {
            at = from + digits(from);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        tokens(text).iter().map(|t| (t.kind, t.text(text))).collect()
    }

    #[test]
    fn keywords_are_sorted_and_upper_case() {
        assert!(KEYWORDS.is_sorted());
        assert!(KEYWORDS.iter().all(|k| k.to_ascii_uppercase() == *k));
    }

    #[test]
    fn a_statement_is_cut_into_tokens_of_each_kind() {
        use Kind::*;
        assert_eq!(
            cut("Select a1, 'it''s', X'0F' FROM \"T\" -- c\n// d\nWHERE b<>?/* e */AND c=:n;"),
            [
                (Keyword, "Select"),
                (Identifier, "a1"),
                (Operator, ","),
                (String, "'it''s'"),
                (Operator, ","),
                (String, "X'0F'"),
                (Keyword, "FROM"),
                (Identifier, "\"T\""),
                (Comment, "-- c"),
                (Comment, "// d"),
                (Keyword, "WHERE"),
                (Identifier, "b"),
                (Operator, "<>"),
                (Placeholder, "?"),
                (Comment, "/* e */"),
                (Keyword, "AND"),
                (Identifier, "c"),
                (Operator, "="),
                (Placeholder, ":n"),
                (Operator, ";"),
            ]
        );
    }

    #[test]
    fn numbers_take_point_and_exponent_only_where_digits_follow() {
        let numbers = |text| cut(text).into_iter().map(|(_, t)| t.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            numbers("1 1.5 .5 2. 1e5 1E-5 1e+ 3e"),
            ["1", "1.5", ".5", "2.", "1e5", "1E-5", "1", "e", "+", "3", "e"]
        );
    }

    #[test]
    fn a_label_is_no_variable_and_a_cast_is_no_variable() {
        assert_eq!(cut("again:LOOP")[1], (Kind::Operator, ":"));
        assert_eq!(cut("a::int")[1], (Kind::Operator, "::"));
        assert_eq!(cut("x=:y")[2], (Kind::Placeholder, ":y"));
        assert_eq!(cut("x := y")[1], (Kind::Operator, ":="));
    }

    #[test]
    fn what_is_not_closed_runs_to_the_end() {
        for text in ["'abc", "\"abc", "/* abc", "x'0"] {
            assert_eq!(cut(text), [(Kind::Unterminated, text)]);
        }
    }

    #[test]
    fn two_slashes_start_a_comment_only_at_the_start_of_a_line() {
        assert_eq!(cut("a // b").len(), 4);
        assert_eq!(cut("  // b\na"), [(Kind::Comment, "// b"), (Kind::Identifier, "a")]);
    }
}
