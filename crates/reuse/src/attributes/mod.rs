//! Which data identify a block of a program with the fewest bytes.
//!
//! A program is a flow graph: vertices are blocks, variables carry bytes between them. The *target* is the block whose result is
//! kept. Its attributes are the variables that enter it; when blocks above it join, others enter in their place. The
//! smallest attributes are a minimum cut, which [`minimise`] finds exactly.

mod describe;
mod error;
mod graph;
mod minimise;
mod network;
mod order;
mod read;
mod report;
mod search;
mod unroll;

pub use describe::{DescribedLoop, DescribedVariable, FlowDescription};
pub use error::AttributeError;
pub use graph::{AttributeGraph, GraphVariable, SOURCE};
pub use minimise::{AttributeSet, MinimalAttributes, minimise};
pub use read::{is_flow_description, read_flow_descriptions};
pub use report::{AttributeReport, PassAttributes};
