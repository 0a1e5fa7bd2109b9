//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod answer;
mod catalogue;
mod compare;
mod error;
mod file;
mod image;
mod objects;
mod resources;
mod synthetic;

pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
pub use catalogue::catalogue;
pub use error::EngineError;
pub use file::write_whole;
pub use image::{open_image, open_labels};
pub use objects::objects;
pub use resources::{available_memory, available_workers, peak_resident};
pub use synthetic::parse_synthetic;
