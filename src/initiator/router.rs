//! Which partition a call goes to.

use crate::catalog::ProcedurePartitioning;
use crate::executor::owner;
use crate::procedure::Procedure;
use crate::topology::{Hashinator, PartitionId};
use crate::types::{Arena, Datum};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    One(PartitionId),
    All,
    /// Every partition, each in a transaction of its own.
    Each,
}

impl Route {
    /// The route of a call with these parameters (of the declared types).
    #[inline]
    pub fn of_call(procedure: &Procedure, parameters: &[Datum], arena: &Arena, hashinator: &Hashinator) -> Route {
        match procedure.definition.partitioning {
            ProcedurePartitioning::Single { parameter, .. } => {
                let ty = procedure.definition.parameters[parameter].ty;
                Route::One(owner(hashinator, parameters[parameter], ty, arena))
            }
            ProcedurePartitioning::Multi => Route::All,
            ProcedurePartitioning::Directed => Route::Each,
        }
    }
}
