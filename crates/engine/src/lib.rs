//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod answer;
mod error;
mod file;
mod resources;

pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
pub use error::EngineError;
pub use file::write_whole;
pub use resources::{available_memory, available_workers, peak_resident};
