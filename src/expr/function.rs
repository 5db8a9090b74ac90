//! The registry of scalar functions: name to signature and kernel.

use super::compare::{Family, compare_known};
use super::convert::common_type;
use super::error::EvalError;
use super::kernel::time::{self, Field, Unit};
use super::kernel::{numeric, string};
use super::{arithmetic, expr::Arithmetic};
use crate::types::{Arena, DataType, Datum};

/// A scalar function of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Abs,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    Bin,
    Ceiling,
    Char,
    CharLength,
    Concat,
    Cos,
    Cot,
    Csc,
    DateAdd,
    DateDiff,
    Day,
    DayOfWeek,
    DayOfYear,
    Degrees,
    Exp,
    Extract,
    Floor,
    FromUnixtime,
    Greatest,
    Hex,
    Hour,
    IsValidTimestamp,
    LTrim,
    Least,
    Left,
    Ln,
    Log10,
    Lower,
    MaxValidTimestamp,
    MinValidTimestamp,
    Minute,
    Mod,
    Month,
    OctetLength,
    Overlay,
    Pi,
    Position,
    Power,
    Quarter,
    RTrim,
    Radians,
    Repeat,
    Replace,
    Right,
    Round,
    Sec,
    Second,
    Sign,
    Sin,
    SinceEpoch,
    Space,
    Sqrt,
    Substring,
    Tan,
    ToTimestamp,
    Trim,
    Truncate,
    Upper,
    Week,
    Weekday,
    Year,
}

/// Every name that a function is called by, in lower case and in order; aliases too.
pub const NAMES: [(&str, Function); 78] = [
    ("abs", Function::Abs),
    ("bin", Function::Bin),
    ("bit_shift_left", Function::BitShiftLeft),
    ("bit_shift_right", Function::BitShiftRight),
    ("bitand", Function::BitAnd),
    ("bitnot", Function::BitNot),
    ("bitor", Function::BitOr),
    ("bitxor", Function::BitXor),
    ("ceil", Function::Ceiling),
    ("ceiling", Function::Ceiling),
    ("char", Function::Char),
    ("char_length", Function::CharLength),
    ("character_length", Function::CharLength),
    ("concat", Function::Concat),
    ("cos", Function::Cos),
    ("cot", Function::Cot),
    ("csc", Function::Csc),
    ("dateadd", Function::DateAdd),
    ("datediff", Function::DateDiff),
    ("day", Function::Day),
    ("dayofmonth", Function::Day),
    ("dayofweek", Function::DayOfWeek),
    ("dayofyear", Function::DayOfYear),
    ("degrees", Function::Degrees),
    ("exp", Function::Exp),
    ("extract", Function::Extract),
    ("floor", Function::Floor),
    ("from_unixtime", Function::FromUnixtime),
    ("greatest", Function::Greatest),
    ("hex", Function::Hex),
    ("hour", Function::Hour),
    ("is_valid_timestamp", Function::IsValidTimestamp),
    ("lcase", Function::Lower),
    ("least", Function::Least),
    ("left", Function::Left),
    ("length", Function::CharLength),
    ("ln", Function::Ln),
    ("log", Function::Ln),
    ("log10", Function::Log10),
    ("lower", Function::Lower),
    ("ltrim", Function::LTrim),
    ("max_valid_timestamp", Function::MaxValidTimestamp),
    ("min_valid_timestamp", Function::MinValidTimestamp),
    ("minute", Function::Minute),
    ("mod", Function::Mod),
    ("month", Function::Month),
    ("octet_length", Function::OctetLength),
    ("overlay", Function::Overlay),
    ("pi", Function::Pi),
    ("position", Function::Position),
    ("pow", Function::Power),
    ("power", Function::Power),
    ("quarter", Function::Quarter),
    ("radians", Function::Radians),
    ("repeat", Function::Repeat),
    ("replace", Function::Replace),
    ("right", Function::Right),
    ("round", Function::Round),
    ("rtrim", Function::RTrim),
    ("sec", Function::Sec),
    ("second", Function::Second),
    ("sign", Function::Sign),
    ("sin", Function::Sin),
    ("since_epoch", Function::SinceEpoch),
    ("space", Function::Space),
    ("sqrt", Function::Sqrt),
    ("substr", Function::Substring),
    ("substring", Function::Substring),
    ("tan", Function::Tan),
    ("to_timestamp", Function::ToTimestamp),
    ("trim", Function::Trim),
    ("truncate", Function::Truncate),
    ("ucase", Function::Upper),
    ("upper", Function::Upper),
    ("week", Function::Week),
    ("weekday", Function::Weekday),
    ("weekofyear", Function::Week),
    ("year", Function::Year),
];

/// The function of a name, in any case.
pub fn lookup(name: &str) -> Option<Function> {
    let name = name.to_ascii_lowercase();
    NAMES.binary_search_by(|(known, _)| known.cmp(&name.as_str())).ok().map(|at| NAMES[at].1)
}

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
    /// Any number, in its family: integers as BIGINT.
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
            (Takes::Int | Takes::Number, ty) if ty.is_integer() || ty == DataType::Null => Some(DataType::BigInt),
            (Takes::Number, ty) if number => Some(ty),
            (Takes::Float, ty) if number || ty == DataType::Null => Some(DataType::Float),
            (Takes::Decimal, ty) if number || ty == DataType::Null => Some(DataType::Decimal),
            (Takes::Timestamp, DataType::Timestamp | DataType::Null) => Some(DataType::Timestamp),
            (Takes::Timestamp, ty) if ty.is_integer() || ty.is_text() => Some(DataType::Timestamp),
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
/// every unit here; see [`extract_field`] for the function of one unit.
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
    let Signature { takes, required, gives } = function.signature();
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
    let common = if [a, b].contains(&&DataType::Decimal) { DataType::Decimal } else { DataType::BigInt };
    Ok((vec![common; 2], common))
}

/// The function that EXTRACT of `unit` (upper case) is: it takes the timestamp alone and gives BIGINT, or DECIMAL for SECOND.
pub fn extract_field(unit: &str) -> Option<Function> {
    Some(match Field::parse(unit.as_bytes())? {
        Field::Year => Function::Year,
        Field::Quarter => Function::Quarter,
        Field::Month => Function::Month,
        Field::Day => Function::Day,
        Field::DayOfWeek => Function::DayOfWeek,
        Field::DayOfYear => Function::DayOfYear,
        Field::Weekday => Function::Weekday,
        Field::Week => Function::Week,
        Field::Hour => Function::Hour,
        Field::Minute => Function::Minute,
        Field::Second => Function::Second,
    })
}

impl Function {
    /// Its first name, in upper case.
    pub fn name(self) -> String {
        let preferred = match self {
            Function::CharLength => Some("CHAR_LENGTH"),
            Function::Ceiling => Some("CEILING"),
            Function::Lower => Some("LOWER"),
            Function::Power => Some("POWER"),
            Function::Substring => Some("SUBSTRING"),
            Function::Upper => Some("UPPER"),
            _ => None,
        };
        let first = || NAMES.iter().find(|(_, f)| *f == self).map(|(name, _)| name.to_ascii_uppercase());
        preferred.map(str::to_owned).or_else(first).expect("every function has a name")
    }

    fn signature(self) -> Signature {
        use Takes::{Bytes, Decimal, Float, Int, Number, Text};
        const TIME: Takes = Takes::Timestamp;
        const TEXT: DataType = DataType::TEXT;
        const BIGINT: DataType = DataType::BigInt;
        let exactly = |takes: &'static [Takes], ty| Signature { takes, required: takes.len(), gives: Gives::Type(ty) };
        let same = |takes: &'static [Takes]| Signature { takes, required: takes.len(), gives: Gives::First };
        let optional = |takes: &'static [Takes], ty| Signature { required: takes.len() - 1, ..exactly(takes, ty) };
        match self {
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
            Function::Day | Function::DayOfWeek | Function::DayOfYear | Function::Weekday => exactly(&[TIME], BIGINT),
            Function::Year | Function::Quarter | Function::Month | Function::Week => exactly(&[TIME], BIGINT),
            Function::Hour | Function::Minute => exactly(&[TIME], BIGINT),
            Function::IsValidTimestamp => exactly(&[TIME], DataType::Boolean),
            Function::MinValidTimestamp | Function::MaxValidTimestamp => exactly(&[], DataType::Timestamp),
            Function::Concat | Function::Greatest | Function::Least | Function::Mod => {
                unreachable!("{self:?} has no fixed signature")
            }
        }
    }

    /// The value for `arguments`, cast as [`resolve`] said; their long strings and the result's lie in `arena`. `family` is
    /// that of the first argument.
    ///
    /// NULL if an argument is NULL; GREATEST and LEAST skip NULLs and are NULL only if all are.
    pub fn call(self, family: Family, arguments: &[Datum], arena: &mut Arena) -> Result<Datum, EvalError> {
        if matches!(self, Function::Greatest | Function::Least) {
            return Ok(extreme(self == Function::Greatest, family, arguments, arena));
        }
        if arguments.iter().any(|a| a.null) {
            return Ok(Datum::NULL);
        }
        match *arguments {
            [] => Ok(match self {
                Function::Pi => Datum::float(std::f64::consts::PI),
                Function::MinValidTimestamp => Datum::int(time::MICROS_MIN),
                Function::MaxValidTimestamp => Datum::int(time::MICROS_MAX),
                _ => unreachable!("{self:?} without arguments was bound"),
            }),
            [a] => self.call_one(family, a, arena),
            [a, b] => self.call_two(family, a, b, arena),
            _ => self.call_many(arguments, arena),
        }
    }

    fn call_one(self, family: Family, a: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
        let field = |field| time::extract(field, a.as_i64());
        match self {
            Function::Abs => numeric::abs(family, a),
            Function::Floor => numeric::floor(family, a),
            Function::Ceiling => numeric::ceiling(family, a),
            Function::Sign => Ok(numeric::sign(family, a)),
            Function::Round => numeric::round(a.as_decimal(), 0),
            Function::BitNot => Ok(Datum::int(!a.as_i64())),
            Function::Hex | Function::Bin => Ok(numeric::digits(self == Function::Hex, a.as_i64(), arena)),
            Function::Cos => numeric::float(f64::cos, a),
            Function::Cot => numeric::float(|x| 1.0 / x.tan(), a),
            Function::Csc => numeric::float(|x| 1.0 / x.sin(), a),
            Function::Sec => numeric::float(|x| 1.0 / x.cos(), a),
            Function::Sin => numeric::float(f64::sin, a),
            Function::Tan => numeric::float(f64::tan, a),
            Function::Degrees => numeric::float(f64::to_degrees, a),
            Function::Radians => numeric::float(f64::to_radians, a),
            Function::Exp => numeric::float(f64::exp, a),
            Function::Ln => numeric::float(f64::ln, a),
            Function::Log10 => numeric::float(f64::log10, a),
            Function::Sqrt => numeric::float(f64::sqrt, a),
            Function::Char => string::char(a.as_i64(), arena),
            Function::CharLength => Ok(string::char_length(a, arena)),
            Function::OctetLength => Ok(Datum::int(a.byte_len() as i64)),
            Function::Concat => Ok(a),
            Function::Lower | Function::Upper => string::change_case(self == Function::Upper, a, arena),
            Function::LTrim => string::trim("LTRIM", (true, false), a, None, arena),
            Function::RTrim => string::trim("RTRIM", (false, true), a, None, arena),
            Function::Trim => string::trim("TRIM", (true, true), a, None, arena),
            Function::Space => string::repeat("SPACE", b" ", a.as_i64(), arena),
            Function::Year => field(Field::Year),
            Function::Quarter => field(Field::Quarter),
            Function::Month => field(Field::Month),
            Function::Day => field(Field::Day),
            Function::DayOfWeek => field(Field::DayOfWeek),
            Function::DayOfYear => field(Field::DayOfYear),
            Function::Weekday => field(Field::Weekday),
            Function::Week => field(Field::Week),
            Function::Hour => field(Field::Hour),
            Function::Minute => field(Field::Minute),
            Function::Second => field(Field::Second),
            Function::FromUnixtime => time::to_timestamp("FROM_UNIXTIME", Unit::Second, a.as_i64()).map(Datum::int),
            Function::IsValidTimestamp => Ok(Datum::bool((time::MICROS_MIN..=time::MICROS_MAX).contains(&a.as_i64()))),
            _ => unreachable!("{self:?} of one argument was bound"),
        }
    }

    fn call_two(self, family: Family, a: Datum, b: Datum, arena: &mut Arena) -> Result<Datum, EvalError> {
        let (x, y) = (a.as_i64(), b.as_i64());
        match self {
            Function::Mod => arithmetic::apply(Arithmetic::Modulo, family, a, b),
            Function::Round => numeric::round(a.as_decimal(), y),
            Function::Power => numeric::power(a, b),
            Function::BitAnd => Ok(Datum::int(x & y)),
            Function::BitOr => Ok(Datum::int(x | y)),
            Function::BitXor => Ok(Datum::int(x ^ y)),
            Function::BitShiftLeft | Function::BitShiftRight => numeric::shift(self == Function::BitShiftLeft, x, y),
            Function::Concat => string::concat(&[a, b], arena),
            Function::Left => string::left(a, y, arena),
            Function::Right => string::right(a, y, arena),
            Function::LTrim => string::trim("LTRIM", (true, false), a, Some(b), arena),
            Function::RTrim => string::trim("RTRIM", (false, true), a, Some(b), arena),
            Function::Trim => string::trim("TRIM", (true, true), a, Some(b), arena),
            Function::Position => Ok(string::position(a, b, arena)),
            Function::Repeat => {
                let text = arena.bytes(a, &mut [0; 16]).to_vec();
                string::repeat("REPEAT", &text, y, arena)
            }
            Function::Substring => string::substring(a, y, None, arena),
            Function::Extract => {
                let mut scratch = [0; 16];
                let name = arena.bytes(a, &mut scratch);
                let field = Field::parse(name).ok_or_else(|| time::bad_unit("EXTRACT", name))?;
                let value = time::extract(field, y)?;
                Ok(if field == Field::Second { value } else { decimal_of(value) })
            }
            Function::SinceEpoch => time::since_epoch(unit(self, a, arena)?, y).map(Datum::int),
            Function::ToTimestamp => time::to_timestamp("TO_TIMESTAMP", unit(self, a, arena)?, y).map(Datum::int),
            Function::Truncate => time::truncate(unit(self, a, arena)?, y).map(Datum::int),
            _ => unreachable!("{self:?} of two arguments was bound"),
        }
    }

    fn call_many(self, arguments: &[Datum], arena: &mut Arena) -> Result<Datum, EvalError> {
        match (self, arguments) {
            (Function::Concat, parts) => string::concat(parts, arena),
            (Function::Overlay, &[s, with, start]) => string::overlay(s, with, start.as_i64(), None, arena),
            (Function::Overlay, &[s, with, start, count]) => {
                string::overlay(s, with, start.as_i64(), Some(count.as_i64()), arena)
            }
            (Function::Replace, &[s, from, to]) => string::replace(s, from, to, arena),
            (Function::Substring, &[s, start, count]) => {
                string::substring(s, start.as_i64(), Some(count.as_i64()), arena)
            }
            (Function::DateAdd, &[name, count, ts]) => {
                time::date_add(unit(self, name, arena)?, count.as_i64(), ts.as_i64()).map(Datum::int)
            }
            (Function::DateDiff, &[name, a, b]) => {
                time::date_diff(unit(self, name, arena)?, a.as_i64(), b.as_i64()).map(Datum::int)
            }
            _ => unreachable!("{self:?} of {} arguments was bound", arguments.len()),
        }
    }
}

fn decimal_of(int: Datum) -> Datum {
    Datum::decimal(crate::types::Decimal::from_i64(int.as_i64()))
}

/// The unit that a text names, if the function takes it.
fn unit(function: Function, name: Datum, arena: &Arena) -> Result<Unit, EvalError> {
    let mut scratch = [0; 16];
    let name = arena.bytes(name, &mut scratch);
    let (function, takes): (_, fn(Unit) -> bool) = match function {
        Function::DateAdd => ("DATEADD", |unit| unit != Unit::Week),
        Function::Truncate => ("TRUNCATE", |unit| unit != Unit::Week),
        Function::DateDiff => ("DATEDIFF", |_| true),
        Function::ToTimestamp => ("TO_TIMESTAMP", |unit| matches!(unit, Unit::Second | Unit::Millis | Unit::Micros)),
        _ => ("SINCE_EPOCH", |unit| matches!(unit, Unit::Second | Unit::Millis | Unit::Micros)),
    };
    Unit::parse(name).filter(|unit| takes(*unit)).ok_or_else(|| time::bad_unit(function, name))
}

/// The greatest or least of the arguments that are not NULL.
fn extreme(greatest: bool, family: Family, arguments: &[Datum], arena: &Arena) -> Datum {
    let known = arguments.iter().copied().filter(|a| !a.null);
    let better = |best: Datum, next: Datum| {
        let ordering = compare_known(family, next, best, arena);
        if (greatest && ordering.is_gt()) || (!greatest && ordering.is_lt()) { next } else { best }
    };
    known.reduce(better).unwrap_or(Datum::NULL)
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
