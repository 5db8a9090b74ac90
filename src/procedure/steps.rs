//! What the loop of `vm` leaves out: checked statements, cursors, calls, handlers, native bodies.

use super::code::{Call, Callee, Checks, Code, Condition, Expectation, Extra, Procedure};
use super::error::Trap;
use super::trace::Tracer;
use super::vm::{Context, Cursor, Outcome, gather, run_traced};
use crate::executor::Answer;
use crate::storage::{Savepoint, Store};
use crate::txn::Status;
use crate::types::{DataType, Datum, Frame, ResultSet, datum_value};

/// Calls that may lie in each other.
const CALLS_MAX: usize = 48;

/// What a call keeps beside its registers.
pub struct Locals {
    pub depth: usize,
    pub(super) cursors: Vec<Cursor>,
    /// Of each store, before the change at hand.
    savepoints: Vec<Savepoint>,
    /// What each handler has caught.
    caught: Vec<Option<Caught>>,
}

struct Caught {
    trap: Trap,
    resume: u32,
}

impl Locals {
    #[inline(always)]
    pub fn new(depth: usize) -> Locals {
        Locals { depth, cursors: Vec::new(), savepoints: Vec::new(), caught: Vec::new() }
    }
}

/// How the loop goes on.
pub enum Step {
    Next,
    Jump(usize),
    Return,
}

/// The handler that goes on after `trap` at instruction `at`, if there is one: the change that failed is undone, and
/// the handler's first instruction is given. Else gives the trap back.
#[cold]
#[inline(never)]
pub fn handle(
    code: &Code,
    at: usize,
    trap: Trap,
    stores: &mut [&mut Store],
    locals: &mut Locals,
) -> Result<usize, Trap> {
    if trap.is_final() {
        return Err(trap);
    }
    let fits = |condition: &Condition| match condition {
        // PostgreSQL's state for it is its own; here it is one of the integrity constraints, 23000.
        Condition::SqlState(state) if state == "23505" => trap.sqlstate() == state || trap.is_unique_violation(),
        Condition::SqlState(state) => state == trap.sqlstate(),
        Condition::NotFound => trap.sqlstate().starts_with("02"),
        Condition::UniqueViolation => trap.is_unique_violation(),
        Condition::SqlException => !trap.sqlstate().starts_with("02"),
    };
    let found = code.handlers.iter().find(|h| h.range.contains(&(at as u32)) && fits(&h.condition));
    let Some(found) = found else { return Err(trap) };
    if code.ops[at].changes() {
        for (store, savepoint) in stores.iter_mut().zip(&locals.savepoints) {
            store.rollback_to(*savepoint);
        }
    }
    let slots = code.handlers.iter().map(|h| h.slot as usize + 1).max().unwrap_or(0);
    locals.caught.resize_with(slots, || None);
    locals.caught[found.slot as usize] = Some(Caught { trap, resume: code.resumes[at] });
    Ok(found.entry as usize)
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the state of the loop, taken apart")]
pub fn run<T: Tracer>(
    extra: &Extra,
    procedure: &Procedure,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    outcome: &mut Outcome,
    locals: &mut Locals,
    tracer: &mut T,
) -> Result<Step, Trap> {
    let (code, env) = (&procedure.code, &cx.env);
    match extra {
        Extra::Savepoint => {
            locals.savepoints.clear();
            locals.savepoints.extend(stores.iter().map(|store| store.savepoint()));
        }
        Extra::Execute { program, answer, check } => {
            let result = code.programs[*program as usize].execute(env, stores, frame)?;
            let rows = match &result {
                Answer::Modified(rows) => *rows as u64,
                Answer::Rows(rows) => rows.rows.len() as u64,
            };
            if T::ON {
                tracer.rows(rows);
            }
            count(check, rows, frame);
            match (&check.expect, &result) {
                (Some(Expectation::Scalar { .. }), Answer::Modified(_)) => {
                    scalar(check, &result.into_result_set(), code, cx, stores, frame)?;
                    if *answer {
                        outcome.results.push(ResultSet::modified(rows as i64));
                    }
                }
                _ => {
                    expect_rows(check, rows)?;
                    if *answer {
                        outcome.results.push(result.into_result_set());
                    }
                }
            }
        }
        Extra::Yield { program, check } => {
            let rows = code.programs[*program as usize].rows(env, stores, frame)?;
            if T::ON {
                tracer.rows(rows.rows.len() as u64);
            }
            count(check, rows.rows.len() as u64, frame);
            expect_rows(check, rows.rows.len() as u64)?;
            scalar(check, &rows, code, cx, stores, frame)?;
            outcome.results.push(rows);
        }
        Extra::Into { program, targets, not_found, check } => {
            let rows = gather(code, *program, env, stores, frame, 1).map_err(|trap| match (trap, &check.expect) {
                (Trap::IntoRows, Some(Expectation::Rows { least, most })) => {
                    Trap::Expectation { expected: rows_wanted(*least, *most), found: "more than one".to_owned() }
                }
                (trap, _) => trap,
            })?;
            if T::ON {
                tracer.rows(rows.len() as u64);
            }
            count(check, rows.len() as u64, frame);
            expect_rows(check, rows.len() as u64)?;
            match rows.is_empty() {
                true if *not_found => return Err(Trap::NotFound),
                true => targets.iter().for_each(|&reg| frame.set(reg, Datum::NULL)),
                false => rows.load(0, 0, targets, frame),
            }
        }
        Extra::Open { cursor, program } => {
            locals.cursors.resize_with(code.cursors, Cursor::default);
            if locals.cursors[*cursor as usize].open {
                return Err(Trap::Cursor { state: "open already" });
            }
            let rows = gather(code, *program, env, stores, frame, usize::MAX)?;
            if T::ON {
                tracer.rows(rows.len() as u64);
            }
            locals.cursors[*cursor as usize] = Cursor { rows, next: 0, open: true };
        }
        Extra::Fetch { cursor, targets, not_found } => {
            let cursor = opened(locals, *cursor)?;
            if cursor.next == cursor.rows.len() {
                return if *not_found { Err(Trap::NotFound) } else { Ok(Step::Next) };
            }
            cursor.rows.load(cursor.next, 0, targets, frame);
            cursor.next += 1;
        }
        Extra::Close { cursor } => *opened(locals, *cursor)? = Cursor::default(),
        Extra::Call(inner) => call(inner, code, cx, stores, frame, outcome, locals, tracer)?,
        Extra::Resume { handler } => {
            let caught = locals.caught[*handler as usize].take();
            return Ok(Step::Jump(caught.expect("its handler ran").resume as usize));
        }
        Extra::Resignal { handler, sqlstate, message } => {
            let caught = locals.caught[*handler as usize].take().expect("its handler runs");
            if sqlstate.is_none() && message.is_none() {
                return Err(caught.trap);
            }
            let sqlstate = sqlstate.clone().unwrap_or_else(|| caught.trap.sqlstate().to_owned());
            let message = match message {
                Some(program) => text(*program, code, cx, stores, frame)?,
                None => caught.trap.to_string(),
            };
            return Err(Trap::Signal { sqlstate, message });
        }
        Extra::Caught { handler, message, dst } => {
            let trap = &locals.caught[*handler as usize].as_ref().expect("its handler runs").trap;
            let text = if *message { trap.to_string() } else { trap.sqlstate().to_owned() };
            let datum = frame.arena.store(text.as_bytes());
            frame.set(*dst, datum);
        }
        Extra::Status { code: value, text: message } => {
            let value = code.programs[*value as usize].evaluate(env, stores, frame)?;
            let message = message.map(|program| text(program, code, cx, stores, frame)).transpose()?;
            let value = if value.is_null() { None } else { Some(value.as_i64() as i8) };
            outcome.status = Some(Box::new(Status { code: value, text: message }));
        }
        Extra::Native(native) => {
            native.run(code, cx, stores, frame, outcome, &procedure.definition.parameters)?;
            return Ok(Step::Return);
        }
    }
    Ok(Step::Next)
}

fn opened(locals: &mut Locals, cursor: u16) -> Result<&mut Cursor, Trap> {
    match locals.cursors.get_mut(cursor as usize) {
        Some(cursor) if cursor.open => Ok(cursor),
        _ => Err(Trap::Cursor { state: "not open" }),
    }
}

fn text(
    program: u32,
    code: &Code,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
) -> Result<String, Trap> {
    let datum = code.programs[program as usize].evaluate(&cx.env, stores, frame)?;
    Ok(datum_value(datum, DataType::TEXT, &frame.arena).to_string())
}

fn count(check: &Checks, rows: u64, frame: &mut Frame) {
    if let Some(reg) = check.row_count {
        frame.set(reg, Datum::int(rows as i64));
    }
}

fn rows_wanted(least: u64, most: Option<u64>) -> String {
    match (least, most) {
        (0, Some(0)) => "no row".to_owned(),
        (1, Some(1)) => "one row".to_owned(),
        (0, Some(1)) => "zero or one row".to_owned(),
        (1, None) => "at least one row".to_owned(),
        (least, None) => format!("at least {least} rows"),
        (0, Some(most)) => format!("at most {most} rows"),
        (least, _) => format!("{least} rows"),
    }
}

fn expect_rows(check: &Checks, rows: u64) -> Result<(), Trap> {
    let Some(Expectation::Rows { least, most }) = check.expect else { return Ok(()) };
    if rows >= least && most.is_none_or(|most| rows <= most) {
        return Ok(());
    }
    Err(Trap::Expectation { expected: rows_wanted(least, most), found: rows.to_string() })
}

fn scalar(
    check: &Checks,
    rows: &ResultSet,
    code: &Code,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
) -> Result<(), Trap> {
    let Some(Expectation::Scalar { value }) = check.expect else { return Ok(()) };
    let breach = |expected: String, found: String| Err(Trap::Expectation { expected, found });
    let [row] = rows.rows.as_slice() else {
        return breach("one row with one value".to_owned(), format!("{} rows", rows.rows.len()));
    };
    let Some(program) = value else { return Ok(()) };
    let datum = code.programs[program as usize].evaluate(&cx.env, stores, frame)?;
    let wanted = datum_value(datum, rows.columns[0].data_type, &frame.arena);
    if row[0] == wanted { Ok(()) } else { breach(wanted.to_string(), row[0].to_string()) }
}

/// Runs another procedure on registers of its own.
#[expect(clippy::too_many_arguments, reason = "the state of the loop, taken apart")]
fn call<T: Tracer>(
    call: &Call,
    code: &Code,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    outcome: &mut Outcome,
    locals: &mut Locals,
    tracer: &mut T,
) -> Result<(), Trap> {
    if locals.depth + 1 >= CALLS_MAX {
        return Err(Trap::TooDeep { depth: CALLS_MAX });
    }
    cx.env.limits.check()?;
    let callee: &Procedure = match &call.callee {
        Callee::Default(procedure) => procedure,
        Callee::Named(name) => match cx.procedures.get(name) {
            Some(procedure) if procedure.definition.parameters.len() == call.arguments.len() => procedure,
            _ => return Err(Trap::CalleeChanged { name: name.clone() }),
        },
    };
    let mut inner = Frame::new(callee.code.registers.max(1));
    for (at, program) in call.arguments.iter().enumerate() {
        let datum = code.programs[*program as usize].evaluate(&cx.env, stores, frame)?;
        let datum = inner.arena.adopt(datum, &frame.arena);
        inner.set(at as u16, datum);
    }
    let mut answer = Outcome::default();
    let done = run_traced(callee, cx, stores, &mut inner, &mut answer, locals.depth + 1, tracer);
    done.map_err(|error| match error.trap {
        // Nobody reads a list of fifty callers.
        trap @ Trap::TooDeep { .. } => trap,
        _ => Trap::Called(error),
    })?;
    outcome.results.append(&mut answer.results);
    if answer.status.is_some() {
        outcome.status = answer.status;
    }
    if let Some(reg) = call.into {
        let datum = frame.arena.adopt(answer.returned, &inner.arena);
        frame.set(reg, datum);
    }
    Ok(())
}
