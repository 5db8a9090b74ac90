//! What a line being typed consists of, and what could come next: highlighting, completion and hints as pure functions.
//!
//! Tokens here are for colours and guesses; a statement with mistakes has them too.

use super::commands::{self, Argument};
use super::database::{ProcedureSummary, TableSummary};
use super::directives;
use crate::render::{Role, Theme};
use std::ops::Range;

/// Words that are coloured and completed. Those of the language that people type most.
const KEYWORDS: &str = "\
    ALL ALTER AND AS ASC ASSUMEUNIQUE BEGIN BETWEEN BIGINT BOOLEAN BY CASE CAST COLUMN CONSTRAINT COUNT CREATE \
    DECIMAL DECLARE DEFAULT DELETE DESC DISTINCT DO DROP ELSE ELSEIF END EXCEPT EXEC EXECUTE EXISTS EXPLAIN FALSE \
    FLOAT FOR FROM FULL FUNCTION GROUP HAVING IF IN INDEX INNER INSERT INT INTEGER INTERSECT INTO IS ITERATE JOIN \
    KEY LEAVE LEFT LIKE LIMIT LOOP NOT NULL OFFSET ON OR ORDER OUTER PARTITION PRIMARY PROCEDURE RETURN RETURNS \
    RIGHT SELECT SET SIGNAL SMALLINT SQLSTATE SUM TABLE THEN TIMESTAMP TINYINT TRUE TRUNCATE UNION UNIQUE UPDATE \
    UPSERT USING VALUES VARBINARY VARCHAR VIEW WHEN WHERE WHILE WITH";

/// Functions of SQL, for completion and SHOW FUNCTIONS.
pub const FUNCTIONS: &str = "\
    ABS APPROX_COUNT_DISTINCT ASCII AVG BIN BIT_SHIFT_LEFT BIT_SHIFT_RIGHT BITAND BITNOT BITOR BITXOR CAST CEILING CHAR \
    CHAR_LENGTH COALESCE CONCAT COUNT CURRENT_TIMESTAMP DATEADD DATEDIFF DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR DECODE \
    DEGREES EXP EXTRACT FLOOR FORMAT_CURRENCY FROM_UNIXTIME GREATEST HEX HOUR IFNULL INITCAP ISNULL LEAST LEFT LENGTH LN \
    LOG LOG10 LOWER LPAD LTRIM MAX MIN MINUTE MOD MONTH NOW NULLIF NVL OCTET_LENGTH OVERLAY PI POSITION POWER QUARTER \
    RADIANS REGEXP_POSITION REPEAT REPLACE RIGHT ROUND RPAD RTRIM SECOND SIN SINCE_EPOCH SPACE SQRT STR SUBSTRING SUM \
    TAN TO_TIMESTAMP TRIM TRUNCATE UPPER WEEK WEEKDAY YEAR";

/// The names that can be completed.
#[derive(Clone, Debug, Default)]
pub struct Names {
    tables: Vec<String>,
    columns: Vec<String>,
    procedures: Vec<ProcedureSummary>,
}

impl Names {
    pub fn new(tables: &[TableSummary], procedures: Vec<ProcedureSummary>) -> Names {
        let mut columns: Vec<String> =
            tables.iter().flat_map(|table| table.columns.iter().map(|column| column.name.clone())).collect();
        columns.sort();
        columns.dedup();
        Names { tables: tables.iter().map(|table| table.name.clone()).collect(), columns, procedures }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Word,
    Number,
    Text,
    Comment,
    Other,
}

/// The tokens of `line`, one after another, spaces and symbols included.
fn tokens(line: &str) -> Vec<(Token, Range<usize>)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let rest = &line[at..];
        let upto = |end: Option<usize>| end.unwrap_or(rest.len());
        let (token, length) = if rest.starts_with("--") {
            (Token::Comment, upto(rest.find('\n')))
        } else if rest.starts_with("/*") {
            (Token::Comment, upto(rest.find("*/").map(|end| end + 2)))
        } else if first == '\'' || first == '"' {
            let end = upto(rest[1..].find(first).map(|end| end + 2));
            (if first == '\'' { Token::Text } else { Token::Other }, end)
        } else if first.is_ascii_digit() {
            (Token::Number, upto(rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.')))
        } else if first.is_alphabetic() || first == '_' || first == '@' {
            (Token::Word, upto(rest.char_indices().skip(1).find(|(_, c)| !is_word(*c)).map(|(end, _)| end)))
        } else {
            (Token::Other, first.len_utf8())
        };
        tokens.push((token, at..at + length));
        at += length;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// `line` in colours; without a colour in `theme`, `line`.
pub fn highlight(line: &str, theme: Theme) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    let mut at_start = true;
    for (token, range) in tokens(line) {
        let text = &line[range];
        let is_command = at_start && commands::words().any(|word| word.eq_ignore_ascii_case(text));
        at_start &= token == Token::Other && text.trim().is_empty();
        let role = match token {
            Token::Word if is_command || is_keyword(text) => Some(Role::Keyword),
            Token::Number => Some(Role::Number),
            Token::Text => Some(Role::Text),
            Token::Comment => Some(Role::Quiet),
            Token::Word | Token::Other => None,
        };
        match role {
            // A colour must not run over a line's end: the editor moves the cursor there by itself.
            Some(role) => {
                let lines: Vec<String> = text.split('\n').map(|line| theme.paint(role, line)).collect();
                out.push_str(&lines.join("\n"));
            }
            None => out.push_str(text),
        }
    }
    out
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// What could stand in place of the word that ends at byte `cursor`: where that word begins, and the candidates.
pub fn complete(line: &str, cursor: usize, names: &Names) -> (usize, Vec<String>) {
    let before = &line[..cursor];
    if matches!(tokens(before).last(), Some((Token::Text | Token::Comment, range)) if !is_closed(&before[range.clone()]))
    {
        return (cursor, Vec::new());
    }
    let start = before
        .rfind(|c: char| !is_word(c) && c != '@' && c != '\\' && c != '?')
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let (earlier, typed) = (&before[..start], &before[start..]);
    let first = earlier.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    let previous = earlier.split_whitespace().last().unwrap_or("").to_ascii_lowercase();
    let matching = |words: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        let mut found: Vec<String> = words.filter(|word| starts_with(word, typed)).map(str::to_owned).collect();
        found.dedup();
        found
    };
    let tables = || names.tables.iter().map(String::as_str);
    let procedures = || names.procedures.iter().map(|procedure| procedure.name.as_str());
    let argument = commands::find(&first).map(|command| command.argument);
    let candidates = match (first.as_str(), previous.as_str()) {
        _ if argument == Some(Argument::Path) => {
            let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
            return (start, paths(&before[start..]));
        }
        _ if argument == Some(Argument::Table) => matching(&mut tables()),
        _ if argument == Some(Argument::Format) => {
            matching(&mut crate::render::Format::ALL.iter().map(|format| format.name()))
        }
        _ if argument == Some(Argument::OnOff) => matching(&mut ["on", "off"].into_iter()),
        _ if argument == Some(Argument::Nothing) => Vec::new(),
        ("", _) => {
            let mut found = matching(&mut commands::names().chain(directives::STATEMENT_WORDS));
            match_case(&mut found, typed);
            return (start, found);
        }
        ("show" | "list", "show" | "list") => matching(&mut directives::SHOWN.into_iter()),
        ("exec" | "execute", "exec" | "execute") => matching(&mut procedures()),
        ("exec" | "execute" | "show" | "list", _) => Vec::new(),
        (_, "from" | "join" | "into" | "update" | "table" | "view") => matching(&mut tables()),
        _ => {
            let columns = names.columns.iter().map(String::as_str);
            let mut found = matching(&mut columns.chain(tables()));
            if !typed.is_empty() {
                let mut keywords = matching(&mut KEYWORDS.split_whitespace());
                match_case(&mut keywords, typed);
                found.extend(keywords);
            }
            found
        }
    };
    (start, candidates)
}

/// The files and folders whose path begins so; folders end in a slash.
fn paths(typed: &str) -> Vec<String> {
    let (folder, name) = match typed.rfind('/') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    let Ok(entries) = std::fs::read_dir(if folder.is_empty() { "." } else { folder }) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            let entry_name = entry.file_name().into_string().ok().filter(|n| n.starts_with(name))?;
            let slash = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{folder}{entry_name}{slash}"))
        })
        .collect();
    found.sort();
    found
}

fn is_closed(token: &str) -> bool {
    match token.as_bytes().first() {
        Some(b'\'') => token.len() > 1 && token.ends_with('\''),
        Some(b'/') => token.len() > 3 && token.ends_with("*/"),
        _ => false,
    }
}

fn starts_with(word: &str, start: &str) -> bool {
    word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Keywords come in the case that was begun: `sel` gives `select`, `SEL` and nothing give what is listed.
fn match_case(words: &mut [String], typed: &str) {
    if typed.starts_with(|c: char| c.is_ascii_lowercase()) {
        words.iter_mut().for_each(|word| word.make_ascii_lowercase());
    } else if typed.starts_with(|c: char| c.is_ascii_uppercase()) {
        words.iter_mut().for_each(|word| word.make_ascii_uppercase());
    }
}

/// The parameters of a procedure that are still to come in an EXEC being typed, or None.
pub fn hint(line: &str, names: &Names) -> Option<String> {
    if !directives::is_exec(line) || line.contains('\n') {
        return None;
    }
    let (_, rest) = line.trim_start().split_once(char::is_whitespace)?;
    let words = arguments(rest)?;
    let (name, given) = words.split_first()?;
    let ends_in_gap = rest.ends_with(|c: char| c.is_whitespace() || c == ',');
    if given.is_empty() && !ends_in_gap {
        return None;
    }
    let procedure = names.procedures.iter().find(|procedure| procedure.name.eq_ignore_ascii_case(name))?;
    let missing: Vec<&str> = procedure.parameters.iter().skip(given.len()).map(|p| p.name.as_str()).collect();
    if missing.is_empty() {
        return None;
    }
    Some(format!("{}{}", if ends_in_gap { "" } else { " " }, missing.join(" ")))
}

/// The name and arguments of an EXEC, quotes and all; None inside a quote or after a semicolon.
fn arguments(text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let (mut start, mut quoted) = (None, false);
    for (at, c) in text.char_indices() {
        match c {
            '\'' => {
                quoted = !quoted;
                start.get_or_insert(at);
            }
            _ if quoted => {}
            ';' => return None,
            c if c.is_whitespace() || c == ',' => words.extend(start.take().map(|start| &text[start..at])),
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    words.extend(start.map(|start| &text[start..]));
    (!quoted).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::super::database::ShellDatabase;
    use super::super::fake::FakeDatabase;
    use super::*;

    fn names() -> Names {
        let db = FakeDatabase::default();
        Names::new(&db.tables(), db.procedures())
    }

    fn completed(line: &str) -> Vec<String> {
        complete(line, line.len(), &names()).1
    }

    #[test]
    fn colours_change_no_letter() {
        let line = "SELECT 'it''s', \"x\", 12.5 -- no\nFROM t /* é\n漢 */ WHERE 'open";
        assert_eq!(highlight(line, Theme::PLAIN), line);
        let coloured = highlight(line, Theme::COLOURED);
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some(at) = rest.find('\x1b') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + rest[at..].find('m').expect("a colour ends with m") + 1..];
        }
        plain.push_str(rest);
        assert_eq!(plain, line);
        assert!(coloured.starts_with(&Theme::COLOURED.paint(Role::Keyword, "SELECT")));
        assert!(coloured.contains(&Theme::COLOURED.paint(Role::Number, "12.5")));
    }

    #[test]
    fn a_command_word_is_a_keyword_only_at_the_start() {
        assert!(highlight(" help", Theme::COLOURED).contains('\x1b'));
        assert!(!highlight("x help", Theme::COLOURED).contains('\x1b'));
    }

    #[test]
    fn completion_knows_what_can_follow() {
        assert_eq!(completed("sel"), ["select"]);
        assert_eq!(completed("SHO"), ["SHOW"]);
        assert_eq!(completed("\\ti"), ["\\timing"]);
        assert_eq!(completed("show p"), ["procedures"]);
        assert_eq!(completed("desc v"), ["votes", "v_votes"]);
        assert_eq!(completed("EXEC vo"), ["Vote"]);
        assert_eq!(completed("SELECT * FROM c"), ["contestants"]);
        assert_eq!(completed("SELECT phone"), ["phone_number"]);
        assert_eq!(completed("SELECT a fr"), ["from"]);
        assert_eq!(completed("\\format c"), ["csv"]);
        assert!(completed("SELECT 'fr").is_empty());
        assert!(completed("SELECT 1 -- fr").is_empty());
        assert_eq!(complete("SELECT t.ph FROM t", 11, &names()), (9, vec!["phone_number".to_owned()]));
        assert_eq!(complete("SELECT é", 9, &names()).0, 7);
    }

    #[test]
    fn a_hint_names_the_parameters_still_to_come() {
        let hint = |line: &str| hint(line, &names());
        assert_eq!(hint("EXEC Vote "), Some("phone_number contestant_number max_votes".into()));
        assert_eq!(hint("exec vote 508,"), Some("contestant_number max_votes".into()));
        assert_eq!(hint("EXEC Vote 508 3"), Some(" max_votes".into()));
        assert_eq!(hint("EXEC Vote 'a b' "), Some("contestant_number max_votes".into()));
        for line in [
            "EXEC Vote",
            "EXEC Vote 1 2 3",
            "EXEC Vote 1 2 3 4",
            "EXEC Vote 'a",
            "EXEC Nobody ",
            "SELECT ",
            "EXEC Vote 1;",
        ] {
            assert_eq!(hint(line), None, "{line}");
        }
    }
}
