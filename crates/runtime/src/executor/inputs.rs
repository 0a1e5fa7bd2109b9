//! What lies between tasks: the outputs of finished instances, and how an instance's inputs are found among them.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{Digest32, NodeId, NodeInput};
use onceflow_study::{RegionKind, Scope};

use crate::{InputProvider, Instance, OperationError, PartLayout, Scheduler};

/// The outputs that tasks will still read.
#[derive(Default)]
pub(super) struct OutputTable {
    outputs: HashMap<Instance, Vec<Arc<Region>>>,
    /// The digest of each output, where the result cache knows them; they stay while outputs are below memory.
    digests: HashMap<Instance, Vec<Digest32>>,
    /// Those that could not be brought back, and why.
    lost: HashMap<Instance, OperationError>,
}

/// An input of an instance: there, or still to be asked for.
pub(super) enum JobInput {
    Region {
        region: Arc<Region>,
        /// Of its bytes, where the result cache knows it.
        digest: Option<Digest32>,
    },
    Source(usize),
    Empty(RegionKind),
    /// It was made and cannot be read any more.
    Lost(OperationError),
    /// It should be there and is not.
    Missing,
}

/// Where an instance runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SiteRef {
    pub(super) scope: Scope,
    pub(super) site: usize,
}

impl OutputTable {
    pub(super) fn keep(&mut self, instance: Instance, outputs: Vec<Arc<Region>>) {
        self.outputs.insert(instance, outputs);
    }

    /// Notes that outputs are gone, and why.
    pub(super) fn lose(&mut self, instance: Instance, reason: OperationError) {
        self.lost.insert(instance, reason);
    }

    /// Notes the digests of outputs.
    pub(super) fn note_digests(&mut self, instance: Instance, digests: Vec<Digest32>) {
        if !digests.is_empty() {
            self.digests.insert(instance, digests);
        }
    }

    /// The outputs will never be read again.
    pub(super) fn forget(&mut self, instance: Instance) {
        self.release(instance);
        self.digests.remove(&instance);
    }

    /// The outputs leave memory.
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
        layout: &PartLayout,
        instance: Instance,
    ) -> Vec<JobInput> {
        let plan = scheduler.plan();
        let ground = SiteRef { scope: plan.flow().scope(plan.task_of(instance.node)), site: instance.site };
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
        layout: &PartLayout,
        ground: SiteRef,
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
        let digest = self.digests.get(&maker).and_then(|digests| digests.get(output)).copied();
        region.map_or_else(lost, |region| JobInput::Region { region: region.clone(), digest })
    }
}

impl JobInput {
    /// The region, which sources are asked for only now: by the worker that needs it.
    pub(super) fn fetch(
        self,
        provider: &dyn InputProvider,
        ground: SiteRef,
    ) -> Result<Arc<Region>, OperationError> {
        match self {
            Self::Region { region, .. } => Ok(region),
            Self::Source(source) => provider.source(source, ground.scope, ground.site),
            Self::Empty(kind) => Ok(Arc::new(provider.empty(kind, ground.scope, ground.site))),
            Self::Lost(reason) => Err(reason),
            Self::Missing => {
                Err(OperationError::new("internal error: an input was not there; please report this"))
            }
        }
    }
}

impl SiteRef {
    /// The site of an equal or wider scope that this one lies in.
    pub(super) fn wider(self, layout: &PartLayout, scope: Scope) -> usize {
        match (self.scope, scope) {
            (own, other) if own == other => self.site,
            (Scope::Part, other) => layout.site(other, self.site),
            _ => 0,
        }
    }
}
