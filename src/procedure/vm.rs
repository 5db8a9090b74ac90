//! Runs code: one call of a procedure, inside a transaction that somebody else began.

use super::code::{Code, Op, Procedure};
use super::error::{ProcedureError, Trap};
use super::steps::{self, Locals, Step};
use super::trace::{NoTracer, Tracer};
use crate::executor::{Answer, Environment, ExecError, Flow, RowBuffer};
use crate::storage::Store;
use crate::txn::Status;
use crate::types::{DataType, Datum, Frame, Name, ResultSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The procedures of one schema version.
pub type Procedures = BTreeMap<Name, Arc<Procedure>>;

/// What a call runs in.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub env: Environment<'a>,
    /// Those that it may call.
    pub procedures: &'a Procedures,
}

/// What a call gave.
#[derive(Debug)]
pub struct Outcome {
    /// The value of RETURN, of the declared type, or NULL; long bytes are in the frame's arena.
    pub returned: Datum,
    /// What bare queries in the body gave, in order.
    pub results: Vec<ResultSet>,
    /// SET STATUS.
    pub status: Option<Box<Status>>,
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome { returned: Datum::NULL, results: Vec::new(), status: None }
    }
}

/// Jumps backwards between two looks at the limits.
const TICKS: u32 = 1024;

/// A FOR loop or cursor at work.
#[derive(Default)]
pub(super) struct Cursor {
    pub rows: RowBuffer,
    pub next: usize,
    /// OPEN was said, and CLOSE not yet.
    pub open: bool,
}

/// Runs a call to its end and leaves what it gives in `outcome`, which is empty. The parameters are in the first registers of `frame`, which has [`Code::registers`] of them.
#[inline]
pub fn run(
    procedure: &Procedure,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    outcome: &mut Outcome,
) -> Result<(), Box<ProcedureError>> {
    run_traced(procedure, cx, stores, frame, outcome, 0, &mut NoTracer)
}

/// As [`run`], telling `tracer` of each instruction; `depth` calls are around this one.
#[inline]
pub fn run_traced<T: Tracer>(
    procedure: &Procedure,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    outcome: &mut Outcome,
    depth: usize,
    tracer: &mut T,
) -> Result<(), Box<ProcedureError>> {
    let mut at = 0;
    let mut locals = Locals::new(depth);
    loop {
        match run_code(procedure, cx, stores, frame, &mut at, outcome, &mut locals, tracer) {
            Ok(()) => return Ok(()),
            Err(trap) if procedure.code.handlers.is_empty() => return Err(locate(procedure, at, trap)),
            Err(trap) => match steps::handle(&procedure.code, at, trap, stores, &mut locals) {
                Ok(entry) => at = entry,
                Err(trap) => return Err(locate(procedure, at, trap)),
            },
        }
    }
}

#[cold]
#[inline(never)]
fn locate(procedure: &Procedure, at: usize, trap: Trap) -> Box<ProcedureError> {
    let text = &procedure.definition.text;
    let start = procedure.code.spans[at].start.min(text.len());
    let line = 1 + text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count();
    Box::new(ProcedureError { procedure: procedure.definition.name.clone(), line, trap })
}

#[inline]
#[expect(clippy::too_many_arguments, reason = "the hot loop takes its state apart")]
fn run_code<T: Tracer>(
    procedure: &Procedure,
    cx: &Context<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    at: &mut usize,
    outcome: &mut Outcome,
    locals: &mut Locals,
    tracer: &mut T,
) -> Result<(), Trap> {
    let (code, env) = (&procedure.code, &cx.env);
    let mut ticks = TICKS;
    loop {
        if T::ON {
            tracer.before(procedure, *at, locals.depth);
        }
        match &code.ops[*at] {
            Op::Set { dst, program } => {
                let datum = code.programs[*program as usize].evaluate(env, stores, frame)?;
                frame.set(*dst, datum);
            }
            Op::SetNull { dst } => frame.set(*dst, Datum::NULL),
            Op::JumpUnless { program, target } => {
                let program = &code.programs[*program as usize];
                let truth = match program.quick_truth(stores, frame) {
                    Some(truth) => truth,
                    None => program.is_true(env, stores, frame)?,
                };
                if !truth {
                    *at = *target as usize;
                    continue;
                }
            }
            Op::Jump { target } => {
                *at = *target as usize;
                continue;
            }
            Op::Loop { target } => {
                ticks -= 1;
                if ticks == 0 {
                    ticks = TICKS;
                    env.limits.check()?;
                }
                *at = *target as usize;
                continue;
            }
            Op::Return { program } => {
                if let Some(program) = program {
                    let program = &code.programs[*program as usize];
                    outcome.returned = match program.quick_value(stores, frame) {
                        Some(datum) => datum,
                        None => program.evaluate(env, stores, frame)?,
                    };
                }
                return Ok(());
            }
            Op::Execute { program, answer: false } if !T::ON => {
                code.programs[*program as usize].change(env, stores, frame)?;
            }
            Op::Execute { program, answer } => {
                let result = code.programs[*program as usize].execute(env, stores, frame)?;
                if T::ON
                    && let Answer::Modified(rows) = result
                {
                    tracer.rows(rows as u64);
                }
                if !answer {
                    *at += 1;
                    continue;
                }
                outcome.results.push(result.into_result_set());
            }
            Op::Yield { program } => {
                let rows = code.programs[*program as usize].rows(env, stores, frame)?;
                if T::ON {
                    tracer.rows(rows.rows.len() as u64);
                }
                outcome.results.push(rows);
            }
            Op::Into { program, targets } => {
                let rows = gather(code, *program, env, stores, frame, 1)?;
                if T::ON {
                    tracer.rows(rows.len() as u64);
                }
                match rows.is_empty() {
                    true => targets.iter().for_each(|&reg| frame.set(reg, Datum::NULL)),
                    false => rows.load(0, 0, targets, frame),
                }
            }
            Op::Open { cursor, program } => {
                locals.cursors.resize_with(code.cursors, Cursor::default);
                let rows = gather(code, *program, env, stores, frame, usize::MAX)?;
                if T::ON {
                    tracer.rows(rows.len() as u64);
                }
                locals.cursors[*cursor as usize] = Cursor { rows, next: 0, open: true };
            }
            Op::Fetch { cursor, targets, done } => {
                let cursor = &mut locals.cursors[*cursor as usize];
                if cursor.next == cursor.rows.len() {
                    *at = *done as usize;
                    continue;
                }
                cursor.rows.load(cursor.next, 0, targets, frame);
                cursor.next += 1;
            }
            Op::Signal { sqlstate, message } => {
                return Err(signal(code, sqlstate, *message, env, stores, frame)?);
            }
            Op::CaseNotFound => return Err(Trap::CaseNotFound),
            Op::Extra(extra) => match steps::run(extra, procedure, cx, stores, frame, outcome, locals, tracer)? {
                Step::Next => {}
                Step::Jump(target) => {
                    *at = target;
                    continue;
                }
                Step::Return => return Ok(()),
            },
        }
        *at += 1;
    }
}

/// The rows of a query, at most `most`: one more is an error.
pub(super) fn gather(
    code: &Code,
    program: u32,
    env: &Environment<'_>,
    stores: &[&mut Store],
    frame: &mut Frame,
    most: usize,
) -> Result<RowBuffer, Trap> {
    let program = &code.programs[program as usize];
    let regs: Vec<_> = program.output().iter().map(|o| o.reg).collect();
    let mut rows = RowBuffer::new(regs.len());
    let mut too_many = false;
    program.query(env, stores, frame, &mut |frame: &mut Frame| -> Result<Flow, ExecError> {
        if rows.len() == most {
            too_many = true;
            return Ok(Flow::Stop);
        }
        rows.push(&regs, frame);
        Ok(Flow::Continue)
    })?;
    if too_many { Err(Trap::IntoRows) } else { Ok(rows) }
}

#[cold]
fn signal(
    code: &Code,
    sqlstate: &str,
    message: Option<u32>,
    env: &Environment<'_>,
    stores: &[&mut Store],
    frame: &mut Frame,
) -> Result<Trap, Trap> {
    let message = match message {
        Some(program) => {
            let datum = code.programs[program as usize].evaluate(env, stores, frame)?;
            crate::types::datum_value(datum, DataType::TEXT, &frame.arena).to_string()
        }
        None => format!("signal {sqlstate}"),
    };
    Ok(Trap::Signal { sqlstate: sqlstate.to_owned(), message })
}
