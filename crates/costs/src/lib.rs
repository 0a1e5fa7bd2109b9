//! What tasks cost: records in, estimates with error bars out. This crate reads and writes no files.
//! [`scaling`] is about parallel tasks: how long they take on how many nodes.

mod chosen;
mod curve;
mod estimate;
mod finding;
mod histogram;
mod line;
mod model;
mod record;
mod reused;
pub mod scaling;
mod size;

pub use chosen::chosen;
pub use estimate::Costs;
pub use finding::{CostLine, Finding, FindingSum};
pub use model::{ByteEstimate, CostEstimate, CostModel, EstimateOrigin};
pub use record::{Record, RecordError};
