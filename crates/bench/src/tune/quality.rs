//! How good the best row is after so many distinct rows, beside tuners of others.

use onceflow_terminal::Failure;

use super::bootstrap::paired;
use super::objective::{BenchObjective, TuneCurve};
use super::peer::TunePeers;
use super::sections::{best_after, figure, least, mean, ours, theirs, title};
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};

/// Rows, the least mean over seeds, and the least value of a seed.
type GoalAt = (usize, Option<f64>, Option<f64>);

/// Whose goals are those of the four quadrants: other tiles have others.
const OBJECT_F1: [GoalAt; 4] =
    [(20, None, None), (50, Some(0.474), None), (100, Some(0.4854), Some(0.475)), (200, Some(0.489), None)];
const DICE: [GoalAt; 4] =
    [(20, None, None), (50, None, None), (100, Some(0.664), None), (200, Some(0.666), None)];

/// Tuners of others.
pub(super) const PEERS: [&str; 5] = ["tpe", "cma-es", "gp", "ga", "ngopt"];

/// The figures of both metrics; goals are stated when the tiles are the quadrants that they were measured on.
pub(super) fn figures(
    objective: &mut TissueObjective,
    peers: Option<&TunePeers>,
    has_goals: bool,
) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (goal, name, goals) in
        [(TissueGoal::ObjectF1, "object F1", OBJECT_F1), (TissueGoal::Dice, "Dice", DICE)]
    {
        objective.goal = goal;
        figures.extend(of_metric(
            objective,
            peers,
            name,
            &goals.map(|at| if has_goals { at } else { (at.0, None, None) }),
        )?);
    }
    Ok(figures)
}

fn of_metric(
    objective: &mut TissueObjective,
    peers: Option<&TunePeers>,
    name: &str,
    goals: &[GoalAt],
) -> Result<Vec<BenchFigure>, Failure> {
    let most = goals.iter().map(|goal| goal.0).max().unwrap_or(0);
    let own = ours(objective, most)?;
    let others = theirs(objective as &mut dyn BenchObjective, peers, &PEERS, most)?;
    let mut figures = Vec::new();
    for (rows, goal, worst) in goals.iter().copied() {
        let found = best_after(&own, rows);
        let at_least = |goal: Option<f64>| goal.map(Goal::AtLeast);
        let rivals = others.iter().filter(|(_, curves)| curves.iter().all(|curve| curve.rows.len() >= rows));
        let rival =
            rivals.max_by(|a, b| mean(&best_after(&a.1, rows)).total_cmp(&mean(&best_after(&b.1, rows))));
        let by = rival.map_or_else(String::new, |(tuner, _)| format!(", best peer {}", title(tuner)));
        let peer = rival.map(|(_, curves)| mean(&best_after(curves, rows)));
        figures.push(BenchFigure {
            peer,
            ..figure(format!("{name}, {rows} rows: mean of 10 seeds{by}"), mean(&found), "", at_least(goal))
        });
        figures.push(figure(format!("{name}, {rows} rows: worst seed"), least(&found), "", at_least(worst)));
        figures.extend(rival.map(|rival| lower_end(name, rows, &found, rival)));
    }
    Ok(figures)
}

/// The lower end of the interval of how much better it is than a peer, from pairs of seeds drawn again and again.
fn lower_end(name: &str, rows: usize, found: &[f64], rival: &(&'static str, Vec<TuneCurve>)) -> BenchFigure {
    let (_, low, _) = paired(found, &best_after(&rival.1, rows));
    figure(format!("{name}, {rows} rows: more than {} by at least (95 %)", title(rival.0)), low, "", None)
}
