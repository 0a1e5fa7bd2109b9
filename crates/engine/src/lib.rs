//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod account;
mod answer;
mod catalogue;
mod collect;
mod compare;
mod error;
mod file;
mod folder;
mod image;
mod inputs;
mod metrics;
mod objects;
mod operation;
mod phase;
mod planned;
mod prepared;
mod progress;
mod report;
mod resources;
mod run;
mod save;
mod supply;
mod synthetic;

pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
pub use catalogue::catalogue;
pub use error::EngineError;
pub use file::write_whole;
pub use folder::RunFolder;
pub use image::{open_image, open_labels};
pub use objects::objects;
pub use onceflow_reuse::{Level, LevelFigures};
pub use planned::{LaterPhase, Planned};
pub use prepared::Prepared;
pub use progress::{Progress, Silent};
pub use report::{
    Picture, answer_text, best, best_json, html, indices_json, metrics_csv, rows_csv, run_json,
};
pub use resources::{available_memory, available_workers, peak_resident};
pub use run::{Ending, Run, RunOptions, TraceEntry, run};
pub use save::{Texts, begin, save};
pub use synthetic::parse_synthetic;
