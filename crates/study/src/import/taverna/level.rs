//! One dataflow while its steps are being made: the inputs of its ports, and the outputs of its processors.

use std::collections::{HashMap, HashSet};

use super::document::{Dataflow, End, Link, Port, Processor};
use crate::{Stage, StageStep};

/// A dataflow while its steps are being made.
pub(super) struct DataflowSteps<'a, 'l> {
    pub(super) dataflow: &'a Dataflow,
    pub(super) prefix: &'l str,
    pub(super) feeds: &'l HashMap<&'a str, PortFeed>,
    pub(super) sinks: Sinks<'a>,
    pub(super) made: PortRegions<'a>,
    pub(super) steps: Vec<StageStep>,
}

/// The input of a port.
#[derive(Clone)]
pub(super) enum PortFeed {
    Region(String),
    Parameter(String),
}

/// Links by the port they end in, in the order of the text.
pub(super) type Sinks<'a> = HashMap<&'a End, Vec<&'a Link>>;

/// The names of the regions that ports of processors make.
pub(super) type PortRegions<'a> = HashMap<(&'a str, &'a str), String>;

impl DataflowSteps<'_, '_> {
    /// The source of a link; `None` when there is none, which earlier checks exclude.
    pub(super) fn feed_of(&self, from: &End) -> Option<PortFeed> {
        match &from.processor {
            Some(processor) => {
                self.made.get(&(processor.as_str(), from.port.as_str())).cloned().map(PortFeed::Region)
            }
            None => self.feeds.get(from.port.as_str()).cloned(),
        }
    }

    /// Regions a processor makes, in the order of its ports and then of the links.
    pub(super) fn made_by(&self, processor: &Processor) -> Vec<String> {
        let listed = processor.outputs.iter().map(|port| port.name.as_str());
        let linked = self.dataflow.links.iter().map(|link| &link.from);
        let linked = linked.filter(|from| from.processor.as_deref() == Some(processor.name.as_str()));
        let mut seen = HashSet::new();
        let ports = listed.chain(linked.map(|from| from.port.as_str())).filter(|port| seen.insert(*port));
        ports.filter_map(|port| self.made.get(&(processor.name.as_str(), port)).cloned()).collect()
    }
}

pub(super) fn output_of<'a>(dataflow: &'a Dataflow, (processor, port): (&str, &str)) -> Option<&'a Port> {
    let processor = dataflow.processors.iter().find(|p| p.name == processor)?;
    processor.outputs.iter().find(|p| p.name == port)
}

pub(super) fn link_control(steps: &mut [StageStep], dataflow: &Dataflow) {
    for condition in &dataflow.conditions {
        for step in steps.iter_mut().filter(|step| step.name() == condition.target) {
            let after = match step {
                StageStep::Task(task) => &mut task.after,
                StageStep::Stage(stage) => &mut stage.after,
            };
            if !after.contains(&condition.control) {
                after.push(condition.control.clone());
            }
        }
    }
}

/// What a stage's tasks take from outside goes in; what its ports were asked to make comes out.
pub(super) fn set_boundary(stage: &mut Stage, outputs: &HashMap<&str, String>) {
    let made: HashSet<String> = stage.tasks().flat_map(|t| t.outputs.clone()).collect();
    stage.inputs = stage.taken_from_outside();
    let mut outputs: Vec<String> =
        outputs.values().filter(|region| made.contains(*region)).cloned().collect();
    outputs.sort_unstable();
    stage.outputs = outputs;
}
