//! What lies between tasks: the outputs of finished instances, and how an instance's inputs are found among them.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{NodeId, NodeInput};
use onceflow_study::{RegionKind, Scope};

use crate::{Instance, Layout, OperationError, Scheduler, Supply};

/// The outputs that somebody will still read.
#[derive(Default)]
pub(super) struct Kept {
    outputs: HashMap<Instance, Vec<Arc<Region>>>,
    /// Those that could not be brought back, and why.
    lost: HashMap<Instance, OperationError>,
}

/// An input of an instance: there, or still to be asked for.
pub(super) enum JobInput {
    Region(Arc<Region>),
    Source(usize),
    Empty(RegionKind),
    /// It was made and cannot be read any more.
    Lost(OperationError),
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
        self.outputs.insert(instance, outputs);
    }

    /// Notes that outputs are gone, and why.
    pub(super) fn lose(&mut self, instance: Instance, reason: OperationError) {
        self.lost.insert(instance, reason);
    }

    pub(super) fn release(&mut self, instance: Instance) {
        self.outputs.remove(&instance);
        self.lost.remove(&instance);
    }

    pub(super) fn outputs(&self, instance: Instance) -> Vec<Arc<Region>> {
        self.outputs.get(&instance).cloned().unwrap_or_default()
    }

    /// The inputs of an instance, in the order of its task's.
    pub(super) fn inputs(
        &self,
        scheduler: &Scheduler<'_>,
        layout: &Layout,
        instance: Instance,
    ) -> Vec<JobInput> {
        let plan = scheduler.plan();
        let ground = Ground { scope: plan.flow().scope(plan.task_of(instance.node)), site: instance.site };
        let input = |input: NodeInput| match input {
            NodeInput::Source(source) => JobInput::Source(source),
            NodeInput::Empty { kind } => JobInput::Empty(kind),
            NodeInput::Node { node, output } => self.made(scheduler, layout, ground, node, output),
        };
        plan.inputs_of(instance.node).map(input).collect()
    }

    fn made(
        &self,
        scheduler: &Scheduler<'_>,
        layout: &Layout,
        ground: Ground,
        node: NodeId,
        output: usize,
    ) -> JobInput {
        let plan = scheduler.plan();
        let scope = plan.flow().scope(plan.task_of(node));
        let site = ground.wider(layout, scope);
        let maker = scheduler.stands_for(Instance { node, site });
        let region = self.outputs.get(&maker).and_then(|outputs| outputs.get(output));
        let lost =
            || self.lost.get(&maker).map_or(JobInput::Missing, |reason| JobInput::Lost(reason.clone()));
        region.map_or_else(lost, |region| JobInput::Region(region.clone()))
    }
}

impl JobInput {
    /// The region, which sources are asked for only now: by the worker that needs it.
    pub(super) fn fetch(self, supply: &dyn Supply, ground: Ground) -> Result<Arc<Region>, OperationError> {
        match self {
            Self::Region(region) => Ok(region),
            Self::Source(source) => supply.source(source, ground.scope, ground.site),
            Self::Empty(kind) => Ok(Arc::new(supply.empty(kind, ground.scope, ground.site))),
            Self::Lost(reason) => Err(reason),
            Self::Missing => {
                Err(OperationError::new("internal error: an input was not there; please report this"))
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
