//! What the database contains, as data: one immutable version at a time.
