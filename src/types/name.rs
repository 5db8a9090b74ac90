//! An identifier: compared without regard to case, shown as it was first written.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An SQL identifier. Equality, order and hash look at the folded (lower-case) form; `Display` gives the text as it
/// was written where the object was declared. Cloning copies two pointers.
#[derive(Clone)]
pub struct Name {
    folded: Arc<str>,
    written: Arc<str>,
}

impl Name {
    /// Folds `text` once. Unquoted and quoted identifiers fold alike: names differ by more than case, or are equal.
    pub fn new(text: &str) -> Name {
        let written: Arc<str> = Arc::from(text);
        let folded =
            if text.chars().any(char::is_uppercase) { Arc::from(text.to_lowercase()) } else { Arc::clone(&written) };
        Name { folded, written }
    }

    /// The form that is compared: lower case.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The form that people see.
    pub fn as_str(&self) -> &str {
        &self.written
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.folded == other.folded
    }
}
impl Eq for Name {}
impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.folded.eq_ignore_ascii_case(other)
    }
}
impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}
impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.folded.cmp(&other.folded)
    }
}
impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded.hash(state);
    }
}
/// Look-ups in maps keyed by `Name` may use a `&str` that is already lower case.
impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.folded
    }
}
impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written)
    }
}
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_without_case_and_show_as_written() {
        let declared = Name::new("PK_Contestants");
        assert_eq!(declared, Name::new("pk_contestants"));
        assert_eq!(declared.to_string(), "PK_Contestants");
        assert!(declared == "PK_CONTESTANTS");
    }
}
