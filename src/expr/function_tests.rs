use super::*;
use crate::types::{DataType, Frame, Value, datum_value};

/// Calls a function by name, through its signature, with arguments cast as it asks.
fn call(name: &str, arguments: &[(Value, DataType)]) -> Result<Value, String> {
    let function = lookup(name).ok_or("no such function")?;
    let types: Vec<DataType> = arguments.iter().map(|(_, ty)| *ty).collect();
    let (casts, result) = resolve(function, &types)?;
    let mut frame = Frame::new(0);
    let mut datums = Vec::new();
    for ((value, from), to) in arguments.iter().zip(&casts) {
        let datum = frame.datum(value);
        datums.push(crate::expr::cast_datum(datum, *from, *to, &mut frame.arena).map_err(|e| e.sqlstate().to_owned())?);
    }
    let family = casts.first().map_or(Family::Int, |ty| Family::of(*ty));
    let datum = function.call(family, &datums, &mut frame.arena).map_err(|e| e.sqlstate().to_owned())?;
    Ok(datum_value(datum, result, &frame.arena))
}

fn i(v: i64) -> (Value, DataType) {
    (Value::Int(v), DataType::Integer)
}

fn s(v: &str) -> (Value, DataType) {
    (v.into(), DataType::Varchar { max: 100, bytes: false })
}

fn d(v: &str) -> (Value, DataType) {
    (Value::Decimal(v.parse().unwrap()), DataType::Decimal)
}

/// The start of 1970.
fn t0() -> (Value, DataType) {
    (Value::Timestamp(crate::types::Timestamp::from_micros(0)), DataType::Timestamp)
}

fn null() -> (Value, DataType) {
    (Value::Null, DataType::Null)
}

#[test]
fn names_are_sorted_and_found_in_any_case() {
    assert!(NAMES.windows(2).all(|w| w[0].0 < w[1].0));
    for (name, function) in NAMES {
        assert_eq!(lookup(name), Some(function));
    }
    assert_eq!(lookup("SubString"), Some(Function::Substring));
    assert_eq!(lookup("nothing"), None);
    assert_eq!(Function::CharLength.name(), "CHAR_LENGTH");
    assert_eq!(Function::Upper.name(), "UPPER");
}

#[test]
fn calls_give_values_of_the_resolved_type() {
    let t = |v: &str| (Value::Timestamp(v.parse().unwrap()), DataType::Timestamp);
    for (name, arguments, expected) in [
        ("length", vec![s("grün")], Value::Int(4)),
        ("octet_length", vec![s("grün")], Value::Int(5)),
        ("concat", vec![s("a"), i(1), s("")], "a1".into()),
        ("concat", vec![s(""), s("")], "".into()),
        ("left", vec![s("abc"), i(2)], "ab".into()),
        ("right", vec![s("abc"), i(2)], "bc".into()),
        ("upper", vec![s("grün")], "GRÜN".into()),
        ("ltrim", vec![s("xxa"), s("x")], "a".into()),
        ("overlay", vec![s("abcd"), s("XY"), i(2)], "aXYd".into()),
        ("overlay", vec![s("abcd"), s("XY"), i(2), i(0)], "aXYbcd".into()),
        ("position", vec![s("c"), s("abc")], Value::Int(3)),
        ("repeat", vec![s("ab"), i(2)], "abab".into()),
        ("space", vec![i(2)], "  ".into()),
        ("substr", vec![s("abcd"), i(2)], "bcd".into()),
        ("substring", vec![s("abcd"), i(2), i(2)], "bc".into()),
        ("char", vec![i(65)], "A".into()),
        ("abs", vec![i(-3)], Value::Int(3)),
        ("floor", vec![d("-1.5")], d("-2").0),
        ("ceil", vec![i(4)], Value::Int(4)),
        ("round", vec![d("1.255"), i(2)], d("1.26").0),
        ("round", vec![i(15), i(-1)], d("20").0),
        ("mod", vec![i(-7), i(3)], Value::Int(-1)),
        ("mod", vec![d("7.5"), i(2)], d("1.5").0),
        ("sqrt", vec![i(16)], Value::Float(4.0)),
        ("power", vec![i(2), d("0.5")], Value::Float(2f64.powf(0.5))),
        ("pi", vec![], Value::Float(std::f64::consts::PI)),
        ("sign", vec![d("-2")], Value::Int(-1)),
        ("greatest", vec![i(1), null(), d("2.5")], d("2.5").0),
        ("least", vec![s("b"), s("a"), null()], "a".into()),
        ("greatest", vec![null(), null()], Value::Null),
        ("bitand", vec![i(12), i(10)], Value::Int(8)),
        ("hex", vec![i(255)], "FF".into()),
        ("extract", vec![s("SECOND"), t("2026-01-01 00:00:01.5")], d("1.5").0),
        ("extract", vec![s("YEAR"), t("2026-01-01")], d("2026").0),
        ("year", vec![t("2026-01-01")], Value::Int(2026)),
        ("second", vec![t("2026-01-01 00:00:01.5")], d("1.5").0),
        ("dateadd", vec![s("DAY"), i(1), t("2026-01-31")], t("2026-02-01").0),
        ("datediff", vec![s("DAY"), t("2026-01-31"), s("2026-02-02")], Value::Int(2)),
        ("truncate", vec![s("MONTH"), t("2026-01-31 10:00:00")], t("2026-01-01").0),
        ("since_epoch", vec![s("MILLISECOND"), t("1970-01-01 00:00:01")], Value::Int(1000)),
        ("to_timestamp", vec![s("SECOND"), i(1)], t("1970-01-01 00:00:01").0),
        ("from_unixtime", vec![i(1)], t("1970-01-01 00:00:01").0),
        ("is_valid_timestamp", vec![t("2026-01-01")], Value::Bool(true)),
        ("time_window", vec![s("HOUR"), i(6), t("2026-01-01 07:30:00")], t("2026-01-01 06:00:00").0),
        ("time_window", vec![s("HOUR"), i(6), t("2026-01-01 07:30:00"), s("END")], t("2026-01-01 12:00:00").0),
        ("format_timestamp", vec![t("2026-01-01 23:00:00"), s("+05:30")], "2026-01-02 04:30:00.000000".into()),
        ("format_timestamp", vec![t("2026-01-01"), null()], "2026-01-01 00:00:00.000000".into()),
        ("format_currency", vec![d("1234.5"), i(2)], "1,234.50".into()),
        ("str", vec![d("12.345"), i(8), i(1)], "12.3".into()),
        ("regexp_position", vec![s("abc"), s("B"), s("i")], Value::Int(2)),
        ("inet_ntoa", vec![i(167_838_211)], "10.1.2.3".into()),
        ("field", vec![s("{\"a\":{\"b\":[7]}}"), s("a.b[0]")], "7".into()),
        ("field", vec![null(), s("a")], Value::Null),
        ("array_element", vec![s("[1,\"x\"]"), i(1)], "x".into()),
        ("array_element", vec![s("[1]"), i(-1)], Value::Null),
        ("array_length", vec![s("[1,[2,3]]")], Value::Int(2)),
        ("array_length", vec![s("{}")], Value::Null),
        ("set_field", vec![s("{\"a\":1}"), s("b"), s("[2]")], "{\"a\":1,\"b\":[2]}".into()),
        ("json_get", vec![s("{\"a\":\"x\"}"), s("a")], "\"x\"".into()),
        ("json_get_text", vec![s("{\"a\":\"x\"}"), s("a")], "x".into()),
        ("json_element", vec![s("[1,[2]]"), i(-1)], "[2]".into()),
        ("upper", vec![null()], Value::Null),
        ("concat", vec![s("a"), null()], Value::Null),
    ] {
        assert_eq!(call(name, &arguments), Ok(expected), "{name} {arguments:?}");
    }
}

#[test]
fn wrong_calls_say_what_is_taken() {
    for (name, arguments, problem) in [
        ("length", vec![i(1)], "argument 1 of CHAR_LENGTH must be VARCHAR, not INTEGER"),
        ("abs", vec![], "ABS takes 1 argument, not 0"),
        ("substring", vec![s("a")], "SUBSTRING takes 2 to 3 arguments, not 1"),
        ("left", vec![s("a"), s("b")], "argument 2 of LEFT must be an integer, not VARCHAR(100)"),
        (
            "mod",
            vec![i(1), (Value::Float(1.0), DataType::Float)],
            "MOD takes integers or DECIMAL, not INTEGER and FLOAT",
        ),
        ("greatest", vec![i(1), s("a")], "GREATEST cannot compare INTEGER and VARCHAR(100)"),
    ] {
        assert_eq!(call(name, &arguments), Err(problem.to_owned()));
    }
    for (name, arguments, state) in [
        ("mod", vec![i(1), i(0)], "22012"),
        ("extract", vec![s("AGE"), t0()], "22023"),
        ("dateadd", vec![s("WEEK"), i(1), t0()], "22023"),
        ("time_window", vec![s("MICROS"), i(1), t0()], "22023"),
        ("time_window", vec![s("DAY"), i(1), t0(), s("MIDDLE")], "22023"),
        ("field", vec![s("{}"), null()], "22023"),
        ("set_field", vec![s("{}"), s("a"), null()], "22023"),
        ("since_epoch", vec![s("DAY"), t0()], "22023"),
        ("datediff", vec![s("DAY"), s("yesterday"), t0()], "22018"),
    ] {
        assert_eq!(call(name, &arguments), Err(state.to_owned()));
    }
}

#[test]
fn a_unit_names_its_function() {
    assert_eq!(extract_field("DAY_OF_WEEK"), Some(Function::DayOfWeek));
    assert_eq!(extract_field("FORTNIGHT"), None);
}
