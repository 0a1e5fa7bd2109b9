//! What is asked: parameters and their values, designs, workflows, study files, and their checking.
//!
//! This crate does no I/O: it is given texts ([`Source`]) and returns values and [`Diagnostic`]s. It knows no images
//! and runs nothing. A study file becomes a [`Study`]; everything that can be sampled becomes a [`Problem`].

mod catalogue;
mod constraint;
mod design;
mod diagnostic;
mod distribution;
mod domain;
mod export;
mod import;
mod located;
mod parameter;
mod space;
mod value;
mod workflow;

pub use catalogue::{Catalogue, OpParameter, OpRegion, OpSpec};
pub use constraint::{Constraint, Reach};
pub use design::{Design, Grid, LatinHypercube, Method, Morris, Saltelli, Trajectories};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Position, Severity, Source, Span, nearest};
pub use distribution::Distribution;
pub use domain::{Domain, DomainError};
pub use export::{ExportError, Exported, dakota_input, salib_parameter_file, salib_problem_json};
pub use import::{Imported, read_dakota_input, read_salib_parameters, read_salib_problem};
pub use located::{Data, Entry, Fields, FromNode, Mismatch, Node, Table, parse_json, parse_toml};
pub use parameter::{Canonical, Kind, Parameter};
pub use space::{Factor, Problem, Space, SpaceError};
pub use value::Value;
pub use workflow::{
    Binding, Bound, Command, Cycle, Declared, Device, EndedAs, Foreign, ForeignPort, Halo, Iteration, Marks,
    Operation, Place, PlacedTask, Python, RegionDeclaration, RegionKind, Repeats, Role, Scope, Stage, Step,
    Task, TaskGraph, Workflow, WorkflowParameter,
};
