//! Figures of planning alone: what the merging algorithms save, how evenly they load workers, and how they grow.

mod balance;
mod commands;
pub(crate) mod designs;
mod grain;
mod published;
mod scale;

use onceflow_reuse::merge::{Merging, Pruning, SmallBucket};
use onceflow_reuse::{Instances, Level, ParameterRows, plan};
use onceflow_terminal::{Failure, Terminal};

use crate::figure::{BenchFigure, Goal};
use designs::PaperWorkflow;

/// Seconds of the published tasks, t1 to t7.
pub(crate) const SECONDS: [f64; 7] = [1.14, 1.99, 0.65, 0.33, 0.76, 3.76, 0.86];

/// Measures them.
pub(crate) fn figures(terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let paper = PaperWorkflow::new()?;
    let parts: [(&str, PlanSection); 6] = [
        ("published figures", published::figures),
        ("balance", balance::figures),
        ("shares by level", published::shares),
        ("granularity", grain::figures),
        ("growth", scale::figures),
        ("whole commands", |_| commands::figures()),
    ];
    let mut figures = Vec::new();
    for (what, part) in parts {
        let _progress = terminal.progress(format!("planning: {what}"));
        figures.extend(part(&paper)?);
    }
    Ok(figures)
}

type PlanSection = fn(&PaperWorkflow) -> Result<Vec<BenchFigure>, Failure>;

/// The instances of segmentation, the papers' chain of seven tasks, for some rows; all tasks cost the same.
fn instances(paper: &PaperWorkflow, rows: &ParameterRows, costs: &[f64; 7]) -> Result<Instances, Failure> {
    let plan = plan(paper.flow.clone(), rows, Level::Task).map_err(ours)?;
    let chain = &paper.flow.stages[paper.segment].tasks;
    let cost = |task: usize| chain.iter().position(|other| *other == task).map_or(0.0, |place| costs[place]);
    Ok(plan.instances(paper.segment, &cost))
}

/// The task-balanced algorithm as published.
fn trtma(buckets: usize) -> Merging {
    Merging::Trtma { buckets, pruning: Pruning::Siblings, small: SmallBucket::MostReuse }
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}

/// What cannot happen with our own inputs is our bug.
pub(crate) fn ours(error: impl std::fmt::Display) -> Failure {
    Failure::internal(error.to_string())
}
