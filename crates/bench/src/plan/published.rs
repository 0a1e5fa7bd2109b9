//! What the papers report of merging, from the plan alone.

use std::time::Instant;

use onceflow_reuse::merge::{ChainCosts, Merging, bucket_cost, merge, tree_cost};
use onceflow_reuse::{Flow, Instances, Level, ParameterRows, plan};
use onceflow_study::{Catalogue, read_workflow, shipped_workflow};
use onceflow_terminal::Failure;

use super::designs::{BasePoints, PaperWorkflow};
use super::{figure, instances, ours, trtma};
use crate::figure::{BenchFigure, Goal};

/// Reuse of the papers' decomposition of 8,000 rows at sizes of buckets, in percent.
const AT_SIZES: [(usize, f64); 6] = [(2, 21.82), (3, 27.73), (4, 31.75), (6, 33.57), (8, 36.32), (10, 36.36)];
/// Most reuse by sample size and way of drawing points, in percent.
const AT_SAMPLES: [(BasePoints, &str, [f64; 3]); 3] = [
    (BasePoints::MonteCarlo, "MC", [36.35, 36.46, 36.40]),
    (BasePoints::LatinHypercube, "LHS", [36.62, 36.44, 36.44]),
    (BasePoints::Halton, "QMC", [35.10, 34.44, 33.48]),
];
/// Reuse of the task-balanced algorithm by workers, in percent.
const AT_WORKERS: [(usize, f64); 6] =
    [(8, 32.96), (16, 32.96), (32, 32.11), (64, 30.58), (128, 28.23), (256, 10.73)];
/// What the papers' programs took to merge 640 sets, in seconds.
const RTMA_SECONDS: f64 = 1.10;
const SCA_SECONDS: f64 = 310.7;
/// Seeds whose mean is compared.
const SEEDS: u64 = 5;

pub(super) fn figures(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = screening(paper)?;
    figures.extend(sizes(paper)?);
    figures.extend(samples(paper)?);
    figures.extend(workers(paper)?);
    Ok(figures)
}

/// MOAT of 640 rows: reuse at buckets of seven, its shape from two to eight, and how long merging takes.
fn screening(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let all =
        (1..=SEEDS).map(|seed| unit(paper, &paper.screening(40, seed)?)).collect::<Result<Vec<_>, _>>()?;
    let mean = |merging: Merging| -> Result<f64, Failure> {
        let sum = all.iter().map(|found| reuse(found, &merging)).sum::<Result<f64, Failure>>()?;
        Ok(sum / all.len() as f64)
    };
    let goal = Goal::Between(32.5, 33.5);
    let name = |what: &str| format!("MOAT 640, {what}: tasks saved after stages");
    let mut figures = Vec::new();
    for most in [2, 4, 7, 8] {
        let goal = (most == 7).then_some(goal);
        figures.push(figure(name(&format!("rtma {most}")), mean(Merging::Rtma { most })?, "%", goal));
    }
    figures.push(figure(name("naive 7"), mean(Merging::Naive { most: 7 })?, "%", None));
    figures.push(figure(name("rtma-packed 7"), mean(Merging::Packed { most: 7 })?, "%", None));
    figures.push(figure(name("sca 7"), mean(Merging::Sca { most: 7 })?, "%", None));
    let seconds = |merging: Merging| -> Result<f64, Failure> {
        let mut least = f64::INFINITY;
        for found in &all {
            let start = Instant::now();
            merge(&found.tree, &found.work, &merging).map_err(ours)?;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok(least)
    };
    let rtma = figure(
        "MOAT 640: rtma 7 alone",
        1e3 * seconds(Merging::Rtma { most: 7 })?,
        "ms",
        Some(Goal::AtMost(10.0)),
    );
    figures.push(BenchFigure { peer: Some(1e3 * RTMA_SECONDS), ..rtma });
    let sca = figure(
        "MOAT 640: sca 7 alone",
        1e3 * seconds(Merging::Sca { most: 7 })?,
        "ms",
        Some(Goal::Ratio(20.0)),
    );
    figures.push(BenchFigure { peer: Some(1e3 * SCA_SECONDS), ..sca });
    Ok(figures)
}

fn sizes(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let found = unit(paper, &paper.decomposition(800, BasePoints::LatinHypercube, 1)?)?;
    let at = |(most, published): (usize, f64)| {
        let goal = Goal::Between(round(published - 0.3), round(published + 0.3));
        let name = format!("VBD-continuous 8,000, rtma {most}: tasks saved after stages");
        Ok(figure(name, reuse(&found, &Merging::Rtma { most })?, "%", Some(goal)))
    };
    AT_SIZES.into_iter().map(at).collect()
}

fn samples(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (points, word, published) in AT_SAMPLES {
        for (base, published) in [200, 600, 1000].into_iter().zip(published) {
            let found = unit(paper, &paper.decomposition(base, points, 1)?)?;
            let costs = ChainCosts::tasks(found.tree.depth());
            let saved = 1.0 - tree_cost(&found.tree, &costs) / (costs.whole() * found.tree.len() as f64);
            let goal = Goal::Between(round(published - 1.0), round(published + 1.0));
            let name = format!("VBD-continuous, {word} {base}: most tasks saved after stages");
            figures.push(figure(name, 100.0 * saved, "%", Some(goal)));
        }
    }
    Ok(figures)
}

fn workers(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    // 1,000 sets are 62.5 trajectories: the last one is left half way.
    let found = unit(paper, &first_rows(&paper.screening(63, 1)?, 1000)?)?;
    let at = |(workers, published): (usize, f64)| {
        let name = format!("MOAT 1,000, trtma {}: tasks saved after stages", 3 * workers);
        let goal = Goal::AtLeast(round(published - 3.0));
        Ok(figure(name, reuse(&found, &trtma(3 * workers))?, "%", Some(goal)))
    };
    AT_WORKERS.into_iter().map(at).collect()
}

/// The first of some rows.
pub(super) fn first_rows(rows: &ParameterRows, count: usize) -> Result<ParameterRows, Failure> {
    let mut first = ParameterRows::new(rows.parameters().to_vec());
    for row in 0..count.min(rows.len()) {
        let values = rows.parameters().iter().filter_map(|name| rows.value(row, name).cloned());
        first.push(&values.collect::<Vec<_>>()).map_err(ours)?;
    }
    Ok(first)
}

/// The share of segmentation's cost without reuse that each level leaves, with the published costs.
pub(super) fn shares(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let source = shipped_workflow("nuclei").ok_or_else(|| ours("nuclei is not shipped"))?;
    let flow = Flow::new(&read_workflow(&source)?, &Catalogue::nuclei()).map_err(ours)?;
    let names = ["t1", "t2", "t3", "t4", "t5", "t6_flood", "t7"];
    let cost = |task: usize| {
        let place = names.iter().position(|name| *name == flow.tasks[task].name);
        place.map_or(0.0, |place| super::SECONDS[place])
    };
    let rows = paper.screening(40, 1)?;
    let account = plan(flow.clone(), &rows, Level::Dataflow).map_err(ours)?.account().weighed(&cost);
    let counted = [(Level::Task, 0.70), (Level::Dataflow, 0.43)];
    let share = |(level, counted): (Level, f64)| {
        let goal = Goal::Between(round(counted - 0.01), round(counted + 0.01));
        let name = format!("MOAT 640, {level}: share of segmentation's cost left");
        figure(name, account.left_at(level) / account.asked, "", Some(goal))
    };
    Ok(counted.map(share).to_vec())
}

fn unit(paper: &PaperWorkflow, rows: &ParameterRows) -> Result<Instances, Failure> {
    instances(paper, rows, &[1.0; 7])
}

/// Tasks that merging saves, in percent of those of the instances.
fn reuse(found: &Instances, merging: &Merging) -> Result<f64, Failure> {
    let buckets = merge(&found.tree, &found.work, merging).map_err(ours)?;
    let costs = ChainCosts::tasks(found.tree.depth());
    let left: f64 = buckets.iter().map(|places| bucket_cost(&found.tree, &costs, places)).sum();
    Ok(100.0 * (1.0 - left / (costs.whole() * found.tree.len() as f64)))
}

fn round(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
