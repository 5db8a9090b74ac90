//! Runs code: one call of a procedure, inside a transaction that somebody else began.

use super::code::{Code, Op, Procedure};
use super::error::{ProcedureError, Trap};
use crate::executor::{Environment, ExecError, Flow, RowBuffer};
use crate::storage::Store;
use crate::types::{DataType, Datum, Frame, ResultSet};

/// What a call gave.
#[derive(Debug)]
pub struct Outcome {
    /// The value of RETURN, of the declared type, or NULL; long bytes are in the frame's arena.
    pub returned: Datum,
    /// What bare queries in the body gave, in order.
    pub results: Vec<ResultSet>,
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome { returned: Datum::NULL, results: Vec::new() }
    }
}

/// Jumps backwards between two looks at the limits.
const TICKS: u32 = 1024;

/// A FOR loop at work.
#[derive(Default)]
struct Cursor {
    rows: RowBuffer,
    next: usize,
}

/// Runs a call to its end and leaves what it gives in `outcome`, which is empty. The parameters are in the first registers of `frame`, which has [`Code::registers`] of them.
#[inline]
pub fn run(
    procedure: &Procedure,
    env: &Environment<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    outcome: &mut Outcome,
) -> Result<(), Box<ProcedureError>> {
    let mut at = 0;
    match run_code(&procedure.code, env, stores, frame, &mut at, outcome) {
        Ok(()) => Ok(()),
        Err(trap) => Err(locate(procedure, at, trap)),
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
fn run_code(
    code: &Code,
    env: &Environment<'_>,
    stores: &mut [&mut Store],
    frame: &mut Frame,
    at: &mut usize,
    outcome: &mut Outcome,
) -> Result<(), Trap> {
    let mut cursors: Vec<Cursor> = Vec::new();
    let mut ticks = TICKS;
    loop {
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
            Op::Execute { program, answer: false } => code.programs[*program as usize].change(env, stores, frame)?,
            Op::Execute { program, answer: true } => {
                let result = code.programs[*program as usize].execute(env, stores, frame)?;
                outcome.results.push(result.into_result_set());
            }
            Op::Yield { program } => {
                outcome.results.push(code.programs[*program as usize].rows(env, stores, frame)?);
            }
            Op::Into { program, targets } => {
                let rows = gather(code, *program, env, stores, frame, 1)?;
                match rows.is_empty() {
                    true => targets.iter().for_each(|&reg| frame.set(reg, Datum::NULL)),
                    false => rows.load(0, 0, targets, frame),
                }
            }
            Op::Open { cursor, program } => {
                cursors.resize_with(code.cursors, Cursor::default);
                let rows = gather(code, *program, env, stores, frame, usize::MAX)?;
                cursors[*cursor as usize] = Cursor { rows, next: 0 };
            }
            Op::Fetch { cursor, targets, done } => {
                let cursor = &mut cursors[*cursor as usize];
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
        }
        *at += 1;
    }
}

/// The rows of a query, at most `most`: one more is an error.
fn gather(
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
