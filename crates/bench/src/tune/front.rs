//! Two objectives: the area that the front of all rows dominates.

use onceflow_sensitivity::hypervolume;
use onceflow_terminal::Failure;

use super::objective::TuneCurve;
use super::peer::TunePeers;
use super::sections::{figure, mean, ours, theirs, title};
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};

/// Rows, and the area on the four quadrants that goals speak of.
const GOALS: [(usize, f64); 2] = [(200, 0.3187), (400, 0.325)];

pub(super) fn figures(
    objective: &mut TissueObjective,
    peers: Option<&TunePeers>,
    has_goals: bool,
) -> Result<Vec<BenchFigure>, Failure> {
    objective.goal = TissueGoal::Both;
    let most = GOALS[1].0;
    let own = ours(objective, most)?;
    let others = theirs(objective, peers, &["nsga-ii"], most)?;
    let area = |curves: &[TuneCurve], rows: usize| {
        let of = |curve: &TuneCurve| {
            hypervolume(&curve.rows[..rows.min(curve.rows.len())], &[0.0, 0.0], &[true, true])
        };
        mean(&curves.iter().map(of).collect::<Vec<f64>>())
    };
    let of = |(rows, goal): (usize, f64)| {
        let goal = has_goals.then_some(Goal::AtLeast(goal));
        let by = others.first().map_or_else(String::new, |(tuner, _)| format!(", peer {}", title(tuner)));
        let peer = others.first().map(|(_, curves)| area(curves, rows));
        let name = format!("object F1 and Dice, {rows} rows: area under the front, mean of 10 seeds{by}");
        BenchFigure { peer, ..figure(name, area(&own, rows), "", goal) }
    };
    Ok(GOALS.into_iter().map(of).collect())
}
