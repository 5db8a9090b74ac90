//! The registry of scalar functions: name to signature and kernel.

use super::compare::{Family, compare_known};
use super::convert::text_of;
use super::error::EvalError;
use super::kernel::time::{self, Field, Unit};
use super::kernel::{format, json, network, numeric, string};
use super::{arithmetic, expr::Arithmetic};
use crate::types::{Arena, BYTES_MAX, Datum};

pub use super::signature::resolve;

/// A scalar function of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Abs,
    ArrayElement,
    ArrayLength,
    Bin,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
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
    Field,
    Floor,
    FormatCurrency,
    FormatTimestamp,
    FromUnixtime,
    Greatest,
    Hex,
    Hour,
    Inet6Aton,
    Inet6Ntoa,
    InetAton,
    InetNtoa,
    IsValidTimestamp,
    JsonElement,
    JsonElementText,
    JsonGet,
    JsonGetText,
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
    RegexpPosition,
    Repeat,
    /// `operand IN array`, which has no name of its own.
    InArray,
    Replace,
    Right,
    Round,
    Sec,
    Second,
    SetField,
    Sign,
    Sin,
    SinceEpoch,
    Space,
    Sqrt,
    Str,
    Substring,
    Tan,
    TimeWindow,
    ToTimestamp,
    Trim,
    Truncate,
    Upper,
    Week,
    Weekday,
    Year,
}

/// Every name that a function is called by, in lower case and in order; aliases too.
pub const NAMES: [(&str, Function); 95] = [
    ("abs", Function::Abs),
    ("array_element", Function::ArrayElement),
    ("array_length", Function::ArrayLength),
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
    ("field", Function::Field),
    ("floor", Function::Floor),
    ("format_currency", Function::FormatCurrency),
    ("format_timestamp", Function::FormatTimestamp),
    ("from_unixtime", Function::FromUnixtime),
    ("greatest", Function::Greatest),
    ("hex", Function::Hex),
    ("hour", Function::Hour),
    ("inet6_aton", Function::Inet6Aton),
    ("inet6_ntoa", Function::Inet6Ntoa),
    ("inet_aton", Function::InetAton),
    ("inet_ntoa", Function::InetNtoa),
    ("is_valid_timestamp", Function::IsValidTimestamp),
    ("json_element", Function::JsonElement),
    ("json_element_text", Function::JsonElementText),
    ("json_get", Function::JsonGet),
    ("json_get_text", Function::JsonGetText),
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
    ("regexp_position", Function::RegexpPosition),
    ("repeat", Function::Repeat),
    ("replace", Function::Replace),
    ("right", Function::Right),
    ("round", Function::Round),
    ("rtrim", Function::RTrim),
    ("sec", Function::Sec),
    ("second", Function::Second),
    ("set_field", Function::SetField),
    ("sign", Function::Sign),
    ("sin", Function::Sin),
    ("since_epoch", Function::SinceEpoch),
    ("space", Function::Space),
    ("sqrt", Function::Sqrt),
    ("str", Function::Str),
    ("substr", Function::Substring),
    ("substring", Function::Substring),
    ("tan", Function::Tan),
    ("time_window", Function::TimeWindow),
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
    /// NULL if an argument is NULL (but FORMAT_TIMESTAMP takes a zone of NULL for UTC, and a path of NULL in a document is an
    /// error); GREATEST and LEAST skip NULLs and are NULL only if all are.
    pub fn call(self, family: Family, arguments: &[Datum], arena: &mut Arena) -> Result<Datum, EvalError> {
        if matches!(self, Function::Greatest | Function::Least) {
            return Ok(extreme(self == Function::Greatest, family, arguments, arena));
        }
        if let Some(null) = arguments.iter().position(|a| a.is_null()) {
            return match (self, null) {
                (Function::FormatTimestamp, 1) => time::format(arguments[0].as_i64(), "UTC", arena),
                (Function::Field | Function::SetField, at) if at > 0 => {
                    let (function, what) = (if self == Function::Field { "FIELD" } else { "SET_FIELD" }, "path");
                    let what = if at == 1 { what } else { "value" };
                    Err(EvalError::BadArgument { function, problem: format!("the {what} must not be NULL") })
                }
                _ => Ok(Datum::NULL),
            };
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
            Function::InetAton => network::aton(a, arena),
            Function::InetNtoa => network::ntoa(a.as_i64(), arena),
            Function::Inet6Aton => network::aton6(a, arena),
            Function::Inet6Ntoa => network::ntoa6(a, arena),
            Function::ArrayLength => Ok(match document("ARRAY_LENGTH", a, arena)? {
                json::Json::Array(elements) => Datum::int(elements.len() as i64),
                _ => Datum::NULL,
            }),
            Function::Str => format::str(a.as_decimal(), 10, 0, arena),
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
            Function::InArray => Ok(crate::types::array::contains(a, b, family == Family::Bytes, arena)),
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
            Function::RegexpPosition => format::regexp_position(a, b, None, arena),
            Function::FormatCurrency => format::currency(a.as_decimal(), y, arena),
            Function::Str => format::str(a.as_decimal(), y, 0, arena),
            Function::FormatTimestamp => {
                let zone = text_of(arena.bytes(b, &mut [0; 16])).to_owned();
                time::format(x, &zone, arena)
            }
            Function::Field => {
                let path = json::parse_path("FIELD", text_of(arena.bytes(b, &mut [0; 16])))?;
                let found = document("FIELD", a, arena)?.at(&path).and_then(json::Json::field_text);
                stored_text("FIELD", found, arena)
            }
            Function::ArrayElement => {
                // No index from the end here.
                let found = if y < 0 { None } else { element("ARRAY_ELEMENT", a, y, arena)? };
                stored_text("ARRAY_ELEMENT", found.and_then(|value| value.field_text()), arena)
            }
            Function::JsonGet | Function::JsonGetText => {
                let key = text_of(arena.bytes(b, &mut [0; 16])).to_owned();
                let found = document("->", a, arena)?.at(&[json::Step::Key(key)]).cloned();
                json_text(self == Function::JsonGetText, found, arena)
            }
            Function::JsonElement | Function::JsonElementText => {
                let found = element("->", a, y, arena)?;
                json_text(self == Function::JsonElementText, found, arena)
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
            (Function::RegexpPosition, &[s, pattern, flags]) => format::regexp_position(s, pattern, Some(flags), arena),
            (Function::Str, &[x, width, places]) => format::str(x.as_decimal(), width.as_i64(), places.as_i64(), arena),
            (Function::SetField, &[s, path, value]) => {
                let path = json::parse_path("SET_FIELD", text_of(arena.bytes(path, &mut [0; 16])))?;
                let value = document("SET_FIELD", value, arena)?;
                let mut json = document("SET_FIELD", s, arena)?;
                json.set(&path, value)?;
                stored_text("SET_FIELD", Some(json.compact()), arena)
            }
            (Function::TimeWindow, &[name, count, ts]) => {
                time::window(unit(self, name, arena)?, count.as_i64(), ts.as_i64(), false).map(Datum::int)
            }
            (Function::TimeWindow, &[name, count, ts, side]) => {
                let mut scratch = [0; 16];
                let end = match arena.bytes(side, &mut scratch) {
                    b"START" => false,
                    b"END" => true,
                    other => return Err(time::bad_unit("TIME_WINDOW", other)),
                };
                time::window(unit(self, name, arena)?, count.as_i64(), ts.as_i64(), end).map(Datum::int)
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

fn document(function: &'static str, s: Datum, arena: &Arena) -> Result<json::Json, EvalError> {
    let mut scratch = [0; 16];
    json::parse(function, text_of(arena.bytes(s, &mut scratch)))
}

/// An element of a document that is an array; negative numbers count from the end.
fn element(function: &'static str, s: Datum, at: i64, arena: &Arena) -> Result<Option<json::Json>, EvalError> {
    let json::Json::Array(mut elements) = document(function, s, arena)? else { return Ok(None) };
    let at = if at < 0 { at + elements.len() as i64 } else { at };
    let at = usize::try_from(at).ok().filter(|at| *at < elements.len());
    Ok(at.map(|at| elements.swap_remove(at)))
}

/// What `->` gives, or, as plain text, `->>`.
fn json_text(plain: bool, found: Option<json::Json>, arena: &mut Arena) -> Result<Datum, EvalError> {
    stored_text("->", found.and_then(|v| if plain { v.field_text() } else { Some(v.compact()) }), arena)
}

fn stored_text(function: &'static str, text: Option<String>, arena: &mut Arena) -> Result<Datum, EvalError> {
    match text {
        None => Ok(Datum::NULL),
        Some(text) if text.len() > BYTES_MAX as usize => {
            Err(EvalError::BadLength { function, problem: "the result is longer than 1048576 bytes" })
        }
        Some(text) => Ok(arena.store(text.as_bytes())),
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
        Function::TimeWindow => ("TIME_WINDOW", |unit| unit != Unit::Micros),
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
