//! LIKE and ILIKE patterns.

use super::convert::text_of;
use super::error::EvalError;
use crate::types::{Arena, Datum};

/// A pattern made ready: `%` stands for any characters, `_` for one, everything else for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct LikePattern {
    shape: Shape,
    case_insensitive: bool,
}

/// The common patterns need no search by character.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Exact(String),
    Prefix(String),
    Suffix(String),
    Contains(String),
    General(Vec<Token>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Any,
    One,
    Char(char),
}

impl LikePattern {
    /// `escape` makes the character after it stand for itself; an error if none follows.
    pub fn new(pattern: &str, escape: Option<char>, case_insensitive: bool) -> Result<LikePattern, EvalError> {
        let mut tokens = Vec::with_capacity(pattern.len());
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            let token = match c {
                c if Some(c) == escape => {
                    let escaped = chars.next();
                    Token::Char(escaped.ok_or_else(|| EvalError::DanglingEscape { pattern: pattern.to_owned() })?)
                }
                '%' => Token::Any,
                '_' => Token::One,
                c => Token::Char(c),
            };
            match token {
                Token::Any if tokens.last() == Some(&Token::Any) => {}
                Token::Char(c) if case_insensitive => tokens.extend(c.to_lowercase().map(Token::Char)),
                token => tokens.push(token),
            }
        }
        Ok(LikePattern { shape: Shape::of(tokens), case_insensitive })
    }

    pub fn matches(&self, text: &str) -> bool {
        if self.case_insensitive { self.shape.matches(&text.to_lowercase()) } else { self.shape.matches(text) }
    }

    /// What every match starts with, if the pattern is case-sensitive: for a range scan of an index.
    pub fn literal_prefix(&self) -> Option<String> {
        if self.case_insensitive {
            return None;
        }
        let prefix = match &self.shape {
            Shape::Exact(s) | Shape::Prefix(s) => s.clone(),
            Shape::Suffix(_) | Shape::Contains(_) => return None,
            Shape::General(tokens) => {
                let literal = |t: &Token| if let Token::Char(c) = t { Some(*c) } else { None };
                tokens.iter().map_while(literal).collect()
            }
        };
        (!prefix.is_empty()).then_some(prefix)
    }
}

impl Shape {
    fn of(tokens: Vec<Token>) -> Shape {
        let literal = |tokens: &[Token]| -> Option<String> {
            tokens.iter().map(|t| if let Token::Char(c) = t { Some(*c) } else { None }).collect()
        };
        let shape = match &tokens[..] {
            [Token::Any, middle @ .., Token::Any] => literal(middle).map(Shape::Contains),
            [Token::Any, rest @ ..] => literal(rest).map(Shape::Suffix),
            [rest @ .., Token::Any] => literal(rest).map(Shape::Prefix),
            all => literal(all).map(Shape::Exact),
        };
        shape.unwrap_or(Shape::General(tokens))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Shape::Exact(s) => text == s,
            Shape::Prefix(s) => text.starts_with(s),
            Shape::Suffix(s) => text.ends_with(s),
            Shape::Contains(s) => text.contains(s),
            Shape::General(tokens) => search(tokens, text),
        }
    }
}

/// Goes back to the last `%` only: an earlier one can never do better. Costs at most length of text times pattern.
fn search(tokens: &[Token], text: &str) -> bool {
    let (mut rest, mut at) = (text.chars(), 0);
    let mut retry: Option<(std::str::Chars<'_>, usize)> = None;
    loop {
        if let Some(Token::Any) = tokens.get(at) {
            at += 1;
            retry = Some((rest.clone(), at));
            continue;
        }
        let next = rest.next();
        let fits = match (tokens.get(at), next) {
            (None, None) => return true,
            (_, None) => return false,
            (Some(Token::One), Some(_)) => true,
            (Some(Token::Char(c)), Some(found)) => *c == found,
            (_, Some(_)) => false,
        };
        if fits {
            at += 1;
            continue;
        }
        let Some((after, start)) = &mut retry else { return false };
        after.next();
        (rest, at) = (after.clone(), *start);
    }
}

/// LIKE with a pattern that is only known now.
pub fn like(
    text: Datum,
    pattern: Datum,
    escape: Option<char>,
    case_insensitive: bool,
    arena: &Arena,
) -> Result<Datum, EvalError> {
    if text.is_null() || pattern.is_null() {
        return Ok(Datum::NULL);
    }
    let (mut x, mut y) = ([0; 16], [0; 16]);
    let pattern = LikePattern::new(text_of(arena.bytes(pattern, &mut y)), escape, case_insensitive)?;
    Ok(Datum::bool(pattern.matches(text_of(arena.bytes(text, &mut x)))))
}

/// True if `text` starts with the bytes of `prefix`.
pub fn starts_with(text: Datum, prefix: Datum, arena: &Arena) -> Datum {
    if text.is_null() || prefix.is_null() {
        return Datum::NULL;
    }
    let (mut x, mut y) = ([0; 16], [0; 16]);
    Datum::bool(arena.bytes(text, &mut x).starts_with(arena.bytes(prefix, &mut y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str) -> bool {
        LikePattern::new(pattern, Some('\\'), false).unwrap().matches(text)
    }

    #[test]
    fn patterns_match_whole_texts() {
        for (text, pattern, matches) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("abc", "abc", true),
            ("abc", "ab", false),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "%b%", true),
            ("abc", "%d%", false),
            ("abc", "a_c", true),
            ("äbc", "_bc", true),
            ("abcabc", "%a_c", true),
            ("abcabd", "%a_c", false),
            ("aXbXc", "a%X%c", true),
            ("mississippi", "m%iss%ip%i", true),
            ("mississippi", "m%iss%is%i_", false),
            ("a%c", "a\\%c", true),
            ("abc", "a\\%c", false),
            ("a\nb", "a_b", true),
            ("aaa", "a%%%a", true),
            ("Abc", "abc", false),
        ] {
            assert_eq!(like(text, pattern), matches, "{text:?} LIKE {pattern:?}");
        }
    }

    #[test]
    fn case_may_be_ignored_and_escapes_must_have_a_character() {
        assert!(LikePattern::new("stra%E", None, true).unwrap().matches("STRASSE"));
        assert!(LikePattern::new("É_", None, true).unwrap().matches("éa"));
        assert_eq!(LikePattern::new("a!", Some('!'), false).unwrap_err().sqlstate(), "22025");
        assert!(LikePattern::new("a!!", Some('!'), false).unwrap().matches("a!"));
    }

    #[test]
    fn the_prefix_of_a_pattern_ends_at_its_first_wildcard() {
        let prefix = |p| LikePattern::new(p, None, false).unwrap().literal_prefix();
        assert_eq!(prefix("ab%"), Some("ab".to_owned()));
        assert_eq!(prefix("ab_d%"), Some("ab".to_owned()));
        assert_eq!((prefix("%a"), prefix("_a"), prefix("")), (None, None, None));
    }
}
