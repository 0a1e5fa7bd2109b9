//! Studies: parameters and their values, designs, workflows, study files, and their checks.
//!
//! This crate does no I/O: it is given texts ([`SourceText`]) and returns values and [`Diagnostic`]s. It knows no images
//! and runs nothing.
//!
//! # The way in
//!
//! - A text of any kind: [`detect`] finds its kind. - A study: [`parse_study`], then [`StudyFile::resolve`] with the
//!   workflow and the sheet that it names; a [`Study`] comes out exactly when nothing is an error. [`StudySummary`] says
//!   what it will do. - A workflow: [`read_workflow`], then [`check_workflow`] against a [`Catalogue`]. - A problem of
//!   another tool: [`read_salib_problem`], [`read_salib_parameters`], [`read_dakota_input`]; back again by
//!   [`salib_problem_json`] and [`dakota_input`].
//!
//! Everything that can be sampled is a [`Problem`], whose [`Space`] holds the parameters that vary, their groups and
//! constraints.
//!
//! ```
//! use onceflow_study::{SourceText, StudySummary, parse_study};
//!
//! let source = SourceText::new("study.toml", r#"
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
//! let summary = StudySummary::new(&study, None).to_string();
//! assert!(summary.contains("screen      moat, 3 parameters, 20 trajectories: 80 rows"), "{summary}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod constraint;
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

pub use constraint::{Constraint, Reach};
pub use design::{
    Design, GridDesign, HoldOut, LatinHypercube, Method, MorrisDesign, SaltelliDesign, Trajectories,
    TuneBound, TuneDesign, TuneMethod, TuneOver,
};
pub use detect::{FileKind, detect};
pub(crate) use diagnostic::Diagnosed;
pub use diagnostic::{
    Diagnostic, Diagnostics, Label, LineColumn, Severity, SourceSpan, SourceText, excerpt, nearest,
};
pub use distribution::{Distribution, DistributionError};
pub use domain::{Domain, DomainError};
pub use export::{
    ExportError, Exported, dakota_input, optuna_journal, salib_parameter_file, salib_problem_json,
};
pub use import::{
    Imported, ImportedWorkflow, OptunaTrial, OptunaTrials, TavernaCounts, count_taverna, import_original,
    import_taverna, read_dakota_input, read_optuna_journal, read_salib_parameters, read_salib_problem,
};
pub use located::{
    Data, FromNode, Located, LocatedNode, LocatedTable, Mismatch, TableEntry, TableReader, parse_json,
    parse_toml,
};
pub use parameter::{Canonical, Parameter, ParameterKind};
pub use shipped::{SHIPPED, WORKFLOW_SCHEMA, shipped_ranges, shipped_workflow};
pub use space::{Factor, Problem, Space, SpaceError};
pub use study::{
    Against, BackgroundRule, Edit, FactorEffect, FindFiles, ImageBox, ImageSheet, Keep, KeepRule,
    MOST_INSTANCES, MOST_ROWS, Metric, OnFailure, OnUnreadable, Parts, Phase, PhaseCount, PhaseGrowth,
    RunSection, RunUntil, Seams, Study, StudyCounts, StudyDifference, StudyFile, StudyImage,
    WorkflowReference, parse_sheet, parse_study,
};
pub use summary::StudySummary;
pub use template::{
    ImagesTemplate, images_template, model_template, problem_template, sheet_text, workflow_template,
};
pub use units::{RunBound, Share, Size, UnitError, counted, parse_duration, with_commas};
pub use value::Value;
pub use workflow::{
    Binding, BoundValue, Catalogue, Cycle, DeviceKind, EndedAs, Foreign, ForeignPort, Halo, Iteration, Marks,
    NameRole, OpParameter, OpRegion, OpSpec, OpStep, OperationDeclaration, PlacedTask, ProgramCommand,
    Python, PythonFunction, RegionDeclaration, RegionKind, Repeats, Scope, SourceLocation, Stage, StageStep,
    StepsError, Task, TaskOperation, Workflow, WorkflowGraph, WorkflowParameter, check_workflow,
    read_workflow,
};
