//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod answer;
mod report;

pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
pub use report::{
    Picture, answer_text, best, best_json, html, indices_json, metrics_csv, rows_csv, run_json,
};
