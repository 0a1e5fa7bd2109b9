//! How long a proposal takes, with many rows known.

use onceflow_sensitivity::{TuneOutcome, Tuner};
use onceflow_study::TuneMethod;
use onceflow_terminal::Failure;

use super::objective::{BenchObjective, our_tuner, spent};
use super::sections::figure;
use super::tissue::TissueObjective;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Proposals whose mean is the figure: at least so many, and more until they took so many milliseconds.
const ASKED: u32 = 20;
const MOST_ASKED: u32 = 2000;
const LEAST_TIME: f64 = 100.0;
/// Rows that methods without a model are given.
const MANY: usize = 10_000;

/// The time of a proposal with its row told, method by method.
pub(super) fn figures(objective: &TissueObjective) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (word, method) in
        TuneMethod::WORDS.into_iter().filter(|(word, _)| !["gp", "auto", "nsga-ii"].contains(word))
    {
        let time = proposal(objective, method, MANY)?;
        let goal = Some(Goal::AtMost(0.2));
        figures.push(figure(format!("a proposal of {word}, {MANY} rows"), time, "ms", goal));
    }
    for (rows, goal) in [(100, 10.0), (400, 60.0)] {
        let time = proposal(objective, TuneMethod::Gp, rows)?;
        figures.push(figure(format!("a proposal of gp, {rows} rows"), time, "ms", Some(Goal::AtMost(goal))));
    }
    for rows in [100, 400, MANY] {
        let time = proposal(objective, TuneMethod::Auto, rows)?;
        figures.push(figure(format!("a proposal of auto, {rows} rows"), time, "ms", None));
    }
    Ok(figures)
}

/// Milliseconds of one proposal of a tuner that knows random rows.
fn proposal(objective: &TissueObjective, method: TuneMethod, rows: usize) -> Result<f64, Failure> {
    let mut random = our_tuner(objective, TuneMethod::Random, 7)?;
    let mut tuner: Tuner = our_tuner(objective, method, 3)?;
    let places: Vec<f64> =
        objective.space().parameters().iter().filter_map(|p| p.domain.ends()).map(|e| e.1).collect();
    let value = |values: &[onceflow_study::Value]| {
        let shares = values
            .iter()
            .zip(&places)
            .map(|(value, end)| (value.as_f64().unwrap_or(0.0) / end - 0.6).powi(2));
        TuneOutcome::Values(vec![-shares.sum::<f64>()])
    };
    for row in random.ask(rows) {
        tuner.learn(&row.values, &value(&row.values)).map_err(failed)?;
    }
    // The first proposals are those of a start, and learn all the rows.
    for row in tuner.ask(ASKED as usize) {
        tuner.tell(row.number, &value(&row.values)).map_err(failed)?;
    }
    let (began, mut asked) = (spent()?, 0);
    // The clock of a thread moves in steps of some milliseconds.
    while asked < ASKED || asked < MOST_ASKED && spent()? - began < LEAST_TIME {
        let Some(row) = tuner.ask(1).pop() else { break };
        tuner.tell(row.number, &value(&row.values)).map_err(failed)?;
        asked += 1;
    }
    Ok((spent()? - began) / f64::from(asked.max(1)))
}
