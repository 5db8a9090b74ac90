//! "did you mean": the candidate that a misspelled word most likely stands for.

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours; case doesn't count) from `word`, the
/// first of several. None if that takes more than one edit for words up to five characters, two up to eight, three for
/// longer ones: then it is another word rather than a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let limit = match word.len() {
        0 => return None,
        1..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let mut best = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        // A word whose letters all change is no slip, however short it is.
        let limit = limit.min(word.len().max(letters.len()).saturating_sub(1));
        if letters.len().abs_diff(word.len()) > limit {
            continue;
        }
        let distance = edits(&word, &letters);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours (optimal string alignment), three rows at a time.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_word() {
        assert_eq!(nearest("SELEC", ["INSERT", "SELECT", "DELETE"]), Some("SELECT"));
        assert_eq!(nearest("form", ["TO", "FROM"]), Some("FROM"));
        assert_eq!(nearest("num_vote", ["state", "num_votes"]), Some("num_votes"));
        assert_eq!(nearest("INTEGR", ["INT", "INTEGER"]), Some("INTEGER"));
    }

    #[test]
    fn other_words_find_nothing() {
        assert_eq!(nearest("phone", ["state", "votes"]), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("", ["b"]), None);
        assert_eq!(nearest("x", []), None);
    }
}
