//! Task granularity of a study: who decides it, and whether its operations can be split.

use std::collections::BTreeMap;

use onceflow_reuse::{ChosenGrain, Flow, Granularity};
use onceflow_study::{Catalogue, Diagnostic};

use crate::EngineError;

/// How the granularity of tasks is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GranularityChoice {
    /// By measured costs, once every task has been measured here, at level dataflow and above.
    Auto,
    /// As the user chose.
    By(Granularity),
    /// As an earlier run had it, by phase.
    As(BTreeMap<String, ChosenGrain>),
}

impl Default for GranularityChoice {
    fn default() -> Self {
        Self::By(Granularity::Written)
    }
}

impl GranularityChoice {
    /// For work that others do.
    pub(crate) fn or_written(&self) -> Self {
        match self {
            Self::Auto => Self::By(Granularity::Written),
            granularity => granularity.clone(),
        }
    }
}

/// Refuses operations of a program's own whose steps do not fit them.
pub(crate) fn check_steps(flow: &Flow, catalogue: &Catalogue) -> Result<(), EngineError> {
    let checked = flow.tasks.iter().try_for_each(|task| catalogue.check_steps(&task.spec));
    checked.map_err(|error| {
        let message = Diagnostic::error("an operation cannot be made of the steps that it names");
        message.with_why(error.to_string()).with_hint("change its steps, or leave them out").into()
    })
}
