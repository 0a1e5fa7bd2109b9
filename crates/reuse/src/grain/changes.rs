//! What became of the tasks of a workflow, with the reason in numbers.

use std::fmt;

use super::ChosenGrain;
use super::model::GrainModel;
use super::search::GrainSearch;
use crate::{Flow, PlanError};

/// Tasks that stand otherwise than they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainChange {
    /// The tasks as they are written, with the parameters they read and their instances on one part.
    pub written: Vec<GrainTask>,
    /// The same for the tasks in their place.
    pub now: Vec<GrainTask>,
    /// Seconds that they are expected to take with their bookkeeping: as written, and now.
    pub seconds: (f64, f64),
}

/// A task of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrainTask {
    /// Its name.
    pub name: String,
    /// The parameters of the rows that it reads.
    pub parameters: Vec<String>,
    /// Distinct instances on one part.
    pub instances: u64,
}

impl GrainChange {
    /// What was done, as files say it: `split`, `fused` or `split and fused`.
    pub fn kind(&self) -> &'static str {
        match (self.written.len(), self.now.len()) {
            (1, _) => "split",
            (_, 1) => "fused",
            _ => "split and fused",
        }
    }
}

impl GrainChange {
    /// What was done, without the reason: `t6 split into t6.clumps, t6.split`.
    pub fn short(&self) -> String {
        let names =
            |tasks: &[GrainTask]| tasks.iter().map(|task| task.name.as_str()).collect::<Vec<_>>().join(", ");
        format!("{} {} into {}", names(&self.written), self.kind(), names(&self.now))
    }
}

impl fmt::Display for GrainChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = |tasks: &[GrainTask]| {
            tasks.iter().map(|task| task.instances.to_string()).collect::<Vec<_>>().join(" + ")
        };
        write!(f, "{}: ", self.short())?;
        if self.now.iter().filter(|task| !task.parameters.is_empty()).count() > 1 {
            let reads = self.now.iter().filter(|task| !task.parameters.is_empty());
            let reads = reads.map(|task| format!("{} reads {}", task.name, task.parameters.join(", ")));
            write!(f, "{}; ", reads.collect::<Vec<_>>().join(", "))?;
        }
        write!(f, "{} -> {} instances of a part, ", counts(&self.written), counts(&self.now))?;
        let (before, after) = self.seconds;
        let (word, difference) =
            if after <= before { ("saves", before - after) } else { ("costs", after - before) };
        write!(f, "{word} {} of {}", seconds(difference), seconds(before))
    }
}

/// Three digits that matter.
fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.1} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

/// Tasks that are split or fused together, by their names as they are written.
pub(super) struct GrainComponent(Vec<String>);

impl GrainComponent {
    /// The choice without what concerns these tasks.
    pub(super) fn removed_from(&self, chosen: &ChosenGrain) -> ChosenGrain {
        let concerns = |name: &String| self.0.contains(name);
        let fused = |group: &&Vec<String>| !group.iter().any(|name| self.has(name));
        ChosenGrain {
            split: chosen.split.iter().filter(|name| !concerns(name)).cloned().collect(),
            fused: chosen.fused.iter().filter(fused).cloned().collect(),
        }
    }

    /// Whether a task after splitting is one of them, or a step of one.
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|written| {
            name == written || name.strip_prefix(written.as_str()).is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

impl GrainSearch<'_> {
    /// The changes of a choice, and what everything costs: as written, and as chosen.
    pub(super) fn explain(&self, chosen: &ChosenGrain) -> Result<(Vec<GrainChange>, (f64, f64)), PlanError> {
        let before = GrainModel::new(self.flow, self.flow, self.rows, self.level, self.prices)?;
        let (split, groups) = self.groups(chosen);
        let after = GrainModel::new(self.flow, &split, self.rows, self.level, self.prices)?;
        let mut changes = Vec::new();
        for component in self.components(chosen) {
            let ours = |task: &usize| component.0.contains(&self.flow.tasks[*task].name);
            let written: Vec<usize> = (0..self.flow.tasks.len()).filter(ours).collect();
            let now = units(&split, &groups, &component);
            let seconds = (
                written.iter().map(|task| before.cost(&[*task])).sum(),
                now.iter().map(|group| after.cost(group)).sum(),
            );
            changes.push(GrainChange {
                written: written.iter().map(|task| told(self.flow, &before, &[*task])).collect(),
                now: now.iter().map(|group| told(&split, &after, group)).collect(),
                seconds,
            });
        }
        Ok((changes, (before.total(&[]), after.total(&groups))))
    }

    /// The tasks that are changed, those that are changed together as one.
    pub(super) fn components(&self, chosen: &ChosenGrain) -> Vec<GrainComponent> {
        let (split, groups) = self.groups(chosen);
        let mut components: Vec<GrainComponent> =
            chosen.split.iter().map(|name| GrainComponent(vec![name.clone()])).collect();
        for group in &groups {
            let mut joined: Vec<String> =
                group.iter().map(|task| split.tasks[*task].written().to_owned()).collect();
            let touched = components.extract_if(.., |known| known.0.iter().any(|name| joined.contains(name)));
            let touched: Vec<GrainComponent> = touched.collect();
            joined.extend(touched.into_iter().flat_map(|component| component.0));
            joined.sort_unstable();
            joined.dedup();
            components.push(GrainComponent(joined));
        }
        components.sort_by_key(|component| {
            self.flow.tasks.iter().position(|task| component.0.contains(&task.name))
        });
        components
    }
}

/// The tasks of a component as they stand now: groups, and those that are alone.
fn units(split: &Flow, groups: &[Vec<usize>], component: &GrainComponent) -> Vec<Vec<usize>> {
    let ours = |task: &usize| component.0.iter().any(|name| name == split.tasks[*task].written());
    let mut units: Vec<Vec<usize>> = Vec::new();
    for task in (0..split.tasks.len()).filter(ours) {
        let group = groups.iter().find(|group| group.contains(&task)).cloned().unwrap_or_else(|| vec![task]);
        if !units.contains(&group) {
            units.push(group);
        }
    }
    units
}

fn told(flow: &Flow, model: &GrainModel, group: &[usize]) -> GrainTask {
    let mut parameters: Vec<String> = Vec::new();
    for name in group.iter().flat_map(|task| flow.tasks[*task].parameters()) {
        if !parameters.iter().any(|known| known == name) {
            parameters.push(name.to_owned());
        }
    }
    let names: Vec<&str> = group.iter().map(|task| flow.tasks[*task].name.as_str()).collect();
    let instances = group.last().map_or(0, |root| model.count[*root]);
    GrainTask { name: names.join("+"), parameters, instances }
}
