//! What is found while a study runs: equal contents and equal objects. Beside the published baseline, beside a brute force
//! that counts what is different, and beside what the clock should say.

use std::collections::BTreeMap;

use onceflow_kernels::View;
use onceflow_terminal::Failure;

use super::super::{WORKERS, figure, weight};
use super::levels::MeasuredWay;
use super::oracle::{self, NeededWork};
use super::replayed::replayed;
use super::{PaperStudy, StudyFolder, StudyRun};
use crate::figure::{BenchFigure, Goal};

/// How much may be left, and how many times faster segmentation must be than the published baseline.
struct BeyondGoals {
    share: f64,
    over_baseline: f64,
}

fn goals(design: PaperStudy) -> BeyondGoals {
    match design {
        PaperStudy::Moat => BeyondGoals { share: 0.20, over_baseline: 3.0 },
        PaperStudy::Vbd => BeyondGoals { share: 0.17, over_baseline: 2.5 },
    }
}

/// Segmentation is at least so many times faster than without reuse.
const OVER_NONE: f64 = 4.5;
/// The share of the run that finding equal things may take.
const FINDING: f64 = 0.03;
/// How far executed work may be from what a brute force counts.
const WITHIN: f64 = 0.05;
/// The share of what task times predict that the clock must show.
const FORESEEN: f64 = 0.8;

/// How many times sooner it must be done by the published costs, normalization included.
const WITH_NORMALIZATION: f64 = 7.0;
/// Images with more pixels are too large to run every row of a study by brute force.
const COUNTED: usize = 1 << 22;

/// All figures of a study: of the run without reuse, the baseline, the best.
pub(super) fn figures(
    place: &StudyFolder,
    design: PaperStudy,
    [none, baseline, best]: [&MeasuredWay; 3],
    normalized: View<'_, [u8; 3]>,
) -> Result<Vec<BenchFigure>, Failure> {
    let BeyondGoals { share, over_baseline } = goals(design);
    let name = |what: &str| format!("{}, object: {what}", design.name());
    let at_least = |what: &str, value: f64, goal: f64| BenchFigure {
        goal: Some(Goal::AtLeast(goal)),
        ..figure(name(what), value, "")
    };
    let at_most = |what: &str, value: f64, goal: f64| BenchFigure {
        goal: Some(Goal::AtMost(goal)),
        ..figure(name(what), value, "")
    };
    let (none, baseline, best) = (&none.ran, &baseline.ran, &best.ran);
    let left = best.cost / none.cost;
    let foreseen = none.busy / expected_busy(none, best);
    let finding = (best.digesting + best.looking) / (best.wall * WORKERS as f64);
    let segmenting = best.segmenting + best.digesting;
    let mut figures = vec![
        at_least(
            "replayed with published costs, normalization included, none over it",
            replayed(place, design, none, best)?,
            WITH_NORMALIZATION,
        ),
        at_most("share of segmentation's cost executed, new objects counted", left, share),
        at_least("segmentation's seconds, none over it", none.segmenting / segmenting, OVER_NONE),
        at_least("segmentation's seconds, rtma 7 over it", baseline.segmenting / segmenting, over_baseline),
        at_least(
            "wall time, none over it, beside what task times predict",
            none.wall / best.wall / foreseen,
            FORESEEN,
        ),
        at_most("share of the workers' time in digests and lookups", finding, FINDING),
    ];
    if normalized.width() * normalized.height() <= COUNTED {
        let needed = cost(&oracle::count(normalized, &none.rows)?);
        let name = name("cost executed over what a brute force counts as different");
        let goal = Some(Goal::Between(1.0 - WITHIN, 1.0 + WITHIN));
        figures.push(BenchFigure { goal, ..figure(name, best.cost / needed, "") });
    }
    Ok(figures)
}

/// Seconds that the tasks of a run would take if each took what it did without reuse, and those that work on objects by their new pixels.
fn expected_busy(none: &StudyRun, best: &StudyRun) -> f64 {
    let one = |task: &String| none.tasks_of(task).map_or(0.0, |(count, seconds)| seconds / count as f64);
    best.by_task.iter().map(|(task, (count, _))| *count as f64 * one(task) * best.new_share(task)).sum()
}

fn cost(needed: &NeededWork) -> f64 {
    let new = |task: &str| {
        needed.pixels.get(task).map_or(1.0, |(all, different)| *different as f64 / (*all).max(1) as f64)
    };
    needed.instances.iter().map(|(task, count)| *count as f64 * weight(task) * new(task)).sum()
}

/// Per task, how often it ran and how many seconds it took.
pub(super) type TaskSeconds = BTreeMap<String, (u64, f64)>;
