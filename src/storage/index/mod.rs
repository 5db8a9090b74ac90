//! Indexes: from a key to its rows.
//!
//! [`TableIndex`] knows which columns or expressions make the key of a row; its data is one of four structures, that
//! know
//! only hashes or bytes. NULL: a hash index leaves rows out that have one in their key, since no look-up can want them;
//! an ordered index keeps them, first, for scans of the whole order. The index of a view's groups is the exception:
//! there
//! NULL is a value like any other.

mod chain;
mod hash;
pub mod key;
mod ordered;

use super::eval::{Evaluator, RowExpr};
use super::heap::{Heap, RowId};
use super::layout::{Layout, LongStrings, Slot};
use super::strings::StringPool;
use crate::catalog::{self, IndexKind};
use crate::expr::EvalError;
use crate::types::{DataType, Datum};
use chain::ChainedTable;
pub use hash::{HashTable, TableFull};
use ordered::{OrderedIndex, OrderedKey};
use std::sync::Arc;

/// The stored rows of a table, to compare keys with.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub heap: &'a Heap,
    pub strings: &'a StringPool,
}

impl Rows<'_> {
    #[inline(always)]
    pub fn load(&self, row: RowId, slot: Slot) -> Datum {
        // SAFETY: a live cell of this layout.
        unsafe { slot.load(self.heap.cell(row)) }
    }

    /// True if the key columns of `row` have the values of `key`.
    #[inline(always)]
    fn has_key(&self, row: RowId, slots: &[Slot], key: &impl Fn(usize) -> Datum, long: &impl LongStrings) -> bool {
        let cell = self.heap.cell(row);
        for (i, &slot) in slots.iter().enumerate() {
            let wanted = key(i);
            // SAFETY: a live cell of the table whose columns these are.
            let same = unsafe { slot.equals(cell, wanted) };
            if !same.unwrap_or_else(|| key::same(self.load(row, slot), self.strings, wanted, long)) {
                return false;
            }
        }
        true
    }
}

/// What an index keeps of one row.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Nothing: the row is not in the index.
    None,
    Hash(u32),
    Ordered {
        key: OrderedKey,
        has_null: bool,
    },
}

enum Data {
    /// Unique; the key is one column that fits `Datum::lo`.
    One(Slot, HashTable),
    Hash(HashTable),
    Chained(ChainedTable),
    Ordered(OrderedIndex),
}

pub struct TableIndex {
    pub def: Arc<catalog::Index>,
    /// Positions and places of the key's columns, if every key is a plain column.
    columns: Option<Box<[usize]>>,
    slots: Box<[Slot]>,
    keys: Box<[RowExpr]>,
    types: Box<[(DataType, bool)]>,
    filter: Option<RowExpr>,
    nulls_are_values: bool,
    data: Data,
}

/// True for types whose datums have nothing in `hi`.
fn is_one_lane(ty: DataType) -> bool {
    ty.is_integer() || matches!(ty, DataType::Boolean | DataType::Float | DataType::Timestamp)
}

impl TableIndex {
    /// An empty index of `table`.
    pub fn new(def: &Arc<catalog::Index>, table: &catalog::Table, layout: &Layout) -> TableIndex {
        let columns: Option<Box<[usize]>> = def.columns().map(Into::into);
        let slots: Box<[Slot]> = columns.iter().flatten().map(|&c| layout.slot(c)).collect();
        let nullable = |k: &catalog::Key| k.column.map_or(k.expr.nullable, |c| table.columns[c].nullable);
        let types: Box<[_]> = def.keys.iter().map(|k| (k.ty, nullable(k))).collect();
        let data = match def.kind {
            // Keys that must be computed are not compared with rows: the tree has them.
            IndexKind::Hash if columns.is_some() => match (def.unique, &types[..]) {
                (true, [(ty, _)]) if is_one_lane(*ty) => Data::One(slots[0], HashTable::default()),
                (true, _) => Data::Hash(HashTable::default()),
                (false, _) => Data::Chained(ChainedTable::default()),
            },
            _ => {
                let bytes = types.iter().map(|&(ty, nullable)| key::encoded_max(ty, nullable)).sum();
                Data::Ordered(OrderedIndex::new(bytes))
            }
        };
        TableIndex {
            keys: def.keys.iter().map(|k| RowExpr::new(&k.expr, table.columns.len())).collect(),
            filter: def.filter.as_ref().map(|f| RowExpr::new(f, table.columns.len())),
            nulls_are_values: table.is_view() && def.unique,
            def: Arc::clone(def),
            columns,
            slots,
            types,
            data,
        }
    }

    /// The names stay where they were when two indexes of the same keys have changed places.
    pub fn swap_definition(&mut self, other: &mut TableIndex) {
        std::mem::swap(&mut self.def, &mut other.def);
    }

    /// True if entries can be made of columns alone, without evaluating anything.
    fn is_plain(&self) -> bool {
        self.columns.is_some() && self.filter.is_none()
    }

    /// What the index keeps of `row`.
    pub fn entry(&self, row: &[Datum], long: &impl LongStrings, evaluator: &mut Evaluator) -> Result<Entry, EvalError> {
        if let (true, Some(columns)) = (self.is_plain(), &self.columns) {
            return Ok(self.entry_of_key(&|i| row[columns[i]], long));
        }
        evaluator.load(row, long);
        if let Some(filter) = &self.filter
            && !evaluator.eval(filter)?.is_true()
        {
            return Ok(Entry::None);
        }
        let key: Vec<Datum> = self.keys.iter().map(|k| evaluator.eval(k)).collect::<Result<_, _>>()?;
        Ok(self.entry_of_key(&|i| key[i], evaluator.arena()))
    }

    /// The entry of a key whose values are in range.
    #[inline(always)]
    fn entry_of_key(&self, key: &impl Fn(usize) -> Datum, long: &impl LongStrings) -> Entry {
        let parts = self.types.len();
        let has_null = (0..parts).any(|i| key(i).is_null());
        match &self.data {
            Data::One(..) | Data::Hash(_) | Data::Chained(_) if has_null && !self.nulls_are_values => Entry::None,
            Data::One(..) => Entry::Hash(key::hash_one(key(0).lo)),
            Data::Hash(_) | Data::Chained(_) => Entry::Hash(key::hash_key((0..parts).map(key), long)),
            Data::Ordered(tree) => {
                let mut bytes = Vec::with_capacity(24);
                for (i, &(ty, nullable)) in self.types.iter().enumerate() {
                    key::encode(key(i), ty, nullable, long, &mut bytes);
                }
                Entry::Ordered { key: tree.key(&bytes), has_null }
            }
        }
    }

    /// The row that has this unique index's key already; `row` made `entry`. `except`: the row that is to be changed.
    pub fn conflict(
        &self,
        entry: &Entry,
        row: &[Datum],
        long: &impl LongStrings,
        rows: Rows<'_>,
        except: Option<RowId>,
    ) -> Option<RowId> {
        if !self.def.unique {
            return None;
        }
        let columns = self.columns.as_deref().unwrap_or_default();
        let is_it = |r| Some(r) != except && rows.has_key(r, &self.slots, &|i| row[columns[i]], long);
        match (&self.data, entry) {
            (Data::One(_, table) | Data::Hash(table), Entry::Hash(tag)) => table.find(*tag, is_it),
            (Data::Ordered(tree), Entry::Ordered { key, has_null }) if !has_null || self.nulls_are_values => {
                let mut found = None;
                tree.for_each_equal(key, &mut |r| {
                    found = Some(r).filter(|&r| Some(r) != except);
                    found.is_none()
                });
                found
            }
            _ => None,
        }
    }

    /// Makes room, so that `insert` of this entry cannot fail.
    #[inline]
    pub fn reserve(&mut self, entry: &Entry) -> Result<(), TableFull> {
        match (&mut self.data, entry) {
            (Data::One(_, table) | Data::Hash(table), Entry::Hash(tag)) => table.reserve(*tag),
            (Data::Chained(table), Entry::Hash(tag)) => table.reserve(*tag),
            _ => Ok(()),
        }
    }

    /// Adds a row that is stored already.
    #[inline]
    pub fn insert(&mut self, entry: &Entry, row: RowId, rows: Rows<'_>) {
        match (&mut self.data, entry) {
            (_, Entry::None) => {}
            (Data::One(_, table) | Data::Hash(table), Entry::Hash(tag)) => table.insert(*tag, row),
            (Data::Chained(table), Entry::Hash(tag)) => {
                table.insert(*tag, row, |other| shares_key(&self.slots, rows, row, other));
            }
            (Data::Ordered(tree), Entry::Ordered { key, .. }) => tree.insert(key, row),
            _ => unreachable!("an entry of this index"),
        }
    }

    /// Removes a row that is still stored as it was.
    pub fn remove(&mut self, entry: &Entry, row: RowId, rows: Rows<'_>) {
        match (&mut self.data, entry) {
            (_, Entry::None) => {}
            (Data::One(_, table) | Data::Hash(table), Entry::Hash(tag)) => table.remove(*tag, row),
            (Data::Chained(table), Entry::Hash(tag)) => {
                table.remove(*tag, row, |other| shares_key(&self.slots, rows, row, other));
            }
            (Data::Ordered(tree), Entry::Ordered { key, .. }) => tree.remove(key, row),
            _ => unreachable!("an entry of this index"),
        }
    }

    /// The first row of a key, one datum per part, NULL equal to NULL only in a view's groups.
    #[inline(always)]
    pub fn find(&self, key: &impl Fn(usize) -> Datum, long: &impl LongStrings, rows: Rows<'_>) -> Option<RowId> {
        match &self.data {
            Data::One(slot, table) => find_one(*slot, table, key(0), self.nulls_are_values, rows).1,
            Data::Hash(table) => {
                let parts = self.types.len();
                if !self.nulls_are_values && (0..parts).any(|i| key(i).is_null()) {
                    return None;
                }
                let tag = key::hash_key((0..parts).map(key), long);
                table.find(tag, |r| rows.has_key(r, &self.slots, key, long))
            }
            _ => {
                let mut found = None;
                self.for_each_equal(key, long, rows, &mut |r| {
                    found = Some(r);
                    false
                });
                found
            }
        }
    }

    /// As `find`, for a user's key, if the index is of the simplest kind: unique, over one column of one lane.
    #[inline(always)]
    pub fn find_one(&self, key: Datum, rows: Rows<'_>) -> Option<Option<RowId>> {
        match &self.data {
            Data::One(slot, table) => Some(find_one(*slot, table, key, false, rows).1),
            _ => None,
        }
    }

    /// The place in the hash table of a unique key, and its row if it is there: for whoever inserts if it is not.
    #[inline(always)]
    pub fn probe(
        &self,
        key: &impl Fn(usize) -> Datum,
        long: &impl LongStrings,
        rows: Rows<'_>,
    ) -> (u32, Option<RowId>) {
        match &self.data {
            Data::One(slot, table) => find_one(*slot, table, key(0), true, rows),
            Data::Hash(table) => {
                let tag = key::hash_key((0..self.slots.len()).map(key), long);
                (tag, table.find(tag, |r| rows.has_key(r, &self.slots, key, long)))
            }
            _ => unreachable!("the index of a view's groups is a unique hash index"),
        }
    }

    /// The rows of a key until `f` says false.
    pub fn for_each_equal(
        &self,
        key: &impl Fn(usize) -> Datum,
        long: &impl LongStrings,
        rows: Rows<'_>,
        f: &mut dyn FnMut(RowId) -> bool,
    ) {
        let parts = self.types.len();
        if !self.nulls_are_values && (0..parts).any(|i| key(i).is_null()) {
            return;
        }
        match &self.data {
            Data::One(..) | Data::Hash(_) => {
                if let Some(row) = self.find(key, long, rows) {
                    f(row);
                }
            }
            Data::Chained(table) => {
                let tag = key::hash_key((0..parts).map(key), long);
                if let Some(head) = table.find(tag, |r| rows.has_key(r, &self.slots, key, long)) {
                    table.for_each(head, f);
                }
            }
            Data::Ordered(tree) => {
                if (0..parts).all(|i| key::in_range(self.types[i].0, key(i)))
                    && let Entry::Ordered { key, .. } = self.entry_of_key(key, long)
                {
                    tree.for_each_equal(&key, f);
                }
            }
        }
    }

    /// Brings the cache line where a look-up begins.
    #[inline(always)]
    pub fn prefetch(&self, key: &[Datum], long: &impl LongStrings) {
        match &self.data {
            Data::One(_, table) => table.prefetch(key::hash_one(key[0].lo)),
            Data::Hash(table) => table.prefetch(key::hash_key(key.iter().copied(), long)),
            Data::Chained(table) => table.prefetch(key::hash_key(key.iter().copied(), long)),
            Data::Ordered(_) => {}
        }
    }

    /// Rows of an ordered index whose first parts equal `equal` and whose next part lies between the bounds (with
    /// "inclusive"), in the index's order, until `f` says false. NULL in the next part only counts without any bound.
    pub fn range(
        &self,
        equal: &[Datum],
        bounds: [Option<(Datum, bool)>; 2],
        long: &impl LongStrings,
        descending: bool,
        f: &mut dyn FnMut(RowId) -> bool,
    ) {
        let Data::Ordered(tree) = &self.data else {
            panic!("{} has no order: the plan must not range over it", self.def.name)
        };
        if equal.iter().chain(bounds.iter().flatten().map(|(d, _)| d)).any(|d| d.is_null())
            || equal.iter().zip(&self.types).any(|(&d, t)| !key::in_range(t.0, d))
        {
            return;
        }
        let mut prefix = Vec::with_capacity(24);
        for (&datum, &(ty, nullable)) in equal.iter().zip(&self.types) {
            key::encode(datum, ty, nullable, long, &mut prefix);
        }
        let Some([low, high]) = self.bound_bytes(prefix, equal.len(), bounds, long) else { return };
        let low = low.unwrap_or_default();
        tree.range(&low, high.as_deref(), descending, f);
    }

    /// The first key bytes inside of the bounds, and the first behind; None: nothing is inside.
    fn bound_bytes(
        &self,
        prefix: Vec<u8>,
        part: usize,
        [low, high]: [Option<(Datum, bool)>; 2],
        long: &impl LongStrings,
    ) -> Option<[Option<Vec<u8>>; 2]> {
        let behind = |mut bytes: Vec<u8>| key::after_prefix(&mut bytes).then_some(bytes);
        if low.is_none() && high.is_none() {
            return Some([Some(prefix.clone()), behind(prefix)]);
        }
        let (ty, nullable) = self.types[part];
        let (min, max) = ty.integer_range().unwrap_or((i64::MIN, i64::MAX));
        let is_integer = ty.is_integer();
        let encoded = |datum| {
            let mut bytes = prefix.clone();
            key::encode(datum, ty, nullable, long, &mut bytes);
            bytes
        };
        let low = match low {
            Some((d, _)) if is_integer && d.as_i64() > max => return None,
            Some((d, inclusive)) if !is_integer || d.as_i64() >= min => {
                if inclusive {
                    encoded(d)
                } else {
                    behind(encoded(d))?
                }
            }
            _ if nullable => prefix.iter().copied().chain([1]).collect(),
            _ => prefix.clone(),
        };
        let high = match high {
            Some((d, _)) if is_integer && d.as_i64() < min => return None,
            Some((d, inclusive)) if !is_integer || d.as_i64() <= max => {
                if inclusive {
                    behind(encoded(d))
                } else {
                    Some(encoded(d))
                }
            }
            _ => behind(prefix.clone()),
        };
        Some([Some(low), high])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match &self.data {
            Data::One(_, table) | Data::Hash(table) => table.bytes(),
            Data::Chained(table) => table.bytes(),
            Data::Ordered(tree) => tree.bytes(),
        }
    }

    /// The hash table, if the index is unique, over one column of one lane.
    #[inline(always)]
    pub fn one_table(&self) -> Option<&HashTable> {
        match &self.data {
            Data::One(_, table) => Some(table),
            _ => None,
        }
    }

    /// The hash table of any other unique hash index.
    #[inline(always)]
    pub fn hash_table(&self) -> Option<&HashTable> {
        match &self.data {
            Data::Hash(table) => Some(table),
            _ => None,
        }
    }

    /// Adds a group's row to the hash index of a view; `tag` is what `probe` gave.
    #[inline(always)]
    pub fn insert_probed(&mut self, tag: u32, row: RowId) {
        match &mut self.data {
            Data::One(_, table) | Data::Hash(table) => table.insert(tag, row),
            _ => unreachable!("the index of a view's groups is a unique hash index"),
        }
    }

    /// Makes room for `insert_probed`.
    #[inline(always)]
    pub fn reserve_probed(&mut self, tag: u32) -> Result<(), TableFull> {
        match &mut self.data {
            Data::One(_, table) | Data::Hash(table) => table.reserve(tag),
            _ => unreachable!("the index of a view's groups is a unique hash index"),
        }
    }

    /// Removes a group's row.
    pub fn remove_probed(&mut self, tag: u32, row: RowId) {
        match &mut self.data {
            Data::One(_, table) | Data::Hash(table) => table.remove(tag, row),
            _ => unreachable!("the index of a view's groups is a unique hash index"),
        }
    }
}

/// The hash of a key of one lane, and the row that has it.
#[inline(always)]
fn find_one(slot: Slot, table: &HashTable, key: Datum, null_is_value: bool, rows: Rows<'_>) -> (u32, Option<RowId>) {
    let tag = key::hash_one(key.lo);
    if key.is_null() && !null_is_value {
        return (tag, None);
    }
    let found = table.find(tag, |row| {
        let cell = rows.heap.cell(row);
        // SAFETY: a live cell of the table whose column `slot` is.
        unsafe { slot.load_int(cell) == key.as_i64() && slot.is_null(cell) == key.is_null() }
    });
    (tag, found)
}

fn shares_key(slots: &[Slot], rows: Rows<'_>, row: RowId, other: RowId) -> bool {
    rows.has_key(other, slots, &|i| rows.load(row, slots[i]), rows.strings)
}
