//! Three-valued logic on BOOLEAN datums.

use crate::types::Datum;

/// FALSE if one is FALSE, else NULL if one is NULL.
#[inline(always)]
pub fn and(a: Datum, b: Datum) -> Datum {
    let is_false = |d: Datum| !d.is_null() && d.lo == 0;
    if is_false(a) || is_false(b) {
        Datum::FALSE
    } else if a.is_null() || b.is_null() {
        Datum::NULL
    } else {
        Datum::TRUE
    }
}

/// TRUE if one is TRUE, else NULL if one is NULL.
#[inline(always)]
pub fn or(a: Datum, b: Datum) -> Datum {
    if a.is_true() || b.is_true() {
        Datum::TRUE
    } else if a.is_null() || b.is_null() {
        Datum::NULL
    } else {
        Datum::FALSE
    }
}

#[inline(always)]
pub fn not(a: Datum) -> Datum {
    if a.is_null() { a } else { Datum::bool(a.lo == 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logic_is_three_valued() {
        let all = [Datum::FALSE, Datum::NULL, Datum::TRUE];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                // FALSE < NULL < TRUE: AND is the least, OR the greatest.
                assert_eq!(and(*a, *b), all[i.min(j)]);
                assert_eq!(or(*a, *b), all[i.max(j)]);
            }
            assert_eq!(not(*a), all[2 - i]);
        }
    }
}
