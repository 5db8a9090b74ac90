//! Lists of values as one datum: the bytes of a parameter behind IN.
//!
//! An element is four bytes of length and its bytes: a string's own, or the sixteen of a datum's lane. The length
//! `u32::MAX` is NULL. Never stored in tables.

use super::{Arena, DataType, Datum, Frame, Value, datum_value};

const NULL: u32 = u32::MAX;

/// The list as a datum of `arena`.
pub fn store(values: &[Value], arena: &mut Arena) -> Datum {
    let mut bytes = Vec::with_capacity(values.len() * 20);
    let mut frame = Frame::default();
    for value in values {
        match value {
            Value::Null => bytes.extend(NULL.to_le_bytes()),
            Value::Text(text) => push(&mut bytes, text.as_bytes()),
            Value::Bytes(other) => push(&mut bytes, other),
            value => push(&mut bytes, &frame.datum(value).lane()),
        }
    }
    arena.store(&bytes)
}

fn push(bytes: &mut Vec<u8>, element: &[u8]) {
    bytes.extend((element.len() as u32).to_le_bytes());
    bytes.extend_from_slice(element);
}

/// The elements' bytes; None for NULL.
fn elements(mut bytes: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    std::iter::from_fn(move || {
        let (len, rest) = bytes.split_first_chunk::<4>()?;
        let len = u32::from_le_bytes(*len);
        if len == NULL {
            bytes = rest;
            return Some(None);
        }
        let (element, rest) = rest.split_at(len as usize);
        bytes = rest;
        Some(Some(element))
    })
}

/// The list as a value; `ty` is its elements'.
pub fn values(datum: Datum, ty: DataType, arena: &Arena) -> Value {
    let mut scratch = [0; 16];
    let list = elements(arena.bytes(datum, &mut scratch)).map(|element| match element {
        None => Value::Null,
        Some(bytes) if ty.is_bytes() => {
            let mut own = Arena::default();
            let datum = own.store(bytes);
            datum_value(datum, ty, &own)
        }
        Some(bytes) => {
            datum_value(Datum::from_lane(bytes.try_into().expect("a lane has 16 bytes")), ty, &Arena::default())
        }
    });
    Value::Array(list.collect())
}

/// `operand IN (list)`, three-valued; the operand is of the elements' type, `text` says that it is a string.
pub fn contains(operand: Datum, list: Datum, text: bool, arena: &Arena) -> Datum {
    let (mut scratch, mut own) = ([0; 16], [0; 16]);
    let lane = operand.lane();
    let wanted = if text { arena.bytes(operand, &mut own) } else { &lane };
    let mut unknown = false;
    for element in elements(arena.bytes(list, &mut scratch)) {
        match element {
            None => unknown = true,
            Some(bytes) if bytes == wanted => return Datum::TRUE,
            Some(_) => {}
        }
    }
    if unknown { Datum::NULL } else { Datum::FALSE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_values_and_find_them() {
        let mut arena = Arena::default();
        let list = [Value::Int(1), Value::Int(-5), Value::Null];
        let datum = store(&list, &mut arena);
        assert_eq!(values(datum, DataType::BigInt, &arena), Value::Array(list.to_vec()));
        assert_eq!(contains(Datum::int(-5), datum, false, &arena), Datum::TRUE);
        assert_eq!(contains(Datum::int(2), datum, false, &arena), Datum::NULL);
        let texts = [Value::from("a"), Value::from("longer than fifteen bytes")];
        let datum = store(&texts, &mut arena);
        assert_eq!(values(datum, DataType::TEXT, &arena), Value::Array(texts.to_vec()));
        let long = arena.store(b"longer than fifteen bytes");
        assert_eq!(contains(long, datum, true, &arena), Datum::TRUE);
        assert_eq!(contains(Datum::short(b"b"), datum, true, &arena), Datum::FALSE);
        let empty = store(&[], &mut arena);
        assert_eq!(contains(Datum::int(1), empty, false, &arena), Datum::FALSE);
    }
}
