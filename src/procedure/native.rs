//! Procedures whose body is a closure of the embedding program.

use super::code::Code;
use super::error::Trap;
use super::vm::{Context, Outcome};
use crate::catalog::Parameter;
use crate::executor::{Answer, ExecError, Flow, Program};
use crate::expr::convert_value;
use crate::storage::Store;
use crate::txn::Status;
use crate::types::{DataType, Datum, Decimal, Frame, Name, Reg, ResultSet, Timestamp, Value, datum_value};
use std::fmt;
use std::sync::Arc;

type Closure = dyn Fn(&mut Transaction<'_>) -> Result<(), NativeError> + Send + Sync;

/// The closure.
#[derive(Clone)]
pub struct Native(Arc<Closure>);

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Native")
    }
}
impl PartialEq for Native {
    fn eq(&self, other: &Native) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A native procedure before it is registered. Its closure must give the same for the same arguments and data: no clock
/// ([`Transaction::now`] is the transaction's), no randomness, no memory of earlier calls.
#[derive(Clone, Debug)]
pub struct NativeDefinition {
    pub(super) name: Name,
    pub(super) parameters: Vec<Parameter>,
    pub(super) partition: Option<(Name, Name, usize)>,
    pub(super) statements: Vec<String>,
    pub(super) returns: Option<DataType>,
    pub(super) body: Native,
}

impl NativeDefinition {
    pub fn new(
        name: &str,
        body: impl Fn(&mut Transaction<'_>) -> Result<(), NativeError> + Send + Sync + 'static,
    ) -> NativeDefinition {
        NativeDefinition {
            name: Name::new(name),
            parameters: Vec::new(),
            partition: None,
            statements: Vec::new(),
            returns: None,
            body: Native(Arc::new(body)),
        }
    }
    /// One more parameter.
    pub fn parameter(mut self, name: &str, ty: DataType) -> NativeDefinition {
        self.parameters.push(Parameter { name: Name::new(name), ty, default: None });
        self
    }
    /// Single-partition by a parameter (its position, from 0): nothing outside of that partition is seen.
    pub fn partition_on(mut self, table: &str, column: &str, parameter: usize) -> NativeDefinition {
        self.partition = Some((Name::new(table), Name::new(column), parameter));
        self
    }
    /// One more statement, which the closure runs by its number, from 0.
    pub fn statement(mut self, sql: &str) -> NativeDefinition {
        self.statements.push(sql.to_owned());
        self
    }
    /// The type of the value that it returns.
    pub fn returns(mut self, ty: DataType) -> NativeDefinition {
        self.returns = Some(ty);
        self
    }
    pub fn name(&self) -> &Name {
        &self.name
    }
}

/// Why a native procedure gave up: the transaction is rolled back.
#[derive(Debug)]
pub struct NativeError(Box<Trap>);

impl NativeError {
    /// An abort of the procedure's own: five characters of SQLSTATE, and a message for the caller.
    pub fn abort(sqlstate: &str, message: impl Into<String>) -> NativeError {
        NativeError(Box::new(Trap::Native { sqlstate: sqlstate.to_owned(), message: message.into() }))
    }
    pub fn sqlstate(&self) -> &str {
        self.0.sqlstate()
    }
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl std::error::Error for NativeError {}

impl From<ExecError> for NativeError {
    fn from(error: ExecError) -> NativeError {
        NativeError(Box::new(Trap::Statement(error)))
    }
}

/// A value for a `?`, borrowed, so that nothing is allocated for a call.
#[derive(Clone, Copy, Debug)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    Timestamp(Timestamp),
    Text(&'a str),
    Bytes(&'a [u8]),
    Any(&'a Value),
}

macro_rules! param_from {
    ($($from:ty => $variant:ident),*) => {$(
        impl<'a> From<$from> for Param<'a> {
            fn from(v: $from) -> Param<'a> {
                Param::$variant(v.into())
            }
        }
    )*};
}
param_from!(i64 => Int, i32 => Int, f64 => Float, Decimal => Decimal, Timestamp => Timestamp, &'a str => Text,
            &'a [u8] => Bytes, &'a Value => Any);

/// A call of a native procedure at work.
pub struct Transaction<'a> {
    code: &'a Code,
    cx: &'a Context<'a>,
    stores: &'a mut [&'a mut Store],
    frame: &'a mut Frame,
    outcome: &'a mut Outcome,
    types: &'a [Parameter],
    base: usize,
}

impl Native {
    /// `frame` holds the arguments in its first registers.
    pub(super) fn run(
        &self,
        code: &Code,
        cx: &Context<'_>,
        stores: &mut [&mut Store],
        frame: &mut Frame,
        outcome: &mut Outcome,
        types: &[Parameter],
    ) -> Result<(), Trap> {
        // Borrowed anew, so that all have one lifetime.
        let mut stores: Vec<&mut Store> = stores.iter_mut().map(|store| &mut **store).collect();
        let mut transaction = Transaction { code, cx, stores: &mut stores, frame, outcome, types, base: types.len() };
        (self.0)(&mut transaction).map_err(|error| *error.0)
    }
}

impl Transaction<'_> {
    /// The transaction's time: the same on replay.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.cx.env.now)
    }
    /// Argument `at`, from 0.
    pub fn argument(&self, at: usize) -> Value {
        self.frame.value(at as Reg, self.types[at].ty)
    }
    /// Argument `at`, an integer or TIMESTAMP (microseconds); None for NULL.
    pub fn int(&self, at: usize) -> Option<i64> {
        let datum = self.frame.get(at as Reg);
        (!datum.is_null()).then(|| datum.as_i64())
    }

    fn bind(&mut self, statement: usize, parameters: &[Param<'_>]) -> Result<&Program, NativeError> {
        let program = self.code.programs.get(statement).ok_or_else(|| {
            NativeError::abort("42000", format!("there is no statement {statement} in this procedure"))
        })?;
        if program.placeholders.len() != parameters.len() {
            let (wanted, given) = (program.placeholders.len(), parameters.len());
            let message = format!("statement {statement} has {wanted} parameters, {given} values were given");
            return Err(NativeError::abort("07001", message));
        }
        for (at, (parameter, &ty)) in parameters.iter().zip(&program.placeholders).enumerate() {
            let datum = datum_of(*parameter, ty, self.frame)?;
            self.frame.set((self.base + at) as Reg, datum);
        }
        Ok(program)
    }

    /// Runs a query, and hands each row to `row` while it goes on to want more (true).
    pub fn each(
        &mut self,
        statement: usize,
        parameters: &[Param<'_>],
        mut row: impl FnMut(RowView<'_>) -> bool,
    ) -> Result<(), NativeError> {
        self.bind(statement, parameters)?;
        let program = &self.code.programs[statement];
        if !program.is_query() {
            return Err(NativeError::abort("42000", format!("statement {statement} is no query: use execute")));
        }
        program.query(&self.cx.env, self.stores, self.frame, &mut |frame| {
            let more = row(RowView { program, frame });
            Ok(if more { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(())
    }

    /// The first column of a query's first row, an integer: None without a row, or for NULL.
    pub fn query_int(&mut self, statement: usize, parameters: &[Param<'_>]) -> Result<Option<i64>, NativeError> {
        let mut found = None;
        self.each(statement, parameters, |row| {
            found = row.int(0);
            false
        })?;
        Ok(found)
    }

    /// All rows of a query.
    pub fn query(&mut self, statement: usize, parameters: &[Param<'_>]) -> Result<ResultSet, NativeError> {
        self.bind(statement, parameters)?;
        Ok(self.code.programs[statement].execute(&self.cx.env, self.stores, self.frame)?.into_result_set())
    }

    /// Runs a data change; gives how many rows it changed.
    pub fn execute(&mut self, statement: usize, parameters: &[Param<'_>]) -> Result<i64, NativeError> {
        self.bind(statement, parameters)?;
        match self.code.programs[statement].execute(&self.cx.env, self.stores, self.frame)? {
            Answer::Modified(rows) => Ok(rows),
            Answer::Rows(rows) => Ok(rows.rows.len() as i64),
        }
    }

    /// What the call returns: an integer.
    pub fn set_returned(&mut self, value: i64) {
        self.outcome.returned = Datum::int(value);
    }
    /// One more result set of the call.
    pub fn answer(&mut self, rows: ResultSet) {
        self.outcome.results.push(rows);
    }
    pub fn set_status(&mut self, code: i8, text: Option<&str>) {
        self.outcome.status = Some(Box::new(Status { code: Some(code), text: text.map(str::to_owned) }));
    }
}

/// A row at hand.
pub struct RowView<'a> {
    program: &'a Program,
    frame: &'a Frame,
}

impl RowView<'_> {
    /// Column `at` from 0, an integer or TIMESTAMP; None for NULL.
    pub fn int(&self, at: usize) -> Option<i64> {
        let datum = self.frame.get(self.program.output()[at].reg);
        (!datum.is_null()).then(|| datum.as_i64())
    }
    pub fn value(&self, at: usize) -> Value {
        let output = &self.program.output()[at];
        datum_value(self.frame.get(output.reg), output.ty, &self.frame.arena)
    }
}

/// A parameter as a datum of the type that its `?` has.
fn datum_of(parameter: Param<'_>, ty: DataType, frame: &mut Frame) -> Result<Datum, NativeError> {
    let value = match (parameter, ty) {
        (Param::Null, _) => return Ok(Datum::NULL),
        (Param::Int(v), ty) if ty.integer_range().is_some_and(|(min, max)| (min..=max).contains(&v)) => {
            return Ok(Datum::int(v));
        }
        (Param::Int(v), _) => Value::Int(v),
        (Param::Float(v), _) => Value::Float(v),
        (Param::Decimal(v), _) => Value::Decimal(v),
        (Param::Timestamp(v), _) => Value::Timestamp(v),
        (Param::Text(v), _) => Value::Text(v.to_owned()),
        (Param::Bytes(v), _) => Value::Bytes(v.to_vec()),
        (Param::Any(v), _) => v.clone(),
    };
    let converted = convert_value(&value, ty).map_err(ExecError::from)?;
    Ok(frame.datum(&converted))
}
