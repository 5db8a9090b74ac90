//! What FROM means before access paths are chosen: a tree whose conditions can still move.

use super::binder::Instance;
use super::plan::{AggregateCall, JoinKind, Node};
use super::registers::{RegSet, fills};
use crate::expr::expr::Expr;
use crate::types::Reg;

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // there are few of them, each lives as long as its statement is planned
pub(super) enum From {
    /// One row of no columns.
    One,
    /// An instance of a table.
    Table(usize),
    /// Decided already: nothing moves into it.
    Node(Node),
    Filter {
        input: Box<From>,
        conjuncts: Vec<Expr>,
    },
    Compute {
        input: Box<From>,
        exprs: Vec<(Reg, Expr)>,
    },
    Aggregate {
        input: Box<From>,
        keys: Vec<(Reg, Expr)>,
        calls: Vec<AggregateCall>,
    },
    /// Inner, Left or Full; `on` are its conjuncts.
    Join {
        kind: JoinKind,
        left: Box<From>,
        right: Box<From>,
        on: Vec<Expr>,
    },
}

impl From {
    pub fn filter(self, conjuncts: Vec<Expr>) -> From {
        if conjuncts.is_empty() { self } else { From::Filter { input: Box::new(self), conjuncts } }
    }
    pub fn compute(self, exprs: Vec<(Reg, Expr)>) -> From {
        if exprs.is_empty() { self } else { From::Compute { input: Box::new(self), exprs } }
    }
    pub fn join(self, right: From) -> From {
        match self {
            From::One => right,
            left => From::Join { kind: JoinKind::Inner, left: Box::new(left), right: Box::new(right), on: Vec::new() },
        }
    }

    /// The registers that its rows have set, as far as somebody has asked for them.
    pub fn fills(&self, instances: &[Instance]) -> RegSet {
        let mut set = RegSet::default();
        self.add_fills(instances, &mut set);
        set
    }

    fn add_fills(&self, instances: &[Instance], set: &mut RegSet) {
        match self {
            From::One => {}
            From::Table(instance) => {
                let instance = &instances[*instance];
                instance.columns.iter().for_each(|&(_, reg)| set.insert(reg));
                instance.row.iter().for_each(|&reg| set.insert(reg));
            }
            From::Node(node) => set.union(&fills(node)),
            From::Filter { input, .. } => input.add_fills(instances, set),
            From::Compute { input, exprs } => {
                input.add_fills(instances, set);
                exprs.iter().for_each(|&(reg, _)| set.insert(reg));
            }
            From::Aggregate { keys, calls, .. } => {
                keys.iter().for_each(|&(reg, _)| set.insert(reg));
                calls.iter().for_each(|call| set.insert(call.out));
            }
            From::Join { left, right, .. } => {
                left.add_fills(instances, set);
                right.add_fills(instances, set);
            }
        }
    }
}
