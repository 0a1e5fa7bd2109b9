//! Other objectives: formulas with and without noise, and synthetic tissue.

use onceflow_terminal::Failure;

use super::functions::{Formula, FormulaObjective};
use super::objective::{BenchObjective, TuneCurve};
use super::peer::TunePeers;
use super::sections::{best_after, figure, mean, ours, theirs, title};
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};

/// Who is to be reached after so many rows.
const RIVALS: [(usize, &str); 3] = [(100, "gp"), (400, "tpe"), (400, "ga")];
const ROWS: usize = 400;

/// Losses of the best rows, beside those of tuners of others.
pub(super) fn figures(
    tissue: &mut TissueObjective,
    peers: Option<&TunePeers>,
) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    let formulas =
        [("ellipsoid", Formula::Ellipsoid), ("Ackley", Formula::Ackley), ("plateaus", Formula::Plateau)];
    for (name, formula) in formulas {
        for noise in [0.0, 0.01] {
            let mut objective = FormulaObjective::new(formula, noise)?;
            let name = format!("{name}, noise {} %", noise * 100.0);
            figures.extend(of_objective(&mut objective, peers, &name, 0.0)?);
        }
    }
    tissue.goal = TissueGoal::ObjectF1;
    // Losses are distances from the perfect score.
    figures.extend(of_objective(tissue, peers, "synthetic tissue, 1 - object F1", 1.0)?);
    Ok(figures)
}

fn of_objective(
    objective: &mut dyn BenchObjective,
    peers: Option<&TunePeers>,
    name: &str,
    perfect: f64,
) -> Result<Vec<BenchFigure>, Failure> {
    let own = ours(objective, ROWS)?;
    let others = theirs(objective, peers, &RIVALS.map(|rival| rival.1), ROWS)?;
    let losses = |curves: &[TuneCurve], rows: usize| perfect - mean(&best_after(curves, rows));
    let mut figures = vec![figure(format!("{name}: loss, 100 rows"), losses(&own, 100), "", None)];
    for (tuner, curves) in &others {
        for (rows, _) in RIVALS.iter().filter(|rival| rival.1 == *tuner) {
            let found = figure(
                format!("{name}: loss, {rows} rows, beside {}", title(tuner)),
                losses(&own, *rows),
                "",
                Some(Goal::Ratio(1.0)),
            );
            figures.push(BenchFigure { peer: Some(losses(curves, *rows)), ..found });
        }
    }
    Ok(figures)
}
