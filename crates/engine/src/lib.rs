//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod answer;

pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
