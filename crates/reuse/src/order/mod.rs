//! In which order the tasks of a bucket run, and how much memory that takes: breadth first, along a few active paths as
//! published, or in the postorder that keeps least.

mod graph;
mod postorder;
mod rehearse;

pub use graph::OrderGraph;
pub use rehearse::{Rehearsal, RehearsalOrder, rehearse};
