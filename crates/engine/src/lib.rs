//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own.

mod account;
mod agreement;
mod answer;
mod catalogue;
mod collect;
mod command;
mod compare;
mod contents;
mod converged;
mod convert;
mod device;
mod drawing;
mod error;
mod features;
mod findings;
mod folder;
mod grain;
mod image;
mod inputs;
mod instance;
mod journal;
mod keep;
mod measure;
mod memory;
mod metrics;
mod objects;
mod objects_seen;
mod operation;
mod operations;
mod overlay;
mod paint;
mod parts_picture;
mod phase;
mod pictures;
mod planned;
mod predicted;
mod prepared;
mod progress;
mod provenance;
mod reading;
mod remade;
mod remembered;
mod replay;
mod report;
mod resampling;
mod resources;
mod resume;
mod row;
mod run;
mod save;
mod scratch;
mod segment;
mod simulated;
mod supply;
mod synthetic;
mod table_file;
mod tiled;
mod tissue_costs;
mod view;
mod whole;

pub use agreement::{agreement, bytes_to_compare, check_sizes, read_objects};
pub use answer::{
    Amounts, Answer, Best, Change, ImageAnalysis, ImageRecord, ImageSummary, Kept, MetricTable, PhaseAnswer,
    RowRecord, RowStatus, Work,
};
pub use catalogue::{Operations, catalogue};
pub use command::{AskedLog, FoundLog, find_logs, look_at_commands};
pub use converged::FoundSame;
pub use convert::{Conversion, ImageForm, PlannedConversion, WantedPixels, convert, plan_conversion};
pub use error::EngineError;
pub use features::{
    FeatureFile, FeatureForm, Nuclei, NucleiFeatures, bytes_to_measure, disk_bytes_to_measure, features,
};
pub use findings::Foreseen;
pub use folder::RunFolder;
pub use grain::{PhaseGrain, grain_json};
pub use image::{
    as_eight_bits, open_deep_image, open_drawn, open_image, open_labels, open_source, open_volume,
};
pub use inputs::look_at_images;
pub use instance::{Asked, Instance, instance};
pub use journal::is_running;
pub use measure::Scheduling;
pub use objects::objects;
pub use objects_seen::ObjectCounts;
pub use onceflow_region::publish::{remove_unfinished, write_file, write_whole};
pub use onceflow_reuse::merge::{Merging, Pruning, SmallBucket};
pub use onceflow_reuse::{Chosen, GrainChange, GrainTask, Granularity, Level, LevelFigures, RuleReport};
pub use onceflow_runtime::{
    Bucket, Call, Cause, Chance, Crew, Device, Done, Expected, Files, Layout, Machine, Meter, Network,
    NodeFigures, NodeKind, Operation, OperationError, PartSite, Policy, PolicyError, Simulated,
    SimulatedTask, Simulation, Transfers, simulate,
};
pub use overlay::{Agreement, overlay};
pub use paint::{Painted, bytes_to_paint, paint, tissue};
pub use parts_picture::{DrawnParts, draw_parts};
pub use pictures::pictures;
pub use planned::{
    Alternative, BucketFigures, Explanation, GraphForm, GraphOf, LaterPhase, Limits, Merge, Planned,
    Question, TaskFigures,
};
pub use predicted::CostOrigin;
pub use prepared::Prepared;
pub use progress::{PhaseBegun, Progress, RowOver, Silent, TaskAhead, TaskOver};
pub use provenance::{Started, provenance};
pub use remembered::{CostsFile, LoadedCosts};
pub use replay::Replay;
pub use report::{
    Failing, Material, Pictures, Provenance, Scene, Shown, UsedFile, answer_text, best, best_json,
    duration_words, failing, html, indices_json, memory_words, metrics_csv, provenance_json, ro_crate,
    rows_csv, run_json,
};
pub use resampling::{Resampling, ResamplingKind, resampling_words};
pub use resources::{available_memory, available_workers, peak_resident};
pub use run::{Ending, Run, RunOptions, TraceEntry, run};
pub use save::{Texts, begin, save};
pub use segment::{NucleiParameters, Overlay, Segmented, bytes_to_segment, check_truth, segment};
pub use simulated::{SimulatedStudy, SimulationOptions, suits_threads};
pub use synthetic::parse_synthetic;
pub use table_file::read_row;
pub use tiled::Tiling;
pub use whole::desk::{Desk, Step};

pub use tissue_costs::{BLANK_COST, tissue_costs};
#[cfg(test)]
use whole::desk::test_desk;
