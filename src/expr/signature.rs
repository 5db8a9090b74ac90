//! What the scalar functions take and give.

use super::convert::common_type;
use super::function::Function;
use crate::types::DataType;

/// What a parameter of a function takes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    Text,
    /// VARCHAR or VARBINARY, as it is.
    Bytes,
    /// A value of any type, as text.
    AnyText,
    Int,
    /// Any number, as FLOAT.
    Float,
    /// Any number, as DECIMAL.
    Decimal,
    /// Any number, as it is.
    Number,
    Timestamp,
}

impl Takes {
    /// The type to cast an argument to; None if it is refused.
    fn accept(self, ty: DataType) -> Option<DataType> {
        let number = ty.is_numeric();
        match (self, ty) {
            (Takes::AnyText, DataType::Varchar { .. }) | (Takes::Text, DataType::Varchar { .. }) => Some(ty),
            (Takes::Bytes, ty) if ty.is_bytes() => Some(ty),
            (Takes::AnyText, _) | (Takes::Text | Takes::Bytes, DataType::Null) => Some(DataType::TEXT),
            (Takes::Int, ty) if ty.is_integer() => Some(DataType::BigInt),
            (Takes::Int | Takes::Number, DataType::Null) => Some(DataType::BigInt),
            (Takes::Number, ty) if number => Some(ty),
            (Takes::Float, ty) if number || ty == DataType::Null => Some(DataType::Float),
            (Takes::Decimal, ty) if number || ty == DataType::Null => Some(DataType::Decimal),
            (Takes::Timestamp, DataType::Timestamp | DataType::Null) => Some(DataType::Timestamp),
            (Takes::Timestamp, ty) if ty.is_text() => Some(DataType::Timestamp),
            _ => None,
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Takes::Text => "VARCHAR",
            Takes::Bytes => "VARCHAR or VARBINARY",
            Takes::AnyText => "any type",
            Takes::Int => "an integer",
            Takes::Float | Takes::Decimal | Takes::Number => "a number",
            Takes::Timestamp => "TIMESTAMP",
        }
    }
}

/// What a function gives.
#[derive(Clone, Copy, Debug)]
enum Gives {
    Type(DataType),
    /// The type its first argument was cast to.
    First,
}

/// Parameters, how many of them must be there, and the result.
struct Signature {
    takes: &'static [Takes],
    required: usize,
    gives: Gives,
}

/// What to cast the arguments of a call to, and the type of its result. The message of an error says what the function
/// takes.
///
/// GREATEST and LEAST take any types that compare; CONCAT takes two or more of any type, as text. EXTRACT is DECIMAL for
/// every unit here; see [`extract_field`](super::function::extract_field) for the function of one unit.
pub fn resolve(function: Function, arg_types: &[DataType]) -> Result<(Vec<DataType>, DataType), String> {
    let name = function.name();
    match function {
        Function::Concat if arg_types.is_empty() => return Err(format!("{name} takes at least one argument")),
        Function::Concat => {
            let casts = arg_types.iter().map(|ty| Takes::AnyText.accept(*ty).expect("takes all")).collect();
            return Ok((casts, DataType::TEXT));
        }
        Function::Greatest | Function::Least => return resolve_extreme(&name, arg_types),
        Function::Mod => return resolve_mod(arg_types),
        _ => {}
    }
    let Signature { takes, required, gives } = signature(function);
    if arg_types.len() < required || arg_types.len() > takes.len() {
        let count = match (required, takes.len()) {
            (a, b) if a == b => format!("{a}"),
            (a, b) => format!("{a} to {b}"),
        };
        let plural = if takes.len() == 1 { "" } else { "s" };
        return Err(format!("{name} takes {count} argument{plural}, not {}", arg_types.len()));
    }
    let mut casts = Vec::with_capacity(arg_types.len());
    for (at, (ty, takes)) in arg_types.iter().zip(takes).enumerate() {
        casts.push(
            takes
                .accept(*ty)
                .ok_or_else(|| format!("argument {} of {name} must be {}, not {ty}", at + 1, takes.describe()))?,
        );
    }
    let result = match gives {
        Gives::Type(ty) => ty,
        Gives::First => casts[0],
    };
    Ok((casts, result))
}

fn resolve_extreme(name: &str, arg_types: &[DataType]) -> Result<(Vec<DataType>, DataType), String> {
    let Some((first, rest)) = arg_types.split_first() else {
        return Err(format!("{name} takes at least one argument"));
    };
    let mut common = *first;
    for ty in rest {
        common = common_type(common, *ty).ok_or_else(|| format!("{name} cannot compare {common} and {ty}"))?;
    }
    Ok((vec![common; arg_types.len()], common))
}

fn resolve_mod(arg_types: &[DataType]) -> Result<(Vec<DataType>, DataType), String> {
    let [a, b] = arg_types else {
        return Err(format!("MOD takes 2 arguments, not {}", arg_types.len()));
    };
    let exact = |ty: &DataType| ty.is_integer() || matches!(ty, DataType::Decimal | DataType::Null);
    if !exact(a) || !exact(b) {
        return Err(format!("MOD takes integers or DECIMAL, not {a} and {b}"));
    }
    let common = common_type(*a, *b).filter(|ty| *ty != DataType::Null).unwrap_or(DataType::BigInt);
    Ok((vec![common; 2], common))
}

fn signature(function: Function) -> Signature {
    use Takes::{Bytes, Decimal, Float, Int, Number, Text};
    const TIME: Takes = Takes::Timestamp;
    const TEXT: DataType = DataType::TEXT;
    const BIGINT: DataType = DataType::BigInt;
    const INTEGER: DataType = DataType::Integer;
    let exactly = |takes: &'static [Takes], ty| Signature { takes, required: takes.len(), gives: Gives::Type(ty) };
    let same = |takes: &'static [Takes]| Signature { takes, required: takes.len(), gives: Gives::First };
    let optional = |takes: &'static [Takes], ty| Signature { required: takes.len() - 1, ..exactly(takes, ty) };
    match function {
        Function::InArray => unreachable!("it is bound as IN, not as a call"),
        Function::Abs | Function::Floor | Function::Ceiling => same(&[Number]),
        Function::Sign => exactly(&[Number], BIGINT),
        Function::Round => optional(&[Decimal, Int], DataType::Decimal),
        Function::BitAnd | Function::BitOr | Function::BitXor => exactly(&[Int, Int], BIGINT),
        Function::BitShiftLeft | Function::BitShiftRight => exactly(&[Int, Int], BIGINT),
        Function::BitNot => exactly(&[Int], BIGINT),
        Function::Hex | Function::Bin | Function::Char | Function::Space => exactly(&[Int], TEXT),
        Function::CharLength => exactly(&[Text], BIGINT),
        Function::OctetLength => exactly(&[Bytes], BIGINT),
        Function::Left | Function::Right | Function::Repeat => exactly(&[Text, Int], TEXT),
        Function::Lower | Function::Upper => exactly(&[Text], TEXT),
        Function::LTrim | Function::RTrim | Function::Trim => optional(&[Text, Text], TEXT),
        Function::Overlay => optional(&[Text, Text, Int, Int], TEXT),
        Function::Position => exactly(&[Text, Text], BIGINT),
        Function::Replace => exactly(&[Text, Text, Text], TEXT),
        Function::Substring => optional(&[Text, Int, Int], TEXT),
        Function::Cos | Function::Cot | Function::Csc | Function::Sec | Function::Sin | Function::Tan => {
            exactly(&[Float], DataType::Float)
        }
        Function::Degrees | Function::Radians => exactly(&[Float], DataType::Float),
        Function::Exp | Function::Ln | Function::Log10 | Function::Sqrt => exactly(&[Float], DataType::Float),
        Function::Power => exactly(&[Float, Float], DataType::Float),
        Function::Pi => exactly(&[], DataType::Float),
        Function::DateAdd => exactly(&[Text, Int, TIME], DataType::Timestamp),
        Function::DateDiff => exactly(&[Text, TIME, TIME], BIGINT),
        Function::Extract => exactly(&[Text, TIME], DataType::Decimal),
        Function::SinceEpoch => exactly(&[Text, TIME], BIGINT),
        Function::ToTimestamp => exactly(&[Text, Int], DataType::Timestamp),
        Function::Truncate => exactly(&[Text, TIME], DataType::Timestamp),
        Function::FromUnixtime => exactly(&[Int], DataType::Timestamp),
        Function::Second => exactly(&[TIME], DataType::Decimal),
        Function::Day | Function::DayOfWeek | Function::DayOfYear | Function::Weekday => exactly(&[TIME], INTEGER),
        Function::Year | Function::Quarter | Function::Month | Function::Week => exactly(&[TIME], INTEGER),
        Function::Hour | Function::Minute => exactly(&[TIME], INTEGER),
        Function::IsValidTimestamp => exactly(&[TIME], DataType::Boolean),
        Function::ArrayElement => exactly(&[Text, Int], TEXT),
        Function::JsonGet | Function::JsonGetText => exactly(&[Text, Text], TEXT),
        Function::JsonElement | Function::JsonElementText => exactly(&[Text, Int], TEXT),
        Function::ArrayLength => exactly(&[Text], INTEGER),
        Function::Field => exactly(&[Text, Text], TEXT),
        Function::SetField => exactly(&[Text, Text, Text], TEXT),
        Function::FormatCurrency => exactly(&[Decimal, Int], TEXT),
        Function::FormatTimestamp => exactly(&[TIME, Text], TEXT),
        Function::InetAton => exactly(&[Text], BIGINT),
        Function::InetNtoa => exactly(&[Int], TEXT),
        Function::Inet6Aton => exactly(&[Text], DataType::Varbinary { max: 16 }),
        Function::Inet6Ntoa => exactly(&[Bytes], TEXT),
        Function::RegexpPosition => optional(&[Text, Text, Text], BIGINT),
        Function::Str => Signature { required: 1, ..exactly(&[Decimal, Int, Int], TEXT) },
        Function::TimeWindow => optional(&[Text, Int, TIME, Text], DataType::Timestamp),
        Function::MinValidTimestamp | Function::MaxValidTimestamp => exactly(&[], DataType::Timestamp),
        Function::Concat | Function::Greatest | Function::Least | Function::Mod => {
            unreachable!("{function:?} has no fixed signature")
        }
    }
}
