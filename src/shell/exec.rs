//! EXEC as users of sqlcmd type it, in the engine's words.
//!
//! Arguments may be parted by spaces, tabs, commas or any mix of them; texts without separators need no quotes. Numbers,
//! quoted texts, NULL, hex and whatever has parentheses pass as they are: what they are worth is the engine's to say.

/// The text that the engine understands, and for each argument where it stands in either text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub text: String,
    /// (start in the new text, end in the new text, start in the old text, end in the old text)
    pieces: Vec<(usize, usize, usize, usize)>,
}

impl Rewritten {
    /// The span in the text that was typed for a span in the new one.
    pub fn original(&self, (start, end): (usize, usize)) -> (usize, usize) {
        let first = self.pieces.iter().rfind(|piece| piece.0 <= start).or(self.pieces.first());
        let last = self.pieces.iter().find(|piece| piece.1 >= end).or(self.pieces.last());
        match (first, last) {
            (Some(first), Some(last)) => (first.2, last.3.max(first.2)),
            _ => (start, end),
        }
    }
}

/// None where nothing has to change: no EXEC, parentheses or named arguments (`name => value`), or plain arguments.
pub fn rewrite(text: &str) -> Option<Rewritten> {
    let keyword_end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let keyword = &text[..keyword_end];
    if !keyword.eq_ignore_ascii_case("exec") && !keyword.eq_ignore_ascii_case("execute") {
        return None;
    }
    let arguments = arguments(text, keyword_end)?;
    let mut out = Rewritten { text: text[..keyword_end].to_owned(), pieces: vec![(0, keyword_end, 0, keyword_end)] };
    for (i, &(start, end)) in arguments.iter().enumerate() {
        let word = &text[start..end];
        out.text.push_str(if i < 2 { " " } else { ", " });
        let from = out.text.len();
        if i > 0 && is_bare_text(word) {
            out.text.push_str(&format!("'{}'", word.replace('\'', "''")));
        } else {
            out.text.push_str(word);
        }
        out.pieces.push((from, out.text.len(), start, end));
    }
    Some(out)
}

/// Where the procedure's name and each argument stand; None where the text is not of this simple form.
fn arguments(text: &str, from: usize) -> Option<Vec<(usize, usize)>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = from;
    while at < bytes.len() {
        if is_separator(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && !is_separator(bytes[at]) {
            match bytes[at] {
                b'\'' => {
                    at += 1;
                    at += bytes[at..].iter().position(|byte| *byte == b'\'')?;
                }
                b'(' | b')' | b'=' => return None,
                b'-' if bytes[at..].starts_with(b"--") => return None,
                b'/' if bytes[at..].starts_with(b"/*") => return None,
                _ => {}
            }
            at += 1;
        }
        found.push((start, at));
    }
    Some(found)
}

fn is_separator(byte: u8) -> bool {
    byte == b',' || byte.is_ascii_whitespace()
}

/// True for an argument that is neither a number, a quoted text, hex nor a word with a meaning: it is a text as it stands.
fn is_bare_text(word: &str) -> bool {
    let keyword = ["null", "true", "false"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let number = word.parse::<f64>().is_ok() && word.contains(|c: char| c.is_ascii_digit());
    let quoted = word.contains(['\'', '"']);
    !(keyword || number || quoted || word == "?" || word.starts_with([':', '@']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(typed: &str) -> String {
        rewrite(typed).expect("it is of the simple form").text
    }

    #[test]
    fn arguments_may_be_parted_by_anything_and_texts_need_no_quotes() {
        assert_eq!(
            text("exec,SH.insert,10,xy,2.5,'0B','2021-01-01',1e2"),
            "exec SH.insert 10, 'xy', 2.5, '0B', '2021-01-01', 1e2"
        );
        assert_eq!(text("EXEC p\t1 , 2021-01-01 null"), "EXEC p 1, '2021-01-01', null");
        assert_eq!(
            text("exec p 'it''s; a, b' X'0A' -5 https://x.y/z"),
            "exec p 'it''s; a, b', X'0A', -5, 'https://x.y/z'"
        );
        assert_eq!(text("execute\np\n"), "execute p");
    }

    #[test]
    fn other_forms_pass_as_they_are() {
        for typed in ["SELECT 1", "exec p(1)", "exec p a => 1", "exec p 'open", "exec p 1 -- one", "exec"] {
            assert_eq!(rewrite(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_span_is_found_again_where_it_was_typed() {
        let typed = "exec p  1,,,wrong  2";
        let new = rewrite(typed).expect("it is of the simple form");
        let at = new.text.find("'wrong'").expect("it is quoted now");
        let (start, end) = new.original((at, at + 7));
        assert_eq!(&typed[start..end], "wrong");
    }
}
