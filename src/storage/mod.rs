//! Rows, indexes, undo and views of one partition.
