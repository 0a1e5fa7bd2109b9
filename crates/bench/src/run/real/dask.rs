//! The screening study written with Dask, on the same image and rows.

use std::process::Command;

use onceflow_terminal::{Failure, Terminal};
use serde_json::Value;

use super::super::figure;
use super::{StudyFolder, StudyRun};
use crate::figure::{BenchFigure, Goal};
use crate::program::{self, failed};
use crate::python;

const STUDY: &str = include_str!("dask_study.py");
const FASTEST: &str = include_str!("../../kernels/peers.py");
const WORKFLOW: &str = include_str!("../../../../kernels/tests/golden/make.py");

/// Figures beside Dask; none where no Python has it.
pub(super) fn figures(
    place: &StudyFolder,
    ours: &StudyRun,
    python: Option<&str>,
    terminal: &Terminal,
) -> Result<Vec<BenchFigure>, Failure> {
    for (name, text) in [("dask_study.py", STUDY), ("peers.py", FASTEST), ("workflow.py", WORKFLOW)] {
        std::fs::write(place.path(name), text).map_err(failed)?;
    }
    let image = place.path("image.png").display().to_string();
    let limit = std::time::Duration::from_secs(600);
    program::run(&["image", "convert", &place.image, &image], limit)?;
    let pythons = python::candidates(python);
    let mut figures = Vec::new();
    for how in ["usual", "fastest"] {
        let _progress = terminal.progress(format!("running MOAT 640 with Dask and {how} libraries"));
        let answer = pythons.iter().find_map(|python| ask(place, ours, python, &image, how));
        let Some(answer) = answer else {
            terminal.say("note: no Python with Dask, OpenCV and scikit-image: bash scripts/peers");
            return Ok(figures);
        };
        terminal.say(&format!("peer: {}", answer["name"].as_str().unwrap_or("Dask")));
        figures.extend(beside(how, ours, &answer)?);
    }
    Ok(figures)
}

fn ask(place: &StudyFolder, ours: &StudyRun, python: &str, image: &str, how: &str) -> Option<Value> {
    let python = std::fs::canonicalize(python)
        .ok()
        .filter(|_| python.contains('/'))
        .map_or_else(|| python.into(), |_| std::path::absolute(python).unwrap_or_else(|_| python.into()));
    let mut command = Command::new(python);
    command.current_dir(place.folder.path()).arg("dask_study.py").arg(image);
    python::ask(command.arg(ours.folder.join("rows.csv")).arg(how), "").ok()
}

fn beside(how: &str, ours: &StudyRun, answer: &Value) -> Result<Vec<BenchFigure>, Failure> {
    let number = |name: &str| answer[name].as_f64().ok_or_else(|| failed(format!("no {name} from Dask")));
    let (seconds, resident) = (number("seconds")?, number("resident")?);
    let goal = |goal: Goal, figure: BenchFigure| match how {
        "usual" => BenchFigure { goal: Some(goal), ..figure },
        _ => figure,
    };
    let name = |what: &str| format!("MOAT 640, dataflow, beside Dask with {how} libraries: {what}");
    let time = BenchFigure { peer: Some(seconds), ..figure(name("wall time"), ours.wall, "s") };
    let memory = figure(name("resident peak"), ours.resident as f64 / 1e6, "MB");
    Ok(vec![
        goal(Goal::Ratio(15.0), time),
        goal(Goal::Ratio(2.0), BenchFigure { peer: Some(resident / 1e6), ..memory }),
        figure(name("rows whose Dice coefficient differs by more than 1e-9"), differences(ours, answer), ""),
    ])
}

/// How many rows found something else.
fn differences(ours: &StudyRun, answer: &Value) -> f64 {
    let mut lines = ours.rows.lines().map(|line| line.rsplit(',').next().unwrap_or_default());
    let theirs = answer["dice"].as_array().map_or(&[][..], Vec::as_slice);
    // The head names the column, dice, which is the last.
    let _head = lines.next();
    let same = |(ours, theirs): (&str, &Value)| {
        let both = ours.parse::<f64>().ok().zip(theirs.as_f64());
        both.is_some_and(|(a, b)| (a - b).abs() <= 1e-9)
    };
    let equal = lines.zip(theirs).filter(|pair| same(*pair)).count();
    (ours.rows.lines().count() - 1 - equal) as f64
}
