//! The registry of scalar functions: name to signature and kernel.

use super::compare::{Family, compare_known};
use super::error::EvalError;
use super::kernel::time::{self, Field, Unit};
use super::kernel::{numeric, string};
use super::{arithmetic, expr::Arithmetic};
use crate::types::{Arena, Datum};

pub use super::signature::resolve;

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

    /// The value for `arguments`, cast as [`resolve`] said; their long strings and the result's lie in `arena`. `family` is
    /// that of the first argument.
    ///
    /// NULL if an argument is NULL; GREATEST and LEAST skip NULLs and are NULL only if all are.
    pub fn call(self, family: Family, arguments: &[Datum], arena: &mut Arena) -> Result<Datum, EvalError> {
        if matches!(self, Function::Greatest | Function::Least) {
            return Ok(extreme(self == Function::Greatest, family, arguments, arena));
        }
        if arguments.iter().any(|a| a.is_null()) {
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
    let known = arguments.iter().copied().filter(|a| !a.is_null());
    let better = |best: Datum, next: Datum| {
        let ordering = compare_known(family, next, best, arena);
        if (greatest && ordering.is_gt()) || (!greatest && ordering.is_lt()) { next } else { best }
    };
    known.reduce(better).unwrap_or(Datum::NULL)
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
