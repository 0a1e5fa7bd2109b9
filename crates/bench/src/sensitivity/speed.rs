//! Seconds of the analyses and designs that users wait for.

use std::time::Instant;

use onceflow_sensitivity::{AnalysisOptions, Outputs, Sample, Technique, analyze, sample};
use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, Space, Trajectories};
use onceflow_terminal::Failure;
use serde_json::json;

use super::peer::numbers;
use super::{evaluate, ours, saltelli};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// Each is the best of this many, ours and the peer's: what else the machine does only adds time.
const TRIES: usize = 3;

/// Threads of ours beside the peer, which has one.
const THREADS: usize = 1;

/// Second order with resamples, optimised trajectories and their spread, Sobol' points.
pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = second_order(peer)?;
    figures.extend(trajectories(peer)?);
    figures.push(points(peer)?);
    Ok(figures)
}

fn unit_space(parameters: usize) -> Result<Space, Failure> {
    let unit = Domain::Continuous { from: 0.0, to: 1.0 };
    let parameters = (1..=parameters).map(|i| Parameter::new(format!("x{i}"), unit.clone())).collect();
    Space::new(parameters, Vec::new()).map_err(ours)
}

fn best<T>(work: impl Fn() -> Result<T, Failure>) -> Result<(f64, T), Failure> {
    let timed = || -> Result<(f64, T), Failure> {
        let start = Instant::now();
        let result = work()?;
        Ok((start.elapsed().as_secs_f64(), result))
    };
    let mut best = timed()?;
    for _ in 1..TRIES {
        let again = timed()?;
        if again.0 < best.0 {
            best = again;
        }
    }
    Ok(best)
}

/// As the peer works.
fn on_one_thread<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().map_err(ours)?.install(work)
}

fn seconds(name: &str, value: f64, goal: f64, peer: Option<f64>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit: "s", goal: Some(Goal::AtMost(goal)), peer }
}

fn ask_seconds(peer: Option<&PythonPeer>, request: &serde_json::Value) -> Result<Option<f64>, Failure> {
    peer.map(|peer| peer.ask(request).map(|answer| answer["seconds"].as_f64().unwrap_or(f64::NAN)))
        .transpose()
}

fn second_order(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let space = unit_space(30)?;
    // One replicate, so that the bootstrap has to work.
    let rows = sample(&space, &saltelli(4096, true, 1, 1)).map_err(ours)?;
    let model = |x: &[f64]| {
        x.iter().zip(1..).map(|(x, i)| (x - 0.3).powi(2) / f64::from(i)).sum::<f64>() + x[0] * x[1]
    };
    let outputs = Outputs::single("y", evaluate(&rows, model));
    let outputs = &outputs;
    let analyse = |resamples: usize| {
        let options =
            AnalysisOptions { second_order: true, resamples, ..AnalysisOptions::new(Technique::Vbd) };
        analyze(&space, &rows, outputs, &options).map_err(ours)
    };
    let (alike, _) = on_one_thread(|| best(|| analyse(100)))?;
    let (time, _) = best(|| analyse(1000))?;
    let request = json!({ "do": "saltelli_speed", "k": 30, "n": 4096, "resamples": 100, "tries": TRIES });
    let theirs = ask_seconds(peer, &request)?;
    let name = |what: &str| format!("second order, D=30, N=4096, {what}");
    Ok(vec![
        seconds(&name("100 resamples, one thread each"), alike, 1.0, theirs),
        seconds(&name("1000 resamples, all threads"), time, 1.0, None),
    ])
}

fn trajectories(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let (best_of, candidates, factors) = (10, 1000, 15);
    let space = unit_space(factors)?;
    let kind = Trajectories::Optimised { candidates };
    let method = Method::Morris(MorrisDesign { trajectories: best_of, values: MorrisDesign::VALUES, kind });
    let design = Design { method, seed: 1 };
    let (time, rows) = on_one_thread(|| best(|| sample(&space, &design).map_err(ours)))?;
    let answer = peer
        .map(|peer| peer.ask(&json!({ "do": "morris_optimised", "k": factors, "n": best_of, "candidates": candidates, "seed": 1, "tries": TRIES })))
        .transpose()?;
    let theirs = answer.as_ref().and_then(|answer| answer["seconds"].as_f64());
    let their_spread = answer.map(|answer| spread(&numbers(&answer, "x"), factors));
    let value = spread(&rows.values, factors);
    let goal = their_spread.map(|spread| Goal::AtLeast(0.99 * spread));
    Ok(vec![
        seconds("best 10 of 1000 trajectories, 15 factors, one thread each", time, 0.5, theirs),
        BenchFigure {
            name: "their spread (Campolongo's distance)".into(),
            value,
            unit: "",
            goal,
            peer: their_spread,
        },
    ])
}

/// Root of the sum of squared distances of all pairs of trajectories; a distance is summed over all pairs of rows.
fn spread(values: &[f64], factors: usize) -> f64 {
    let trajectories: Vec<&[f64]> = values.chunks_exact(factors * (factors + 1)).collect();
    let between = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    let distance = |a: &[f64], b: &[f64]| {
        let rows = a.chunks_exact(factors).flat_map(|x| b.chunks_exact(factors).map(move |y| between(x, y)));
        rows.sum::<f64>()
    };
    let pairs = trajectories
        .iter()
        .enumerate()
        .flat_map(|(i, a)| trajectories[..i].iter().map(move |b| distance(a, b)));
    pairs.map(|d| d * d).sum::<f64>().sqrt()
}

fn points(peer: Option<&PythonPeer>) -> Result<BenchFigure, Failure> {
    let space = unit_space(15)?;
    let design = Design { method: Method::Sobol { rows: 1_000_000, scrambled: true }, seed: 1 };
    let draw = || -> Result<Sample, Failure> { sample(&space, &design).map_err(ours) };
    let (time, _) = on_one_thread(|| best(draw))?;
    let request = json!({ "do": "sequence_speed", "k": 15, "n": 1_000_000, "tries": TRIES });
    let theirs = ask_seconds(peer, &request)?;
    Ok(seconds("10^6 x 15 scrambled Sobol' points, duplicates marked, one thread each", time, 0.5, theirs))
}
