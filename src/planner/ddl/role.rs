//! CREATE ROLE and DROP ROLE: roles are kept and shown; everyone may do everything here.

use super::DdlOutcome;
use crate::catalog::{Catalog, CatalogChange};
use crate::planner::error::{Result, did_you_mean, fail};
use crate::sql::ast::Ident;

/// VoltDB's permissions.
const PERMISSIONS: [&str; 9] =
    ["ADMIN", "SYSPROC", "SQL", "ADHOC", "SQLREAD", "DEFAULTPROC", "DEFAULTPROCREAD", "ALLPROC", "COMPOUNDPROC"];
/// Roles that are always there.
const BUILT_IN: [&str; 2] = ["ADMINISTRATOR", "USER"];

fn is_built_in(name: &Ident) -> bool {
    BUILT_IN.iter().any(|role| name.name == *role)
}

pub(super) fn create(catalog: &mut Catalog, name: &Ident, permissions: &[Ident]) -> Result<DdlOutcome> {
    if is_built_in(name) || catalog.roles.contains_key(&name.name) {
        return fail(format!("role {} is there already", name.name), name.span);
    }
    for (at, permission) in permissions.iter().enumerate() {
        if !PERMISSIONS.iter().any(|known| permission.name == *known) {
            let hint = did_you_mean(permission.name.as_str(), PERMISSIONS);
            return fail(format!("there is no permission {}{hint}", permission.name), permission.span);
        }
        if permissions[..at].iter().any(|other| other.name == permission.name) {
            return fail(format!("permission {} is written twice", permission.name), permission.span);
        }
    }
    catalog.roles.insert(name.name.clone(), permissions.iter().map(|p| p.name.clone()).collect());
    let mut outcome = DdlOutcome::done("role created", vec![CatalogChange::Elsewhere]);
    outcome.notes.push("roles are kept, but everyone may do everything".to_owned());
    Ok(outcome)
}

pub(super) fn drop(catalog: &mut Catalog, name: &Ident, if_exists: bool) -> Result<DdlOutcome> {
    if is_built_in(name) {
        return fail(format!("role {} is always there", name.name), name.span);
    }
    if catalog.roles.remove(&name.name).is_some() {
        return Ok(DdlOutcome::done("role dropped", vec![CatalogChange::Elsewhere]));
    }
    if if_exists {
        return Ok(DdlOutcome::nothing("nothing dropped", format!("there is no role {}", name.name)));
    }
    let roles: Vec<&str> = catalog.roles.keys().map(|role| role.as_str()).collect();
    let hint = did_you_mean(name.name.as_str(), roles);
    fail(format!("no role {}{hint}", name.name), name.span)
}
