//! What is asked: parameters and their values, designs, workflows, study files, and their checking.
//!
//! This crate does no I/O: it is given texts ([`Source`]) and returns values and [`Diagnostic`]s. It knows no images
//! and runs nothing.
//!
//! # The way in
//!
//! - A text of any kind: [`detect`] says what it is.
//! - A study: [`parse_study`], then [`StudyFile::resolve`] with the workflow and the sheet that it names; a [`Study`]
//!   comes out exactly when nothing is an error. [`Summary`] says what it will do.
//! - A workflow: [`read_workflow`], then [`check_workflow`] against a [`Catalogue`].
//! - A problem of another tool: [`read_salib_problem`], [`read_salib_parameters`], [`read_dakota_input`]; back again by
//!   [`salib_problem_json`] and [`dakota_input`].
//!
//! Whatever can be sampled is a [`Problem`], whose [`Space`] holds the parameters that vary, their groups and constraints.
//!
//! ```
//! use onceflow_study::{Source, Summary, parse_study};
//!
//! let source = Source::new("study.toml", r#"
//! name = "segmentation"
//! seed = 7
//! constraints = ["low < high"]
//!
//! [parameters]
//! low  = { from = 10, to = 90, step = 5, default = 30 }
//! high = { from = 100, to = 200, default = 150 }
//! mode = { values = ["fast", "fine"], default = "fine" }
//!
//! [[phase]]
//! name = "screen"
//! method = "moat"
//! trajectories = 20
//! "#);
//! let (study, messages) = parse_study(&source)?.resolve(None, None);
//! assert!(!messages.has_errors(), "{messages}");
//! let study = study.ok_or("a study without errors")?;
//! let summary = Summary::new(&study, None).to_string();
//! assert!(summary.contains("screen      moat, 3 parameters, 20 trajectories: 80 rows"), "{summary}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod constraint;
mod count;
mod design;
mod detect;
mod diagnostic;
mod distribution;
mod domain;
mod export;
mod import;
mod located;
mod parameter;
mod shipped;
mod space;
mod study;
mod summary;
mod template;
mod units;
mod value;
mod workflow;

pub use catalogue::{Catalogue, OpParameter, OpRegion, OpSpec, OpStep, StepsError};
pub use constraint::{Constraint, Reach};
pub use count::{Counts, MOST_INSTANCES, MOST_ROWS, PhaseCount};
pub use design::{Design, Grid, LatinHypercube, Method, Morris, Saltelli, Trajectories};
pub use detect::{FileKind, detect};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Position, Severity, Source, Span, excerpt, nearest};
pub use distribution::{Distribution, DistributionError};
pub use domain::{Domain, DomainError};
pub use export::{ExportError, Exported, dakota_input, salib_parameter_file, salib_problem_json};
pub use import::{
    Imported, ImportedWorkflow, TavernaCounts, count_taverna, import_original, import_taverna,
    read_dakota_input, read_salib_parameters, read_salib_problem,
};
pub use located::{Data, Entry, Fields, FromNode, Located, Mismatch, Node, Table, parse_json, parse_toml};
pub use parameter::{Canonical, Kind, Parameter};
pub use shipped::{SHIPPED, WORKFLOW_SCHEMA, shipped_ranges, shipped_workflow};
pub use space::{Factor, Problem, Space, SpaceError};
pub use study::{
    Against, Background, Effect, FindFiles, Growth, Image, ImageBox, Keep, KeepRule, Metric, OnFailure,
    Parts, Phase, RunSettings, Seams, Sheet, Study, StudyChange, StudyFile, WorkflowReference, parse_sheet,
    parse_study,
};
pub use summary::Summary;
pub use template::{
    ImagesTemplate, images_template, model_template, problem_template, sheet_text, workflow_template,
};
pub use units::{Share, Size, UnitError, counted, with_commas};
pub use value::Value;
pub use workflow::{
    Binding, Bound, Command, Cycle, Declared, Device, EndedAs, Foreign, ForeignPort, Halo, Iteration, Marks,
    Operation, Place, PlacedTask, Python, RegionDeclaration, RegionKind, Repeats, Role, Scope, Stage, Step,
    Task, TaskGraph, Workflow, WorkflowParameter, check_workflow, read_workflow,
};
