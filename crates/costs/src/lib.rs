//! What tasks cost: records in, estimates with error bars out. This crate reads and writes no files.

mod estimate;
mod record;

pub use estimate::{Costs, Estimate, Origin};
pub use record::{Record, RecordError};
