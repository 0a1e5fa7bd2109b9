//! What a screening run of 160 rows is worth to tuning: as in a study of two phases, its best row and its ranking begin the
//! search.

use onceflow_sensitivity::{
    AnalysisOptions, Indices, Outputs, Technique, TuneOutcome, Tuner, TunerOptions, analyze, sample,
};
use onceflow_study::{Design, Method, MorrisDesign, Trajectories, TuneMethod, Value};
use onceflow_terminal::Failure;

use super::objective::{BenchObjective, TuneCurve, more_rows};
use super::sections::{SEEDS, best_after, figure, mean, ours};
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Trajectories over 15 parameters: 160 rows.
const TRAJECTORIES: u64 = 10;
/// New rows, and the least mean of the best value on the four quadrants.
const GOALS: [(usize, f64); 3] = [(20, 0.469), (50, 0.474), (100, 0.480)];
/// Parameters that the ranking names, as a share of all.
const RANKED: usize = 2;

pub(super) fn figures(objective: &mut TissueObjective, has_goals: bool) -> Result<Vec<BenchFigure>, Failure> {
    objective.goal = TissueGoal::ObjectF1;
    let most = GOALS[2].0;
    let cold = ours(objective, most)?;
    let warm = (0..SEEDS).map(|seed| warmed(objective, seed, most)).collect::<Result<Vec<_>, Failure>>()?;
    let mut figures = Vec::new();
    for (rows, goal) in GOALS {
        let found = mean(&best_after(&warm, rows));
        let name = format!("after 160 rows of MOAT, {rows} new rows: mean of 10 seeds");
        figures.push(figure(name, found, "", has_goals.then_some(Goal::AtLeast(goal))));
        let gain = found - mean(&best_after(&cold, rows));
        figures.push(figure(
            format!("the same, more than without, {rows} rows"),
            gain,
            "",
            Some(Goal::AtLeast(0.0)),
        ));
    }
    Ok(figures)
}

/// A screening run, and rows that begin with what it says.
fn warmed(objective: &mut TissueObjective, seed: u64, rows: usize) -> Result<TuneCurve, Failure> {
    let kind = Trajectories::Plain;
    let morris = MorrisDesign { trajectories: TRAJECTORIES, values: MorrisDesign::VALUES, kind };
    let space = objective.space().clone();
    let design = Design { method: Method::Morris(morris), seed };
    let screen = sample(&space, &design).map_err(failed)?;
    let points: Vec<Vec<Value>> = screen
        .values
        .chunks(screen.parameters)
        .map(|row| row.iter().copied().map(Value::Real).collect())
        .collect();
    let values: Vec<f64> = points.iter().map(|at| objective.values(at)[0]).collect();
    let outputs = Outputs::single("f1", values.clone());
    let analysis =
        analyze(&space, &screen, &outputs, &AnalysisOptions::new(Technique::Morris)).map_err(failed)?;
    let Some(Indices::Morris(effects)) = analysis.outputs.first().map(|output| &output.indices) else {
        return Err(failed("a screening run without effects"));
    };
    let mut ranking: Vec<(f64, String)> =
        effects.iter().map(|effect| (effect.mu_star.value, effect.name.clone())).collect();
    ranking.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranking.truncate(ranking.len().div_ceil(RANKED));
    let options = TunerOptions {
        method: TuneMethod::Auto,
        stages: objective.stages(),
        defaults_first: false,
        ranking: ranking.into_iter().map(|(_, name)| name).collect(),
        ..TunerOptions::new(seed)
    };
    let mut tuner = Tuner::new(&space, &options).map_err(failed)?;
    let defaults: Vec<Value> = space.parameters().iter().filter_map(|p| p.default.clone()).collect();
    let known = objective.values(&defaults);
    tuner.learn(&defaults, &TuneOutcome::Values(known)).map_err(failed)?;
    let best = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    tuner.learn(&points[best], &TuneOutcome::Values(vec![values[best]])).map_err(failed)?;
    let mut curve = more_rows(objective, &mut tuner, rows)?;
    // What is known counts: a search that finds nothing better keeps the best row of the screening run.
    if let Some(first) = curve.rows.first_mut() {
        first[0] = first[0].max(values[best]);
    }
    Ok(curve)
}
