//! A `.t2flow` file as written, before nested dataflows are expanded.

use crate::{Iteration, RegionKind, SourceSpan};

/// All dataflows of a file; the first one is the top.
#[derive(Debug)]
pub(super) struct TavernaDocument {
    pub(super) dataflows: Vec<Dataflow>,
}

/// A workflow or sub-workflow.
#[derive(Debug)]
pub(super) struct Dataflow {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) about: Option<String>,
    pub(super) inputs: Vec<InputPort>,
    pub(super) outputs: Vec<Port>,
    pub(super) processors: Vec<Processor>,
    pub(super) links: Vec<Link>,
    pub(super) conditions: Vec<Condition>,
    pub(super) span: SourceSpan,
}

/// A port through which a dataflow is given something.
#[derive(Debug)]
pub(super) struct InputPort {
    pub(super) port: Port,
    /// Its free text; programs that build on Taverna hide types and values there.
    pub(super) annotation: Option<String>,
}

/// A port.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) name: String,
    pub(super) depth: u32,
    pub(super) kind: RegionKind,
    pub(super) span: SourceSpan,
}

/// A step of a dataflow.
#[derive(Debug)]
pub(super) struct Processor {
    pub(super) name: String,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// Class of its activity.
    pub(super) kind: String,
    pub(super) detail: Option<String>,
    /// Id of the dataflow it stands for.
    pub(super) nested: Option<String>,
    pub(super) iteration: Vec<Iteration>,
    pub(super) span: SourceSpan,
}

/// Data from one port to another.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) from: End,
    pub(super) to: End,
    /// Whether the sink collects a list from several links, in their order.
    pub(super) merges: bool,
    pub(super) span: SourceSpan,
}

/// A port of a processor, or of the dataflow itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct End {
    pub(super) processor: Option<String>,
    pub(super) port: String,
}

/// `target` starts after `control` is finished.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) control: String,
    pub(super) target: String,
    pub(super) span: SourceSpan,
}
