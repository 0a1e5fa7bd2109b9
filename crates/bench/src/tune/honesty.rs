//! Whether the interval of the confirmed gain is what it says: rows on many synthetic slides that differ in stain, density
//! and size of nuclei, split again and again into slides to tune on, slides that confirm, and all the others, which are new.

use onceflow_sensitivity::{TuneOutcome, gain_interval, shuffled};
use onceflow_study::TuneMethod;
use onceflow_terminal::Failure;

use super::evaluator::{RowScores, TuneEvaluator, numbers};
use super::objective::{BenchObjective, our_tuner};
use super::sections::{figure, mean};
use super::synthetic::synthetic;
use super::tile::TuneTile;
use super::tissue::TissueObjective;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Slides of the population, the side of each, and the rows that a tuner could choose from.
const SLIDES: u64 = 240;
const SIDE: u64 = 256;
const ROWS: usize = 60;
/// Splits, and in each of them the slides to tune on and the slides that confirm.
const SPLITS: u64 = 2000;
const SPLIT: [(usize, usize); 3] = [(3, 3), (8, 4), (16, 8)];

/// A table of scores: slide by slide, row by row, the defaults first.
type ScoreTable = Vec<Vec<f64>>;

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let table = table()?;
    let mut figures = Vec::new();
    for (tuning, confirming) in SPLIT {
        let (share, bias) = honesty(&table, tuning, confirming);
        let name = format!("synthetic slides, {tuning} to tune on, {confirming} that confirm, 2,000 splits");
        figures.push(figure(
            format!("{name}: 95 % intervals that hold the gain on new slides"),
            share,
            "of 1",
            Some(Goal::Between(0.93, 0.97)),
        ));
        figures.push(figure(format!("{name}: bias of the gain"), bias.abs(), "", Some(Goal::AtMost(0.005))));
    }
    Ok(figures)
}

/// A slide of the population.
fn slide(number: u64) -> Result<TuneTile, Failure> {
    let (colours, labels) = synthetic(&format!("synth:{SIDE}x{SIDE}?seed={number}&slide={number}"))?;
    Ok(TuneTile::new(colours, labels.view()))
}

/// Rows are those of a tuner on a few slides, and random ones: what a search looks at.
fn table() -> Result<ScoreTable, Failure> {
    let few = (SLIDES..SLIDES + 4).map(slide).collect::<Result<Vec<_>, Failure>>()?;
    let mut objective = TissueObjective::new(few)?;
    let mut rows = rows_of(&mut objective, TuneMethod::Auto, ROWS / 2)?;
    rows.extend(rows_of(&mut objective, TuneMethod::Random, ROWS / 2)?);
    let scores = |number: u64| {
        let mut evaluator = TuneEvaluator::new(vec![slide(number)?]);
        let score = |row: &Vec<f64>| -> RowScores { evaluator.scores(row) };
        Ok(rows.iter().map(score).map(|scores| scores.object_f1).collect())
    };
    (0..SLIDES).map(scores).collect()
}

/// The rows that a tuner proposes, as numbers.
fn rows_of(
    objective: &mut TissueObjective,
    method: TuneMethod,
    rows: usize,
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut tuner = our_tuner(objective, method, 5)?;
    let mut points = Vec::new();
    while points.len() < rows {
        let Some(row) = tuner.ask(1).pop() else { break };
        let outcome = TuneOutcome::Values(objective.values(&row.values));
        tuner.tell(row.number, &outcome).map_err(failed)?;
        points.push(numbers(&row.values));
    }
    Ok(points)
}

/// The share of the splits whose interval holds the mean gain on all slides that are on neither side, and the mean of the
/// stated gain minus that one.
fn honesty(table: &ScoreTable, tuning: usize, confirming: usize) -> (f64, f64) {
    let (mut held, mut bias) = (0.0, 0.0);
    for split in 0..SPLITS {
        let mut order: Vec<usize> = (0..table.len()).collect();
        shuffled(split, &mut order);
        let (tuned, others) = order.split_at(tuning);
        let (confirm, new) = others.split_at(confirming);
        let rows = table.first().map_or(0, Vec::len);
        let score = |row: &usize| tuned.iter().map(|slide| table[*slide][*row]).sum::<f64>();
        let best = (0..rows).max_by(|a, b| score(a).total_cmp(&score(b)).then(b.cmp(a))).unwrap_or(0);
        let gains = |slides: &[usize]| -> Vec<f64> {
            slides.iter().map(|slide| table[*slide][best] - table[*slide][0]).collect()
        };
        let truth = mean(&gains(new));
        let Some(found) = gain_interval(&gains(confirm), 0.95) else { continue };
        let holds = found.ends.is_some_and(|(low, high)| low <= truth && truth <= high);
        held += f64::from(u8::from(holds));
        bias += found.mean - truth;
    }
    (held / SPLITS as f64, bias / SPLITS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::bootstrap::next;

    /// Rows that are alike: the best one on some slides owes it to chance, and new slides show it.
    #[test]
    fn gains_are_told_from_chance() {
        let mut state = 3;
        let mut noise = || (0..12).map(|_| next(&mut state) as f64 / (1u64 << 32) as f64).sum::<f64>() - 6.0;
        let table: ScoreTable = (0..200)
            .map(|_| (0..30).map(|row| if row == 0 { 0.5 } else { 0.55 + 0.05 * noise() }).collect())
            .collect();
        let (share, bias) = honesty(&table, 8, 4);
        assert!((0.93..=0.97).contains(&share) && bias.abs() < 0.003, "{share} {bias}");
        // All rows but the defaults have a gain of 0.05: what tuning slides show of the chosen one is more.
        let chosen = |slide: &Vec<f64>| slide.iter().copied().fold(0.0, f64::max) - 0.5;
        assert!(mean(&table.iter().map(chosen).collect::<Vec<f64>>()) > 0.1);
    }
}
