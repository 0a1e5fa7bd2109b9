//! The grain of tasks in time: the papers' workflow on a whole tile and on many small parts, as it is written, by costs, and with
//! all tasks split or fused that can be.

use onceflow_terminal::{Failure, Terminal};

use super::{PaperStudy, StudyFolder, StudyRun};
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Trajectories and edge of parts: one part of 640 rows, or 256 of 32 rows.
const LARGE: (u64, Option<u64>) = (40, None);
const SMALL: (u64, Option<u64>) = (2, Some(64));

const GRAINS: [&str; 4] = ["written", "auto", "split", "fused"];

/// Seconds that tasks take and seconds on the clock, beside those of the workflow as it is written, of runs that take turns.
pub(super) fn figures(place: &StudyFolder, terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (name, shape) in [("MOAT 640 on one part", LARGE), ("MOAT 32 on parts of 64 px", SMALL)] {
        let runs = GRAINS.map(|grain| {
            let _progress = terminal.progress(format!("{name}, {grain}"));
            run(place, shape, grain)
        });
        let runs: Vec<StudyRun> = runs.into_iter().collect::<Result<_, _>>()?;
        let written = &runs[0];
        for (grain, ran) in GRAINS.iter().zip(&runs).skip(1) {
            if ran.rows != written.rows {
                return Err(Failure::internal(format!("{name}: {grain} changes the rows")));
            }
            let figure = |what: &str, value: f64, goal| BenchFigure {
                name: format!("nuclei-paper, {name}, granularity {grain}: {what} beside written"),
                value,
                unit: "times",
                goal,
                peer: None,
            };
            let never_worse = (*grain == "auto").then_some(Goal::AtMost(1.1));
            figures.push(figure("tasks computed", ran.tasks as f64 / written.tasks as f64, None));
            figures.push(figure("seconds of tasks", ran.busy / written.busy, None));
            figures.push(figure("wall time", ran.wall / written.wall, never_worse));
        }
    }
    Ok(figures)
}

fn run(
    place: &StudyFolder,
    (trajectories, edge): (u64, Option<u64>),
    grain: &str,
) -> Result<StudyRun, Failure> {
    let parts = edge.map_or(String::new(), |edge| format!("size = {edge}\n"));
    let text = std::fs::read_to_string(place.study(PaperStudy::Moat)?).map_err(failed)?;
    let text = text
        .replace("workflow = \"nuclei\"", "workflow = \"nuclei-paper\"")
        .replace("[parts]\n", &format!("[parts]\n{parts}"))
        .replace("trajectories = 40", &format!("trajectories = {trajectories}"));
    let name = format!("grain-{trajectories}-{grain}");
    let study = place.path(&format!("{name}.toml"));
    std::fs::write(&study, text).map_err(failed)?;
    StudyRun::of(&study, &place.path(&name), &["--granularity", grain])
}
