//! How fine tasks are: an operation that reads independent groups of parameters is split, and tasks whose bookkeeping costs more
//! than they save are fused, as their costs say.
//!
//! What is found is the same with any grain: steps do together what the whole does, and a fused task does what its tasks do one
//! after another.

mod changes;
mod fuse;
mod model;
mod search;
mod split;

use std::fmt;

use onceflow_study::{Catalogue, OpSpec, Scope};

pub use self::changes::{GrainChange, GrainTask};
use self::search::GrainSearch;
use crate::{Flow, FlowTask, Level, Multiplicity, ParameterRows, PlanError};

/// Who decides how fine tasks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Costs: tasks are split and fused where that saves more than it takes.
    #[default]
    Auto,
    /// The workflow: its tasks are taken as they are written.
    Written,
    /// Every operation that is made of steps is split.
    Split,
    /// All tasks that can be are fused.
    Fused,
}

/// Which tasks are split, and which are then fused, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenGrain {
    /// Tasks of the workflow that are split.
    pub split: Vec<String>,
    /// Tasks, after splitting, that are one.
    pub fused: Vec<Vec<String>>,
}

/// A flow of the chosen grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Grain {
    /// The tasks.
    pub flow: Flow,
    /// What was split and fused.
    pub chosen: ChosenGrain,
    /// The same with reasons in numbers.
    pub changes: Vec<GrainChange>,
    /// Seconds that the tasks are expected to take with their bookkeeping: as they are written, and as chosen.
    pub seconds: (f64, f64),
}

/// What work costs, for a study of so many parts.
pub struct Prices<'a> {
    /// Seconds of one instance of a task, or of a step of one, in a stage of that scope. Steps should take no less together
    /// than their whole: what is computed does not become less by being cut.
    pub seconds: &'a dyn Fn(&FlowTask, Scope) -> f64,
    /// Seconds that planning, scheduling and keeping the outputs of one instance take, whatever it computes.
    pub bookkeeping: &'a dyn Fn(&OpSpec, Scope) -> f64,
    /// The share of instances that turn out to be equal to others where contents are compared.
    pub duplicates: f64,
    /// How often the plan of one part is carried out.
    pub many: Multiplicity,
    /// Tasks that are never fused.
    pub alone: &'a dyn Fn(&FlowTask) -> bool,
    /// Regions that are to be kept.
    pub seen: &'a [String],
}

/// Chooses the grain of a flow for these rows.
///
/// With [`Granularity::Auto`] what is expected to be executed and its bookkeeping cost no more than with the workflow as it is
/// written. Given what is split, the best way to fuse is found; of up to six tasks that can be split all combinations are
/// compared, of more each by itself until nothing is gained. A change that saves less than a hundredth of the whole is left out.
///
/// # Errors
/// When the rows do not fit the flow.
pub fn grain(
    flow: &Flow,
    catalogue: &Catalogue,
    rows: &ParameterRows,
    level: Level,
    granularity: Granularity,
    prices: &Prices<'_>,
) -> Result<Grain, PlanError> {
    let search = GrainSearch { flow, catalogue, rows, level, prices };
    let chosen = match granularity {
        Granularity::Written => {
            return Ok(Grain {
                flow: flow.clone(),
                chosen: ChosenGrain::default(),
                changes: Vec::new(),
                seconds: (0.0, 0.0),
            });
        }
        Granularity::Auto => search.best()?,
        Granularity::Split => search.all_split(),
        Granularity::Fused => search.all_fused(),
    };
    let (changes, seconds) = search.explain(&chosen)?;
    Ok(Grain { flow: flow.of_grain(&chosen, catalogue), chosen, changes, seconds })
}

impl Flow {
    /// The flow with tasks split and fused as chosen; names of tasks that are not there, or that cannot be split or fused,
    /// change nothing.
    #[must_use]
    pub fn of_grain(&self, chosen: &ChosenGrain, catalogue: &Catalogue) -> Self {
        let wanted = |task: &usize| chosen.split.contains(&self.tasks[*task].name);
        let tasks: Vec<usize> = self.splittable(catalogue).into_iter().filter(wanted).collect();
        let split = self.split(&tasks, catalogue);
        let places =
            |names: &Vec<String>| names.iter().map(|name| split.task(name)).collect::<Option<Vec<_>>>();
        let stretches = split.stretches(&|_| false, &[]);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for group in chosen.fused.iter().filter_map(places).filter(|group| group.len() > 1) {
            let together = stretches.iter().any(|stretch| stretch.windows(group.len()).any(|w| w == group));
            if together && !groups.iter().flatten().any(|task| group.contains(task)) {
                groups.push(group);
            }
        }
        split.fuse(&groups)
    }
}

impl ChosenGrain {
    /// Whether the workflow stands as it is written.
    pub fn is_written(&self) -> bool {
        self.split.is_empty() && self.fused.is_empty()
    }
}

impl Granularity {
    /// All of them, the default first.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Written, Self::Split, Self::Fused];

    /// The word used in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Written => "written",
            Self::Split => "split",
            Self::Fused => "fused",
        }
    }

    /// The one with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|granularity| granularity.word() == word)
    }
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
