//! The answer of a study and its renderings: text, HTML, SVG, CSV, JSON and RO-Crate.
//!
//! An [`Answer`] is a plain value. The engine fills it; this crate renders it and computes no results of its own.
//!
//! - [`answer_text`] is for the terminal, [`html`] for the browser.
//! - [`rows_csv`] and [`metrics_csv`] are tables.
//! - [`run_json`], [`indices_json`], [`best_json`] and [`provenance_json`] are for programs.
//! - [`ro_crate`] describes the run for archives.
//! - [`Graph`] draws task graphs as DOT and SVG, [`gantt_svg`] jobs on the nodes of a cluster.

mod account;
mod answer;
mod best;
mod csv;
mod differs;
mod gantt;
mod graph;
mod html;
mod json;
mod material;
mod ro_crate;
mod subject;
mod text;
mod words;

pub use answer::{
    Amounts, Answer, BestRow, EarlierRun, FlippedValue, HeldOutGain, ImageAnalysis, ImageRecord,
    ImageSummary, KeptParameters, LeftOutSlide, MetricTable, PhaseAnswer, PhaseGrain, ProposedRow,
    ProposedWork, RangeEnd, Resampling, ResamplingKind, RowRecord, RowStatus, SlideGain, TakenSum, TriedRow,
    TuneAnswer, TuneVerdict, TunedMetric, TunedRow, ValueChange, WorkAccount, resampling_words,
};
pub use best::{best, chosen_row, higher_is_better};
pub use csv::{metrics_csv, rows_csv};
pub use gantt::{BarOwner, GanttBar, GanttChart, PlanChoice, PlanPage, gantt_svg, gantt_text};
pub use graph::{BoxKind, Graph, GraphBox};
pub use html::html;
pub use json::{best_json, grain_json, indices_json, provenance_json, run_json, tune_json};
pub use material::{
    CropOverview, ImageCrop, LegendEntry, Material, Pictures, Provenance, RowMarks, RunEnding, TraceEntry,
    TraceOutcome, UsedFile,
};
pub use ro_crate::ro_crate;
pub use text::answer_text;
pub use words::{duration_words, memory_words};
