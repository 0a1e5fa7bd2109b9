//! What lies between tasks: the outputs of finished instances, and how an instance's inputs are found among them.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{NodeId, NodeInput, Plan};
use onceflow_study::{RegionKind, Scope};

use crate::{Instance, Layout, OperationError, Supply};

/// The outputs that somebody will still read.
#[derive(Default)]
pub(super) struct Kept(HashMap<Instance, Vec<Arc<Region>>>);

/// An input of an instance: there, or still to be asked for.
pub(super) enum JobInput {
    Region(Arc<Region>),
    Source(usize),
    Empty(RegionKind),
    /// It should be there and is not.
    Missing,
}

/// Where an instance runs.
#[derive(Clone, Copy)]
pub(super) struct Ground {
    pub(super) scope: Scope,
    pub(super) site: usize,
}

impl Kept {
    pub(super) fn keep(&mut self, instance: Instance, outputs: Vec<Arc<Region>>) {
        self.0.insert(instance, outputs);
    }

    pub(super) fn release(&mut self, instance: Instance) {
        self.0.remove(&instance);
    }

    pub(super) fn outputs(&self, instance: Instance) -> Vec<Arc<Region>> {
        self.0.get(&instance).cloned().unwrap_or_default()
    }

    /// The inputs of an instance, in the order of its task's.
    pub(super) fn inputs(&self, plan: &Plan, layout: &Layout, instance: Instance) -> Vec<JobInput> {
        let ground = Ground { scope: plan.flow().scope(plan.task_of(instance.node)), site: instance.site };
        let input = |input: NodeInput| match input {
            NodeInput::Source(source) => JobInput::Source(source),
            NodeInput::Empty { kind } => JobInput::Empty(kind),
            NodeInput::Node { node, output } => self.made(plan, layout, ground, node, output),
        };
        plan.inputs_of(instance.node).map(input).collect()
    }

    fn made(&self, plan: &Plan, layout: &Layout, ground: Ground, node: NodeId, output: usize) -> JobInput {
        let scope = plan.flow().scope(plan.task_of(node));
        let site = ground.wider(layout, scope);
        let region = self.0.get(&Instance { node, site }).and_then(|outputs| outputs.get(output));
        region.map_or(JobInput::Missing, |region| JobInput::Region(region.clone()))
    }
}

impl JobInput {
    /// The region, which sources are asked for only now: by the worker that needs it.
    pub(super) fn fetch(self, supply: &dyn Supply, ground: Ground) -> Result<Arc<Region>, OperationError> {
        match self {
            Self::Region(region) => Ok(region),
            Self::Source(source) => supply.source(source, ground.scope, ground.site),
            Self::Empty(kind) => Ok(Arc::new(supply.empty(kind, ground.scope, ground.site))),
            Self::Missing => {
                Err(OperationError("internal error: an input was not there; please report this".into()))
            }
        }
    }
}

impl Ground {
    /// The site of an equal or wider scope that this one lies in.
    pub(super) fn wider(self, layout: &Layout, scope: Scope) -> usize {
        match (self.scope, scope) {
            (own, other) if own == other => self.site,
            (Scope::Part, other) => layout.site(other, self.site),
            _ => 0,
        }
    }
}
