//! Addresses of the Internet as numbers and bytes.

use crate::expr::convert::text_of;
use crate::expr::error::EvalError;
use crate::types::{Arena, Datum};
use std::net::{Ipv4Addr, Ipv6Addr};

fn bad(function: &'static str, what: &str) -> EvalError {
    EvalError::BadArgument { function, problem: format!("{what} is no such address") }
}

/// `a.b.c.d` as a number of 32 bits.
pub fn aton(s: Datum, arena: &Arena) -> Result<Datum, EvalError> {
    let mut scratch = [0; 16];
    let text = text_of(arena.bytes(s, &mut scratch));
    let address: Ipv4Addr = text.parse().map_err(|_| bad("INET_ATON", &format!("'{text}'")))?;
    Ok(Datum::int(u32::from(address).into()))
}

pub fn ntoa(number: i64, arena: &mut Arena) -> Result<Datum, EvalError> {
    let number = u32::try_from(number).map_err(|_| bad("INET_NTOA", &number.to_string()))?;
    Ok(arena.store(Ipv4Addr::from(number).to_string().as_bytes()))
}

/// An address of version 6 as its 16 bytes.
pub fn aton6(s: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
    let mut scratch = [0; 16];
    let text = text_of(arena.bytes(s, &mut scratch));
    let address: Ipv6Addr = text.parse().map_err(|_| bad("INET6_ATON", &format!("'{text}'")))?;
    Ok(arena.store(&address.octets()))
}

pub fn ntoa6(bytes: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
    let mut scratch = [0; 16];
    let bytes = arena.bytes(bytes, &mut scratch);
    let octets: [u8; 16] =
        bytes.try_into().map_err(|_| bad("INET6_NTOA", &format!("a value of {} bytes", bytes.len())))?;
    Ok(arena.store(Ipv6Addr::from(octets).to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_go_there_and_back() {
        let mut arena = Arena::default();
        let four = arena.store(b"10.1.2.3");
        assert_eq!(aton(four, &arena), Ok(Datum::int(167_838_211)));
        let back = ntoa(167_838_211, &mut arena).unwrap();
        assert_eq!(arena.bytes(back, &mut [0; 16]), b"10.1.2.3");
        let six = arena.store(b"2001:db8::ff");
        let bytes = aton6(six, &mut arena).unwrap();
        assert_eq!(bytes.byte_len(), 16);
        let back = ntoa6(bytes, &mut arena).unwrap();
        assert_eq!(arena.bytes(back, &mut [0; 16]), b"2001:db8::ff");
        for text in ["10.1", "zz", "300.1.1.1", ""] {
            let datum = arena.store(text.as_bytes());
            assert_eq!(aton(datum, &arena).unwrap_err().sqlstate(), "22023");
        }
        assert_eq!(ntoa(-1, &mut arena).unwrap_err().sqlstate(), "22023");
        assert_eq!(ntoa6(four, &mut arena).unwrap_err().sqlstate(), "22023");
    }
}
