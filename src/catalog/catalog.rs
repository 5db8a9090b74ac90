//! One version of everything, with look-ups by name.

use super::{Procedure, QueryView, Table, TableId};
use crate::types::Name;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cheap to clone: tables and procedures are shared.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Grows by one with each accepted batch of changes.
    pub version: u64,
    /// By id; None where one was dropped.
    tables: Vec<Option<Arc<Table>>>,
    by_name: BTreeMap<Name, TableId>,
    procedures: BTreeMap<Name, Arc<Procedure>>,
    query_views: BTreeMap<Name, Arc<QueryView>>,
}

impl Catalog {
    /// The table or view of that name.
    pub fn table(&self, name: &Name) -> Option<&Arc<Table>> {
        self.by_name.get(name).map(|&id| self.table_by_id(id))
    }
    /// The table of that id, which must exist.
    pub fn table_by_id(&self, id: TableId) -> &Arc<Table> {
        self.tables[id.0 as usize].as_ref().expect("ids come from this catalog")
    }
    /// The table of that id, if this version has it.
    pub fn get(&self, id: TableId) -> Option<&Arc<Table>> {
        self.tables.get(id.0 as usize).and_then(Option::as_ref)
    }
    /// Tables and views by name.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.by_name.values().map(|&id| self.table_by_id(id))
    }
    pub fn procedure(&self, name: &Name) -> Option<&Arc<Procedure>> {
        self.procedures.get(name)
    }
    pub fn procedures(&self) -> impl Iterator<Item = &Arc<Procedure>> {
        self.procedures.values()
    }
    /// The id that the next new table gets.
    pub fn next_table_id(&self) -> TableId {
        TableId(self.tables.len() as u32)
    }
    /// Adds a new table (its id must be [`Catalog::next_table_id`]) or replaces the one of that id.
    pub fn put_table(&mut self, table: Table) {
        let at = table.id.0 as usize;
        assert!(at <= self.tables.len(), "ids are given in order");
        if let Some(Some(old)) = self.tables.get(at) {
            // It may have another name now.
            self.by_name.remove(&old.name);
        }
        self.by_name.insert(table.name.clone(), table.id);
        let table = Some(Arc::new(table));
        if at == self.tables.len() { self.tables.push(table) } else { self.tables[at] = table }
    }
    /// Removes a table or view; its id is never used again.
    pub fn remove_table(&mut self, id: TableId) {
        let table = self.tables[id.0 as usize].take().expect("ids come from this catalog");
        self.by_name.remove(&table.name);
    }
    pub fn put_procedure(&mut self, procedure: Procedure) {
        self.procedures.insert(procedure.name.clone(), Arc::new(procedure));
    }
    pub fn remove_procedure(&mut self, name: &Name) -> Option<Arc<Procedure>> {
        self.procedures.remove(name)
    }
    /// The view that is not materialized of that name.
    pub fn query_view(&self, name: &Name) -> Option<&Arc<QueryView>> {
        self.query_views.get(name)
    }
    /// Views that are not materialized, by name. (Materialized ones are among the tables.)
    pub fn query_views(&self) -> impl Iterator<Item = &Arc<QueryView>> {
        self.query_views.values()
    }
    pub fn put_query_view(&mut self, view: QueryView) {
        self.query_views.insert(view.name.clone(), Arc::new(view));
    }
    pub fn remove_query_view(&mut self, name: &Name) -> Option<Arc<QueryView>> {
        self.query_views.remove(name)
    }
}
