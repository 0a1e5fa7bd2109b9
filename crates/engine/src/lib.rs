//! The straight line: from a study file to its answer.
//!
//! This crate wires the others together and holds no algorithms of its own. [`open_study`], [`plan_study`] and [`run_study`]
//! are its three calls; the folders follow a study on its way: `open`, `plan`, `run`, `resume`, `save`, `redo`.

mod clips;
mod costs;
mod error;
mod file;
mod folder;
mod image;
mod line;
mod mold;
mod open;
mod plan;
mod progress;
mod redo;
mod resume;
mod run;
mod save;
mod settings;
mod store_folder;
mod volumes;
mod work;

pub use costs::{CostsFile, LoadedCosts};
pub use error::{EngineError, ErrorKind, internal, unwritable};
pub use file::{TextLimit, is_pattern, matching, read_text};
pub use folder::RunFolder;
pub use image::{
    AtWork, BLANK_COST, Conversion, DrawnParts, ImageForm, PlannedConversion, WantedPixels, bytes_to_paint,
    convert, draw_parts, open_deep_image, open_drawn, open_drawn_at_work, open_image, open_labels,
    open_source, open_volume, paint, parse_synthetic, plan_conversion, tissue, tissue_costs, what_is_taken,
};
pub use line::{RunResult, plan_study, run_study};
pub use mold::{
    ClusterLoad, EstimateRequest, FollowRequest, MoldAnswer, OptimizeGoal, OptimizeRequest,
    PerformanceSource, RemoteSite, SimulateRequest, SimulatedRule, SubmitRequest, WorkflowKind,
    WorkflowRequest, mold_estimate, mold_follow, mold_optimize, mold_simulate, mold_submit, mold_workflow,
};
pub use onceflow_cluster::batch::{BatchPolicy, SlurmModel};
pub use onceflow_cluster::moldable::PlanGoal;
pub use onceflow_cluster::{
    Bucket, Chance, ClaimRules, ClaimedBucket, Machine, Network, NodeFigures, NodeKind, SharedFiles,
    Simulated, SimulatedClaims, SimulatedTask, SimulatedWorkers, Simulation, SiteProfile, SplitRules,
    Transfers, simulate, simulate_claims,
};
pub use onceflow_costs::scaling::{Complexity, EstimateOptions, Outside};
pub use onceflow_nuclei::{
    Agreement, FeatureFile, FeatureForm, NucleiError, NucleiFeatures, NucleiParameters, NucleiSource,
    Overlay, Segmented, StepProgress, Tiling, Workspace, agreement, bytes_to_compare, bytes_to_measure,
    bytes_to_segment, catalogue, check_sizes, check_truth, disk_bytes_to_measure, features, objects, overlay,
    read_objects, segment,
};
pub use onceflow_products::{
    Collected, Collection, Explained, Listed, ProductError, ProductKey, ProductRegion, ProductStore,
    StoreOptions, StoreStatistics, Verified,
};
pub use onceflow_programs::{AskedLog, FoundLog, use_python};
pub use onceflow_region::io_words;
pub use onceflow_registration::{
    Initial, LevelCost, LevelReport, Measures, OutputFolder, PairFiles, RegistrationError,
    RegistrationParameters, Role, WarpOptions, levels_json, measures_json,
};
pub use onceflow_report::{
    Amounts, Answer, BestRow, CropOverview, HeldOutGain, ImageAnalysis, ImageCrop, ImageRecord, ImageSummary,
    KeptParameters, LegendEntry, Material, MetricTable, PhaseAnswer, PhaseGrain, Pictures, ProposedRow,
    ProposedWork, Provenance, Resampling, ResamplingKind, RowMarks, RowRecord, RowStatus, RunEnding,
    SlideGain, TraceEntry, TraceOutcome, TuneAnswer, TuneVerdict, TunedMetric, TunedRow, UsedFile,
    ValueChange, WorkAccount, answer_text, best, best_json, duration_words, grain_json, html, indices_json,
    memory_words, metrics_csv, provenance_json, resampling_words, ro_crate, rows_csv, run_json, tune_json,
};
pub use onceflow_reuse::attributes::{AttributeReport, AttributeSet, PassAttributes};
pub use onceflow_reuse::merge::{Merging, Pruning, SmallBucket};
pub use onceflow_reuse::{
    ChosenGrain, GrainChange, GrainTask, Granularity, Level, LevelFigures, ObjectCounts, RuleReport,
};
pub use onceflow_runtime::{
    Call, Cause, Crew, Device, Done, Expected, MemoryMeter, Operation, OperationError, PartLayout, PartSite,
    Policy, PolicyError,
};
pub use onceflow_store::publish::{remove_unfinished, write_file, write_whole};
pub use onceflow_synth::Painted;
pub use open::KeptByRun;
pub use open::{
    CheckOptions, CheckedDocument, Document, DocumentContent, OpenStudy, Operations, StudyInput, TuneRequest,
    check_document, open_document, open_study, open_study_with, open_to_tune,
};
pub use plan::{
    Alternative, BucketFigures, CostOrigin, Explanation, Foreseen, FoundSame, GraphForm, GraphOf,
    LaterFigures, LaterPhase, PhaseBasis, Planned, PlannedLook, Question, Replay, Scheduling, SimulatedStudy,
    SimulationOptions, TaskFigures, described_attributes,
};
pub use progress::{
    BucketOver, ImageWatch, ImagesDigested, PhaseBegun, PicturesAhead, Progress, ProgressTracker, RowOver,
    STATUS_FILE, Silent, StageProgress, TaskAhead, TaskOver,
};
pub use redo::{InstancePictures, InstanceRequest, RegionRequest, StudyPixels, compute_region, instance};
pub use resume::{LeftPhase, LeftWork, left_to_compute};
pub use run::{
    AskedOptions, AskedRow, AskedSearch, BucketCost, BucketImage, BucketInput, BucketMakes, BucketPhase,
    BucketReference, BucketResult, BucketRow, BucketRows, BucketValue, INTERIM_FILE, PixelBox, Run,
    SavedFile, SavedRegion, SharedTask, SplitCost, StoredInstances, StoredPhase, StoredPixels,
    StoredPixelsError, StoredUnknown, WorkOptions, WorkSummary, apply_built_in, execute_bucket, find_logs,
    is_running, next_buckets, record_bucket, run, stored_phases, stored_pixels, stored_row, work,
};
pub use save::{Failing, failing, read_row};
pub use settings::{
    AuditShare, Limits, Merge, MergeAlgorithm, MergeOptions, PROCESS_BYTES, PictureChoice, RunOptions,
    RunSettings, SettingOrigin, SettingsLayers, ShownSetting, StopFlag, WorkEngine, WorkersOn,
    available_memory, available_workers, peak_resident, read_profile,
};
pub use store_folder::StoreFolder;
pub use volumes::{
    PAIR_FILES, PlannedRegistration, RegisterRequest, RegisteredPair, WarpInto, WarpRequest, warp_into,
    write_pair,
};
pub use work::{WORK_FOLDER, WorkJob, take_empty_buckets};
