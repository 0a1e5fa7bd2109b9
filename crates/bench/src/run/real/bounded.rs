//! The screening study under bounds of memory: what is resident, what is computed, and how much later it is done.

use onceflow_terminal::{Failure, Terminal};

use super::super::figure;
use super::{PaperStudy, StudyFolder, StudyRun};
use crate::figure::{BenchFigure, Goal};

/// Bounds in percent of what is resident without one.
const PERCENT: [u64; 3] = [100, 50, 25];

/// Figures of each bound.
pub(super) fn figures(
    place: &StudyFolder,
    unbounded: &StudyRun,
    terminal: &Terminal,
) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for percent in PERCENT {
        let _progress = terminal.progress(format!("running MOAT 640 in {percent} % of the memory"));
        let bound = unbounded.resident / 100 * percent;
        let options = ["--reuse", "dataflow", "--memory", &bound.to_string()];
        let ran = place.run(PaperStudy::Moat, &format!("bound-{percent}"), &options)?;
        figures.extend(bounded(percent, bound, &ran, unbounded));
    }
    Ok(figures)
}

fn bounded(percent: u64, bound: u64, ran: &StudyRun, unbounded: &StudyRun) -> Vec<BenchFigure> {
    let name = |what: &str| format!("MOAT 640 in {percent} % of the memory: {what}");
    let goal = |goal: Goal, figure: BenchFigure| BenchFigure { goal: Some(goal), ..figure };
    let (resident, same) = (ran.resident as f64 / bound as f64, f64::from(ran.rows == unbounded.rows));
    let more = ran.tasks as f64 / unbounded.tasks as f64;
    vec![
        figure(name("bound"), bound as f64 / 1e6, "MB"),
        goal(Goal::AtMost(1.0), figure(name("resident peak over the bound"), resident, "")),
        goal(
            Goal::Between(1.0, 1.0),
            figure(name("different tasks computed over those without a bound"), more, ""),
        ),
        figure(name("tasks computed once more"), ran.recomputed as f64, ""),
        figure(name("wall time over that without a bound"), ran.wall / unbounded.wall, "x"),
        goal(Goal::AtLeast(1.0), figure(name("same table"), same, "")),
    ]
}
