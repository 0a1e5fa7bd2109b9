//! What tasks cost: records in, estimates with error bars out. This crate reads and writes no files.
