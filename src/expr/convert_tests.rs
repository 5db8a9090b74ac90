use super::*;
use crate::types::datum_value;

fn cast(value: Value, from: DataType, to: DataType) -> Result<Value, EvalError> {
    let mut frame = crate::types::Frame::new(0);
    let datum = frame.datum(&value);
    cast_datum(datum, from, to, &mut frame.arena).map(|datum| datum_value(datum, to, &frame.arena))
}

fn text(text: &str, to: DataType) -> Result<Value, EvalError> {
    cast(text.into(), DataType::TEXT, to)
}

fn d(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

#[test]
fn numbers_cast_by_truncation_within_the_range_of_the_target() {
    use DataType::*;
    assert_eq!(cast(Value::Float(-2.9), Float, Integer), Ok(Value::Int(-2)));
    assert_eq!(cast(d("127.9"), Decimal, TinyInt), Ok(Value::Int(127)));
    assert_eq!(cast(Value::Int(128), BigInt, TinyInt), Err(EvalError::Overflow { ty: TinyInt }));
    assert_eq!(cast(Value::Float(9.3e18), Float, BigInt), Err(EvalError::Overflow { ty: BigInt }));
    assert_eq!(cast(Value::Float(i64::MIN as f64), Float, BigInt), Ok(Value::Int(i64::MIN)));
    assert_eq!(cast(Value::Int(7), Integer, Decimal), Ok(d("7")));
    assert_eq!(cast(Value::Float(0.1), Float, Decimal), Ok(d("0.1")));
    assert_eq!(cast(Value::Float(1e30), Float, Decimal).unwrap_err().sqlstate(), "22003");
    assert_eq!(cast(Value::Null, Float, TinyInt), Ok(Value::Null));
    assert_eq!(cast(Value::Int(1), BigInt, Timestamp), Ok(Value::Timestamp(crate::types::Timestamp::from_micros(1))));
}

#[test]
fn text_is_read_or_refused() {
    assert_eq!(text(" -12 ", DataType::Integer), Ok(Value::Int(-12)));
    assert_eq!(text("1e3", DataType::Float), Ok(Value::Float(1000.0)));
    assert_eq!(text("1.25", DataType::Decimal), Ok(d("1.25")));
    assert_eq!(text("TRUE", DataType::Boolean), Ok(Value::Bool(true)));
    assert_eq!(text("0aFF", DataType::Varbinary { max: 2 }), Ok(Value::Bytes(vec![10, 255])));
    assert_eq!(
        text("1970-01-01 00:00:01", DataType::Timestamp),
        Ok(Value::Timestamp(Timestamp::from_micros(1_000_000)))
    );
    for (written, to, state) in [
        ("", DataType::BigInt, "22018"),
        ("12a", DataType::BigInt, "22018"),
        ("40000", DataType::SmallInt, "22003"),
        ("99999999999999999999", DataType::BigInt, "22003"),
        (&"9".repeat(60), DataType::BigInt, "22003"),
        ("inf", DataType::Float, "22018"),
        ("NaN", DataType::Float, "22018"),
        ("1e999", DataType::Float, "22003"),
        ("1e3", DataType::Decimal, "22018"),
        (&"9".repeat(27), DataType::Decimal, "22003"),
        ("1970-02-30", DataType::Timestamp, "22018"),
        ("maybe", DataType::Boolean, "22018"),
        ("abc", DataType::Varbinary { max: 9 }, "22018"),
        ("aabb", DataType::Varbinary { max: 1 }, "22026"),
    ] {
        assert_eq!(text(written, to).unwrap_err().sqlstate(), state, "{written} to {to}");
    }
}

#[test]
fn text_of_any_number_becomes_an_integer_by_its_whole_part() {
    for (written, whole) in
        [("12.7", 12), ("-3.99", -3), ("1e3", 1000), (" 15 ", 15), ("9223372036854775807.5", i64::MAX)]
    {
        assert_eq!(cast(written.into(), DataType::TEXT, DataType::BigInt), Ok(Value::Int(whole)), "{written}");
    }
    assert_eq!(cast("1e30".into(), DataType::TEXT, DataType::BigInt).unwrap_err().sqlstate(), "22003");
}

#[test]
fn floats_become_text_with_an_exponent() {
    for (v, text) in [
        (2.75, "2.75E0"),
        (1e20, "1.0E20"),
        (-0.5, "-5.0E-1"),
        (1e-7, "1.0E-7"),
        (0.0, "0E0"),
        (123456789.125, "1.23456789125E8"),
    ] {
        assert_eq!(cast(Value::Float(v), DataType::Float, DataType::TEXT), Ok(text.into()));
    }
}

#[test]
fn values_cast_to_text_and_are_never_cut() {
    let max = |max| DataType::Varchar { max, bytes: false };
    assert_eq!(cast(Value::Int(-5), DataType::Integer, max(2)), Ok("-5".into()));
    assert_eq!(cast(d("1.5"), DataType::Decimal, DataType::TEXT), Ok("1.500000000000".into()));
    assert_eq!(cast(Value::Bytes(vec![1, 0xab]), DataType::Varbinary { max: 9 }, DataType::TEXT), Ok("01AB".into()));
    assert_eq!(
        cast(Value::Timestamp(Timestamp::from_micros(1)), DataType::Timestamp, DataType::TEXT),
        Ok("1970-01-01 00:00:00.000001".into())
    );
    assert_eq!(cast(Value::Bool(true), DataType::Boolean, DataType::TEXT), Ok("true".into()));
    assert_eq!(text("äöü", max(3)), Ok("äöü".into()));
    assert_eq!(text("äöü", max(2)), Err(EvalError::TooLong { len: 3, ty: max(2) }));
    let bytes = DataType::Varchar { max: 3, bytes: true };
    assert_eq!(text("äöü", bytes), Err(EvalError::TooLong { len: 6, ty: bytes }));
}

#[test]
fn client_values_convert_by_the_rules_of_parameters() {
    use DataType::*;
    for (value, to, converted) in [
        (Value::Null, TinyInt, Value::Null),
        ("\\N".into(), Integer, Value::Null),
        (Value::Int(-128), TinyInt, Value::Int(-128)),
        (" 1,234 ".into(), Integer, Value::Int(1234)),
        ("X'ff'".into(), BigInt, Value::Int(255)),
        (d("12"), Integer, Value::Int(12)),
        (Value::Int(3), Float, Value::Float(3.0)),
        (Value::Int(3), Decimal, d("3")),
        (Value::Float(2.5), Decimal, d("2.5")),
        ("1,000.5".into(), Decimal, d("1000.5")),
        ("1e3".into(), Decimal, d("1000")),
        ("-12.5E-3".into(), Decimal, d("-0.0125")),
        ("1.25e1".into(), Decimal, d("12.5")),
        ("1000000".into(), Timestamp, Value::Timestamp(crate::types::Timestamp::from_micros(1_000_000))),
        ("1970-01-01".into(), Timestamp, Value::Timestamp(crate::types::Timestamp::from_micros(0))),
        (Value::Int(5), Timestamp, Value::Timestamp(crate::types::Timestamp::from_micros(5))),
        (Value::Int(5), DataType::TEXT, "5".into()),
        (Value::Bytes(b"hi".to_vec()), DataType::TEXT, "hi".into()),
        ("x'0aff'".into(), Varbinary { max: 9 }, Value::Bytes(vec![10, 255])),
        (Value::Int(1), Boolean, Value::Bool(true)),
    ] {
        assert_eq!(convert_value(&value, to), Ok(converted), "{value:?} to {to}");
    }
    for (value, to) in [
        (Value::Float(1.0), Integer),
        (Value::Timestamp(crate::types::Timestamp::from_micros(1)), BigInt),
        (d("1.5"), DataType::TEXT),
        (Value::Array(vec!["a".into()]), DataType::TEXT),
        ("1e".into(), Decimal),
        ("e1".into(), Decimal),
        ("1e27".into(), Decimal),
        (d("1.5"), Integer),
        ("12x".into(), Integer),
        ("".into(), Float),
        (Value::Float(1e30), Decimal),
        (Value::Bytes(vec![0xff]), DataType::TEXT),
        ("tomorrow".into(), Timestamp),
        (Value::Bool(true), Float),
        (Value::Int(2), Boolean),
    ] {
        let error = convert_value(&value, to).unwrap_err();
        assert!(matches!(error, EvalError::Conversion { .. }), "{value:?} to {to}: {error}");
    }
    assert_eq!(
        convert_value(&Value::Int(300), TinyInt).unwrap_err().to_string(),
        "value 300 of type BIGINT is not a match or out of range for type TINYINT"
    );
    for value in [Value::Int(128), "1,234".into(), d("128")] {
        assert_eq!(convert_value(&value, TinyInt).unwrap_err().sqlstate(), "22003", "{value:?}");
    }
    assert_eq!(convert_value(&"abc".into(), Varchar { max: 2, bytes: false }).unwrap_err().sqlstate(), "22026");
}

#[test]
fn operands_meet_in_the_wider_type_or_not_at_all() {
    use DataType::*;
    let text = |max, bytes| Varchar { max, bytes };
    for (a, b, common) in [
        (TinyInt, BigInt, Some(BigInt)),
        (Integer, Decimal, Some(Decimal)),
        (Decimal, Float, Some(Float)),
        (Null, Boolean, Some(Boolean)),
        (text(5, false), text(9, false), Some(text(9, false))),
        (text(5, false), text(9, true), Some(text(20, true))),
        (Varbinary { max: 1 }, Varbinary { max: 2 }, Some(Varbinary { max: 2 })),
        (text(5, false), Integer, None),
        (text(5, false), Varbinary { max: 2 }, None),
        (Boolean, Integer, None),
        (Timestamp, Integer, None),
        (Timestamp, Decimal, None),
    ] {
        assert_eq!((common_type(a, b), common_type(b, a)), (common, common), "{a} and {b}");
        assert_eq!(comparable(a, b), common.is_some());
    }
}
