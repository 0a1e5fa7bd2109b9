//! How planning grows: from ten thousand to a million rows, and over many parts.

use std::time::Instant;

use onceflow_engine::peak_resident;
use onceflow_reuse::merge::{Merging, merge};
use onceflow_reuse::{Level, Multiplicity, plan};
use onceflow_terminal::Failure;

use super::designs::PaperWorkflow;
use super::{SECONDS, figure, instances, ours};
use crate::figure::{BenchFigure, Goal};

/// Trajectories of sixteen rows: ten thousand, a hundred thousand, a million rows.
const TRAJECTORIES: [u64; 3] = [625, 6_250, 62_500];
const WORKERS: usize = 256;

pub(super) fn figures(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    let mut per_row = Vec::new();
    for trajectories in TRAJECTORIES {
        let rows = paper.screening(trajectories, 1)?;
        let count = rows.len();
        let start = Instant::now();
        let found = instances(paper, &rows, &SECONDS)?;
        merge(&found.tree, &found.work, &Merging::Rtma { most: 7 }).map_err(ours)?;
        let rtma = start.elapsed().as_secs_f64();
        let start = Instant::now();
        merge(&found.tree, &found.work, &Merging::Auto { workers: WORKERS }).map_err(ours)?;
        let auto = start.elapsed().as_secs_f64();
        let last = trajectories == TRAJECTORIES[TRAJECTORIES.len() - 1];
        let name = |what: &str| format!("MOAT {count} rows x 7 tasks: {what}");
        let goal = |bound: f64| last.then_some(Goal::AtMost(bound));
        figures.push(figure(name("graph, tree and rtma 7"), rtma, "s", goal(2.0)));
        figures.push(figure(name("auto on 256 workers"), auto, "s", goal(10.0)));
        per_row.push(rtma / count as f64);
    }
    if let Some(bytes) = peak_resident() {
        let mebibytes = bytes as f64 / f64::from(1 << 20);
        figures.push(figure("peak of memory so far", mebibytes, "MiB", Some(Goal::AtMost(1024.0))));
    }
    let growth = per_row.last().zip(per_row.first()).map_or(1.0, |(last, first)| last / first);
    figures.push(figure(
        "time per row, a million rows over ten thousand",
        growth,
        "",
        Some(Goal::AtMost(3.0)),
    ));
    figures.push(parts(paper)?);
    Ok(figures)
}

/// The plan factors: parts multiply it and are not planned one by one.
fn parts(paper: &PaperWorkflow) -> Result<BenchFigure, Failure> {
    let rows = paper.screening(40, 1)?;
    let start = Instant::now();
    let plan = plan(paper.flow.clone(), &rows, Level::Dataflow).map_err(ours)?;
    let account = plan.account().times(plan.flow(), Multiplicity { parts: 1_563, images: 1 });
    let found = instances(paper, &rows, &SECONDS)?;
    merge(&found.tree, &found.work, &Merging::Rtma { most: 7 }).map_err(ours)?;
    let seconds = start.elapsed().as_secs_f64();
    let name =
        format!("640 rows x 1,563 parts, {} tasks asked: plan, account and rtma 7", account.total().asked);
    Ok(figure(name, 1e3 * seconds, "ms", Some(Goal::AtMost(50.0))))
}
