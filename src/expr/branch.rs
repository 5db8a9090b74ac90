//! Conditions as jumps: where AND, OR, NOT and IS TRUE cost no operation of their own.

use super::compare::{ALL_KNOWN, EQUAL, Family, GREATER, LESS, Outcomes, UNKNOWN, mirrored, outcomes};
use super::compile::{Compiler, Jumps, distinct, int_literal, short_literal};
use super::expr::{Comparison, Expr, ExprKind};
use super::op::Op;
use crate::types::Value;

/// When to jump: if the truth of a condition, with NULL taken as `null_as`, is `when`.
#[derive(Clone, Copy)]
pub(super) struct Test {
    pub when: bool,
    pub null_as: bool,
}

impl Test {
    /// The outcomes of a comparison to jump at, given those for which it is TRUE.
    fn mask(self, when_true: Outcomes) -> Outcomes {
        let known = if self.when { when_true } else { ALL_KNOWN & !when_true };
        if self.null_as == self.when { known | UNKNOWN } else { known }
    }
}

impl Compiler<'_> {
    /// Operations that jump if `expr`, a BOOLEAN, passes `test`, and else run on to what is emitted next.
    pub(super) fn branch(&mut self, expr: &Expr, test: Test, jumps: &mut Jumps) {
        match &expr.kind {
            ExprKind::Literal(value) => {
                let truth = if let Value::Bool(truth) = value { *truth } else { test.null_as };
                if truth == test.when {
                    self.jump(Op::Jump { target: 0 }, jumps);
                }
            }
            ExprKind::And(operands) => self.branch_junction(operands, false, test, jumps),
            ExprKind::Or(operands) => self.branch_junction(operands, true, test, jumps),
            ExprKind::Not(operand) => {
                self.branch(operand, Test { when: !test.when, null_as: !test.null_as }, jumps);
            }
            ExprKind::IsNull(operand) | ExprKind::IsTruth(operand, None) => {
                let a = self.operand(operand);
                self.jump(Op::JumpNull { null: test.when, a, target: 0 }, jumps);
            }
            ExprKind::IsTruth(operand, Some(true)) => {
                self.branch(operand, Test { when: test.when, null_as: false }, jumps);
            }
            ExprKind::IsTruth(operand, Some(false)) => {
                self.branch(operand, Test { when: !test.when, null_as: true }, jumps);
            }
            ExprKind::Compare { op, left, right } if distinct(*op).is_none() => {
                self.branch_compare(*op, left, right, test, jumps);
            }
            _ => {
                let a = self.operand(expr);
                self.jump(Op::JumpBool { mask: test.mask(EQUAL), a, target: 0 }, jumps);
            }
        }
    }

    /// `decisive` is the truth of an operand that decides the whole: TRUE for OR, FALSE for AND.
    fn branch_junction(&mut self, operands: &[Expr], decisive: bool, test: Test, jumps: &mut Jumps) {
        let Some((last, rest)) = operands.split_last() else {
            if decisive != test.when {
                self.jump(Op::Jump { target: 0 }, jumps);
            }
            return;
        };
        if test.when == decisive {
            for operand in operands {
                self.branch(operand, test, jumps);
            }
            return;
        }
        let mut decided = Jumps::new();
        for operand in rest {
            self.branch(operand, Test { when: decisive, ..test }, &mut decided);
        }
        self.branch(last, test, jumps);
        let next = self.here();
        self.land(&decided, next);
    }

    fn branch_compare(&mut self, op: Comparison, left: &Expr, right: &Expr, test: Test, jumps: &mut Jumps) {
        let family = Family::of_pair(left.ty, right.ty);
        let mask = test.mask(outcomes(op));
        let jump = match (family, int_literal(left), int_literal(right)) {
            (Family::Int, _, Some(k)) => Op::JumpIntK { mask, a: self.operand(left), target: 0, k },
            (Family::Int, Some(k), _) => Op::JumpIntK { mask: mirrored(mask), a: self.operand(right), target: 0, k },
            (Family::Int, None, None) => {
                let (a, b) = (self.operand(left), self.operand(right));
                Op::JumpInt { mask, a, b, target: 0 }
            }
            _ => self.branch_compare_lanes(mask, family, left, right),
        };
        self.jump(jump, jumps);
    }

    /// The jump of a comparison outside of the integer family.
    fn branch_compare_lanes(&mut self, mask: Outcomes, family: Family, left: &Expr, right: &Expr) -> Op {
        let constant = |expr| short_literal(expr).filter(|k| !k.is_null());
        // Tests that treat less and greater alike ask for equality only.
        let is_equality = (mask & LESS != 0) == (mask & GREATER != 0);
        let target = 0;
        match (constant(left), constant(right)) {
            (_, Some(k)) => {
                let (a, index) = (self.operand(left), self.pooled(k));
                match is_equality {
                    true => Op::JumpEqualK { mask, a, index, target },
                    false => Op::JumpCompareK { mask, family, a, index, target },
                }
            }
            (Some(k), _) => {
                let (a, index) = (self.operand(right), self.pooled(k));
                match is_equality {
                    true => Op::JumpEqualK { mask, a, index, target },
                    false => Op::JumpCompareK { mask: mirrored(mask), family, a, index, target },
                }
            }
            (None, None) => {
                let (a, b) = (self.operand(left), self.operand(right));
                match is_equality {
                    true => Op::JumpEqual { mask, a, b, target },
                    false => Op::JumpCompare { mask, family, a, b, target },
                }
            }
        }
    }
}
