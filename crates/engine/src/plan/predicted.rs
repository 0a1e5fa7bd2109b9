//! What tasks are expected to take: by what earlier runs measured on this machine, else by what operations declare.
//!
//! Tasks of one operation take longer or shorter by the level of reuse. Without reuse a task runs right after the one whose
//! outputs it takes, and finds them in the caches of its core; the more is shared, the more often something else has run in
//! between. And each level leaves other instances: values that many rows have weigh as much as those that few have. So
//! records of the level that is asked about come first, then those of the nearest one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use onceflow_costs::{CostModel, Costs, EstimateOrigin};
use onceflow_reuse::{Flow, FlowTask, Level};
use onceflow_runtime::Recompute;
use onceflow_study::{OpSpec, Scope, counted, with_commas};

use crate::OpenStudy;
use crate::costs::device;

/// Where predicted seconds come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostOrigin {
    /// Tasks of the study's operations that earlier runs measured on this machine.
    pub records: u64,
    /// Operations of the study that were measured.
    pub measured: usize,
    /// Operations that were not: what they declare counts.
    pub declared: usize,
    /// Programs of the user that never ran on this machine: nothing is known of their cost.
    pub unknown: usize,
}

impl fmt::Display for CostOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.measured {
            0 => f.write_str("declared costs")?,
            _ => {
                let tasks = if self.records == 1 { "task" } else { "tasks" };
                write!(f, "measured: {} {tasks} on this machine", with_commas(u128::from(self.records)))?;
            }
        }
        if self.measured > 0 && self.declared > 0 {
            write!(f, "; declared costs of {}", counted(self.declared, "operation"))?;
        }
        match self.unknown {
            0 => Ok(()),
            unknown => {
                write!(f, "; the cost of {} is not known before a first run", counted(unknown, "program"))
            }
        }
    }
}

impl OpenStudy {
    /// Lets predictions rest on what was measured. What a run finds does not depend on it.
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Self {
        self.costs = costs;
        self
    }

    /// Where the seconds of its tasks come from; tasks of one operation count once.
    pub(crate) fn cost_origin(&self, flow: &Flow, level: Level) -> CostOrigin {
        let tasks: Vec<&FlowTask> = flow.tasks.iter().flat_map(FlowTask::parts).collect();
        let operations: BTreeSet<_> = tasks.iter().map(|task| (&task.spec.id, task.spec.version)).collect();
        let of = |(id, version)| tasks.iter().find(move |t| &t.spec.id == id && t.spec.version == version);
        let mut origin = CostOrigin { records: 0, measured: 0, declared: 0, unknown: 0 };
        for task in operations.into_iter().filter_map(of) {
            match self.model(&task.spec, device(), level).seconds(1).origin {
                EstimateOrigin::Measured { records } => {
                    origin.records += records;
                    origin.measured += 1;
                }
                EstimateOrigin::Declared if onceflow_programs::is_program(&task.spec.id) => {
                    origin.unknown += 1
                }
                EstimateOrigin::Declared => origin.declared += 1,
            }
        }
        origin
    }

    /// What making outputs again is weighed against, on a disk of so many bytes per second.
    pub(crate) fn recompute(&self, flow: &Flow, level: Level, bandwidth: f64) -> Recompute {
        let pixels = |task: usize| {
            let sizes = self.sizes(flow.scope(task));
            let all: f64 = sizes.iter().map(|(pixels, many)| *pixels as f64 * *many as f64).sum();
            all / sizes.values().sum::<u64>().max(1) as f64
        };
        let seconds = self.seconds(flow, level).into_iter().enumerate();
        let seconds_per_pixel = seconds.map(|(task, seconds)| seconds / pixels(task).max(1.0)).collect();
        Recompute { bandwidth, seconds_per_pixel }
    }

    /// How many instances of a scope have how many pixels.
    pub(crate) fn sizes(&self, scope: Scope) -> BTreeMap<u64, u64> {
        let layout = self.inputs.layout();
        let count = match scope {
            Scope::Part => layout.parts.len(),
            Scope::Image => layout.images.len(),
            Scope::Study => 1,
        };
        let mut sizes = BTreeMap::new();
        for site in 0..count {
            *sizes.entry(layout.pixels(scope, site)).or_default() += 1;
        }
        sizes
    }

    /// What an operation costs on a device in a run at a level.
    pub(crate) fn model(&self, spec: &OpSpec, device: &str, level: Level) -> CostModel {
        self.costs.model_at(spec, device, &nearest(level).map(Level::word))
    }

    /// Whether nothing was measured of an operation.
    pub(crate) fn is_declared(&self, spec: &OpSpec, level: Level) -> bool {
        self.model(spec, device(), level).seconds(1).origin == EstimateOrigin::Declared
    }

    /// How many times longer than they declare the study's operations take on this machine: the middle of those that were
    /// measured.
    pub(crate) fn beside_declared(&self, level: Level) -> f64 {
        let declared = Costs::default();
        let ratio = |task: &FlowTask| {
            let pixels = self.largest_part().max(1);
            let seconds = |model: CostModel| model.seconds(pixels).seconds;
            let here = seconds(self.model(&task.spec, device(), level));
            here / seconds(declared.model(&task.spec, device()))
        };
        let measured = self.written.tasks.iter().filter(|task| !self.is_declared(&task.spec, level));
        let mut ratios: Vec<f64> = measured.map(ratio).filter(|ratio| ratio.is_normal()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    /// Seconds of one task at a level, on average over instances of these sizes.
    pub(crate) fn mean_seconds(&self, task: &FlowTask, sizes: &BTreeMap<u64, u64>, level: Level) -> f64 {
        task.parts().iter().map(|part| self.mean_operation_seconds(&part.spec, sizes, level)).sum()
    }

    /// Seconds of one operation at a level, on average over instances of these sizes.
    pub(crate) fn mean_operation_seconds(
        &self,
        spec: &OpSpec,
        sizes: &BTreeMap<u64, u64>,
        level: Level,
    ) -> f64 {
        let model = self.model(spec, device(), level);
        let all: f64 = sizes.iter().map(|(pixels, many)| model.seconds(*pixels).seconds * *many as f64).sum();
        all / sizes.values().sum::<u64>().max(1) as f64
    }
}

/// All levels, the nearest first: those that carry out the same plan before others, and what merges less where two are as
/// near.
fn nearest(level: Level) -> [Level; 6] {
    let mut levels = Level::ALL;
    let steps = |other: Level| (other as usize).abs_diff(level as usize);
    levels.sort_by_key(|other| (other.planned() != level.planned(), steps(*other), *other));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_nearest_to_itself_and_then_to_those_with_its_plan() {
        let words = |level: Level| nearest(level).map(Level::word).join(" ");
        assert_eq!(words(Level::None), "none stage task dataflow convergent object");
        assert_eq!(words(Level::Task), "task stage dataflow none convergent object");
        assert_eq!(words(Level::Dataflow), "dataflow convergent object task stage none");
        assert_eq!(words(Level::Object), "object convergent dataflow task stage none");
    }
}
