//! Who is done first on how many workers, with the published costs of the tasks.

use onceflow_reuse::Instances;
use onceflow_reuse::merge::{Merging, makespan, merge};
use onceflow_terminal::Failure;

use super::designs::PaperWorkflow;
use super::published::first_rows;
use super::{SECONDS, figure, instances, ours, trtma};
use crate::figure::{BenchFigure, Goal};

/// Workers of the papers' experiment.
const WORKERS: [usize; 6] = [8, 16, 32, 64, 128, 256];

pub(super) fn figures(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let rows = first_rows(&paper.screening(63, 1)?, 1000)?;
    let found = instances(paper, &rows, &SECONDS)?;
    let mut figures = Vec::new();
    for workers in WORKERS {
        figures.extend(at(&found, workers)?);
    }
    Ok(figures)
}

fn at(found: &Instances, workers: usize) -> Result<Vec<BenchFigure>, Failure> {
    let span = |merging: Merging| -> Result<(f64, f64), Failure> {
        let buckets = merge(&found.tree, &found.work, &merging).map_err(ours)?;
        let costs: Vec<f64> = buckets.iter().map(|places| found.work.cost(places)).collect();
        Ok((makespan(&costs, workers), costs.iter().sum()))
    };
    let none = span(Merging::Naive { most: 1 })?.0;
    let others = [none, span(Merging::Rtma { most: 10 })?.0, span(trtma(3 * workers))?.0];
    let (auto, cost) = span(Merging::Auto { workers })?;
    let best = others.into_iter().fold(f64::INFINITY, f64::min);
    let name = |what: &str| format!("MOAT 1,000 on {workers} workers: {what}");
    let against = |(what, other): (&str, f64)| BenchFigure {
        peer: Some(other),
        ..figure(name(&format!("auto is done, beside {what}")), auto, "s", Some(Goal::AtMost(other)))
    };
    let names = ["no reuse", "rtma 10", "trtma, 3 buckets a worker"];
    let mut figures: Vec<BenchFigure> = names.into_iter().zip(others).map(against).collect();
    let goal = (workers == 256).then_some(Goal::AtLeast(0.92));
    figures.push(figure(name("auto, load balance"), cost / (workers as f64 * auto), "", goal));
    figures.push(figure(name("the best of the others over auto"), best / auto, "", None));
    Ok(figures)
}
