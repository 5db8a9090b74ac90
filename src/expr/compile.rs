//! Turns a bound tree into a program.
//!
//! A value is compiled into a register; a condition into jumps, so that AND, OR, NOT and CASE cost no operation of their
//! own there. Constant parts are folded first; those that fail are left to fail when they are run.

use super::branch::Test;
use super::compare::{EQUAL, Family, LESS, mirrored, outcomes};
use super::convert::is_same_datum;
use super::eval::{eval, family_of_arguments};
use super::expr::{Arithmetic, Comparison, Expr, ExprKind};
use super::fold::fold;
use super::function::Function;
use super::host::NoHost;
use super::in_set::InSet;
use super::like::LikePattern;
use super::op::{NOT_TRUE, Op};
use super::program::{CompiledExpr, Pool};
use crate::types::{DataType, Datum, Frame, Reg, Value};

impl CompiledExpr {
    /// `expr` as a program. `alloc` gives fresh registers, each one above the last; the frame it runs on must have them.
    pub fn compile(expr: &Expr, alloc: &mut dyn FnMut() -> Reg) -> CompiledExpr {
        let expr = fold(expr);
        let mut compiler = Compiler { ops: Vec::new(), pool: Pool::default(), alloc };
        let result = compiler.operand(&expr);
        CompiledExpr { ops: compiler.ops, result, condition: false, pool: compiler.pool }
    }

    /// `expr`, a BOOLEAN, as a program for [`CompiledExpr::is_true`] only: NULL counts as FALSE, which saves operations.
    pub fn compile_condition(expr: &Expr, alloc: &mut dyn FnMut() -> Reg) -> CompiledExpr {
        let expr = fold(expr);
        let mut compiler = Compiler { ops: Vec::new(), pool: Pool::default(), alloc };
        let mut fails = Vec::new();
        compiler.branch(&expr, Test { when: false, null_as: false }, &mut fails);
        compiler.land(&fails, NOT_TRUE);
        CompiledExpr { ops: compiler.ops, result: 0, condition: true, pool: compiler.pool }
    }
}

pub(super) struct Compiler<'a> {
    ops: Vec<Op>,
    pool: Pool,
    alloc: &'a mut dyn FnMut() -> Reg,
}

/// Jumps whose target is not known yet, by index.
pub(super) type Jumps = Vec<usize>;

impl Compiler<'_> {
    pub(super) fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    pub(super) fn jump(&mut self, op: Op, jumps: &mut Jumps) {
        jumps.push(self.ops.len());
        self.ops.push(op);
    }

    pub(super) fn here(&self) -> u32 {
        u32::try_from(self.ops.len()).expect("an expression has fewer than 2^32 operations")
    }

    /// Makes `jumps` go to `to`.
    pub(super) fn land(&mut self, jumps: &[usize], to: u32) {
        for &at in jumps {
            match &mut self.ops[at] {
                Op::Jump { target }
                | Op::JumpNull { target, .. }
                | Op::JumpBool { target, .. }
                | Op::JumpInt { target, .. }
                | Op::JumpIntK { target, .. }
                | Op::JumpEqual { target, .. }
                | Op::JumpEqualK { target, .. }
                | Op::JumpCompare { target, .. }
                | Op::JumpCompareK { target, .. } => *target = to,
                other => unreachable!("{other:?} is no jump"),
            }
        }
    }

    /// The register that has the value of `expr`: its own, or a fresh one.
    pub(super) fn operand(&mut self, expr: &Expr) -> Reg {
        match &expr.kind {
            ExprKind::Reg(reg) => *reg,
            ExprKind::Cast(operand) if is_same_datum(operand.ty, expr.ty) => self.operand(operand),
            ExprKind::Subquery { index, result } => {
                self.emit(Op::Subquery { index: u32::try_from(*index).expect("fewer than 2^32 subqueries") });
                *result
            }
            _ => {
                let dst = (self.alloc)();
                self.value(expr, dst);
                dst
            }
        }
    }

    /// Operations that leave the value of `expr` in `dst`. Nothing else in the program reads `dst` before that.
    fn value(&mut self, expr: &Expr, dst: Reg) {
        match &expr.kind {
            ExprKind::Literal(value) => self.constant(value, dst),
            ExprKind::Reg(_) | ExprKind::Subquery { .. } => {
                let src = self.operand(expr);
                self.emit(Op::Move { dst, src });
            }
            ExprKind::Arithmetic { op, left, right } => self.arithmetic(*op, left, right, dst),
            ExprKind::Negate(operand) => {
                let a = self.operand(operand);
                self.emit(Op::Negate { family: Family::of(operand.ty), dst, a });
            }
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, dst),
            ExprKind::And(operands) => self.junction(operands, true, dst),
            ExprKind::Or(operands) => self.junction(operands, false, dst),
            ExprKind::Not(operand) => self.not(operand, dst),
            ExprKind::IsNull(operand) => {
                let a = self.operand(operand);
                self.emit(Op::IsNull { null: true, dst, a });
            }
            ExprKind::IsTruth(operand, None) => {
                let a = self.operand(operand);
                self.emit(Op::IsNull { null: true, dst, a });
            }
            ExprKind::IsTruth(_, Some(_)) => {
                let mut fails = Jumps::new();
                self.emit(Op::ConstInt { dst, k: 0 });
                self.branch(expr, Test { when: false, null_as: false }, &mut fails);
                self.emit(Op::ConstInt { dst, k: 1 });
                let end = self.here();
                self.land(&fails, end);
            }
            ExprKind::InList { operand, list } => self.in_list(operand, list, dst),
            ExprKind::Case { branches, otherwise } => self.case(branches, otherwise.as_deref(), dst),
            ExprKind::Coalesce(operands) => self.coalesce(operands, dst),
            ExprKind::Cast(operand) => self.cast(operand, expr.ty, dst),
            ExprKind::Like { operand, pattern, escape, case_insensitive } => {
                self.like(operand, pattern, *escape, *case_insensitive, dst)
            }
            ExprKind::StartsWith { operand, prefix } => {
                let (a, b) = (self.operand(operand), self.operand(prefix));
                self.emit(Op::StartsWith { dst, a, b });
            }
            ExprKind::Function { function, arguments } => self.call(*function, arguments, dst),
            ExprKind::Now => self.emit(Op::Now { dst }),
        }
    }

    fn constant(&mut self, value: &Value, dst: Reg) {
        if let Value::Int(k) = value {
            return self.emit(Op::ConstInt { dst, k: *k });
        }
        let mut frame = Frame::default();
        let datum = frame.datum(value);
        match value {
            Value::Text(text) if datum.is_long() => {
                self.pool.texts.push(text.as_bytes().into());
                self.emit(Op::ConstText { dst, index: self.pool.texts.len() as u32 - 1 });
            }
            Value::Bytes(bytes) if datum.is_long() => {
                self.pool.texts.push(bytes.as_slice().into());
                self.emit(Op::ConstText { dst, index: self.pool.texts.len() as u32 - 1 });
            }
            _ => {
                let index = self.pooled(datum);
                self.emit(Op::Const { dst, index });
            }
        }
    }

    /// Index of a constant in the pool. It must not be a long string.
    pub(super) fn pooled(&mut self, datum: Datum) -> u32 {
        let constants = &mut self.pool.constants;
        let index = constants.iter().position(|c| *c == datum).unwrap_or_else(|| {
            constants.push(datum);
            constants.len() - 1
        });
        index as u32
    }

    fn arithmetic(&mut self, op: Arithmetic, left: &Expr, right: &Expr, dst: Reg) {
        let family = Family::of_pair(left.ty, right.ty);
        if family == Family::Int {
            let with_constant = match (op, int_literal(left), int_literal(right)) {
                (Arithmetic::Add, Some(k), None) => Some((right, op, k)),
                (Arithmetic::Multiply, Some(k), None) => Some((right, op, k)),
                (Arithmetic::Add | Arithmetic::Multiply, None, Some(k)) => Some((left, op, k)),
                (Arithmetic::Subtract, None, Some(k)) if k != i64::MIN => Some((left, Arithmetic::Add, -k)),
                (Arithmetic::Divide | Arithmetic::Modulo, None, Some(k)) if k != 0 && k != -1 => Some((left, op, k)),
                _ => None,
            };
            if let Some((operand, op, k)) = with_constant {
                let a = self.operand(operand);
                return self.emit(match op {
                    Arithmetic::Add | Arithmetic::Subtract => Op::AddIntK { dst, a, k },
                    Arithmetic::Multiply => Op::MultiplyIntK { dst, a, k },
                    Arithmetic::Divide => Op::DivideIntK { dst, a, k },
                    Arithmetic::Modulo => Op::ModuloIntK { dst, a, k },
                });
            }
        }
        let (a, b) = (self.operand(left), self.operand(right));
        self.emit(match (family, op) {
            (Family::Int, Arithmetic::Add) => Op::AddInt { dst, a, b },
            (Family::Int, Arithmetic::Subtract) => Op::SubtractInt { dst, a, b },
            (Family::Int, Arithmetic::Multiply) => Op::MultiplyInt { dst, a, b },
            (Family::Int, Arithmetic::Divide) => Op::DivideInt { dst, a, b },
            (Family::Int, Arithmetic::Modulo) => Op::ModuloInt { dst, a, b },
            (Family::Decimal, Arithmetic::Add) => Op::AddDecimal { dst, a, b },
            (Family::Decimal, Arithmetic::Subtract) => Op::SubtractDecimal { dst, a, b },
            (Family::Float, op) => Op::FloatArithmetic { op, dst, a, b },
            _ => Op::Arithmetic { op, family, dst, a, b },
        });
    }

    fn compare(&mut self, op: Comparison, left: &Expr, right: &Expr, dst: Reg) {
        let family = Family::of_pair(left.ty, right.ty);
        if let Some(equal) = distinct(op) {
            let (a, b) = (self.operand(left), self.operand(right));
            return self.emit(Op::Distinct { equal, family, dst, a, b });
        }
        let mask = outcomes(op);
        match (family, int_literal(left), int_literal(right)) {
            (Family::Int, _, Some(k)) => {
                let a = self.operand(left);
                self.emit(Op::CompareIntK { mask, dst, a, k });
            }
            (Family::Int, Some(k), _) => {
                let a = self.operand(right);
                self.emit(Op::CompareIntK { mask: mirrored(mask), dst, a, k });
            }
            _ => {
                let (a, b) = (self.operand(left), self.operand(right));
                self.emit(match family {
                    Family::Int => Op::CompareInt { mask, dst, a, b },
                    _ => Op::Compare { mask, family, dst, a, b },
                });
            }
        }
    }

    /// AND (`all`) or OR as a value.
    fn junction(&mut self, operands: &[Expr], all: bool, dst: Reg) {
        let Some((first, rest)) = operands.split_first() else {
            return self.emit(Op::ConstInt { dst, k: all as i64 });
        };
        let mut ends = Jumps::new();
        // What decides it: FALSE for AND, TRUE for OR.
        let mask = if all { LESS } else { EQUAL };
        self.value(first, dst);
        for operand in rest {
            self.jump(Op::JumpBool { mask, a: dst, target: 0 }, &mut ends);
            let b = self.operand(operand);
            self.emit(if all { Op::And { dst, a: dst, b } } else { Op::Or { dst, a: dst, b } });
        }
        let end = self.here();
        self.land(&ends, end);
    }

    fn not(&mut self, operand: &Expr, dst: Reg) {
        match &operand.kind {
            ExprKind::IsNull(inner) | ExprKind::IsTruth(inner, None) => {
                let a = self.operand(inner);
                self.emit(Op::IsNull { null: false, dst, a });
            }
            ExprKind::Compare { op, left, right } => self.compare(negated(*op), left, right, dst),
            _ => {
                let a = self.operand(operand);
                self.emit(Op::Not { dst, a });
            }
        }
    }

    fn in_list(&mut self, operand: &Expr, list: &[Expr], dst: Reg) {
        let a = self.operand(operand);
        if list.iter().all(|member| matches!(member.kind, ExprKind::Literal(_))) {
            let mut frame = Frame::default();
            let members: Vec<Datum> = list.iter().map(|member| literal_datum(member, &mut frame)).collect();
            self.pool.sets.push(InSet::new(&members, &frame.arena));
            return self.emit(Op::InSet { dst, a, index: self.pool.sets.len() as u32 - 1 });
        }
        let mut ends = Jumps::new();
        let null = self.pooled(Datum::NULL);
        self.emit(Op::Const { dst, index: null });
        self.jump(Op::JumpNull { null: true, a, target: 0 }, &mut ends);
        self.emit(Op::ConstInt { dst, k: 0 });
        let equal = (self.alloc)();
        for (at, member) in list.iter().enumerate() {
            let family = Family::of_pair(operand.ty, member.ty);
            let b = self.operand(member);
            self.emit(Op::Compare { mask: EQUAL, family, dst: equal, a, b });
            self.emit(Op::Or { dst, a: dst, b: equal });
            if at + 1 < list.len() {
                self.jump(Op::JumpBool { mask: EQUAL, a: dst, target: 0 }, &mut ends);
            }
        }
        let end = self.here();
        self.land(&ends, end);
    }

    fn case(&mut self, branches: &[(Expr, Expr)], otherwise: Option<&Expr>, dst: Reg) {
        let mut ends = Jumps::new();
        for (condition, value) in branches {
            let mut fails = Jumps::new();
            self.branch(condition, Test { when: false, null_as: false }, &mut fails);
            self.value(value, dst);
            self.jump(Op::Jump { target: 0 }, &mut ends);
            let next = self.here();
            self.land(&fails, next);
        }
        match otherwise {
            Some(value) => self.value(value, dst),
            None => self.constant(&Value::Null, dst),
        }
        let end = self.here();
        self.land(&ends, end);
    }

    fn coalesce(&mut self, operands: &[Expr], dst: Reg) {
        match operands {
            [] => return self.constant(&Value::Null, dst),
            [first, last] if short_literal(last).is_some() => {
                let a = self.operand(first);
                let index = self.pooled(short_literal(last).expect("just seen"));
                return self.emit(Op::CoalesceK { dst, a, index });
            }
            [first, last] if last.as_reg().is_some() => {
                let (a, b) = (self.operand(first), self.operand(last));
                return self.emit(Op::Coalesce { dst, a, b });
            }
            _ => {}
        }
        let mut ends = Jumps::new();
        for (at, operand) in operands.iter().enumerate() {
            self.value(operand, dst);
            if at + 1 < operands.len() {
                self.jump(Op::JumpNull { null: false, a: dst, target: 0 }, &mut ends);
            }
        }
        let end = self.here();
        self.land(&ends, end);
    }

    fn cast(&mut self, operand: &Expr, to: DataType, dst: Reg) {
        let from = operand.ty;
        if is_same_datum(from, to) {
            return self.value(operand, dst);
        }
        let a = self.operand(operand);
        let width = match to {
            DataType::TinyInt => 0,
            DataType::SmallInt => 1,
            _ => 2,
        };
        let op = match to {
            DataType::Float if from.is_integer() => Op::IntToFloat { dst, a },
            DataType::Decimal if from.is_integer() => Op::IntToDecimal { dst, a },
            to if to.is_integer() && (from.is_integer() || from == DataType::Timestamp) => Op::Narrow { width, dst, a },
            _ => {
                self.pool.casts.push((from, to));
                Op::Cast { dst, a, index: self.pool.casts.len() as u32 - 1 }
            }
        };
        self.emit(op);
    }

    fn like(&mut self, operand: &Expr, pattern: &Expr, escape: Option<char>, case_insensitive: bool, dst: Reg) {
        let a = self.operand(operand);
        if let ExprKind::Literal(Value::Text(text)) = &pattern.kind
            && let Ok(ready) = LikePattern::new(text, escape, case_insensitive)
        {
            self.pool.patterns.push(ready);
            return self.emit(Op::LikeK { dst, a, index: self.pool.patterns.len() as u32 - 1 });
        }
        let b = self.operand(pattern);
        self.emit(Op::Like { case_insensitive, dst, a, b, escape });
    }

    fn call(&mut self, function: Function, arguments: &[Expr], dst: Reg) {
        let family = family_of_arguments(arguments);
        let count = u16::try_from(arguments.len()).expect("calls of more arguments are not bound");
        let first = match arguments {
            [] => 0,
            [only] => self.operand(only),
            _ => {
                let regs: Vec<Reg> = arguments.iter().map(|_| (self.alloc)()).collect();
                assert!(regs.windows(2).all(|w| w[1] == w[0] + 1), "registers of a call are consecutive");
                for (argument, reg) in arguments.iter().zip(&regs) {
                    self.value(argument, *reg);
                }
                regs[0]
            }
        };
        self.emit(Op::Call { function, family, dst, first, count });
    }
}

/// For IS [NOT] DISTINCT FROM: what two equal operands give.
pub(super) fn distinct(op: Comparison) -> Option<bool> {
    match op {
        Comparison::IsDistinct => Some(false),
        Comparison::IsNotDistinct => Some(true),
        _ => None,
    }
}

/// The comparison that is TRUE where `op` is FALSE.
fn negated(op: Comparison) -> Comparison {
    match op {
        Comparison::Eq => Comparison::NotEq,
        Comparison::NotEq => Comparison::Eq,
        Comparison::Lt => Comparison::GtEq,
        Comparison::LtEq => Comparison::Gt,
        Comparison::Gt => Comparison::LtEq,
        Comparison::GtEq => Comparison::Lt,
        Comparison::IsDistinct => Comparison::IsNotDistinct,
        Comparison::IsNotDistinct => Comparison::IsDistinct,
    }
}

/// The lane of a literal of the integer family that is not NULL.
pub(super) fn int_literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Value::Int(v)) => Some(*v),
        ExprKind::Literal(Value::Bool(v)) => Some(*v as i64),
        ExprKind::Literal(Value::Timestamp(v)) => Some(v.micros()),
        _ => None,
    }
}

/// The datum of a literal that needs no arena.
pub(super) fn short_literal(expr: &Expr) -> Option<Datum> {
    let ExprKind::Literal(value) = &expr.kind else { return None };
    let mut frame = Frame::default();
    let datum = frame.datum(value);
    (frame.arena.mark() == 0).then_some(datum)
}

fn literal_datum(expr: &Expr, frame: &mut Frame) -> Datum {
    eval(expr, frame, &mut NoHost::default()).expect("a literal has a value")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::compare::GREATER;

    fn reg(reg: Reg, ty: DataType) -> Expr {
        Expr::reg(reg, ty, true)
    }

    fn expr(kind: ExprKind, ty: DataType) -> Expr {
        Expr { kind, ty, nullable: true }
    }

    fn arithmetic(op: Arithmetic, left: Expr, right: Expr) -> Expr {
        let ty = left.ty;
        expr(ExprKind::Arithmetic { op, left: Box::new(left), right: Box::new(right) }, ty)
    }

    fn compare(op: Comparison, left: Expr, right: Expr) -> Expr {
        expr(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }, DataType::Boolean)
    }

    /// A program whose fresh registers start at 10.
    fn compiled(expr: &Expr, condition: bool) -> CompiledExpr {
        let mut next = 10;
        let mut alloc = || {
            next += 1;
            next - 1
        };
        if condition {
            CompiledExpr::compile_condition(expr, &mut alloc)
        } else {
            CompiledExpr::compile(expr, &mut alloc)
        }
    }

    #[test]
    fn a_register_and_a_cast_of_the_same_datum_need_no_operation() {
        let x = reg(3, DataType::Integer);
        assert_eq!(compiled(&x, false).as_reg(), Some(3));
        let wider = expr(ExprKind::Cast(Box::new(x)), DataType::BigInt);
        assert_eq!(compiled(&wider, false).as_reg(), Some(3));
    }

    #[test]
    fn constant_operands_are_part_of_their_operation() {
        let x = || reg(3, DataType::BigInt);
        for (op, k, expected) in [
            (Arithmetic::Divide, 10, Op::DivideIntK { dst: 10, a: 3, k: 10 }),
            (Arithmetic::Subtract, 10, Op::AddIntK { dst: 10, a: 3, k: -10 }),
            (Arithmetic::Modulo, 10, Op::ModuloIntK { dst: 10, a: 3, k: 10 }),
        ] {
            assert_eq!(compiled(&arithmetic(op, x(), Expr::int(k)), false).ops, [expected]);
        }
        let coalesce = expr(ExprKind::Coalesce(vec![x(), Expr::int(0)]), DataType::BigInt);
        assert_eq!(compiled(&coalesce, false).ops, [Op::CoalesceK { dst: 10, a: 3, index: 0 }]);
        // 2 < x, as x > 2.
        let less = compare(Comparison::Lt, Expr::int(2), x());
        assert_eq!(compiled(&less, false).ops, [Op::CompareIntK { mask: GREATER, dst: 10, a: 3, k: 2 }]);
    }

    #[test]
    fn constant_parts_are_folded_unless_they_fail() {
        let sum =
            arithmetic(Arithmetic::Add, Expr::int(2), arithmetic(Arithmetic::Multiply, Expr::int(3), Expr::int(4)));
        assert_eq!(compiled(&sum, false).ops, [Op::ConstInt { dst: 10, k: 14 }]);
        let failing = compiled(&arithmetic(Arithmetic::Divide, Expr::int(1), Expr::int(0)), false);
        let result = failing.eval(&mut Frame::new(20), &mut NoHost::default());
        assert_eq!(result.unwrap_err().sqlstate(), "22012");
    }

    #[test]
    fn a_condition_is_one_jump_for_each_comparison() {
        let both = expr(
            ExprKind::And(vec![
                compare(Comparison::GtEq, reg(0, DataType::BigInt), Expr::int(2)),
                compare(Comparison::Eq, reg(1, DataType::TEXT), Expr::literal("CA".into(), DataType::TEXT)),
            ]),
            DataType::Boolean,
        );
        let program = compiled(&both, true);
        assert_eq!(program.op_count(), 2);
        let mut frame = Frame::new(10);
        for (x, s, truth) in [
            (Datum::int(2), Datum::short(b"CA"), true),
            (Datum::int(1), Datum::short(b"CA"), false),
            (Datum::int(2), Datum::short(b"CB"), false),
            (Datum::NULL, Datum::short(b"CA"), false),
            (Datum::int(2), Datum::NULL, false),
        ] {
            frame.set(0, x);
            frame.set(1, s);
            assert_eq!(program.is_true(&mut frame, &mut NoHost::default()), Ok(truth), "{x:?} {s:?}");
        }
    }

    #[test]
    fn long_constants_reach_the_arena_when_they_are_needed() {
        let text = "a text that does not fit into a lane";
        let program = compiled(&Expr::literal(text.into(), DataType::TEXT), false);
        let mut frame = Frame::new(20);
        let datum = program.eval(&mut frame, &mut NoHost::default()).unwrap();
        assert_eq!(frame.arena.bytes(datum, &mut [0; 16]), text.as_bytes());
        assert_eq!(frame.arena.mark(), text.len());
    }
}
