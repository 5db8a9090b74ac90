//! Variables: what `:name`, `:'name'` and `:"name"` stand for, and conditions of \if.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<String, String>,
}

impl Variables {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_owned(), value.to_owned());
    }

    /// True if there was one.
    pub fn unset(&mut self, name: &str) -> bool {
        self.values.remove(name).is_some()
    }

    /// By name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// `line` with values in the place of variables. Inside quotes of `line` nothing is replaced, nor where no such
    /// variable is set: a colon may mean something else. `in_quotes`: the line begins inside a text.
    pub fn expand(&self, line: &str, in_quotes: bool) -> String {
        if self.values.is_empty() || !line.contains(':') {
            return line.to_owned();
        }
        let mut out = String::with_capacity(line.len());
        let mut quote = in_quotes.then_some('\'');
        let mut at = 0;
        while let Some(c) = line[at..].chars().next() {
            if quote.is_none() && line[at..].starts_with("--") {
                break;
            }
            if quote.is_none()
                && c == ':'
                && !out.ends_with(':')
                && let Some((value, length)) = self.at(&line[at..])
            {
                out.push_str(&value);
                at += length;
                continue;
            }
            match quote {
                Some(open) if open == c => quote = None,
                None if matches!(c, '\'' | '"') => quote = Some(c),
                _ => {}
            }
            out.push(c);
            at += c.len_utf8();
        }
        out.push_str(&line[at..]);
        out
    }

    /// The value of the variable that `text` begins with, and how long its name is with all its signs.
    fn at(&self, text: &str) -> Option<(String, usize)> {
        let quote = text[1..].chars().next().filter(|c| matches!(c, '\'' | '"'));
        let from = 1 + quote.map_or(0, char::len_utf8);
        let length = text[from..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len() - from);
        let value = self.get(&text[from..from + length])?;
        match quote {
            None => Some((value.to_owned(), from + length)),
            Some(quote) if text[from + length..].starts_with(quote) => {
                let doubled = value.replace(quote, &quote.to_string().repeat(2));
                Some((format!("{quote}{doubled}{quote}"), from + length + 1))
            }
            Some(_) => None,
        }
    }
}

/// What the text of an \if says: true, false, or no condition. Words for true and false, numbers, and comparisons of two
/// words by `=`, `==`, `!=`, `<>`, `<`, `<=`, `>`, `>=`.
pub fn condition(text: &str) -> Option<bool> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [word] => match word.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "t" | "y" => Some(true),
            "false" | "off" | "no" | "f" | "n" => Some(false),
            word => word.parse::<f64>().ok().map(|number| number != 0.0),
        },
        ["not", rest @ ..] if !rest.is_empty() => condition(&rest.join(" ")).map(|holds| !holds),
        [left, operator, right] => compare(left, operator, right),
        _ => None,
    }
}

fn compare(left: &str, operator: &str, right: &str) -> Option<bool> {
    let bare = |text: &str| text.trim_matches('\'').to_owned();
    let order = match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => left.partial_cmp(&right)?,
        _ => bare(left).cmp(&bare(right)),
    };
    match operator {
        "=" | "==" => Some(order.is_eq()),
        "!=" | "<>" => Some(order.is_ne()),
        "<" => Some(order.is_lt()),
        "<=" => Some(order.is_le()),
        ">" => Some(order.is_gt()),
        ">=" => Some(order.is_ge()),
        _ => None,
    }
}

/// The branches of the \if commands around a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    /// From the outside: (this branch runs, a branch of this \if has run, \else was met).
    open: Vec<(bool, bool, bool)>,
}

impl Branches {
    /// True where lines are to be run.
    pub fn are_active(&self) -> bool {
        self.open.iter().all(|(runs, ..)| *runs)
    }

    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub fn begin(&mut self, holds: bool) {
        self.open.push((holds, holds, false));
    }

    /// \elif with a condition, \else with true. False where there is no \if, or its \else is over.
    pub fn next(&mut self, holds: bool, is_else: bool) -> bool {
        match self.open.last_mut() {
            Some((runs, has_run, after_else)) if !*after_else => {
                *runs = holds && !*has_run;
                *has_run |= *runs;
                *after_else = is_else;
                true
            }
            _ => false,
        }
    }

    /// False where there is no \if.
    pub fn end(&mut self) -> bool {
        self.open.pop().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_for_their_values_outside_of_quotes() {
        let mut variables = Variables::default();
        variables.set("t", "votes");
        variables.set("name", "it's");
        assert_eq!(
            variables.expand("SELECT ':t', :'name', :\"t\" FROM :t WHERE a=:nobody -- :t", false),
            "SELECT ':t', 'it''s', \"votes\" FROM votes WHERE a=:nobody -- :t"
        );
        assert_eq!(variables.expand("a :t' :t", true), "a :t' votes");
        assert_eq!(variables.expand("a::t", false), "a::t");
    }

    #[test]
    fn conditions_are_words_numbers_and_comparisons() {
        for (text, holds) in [
            ("on", Some(true)),
            ("0", Some(false)),
            ("3 > 10", Some(false)),
            ("'b' > 'a'", Some(true)),
            ("not false", Some(true)),
            ("", None),
            ("perhaps", None),
        ] {
            assert_eq!(condition(text), holds, "{text}");
        }
    }

    #[test]
    fn one_branch_of_an_if_runs() {
        let mut branches = Branches::default();
        branches.begin(false);
        assert!(!branches.are_active());
        assert!(branches.next(true, false) && branches.are_active());
        assert!(branches.next(true, false) && !branches.are_active());
        assert!(branches.next(true, true) && !branches.are_active());
        assert!(!branches.next(true, true));
        assert!(branches.end() && !branches.end());
    }
}
