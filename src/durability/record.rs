//! What is in the log: invocations as bytes, and back.
//!
//! A record is a length and so many bytes: a kind, and what that kind has. Numbers are LEB128, seven bits a byte, low
//! bits first. Parameters of calls have no types of their own: the procedure's declaration says what they are.

use crate::topology::PartitionId;
use crate::types::{Arena, DataType, Datum, Decimal, Timestamp, Value};

const CALLS: u8 = 1;
const STATEMENTS: u8 = 2;
const DEFINITIONS: u8 = 3;

/// One entry of the log.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    /// Calls of one procedure, each a transaction, in order.
    Calls {
        /// None: on all partitions.
        partition: Option<PartitionId>,
        /// The transactions' time, microseconds since 1970.
        now: i64,
        procedure: &'a str,
        count: u64,
        parameters: Parameters<'a>,
    },
    /// One transaction of statements, the usual case being one.
    Statements { partition: Option<PartitionId>, now: i64, statements: Vec<LoggedStatement> },
    /// A batch of definitions.
    Definitions { now: i64, text: &'a str, attachments: Vec<Attachment> },
}

/// An ad hoc statement as it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedStatement {
    pub text: String,
    /// A value for each `?`.
    pub arguments: Vec<Value>,
}

/// The text of a procedure's file that a batch of definitions took in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub file: String,
    pub text: String,
}

/// Parameters of calls, one call after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters<'a> {
    bytes: &'a [u8],
}

/// Bytes that are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl Record<'_> {
    /// How many transactions it stands for.
    pub fn transactions(&self) -> u64 {
        match self {
            Record::Calls { count, .. } => *count,
            _ => 1,
        }
    }
    pub fn now(&self) -> i64 {
        match self {
            Record::Calls { now, .. } | Record::Statements { now, .. } | Record::Definitions { now, .. } => *now,
        }
    }
}

#[inline(always)]
pub(super) fn put_number(out: &mut Vec<u8>, mut v: u64) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// 0 is NULL; else one more than the integer with its sign in the lowest bit.
#[inline(always)]
fn put_integer(out: &mut Vec<u8>, v: i64) {
    let zigzag = ((v << 1) ^ (v >> 63)) as u64;
    match zigzag.checked_add(1) {
        Some(v) => put_number(out, v),
        None => {
            // The one integer that needs 65 bits.
            out.extend_from_slice(&[0x80; 9]);
            out.push(2);
        }
    }
}

/// A datum of a declared type, its long bytes in `arena`, at the end of `out`.
#[inline(always)]
pub fn put_datum(out: &mut Vec<u8>, datum: Datum, ty: DataType, arena: &Arena) {
    match ty {
        DataType::TinyInt
        | DataType::SmallInt
        | DataType::Integer
        | DataType::BigInt
        | DataType::Timestamp
        | DataType::Boolean
            if !datum.is_null() =>
        {
            put_integer(out, datum.as_i64());
        }
        _ => put_other(out, datum, ty, arena),
    }
}

fn put_other(out: &mut Vec<u8>, datum: Datum, ty: DataType, arena: &Arena) {
    if datum.is_null() {
        return out.push(0);
    }
    if ty.is_bytes() {
        let mut scratch = [0; 16];
        let bytes = arena.bytes(datum, &mut scratch);
        put_number(out, bytes.len() as u64 + 1);
        return out.extend_from_slice(bytes);
    }
    out.push(1);
    out.extend_from_slice(&datum.lo.to_le_bytes());
    if ty == DataType::Decimal {
        out.extend_from_slice(&datum.hi.to_le_bytes());
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(0),
        Value::Bool(v) => out.extend_from_slice(&[1, u8::from(*v)]),
        Value::Int(v) => {
            out.push(2);
            out.extend_from_slice(&v.to_le_bytes());
        }
        Value::Float(v) => {
            out.push(3);
            out.extend_from_slice(&v.to_bits().to_le_bytes());
        }
        Value::Decimal(v) => {
            out.push(4);
            out.extend_from_slice(&v.scaled().to_le_bytes());
        }
        Value::Timestamp(v) => {
            out.push(5);
            out.extend_from_slice(&v.micros().to_le_bytes());
        }
        Value::Text(v) => {
            out.push(6);
            put_text(out, v);
        }
        Value::Bytes(v) => {
            out.push(7);
            put_number(out, v.len() as u64);
            out.extend_from_slice(v);
        }
        Value::Array(values) => {
            out.push(8);
            put_number(out, values.len() as u64);
            values.iter().for_each(|value| put_value(out, value));
        }
    }
}

fn place(partition: Option<PartitionId>) -> u64 {
    partition.map_or(0, |id| u64::from(id.0) + 1)
}

/// Bytes that a number takes.
fn number_len(v: u64) -> usize {
    (64 - (v | 1).leading_zeros() as usize).div_ceil(7)
}

/// A record of `count` calls, whose parameters are already encoded.
pub fn put_calls(
    out: &mut Vec<u8>,
    partition: Option<PartitionId>,
    now: i64,
    procedure: &str,
    count: u64,
    parameters: &[u8],
) {
    let (name, place) = (procedure.len() as u64, place(partition));
    let len = 1 + number_len(place) + 8 + number_len(name) + procedure.len() + number_len(count) + parameters.len();
    put_number(out, len as u64);
    out.push(CALLS);
    put_number(out, place);
    out.extend_from_slice(&now.to_le_bytes());
    put_text(out, procedure);
    put_number(out, count);
    out.extend_from_slice(parameters);
}

/// Any record but calls.
pub fn put_record(out: &mut Vec<u8>, record: &Record<'_>) {
    let mut body = Vec::new();
    match record {
        Record::Calls { partition, now, procedure, count, parameters } => {
            return put_calls(out, *partition, *now, procedure, *count, parameters.bytes);
        }
        Record::Statements { partition, now, statements } => {
            body.push(STATEMENTS);
            put_number(&mut body, place(*partition));
            body.extend_from_slice(&now.to_le_bytes());
            put_number(&mut body, statements.len() as u64);
            for statement in statements {
                put_text(&mut body, &statement.text);
                put_number(&mut body, statement.arguments.len() as u64);
                statement.arguments.iter().for_each(|value| put_value(&mut body, value));
            }
        }
        Record::Definitions { now, text, attachments } => {
            body.push(DEFINITIONS);
            body.extend_from_slice(&now.to_le_bytes());
            put_text(&mut body, text);
            put_number(&mut body, attachments.len() as u64);
            for attachment in attachments {
                put_text(&mut body, &attachment.name);
                put_text(&mut body, &attachment.file);
                put_text(&mut body, &attachment.text);
            }
        }
    }
    put_number(out, body.len() as u64);
    out.extend_from_slice(&body);
}

/// Reads what was put, and never past the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn take(&mut self, len: u64) -> Result<&'a [u8], Malformed> {
        if len > self.bytes.len() as u64 {
            return Err(Malformed);
        }
        let (head, tail) = self.bytes.split_at(len as usize);
        self.bytes = tail;
        Ok(head)
    }
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let (&first, rest) = self.bytes.split_first().ok_or(Malformed)?;
        self.bytes = rest;
        Ok(first)
    }
    fn wide(&mut self) -> Result<u128, Malformed> {
        let mut value = 0u128;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u128::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }
    pub fn number(&mut self) -> Result<u64, Malformed> {
        self.wide()?.try_into().map_err(|_| Malformed)
    }
    pub fn eight(&mut self) -> Result<[u8; 8], Malformed> {
        Ok(self.take(8)?.try_into().expect("eight bytes"))
    }
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let len = self.number()?;
        std::str::from_utf8(self.take(len)?).map_err(|_| Malformed)
    }
    fn owned_text(&mut self) -> Result<String, Malformed> {
        self.text().map(str::to_owned)
    }
    fn place(&mut self) -> Result<Option<PartitionId>, Malformed> {
        let place = self.number()?;
        let id = place.checked_sub(1).map(u32::try_from).transpose().map_err(|_| Malformed)?;
        Ok(id.map(PartitionId))
    }

    pub fn datum(&mut self, ty: DataType, arena: &mut Arena) -> Result<Datum, Malformed> {
        let first = self.wide()?;
        if first == 0 {
            return Ok(Datum::NULL);
        }
        if ty.is_bytes() {
            let bytes = self.take(u64::try_from(first - 1).map_err(|_| Malformed)?)?;
            if ty.is_text() && std::str::from_utf8(bytes).is_err() {
                return Err(Malformed);
            }
            return Ok(arena.store(bytes));
        }
        match ty {
            DataType::Float => Ok(Datum::float(f64::from_bits(u64::from_le_bytes(self.eight()?)))),
            DataType::Decimal => {
                let (lo, hi) = (u64::from_le_bytes(self.eight()?), u64::from_le_bytes(self.eight()?));
                Ok(Datum { lo, hi })
            }
            _ => {
                let zigzag = u64::try_from(first - 1).map_err(|_| Malformed)?;
                Ok(Datum::int((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)))
            }
        }
    }

    fn value(&mut self) -> Result<Value, Malformed> {
        Ok(match self.byte()? {
            0 => Value::Null,
            1 => Value::Bool(self.byte()? != 0),
            2 => Value::Int(i64::from_le_bytes(self.eight()?)),
            3 => Value::Float(f64::from_bits(u64::from_le_bytes(self.eight()?))),
            4 => {
                let bytes: [u8; 16] = self.take(16)?.try_into().expect("sixteen bytes");
                Value::Decimal(Decimal::from_scaled(i128::from_le_bytes(bytes)))
            }
            5 => Value::Timestamp(Timestamp::from_micros(i64::from_le_bytes(self.eight()?))),
            6 => Value::Text(self.owned_text()?),
            7 => {
                let len = self.number()?;
                Value::Bytes(self.take(len)?.to_vec())
            }
            8 => {
                let count = self.number()?;
                Value::Array((0..count).map(|_| self.value()).collect::<Result<_, _>>()?)
            }
            _ => return Err(Malformed),
        })
    }

    /// The next record.
    pub fn record(&mut self) -> Result<Record<'a>, Malformed> {
        let len = self.number()?;
        let mut body = Cursor { bytes: self.take(len)? };
        match body.byte()? {
            CALLS => Ok(Record::Calls {
                partition: body.place()?,
                now: i64::from_le_bytes(body.eight()?),
                procedure: body.text()?,
                count: body.number()?,
                parameters: Parameters { bytes: body.bytes },
            }),
            STATEMENTS => {
                let (partition, now) = (body.place()?, i64::from_le_bytes(body.eight()?));
                let mut statements = Vec::new();
                for _ in 0..body.number()? {
                    let text = body.owned_text()?;
                    let mut arguments = Vec::new();
                    for _ in 0..body.number()? {
                        arguments.push(body.value()?);
                    }
                    statements.push(LoggedStatement { text, arguments });
                }
                Ok(Record::Statements { partition, now, statements })
            }
            DEFINITIONS => {
                let (now, text) = (i64::from_le_bytes(body.eight()?), body.text()?);
                let attachments = body.attachments()?;
                Ok(Record::Definitions { now, text, attachments })
            }
            _ => Err(Malformed),
        }
    }

    pub fn attachments(&mut self) -> Result<Vec<Attachment>, Malformed> {
        let mut attachments = Vec::new();
        for _ in 0..self.number()? {
            let (name, file, text) = (self.owned_text()?, self.owned_text()?, self.owned_text()?);
            attachments.push(Attachment { name, file, text });
        }
        Ok(attachments)
    }
}

impl Parameters<'_> {
    /// Those of the next call, of these types, appended to `out`; long bytes go to `arena`.
    pub fn next_call(
        &mut self,
        types: impl Iterator<Item = DataType>,
        out: &mut Vec<Datum>,
        arena: &mut Arena,
    ) -> Result<(), Malformed> {
        let mut cursor = Cursor { bytes: self.bytes };
        for ty in types {
            out.push(cursor.datum(ty, arena)?);
        }
        self.bytes = cursor.bytes;
        Ok(())
    }
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(record: &Record<'_>) {
        let mut bytes = Vec::new();
        put_record(&mut bytes, record);
        let mut cursor = Cursor { bytes: &bytes };
        assert_eq!(cursor.record().as_ref(), Ok(record));
        assert!(cursor.bytes.is_empty());
        for len in 0..bytes.len() {
            assert!(Cursor { bytes: &bytes[..len] }.record().is_err(), "{len} of {} bytes", bytes.len());
        }
    }

    #[test]
    fn records_come_back_as_they_were_and_never_from_a_part_of_their_bytes() {
        let values = vec![
            Value::Null,
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::Float(-0.5),
            Value::Decimal(Decimal::from_scaled(-7)),
            Value::Timestamp(Timestamp::from_micros(5)),
            Value::from("häuser"),
            Value::Bytes(vec![0, 255]),
        ];
        let statement = LoggedStatement { text: "INSERT INTO t VALUES (?)".into(), arguments: values };
        round(&Record::Statements { partition: Some(PartitionId(300)), now: -1, statements: vec![statement] });
        let attachment = Attachment { name: "Vote".into(), file: "Vote.sql".into(), text: "x".repeat(300) };
        round(&Record::Definitions { now: 7, text: "CREATE", attachments: vec![attachment] });
    }

    #[test]
    fn parameters_of_every_type_come_back_as_they_were() {
        let mut arena = Arena::default();
        let long = arena.store("a long string of more than fifteen bytes".as_bytes());
        let typed = [
            (Datum::int(i64::MIN), DataType::BigInt),
            (Datum::int(i64::MAX), DataType::BigInt),
            (Datum::int(-1), DataType::TinyInt),
            (Datum::NULL, DataType::Integer),
            (Datum::TRUE, DataType::Boolean),
            (Datum::float(1.5), DataType::Float),
            (Datum::NULL, DataType::Float),
            (Datum::decimal(Decimal::from_scaled(-3)), DataType::Decimal),
            (Datum::short(b""), DataType::TEXT),
            (Datum::NULL, DataType::TEXT),
            (long, DataType::TEXT),
            (Datum::int(1_700_000_000_000_000), DataType::Timestamp),
        ];
        let mut bytes = Vec::new();
        typed.iter().for_each(|(datum, ty)| put_datum(&mut bytes, *datum, *ty, &arena));
        let (mut out, mut other) = (Vec::new(), Arena::default());
        let mut parameters = Parameters { bytes: &bytes };
        parameters.next_call(typed.iter().map(|(_, ty)| *ty), &mut out, &mut other).unwrap();
        assert!(parameters.is_empty());
        for ((datum, ty), read) in typed.iter().zip(out) {
            assert_eq!(crate::types::datum_value(*datum, *ty, &arena), crate::types::datum_value(read, *ty, &other));
        }
    }

    #[test]
    fn the_length_of_a_record_is_told_before_it_is_written() {
        for name in ["V", &"x".repeat(200)] {
            for count in [1, 127, 128, 70_000] {
                let mut bytes = Vec::new();
                put_calls(&mut bytes, Some(PartitionId(200)), 1, name, count, &[9; 3]);
                let mut cursor = Cursor { bytes: &bytes };
                assert_eq!(cursor.record().unwrap().transactions(), count);
                assert!(cursor.bytes.is_empty());
            }
        }
    }
}
