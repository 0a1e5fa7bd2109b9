//! How far estimates are from what was measured, from few points of curves that fall in steps.

use onceflow_costs::scaling::{EstimateOptions, ScalingCurve, ScalingEstimator, mean_error};
use onceflow_terminal::Failure;

use super::curves::{MachineShape, machines};
use super::ours;
use crate::figure::{BenchFigure, Goal};

/// Planes of the cubes: the paper's.
const SIZES: [u64; 2] = [1024, 810];

/// A measured duration and its estimate.
type Pair = (f64, f64);

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    let ways = [
        ("8 points, declared decomposition", 8, true, 0.02),
        ("8 points, decomposition not declared", 8, false, 0.04),
        ("16 points", 16, false, 0.008),
    ];
    for (name, points, declared, goal) in ways {
        let pairs = seen(points, declared)?;
        figures.push(figure(format!("{name}: mean error"), mean_error(pairs.iter().copied()).0, goal));
        figures.push(figure(format!("{name}: underestimated by more than 5 %"), share_below(&pairs), 0.02));
    }
    for (name, declared) in [("declared decomposition", true), ("decomposition not declared", false)] {
        let pairs = unseen(declared)?;
        let name = |what: &str| format!("810 from 512, 648 and 1024, {name}: {what}");
        figures.push(figure(name("mean error"), mean_error(pairs.iter().copied()).0, 0.05));
        figures.push(figure(name("underestimated by more than 5 %"), share_below(&pairs), 0.02));
    }
    Ok(figures)
}

fn figure(name: String, value: f64, goal: f64) -> BenchFigure {
    BenchFigure { name, value, unit: "of 1", goal: Some(Goal::AtMost(goal)), peer: None }
}

fn share_below(pairs: &[Pair]) -> f64 {
    let below = pairs.iter().filter(|(measured, estimated)| *estimated < 0.95 * measured).count();
    below as f64 / pairs.len().max(1) as f64
}

fn size(planes: u64) -> f64 {
    (planes * planes * planes) as f64
}

/// The chosen points of a curve.
pub(super) fn few(shape: &MachineShape, planes: u64, points: usize) -> Result<ScalingCurve, Failure> {
    let all = shape.measured(planes)?;
    let chosen = shape.chosen(planes, points, points > 8);
    let point = |nodes: &u64| Some((*nodes, all.measured(*nodes)?));
    ScalingCurve::new(chosen.iter().filter_map(point)).map_err(ours)
}

/// An estimator of a machine's simulations.
pub(super) fn estimator(
    shape: &MachineShape,
    curves: Vec<(u64, ScalingCurve)>,
    declared: bool,
) -> Result<ScalingEstimator, Failure> {
    let options =
        EstimateOptions { slab_cores: declared.then_some(shape.cores), ..EstimateOptions::default() };
    let curves = curves.into_iter().map(|(planes, curve)| (size(planes), curve)).collect();
    ScalingEstimator::new(curves, options).map_err(ours)
}

fn seen(points: usize, declared: bool) -> Result<Vec<Pair>, Failure> {
    let mut pairs = Vec::new();
    for shape in machines() {
        for planes in SIZES {
            let estimator = estimator(&shape, vec![(planes, few(&shape, planes, points)?)], declared)?;
            pairs.extend(all_of(&shape, planes, &estimator)?);
        }
    }
    Ok(pairs)
}

fn unseen(declared: bool) -> Result<Vec<Pair>, Failure> {
    let mut pairs = Vec::new();
    for shape in machines() {
        let known: Result<Vec<_>, Failure> =
            [512, 648, 1024].into_iter().map(|planes| Ok((planes, shape.measured(planes)?))).collect();
        pairs.extend(all_of(&shape, 810, &estimator(&shape, known?, declared)?)?);
    }
    Ok(pairs)
}

fn all_of(shape: &MachineShape, planes: u64, estimator: &ScalingEstimator) -> Result<Vec<Pair>, Failure> {
    let measured = shape.measured(planes)?;
    let pair = |(nodes, seconds): &(u64, f64)| {
        let estimate = estimator.estimate(size(planes), *nodes).map_err(ours)?;
        Ok((*seconds, estimate.seconds))
    };
    measured.points().iter().map(pair).collect()
}
