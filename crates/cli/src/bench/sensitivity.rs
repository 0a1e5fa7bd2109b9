//! Figures of samplers and analysers: how long, how exact.

use std::time::Instant;

use onceflow_sensitivity::{Analysis, Indices, Options, Oracle, Outputs, Sample, Technique, analyze, sample};
use onceflow_study::{Design, Domain, Method, Morris, Parameter, Saltelli, Space, Trajectories};

use crate::bench::{Figure, Goal};
use crate::diagnostics::from_error;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Measures them.
pub(crate) fn figures(terminal: &Terminal) -> Result<Vec<Figure>, Failure> {
    let _progress = terminal.progress("measuring samplers and analysers");
    let mut figures = second_order()?;
    figures.push(optimised_trajectories()?);
    figures.extend(errors()?);
    Ok(figures)
}

fn seconds(name: &str, start: Instant, goal: f64) -> Figure {
    let value = start.elapsed().as_secs_f64();
    Figure { name: name.into(), value, unit: "s", goal: Some(Goal::AtMost(goal)), peer: None }
}

fn unit_cube(parameters: usize) -> Result<Space, Failure> {
    let unit = |i| Parameter::new(format!("x{i}"), Domain::Continuous { from: 0.0, to: 1.0 });
    Space::new((1..=parameters).map(unit).collect(), Vec::new()).map_err(|e| Failure::internal(e.to_string()))
}

fn make(space: &Space, method: Method, seed: u64) -> Result<Sample, Failure> {
    sample(space, &Design { method, seed }).map_err(|e| from_error("cannot sample", &e).into())
}

fn decompose(space: &Space, sample: &Sample, y: Vec<f64>, second_order: bool) -> Result<Analysis, Failure> {
    let options = Options { second_order, ..Options::new(Technique::Vbd) };
    analyze(space, sample, &Outputs::single("y", y), &options)
        .map_err(|e| from_error("cannot analyse", &e).into())
}

/// The largest design people run, with second order.
fn second_order() -> Result<Vec<Figure>, Failure> {
    let space = unit_cube(30)?;
    let saltelli = Saltelli { base: 4096, second_order: true, replicates: Saltelli::REPLICATES };
    let start = Instant::now();
    let sample = make(&space, Method::Saltelli(saltelli), 1)?;
    let sampled = seconds("saltelli: 30 parameters, base 4096, second order", start, 1.0);
    let y = (0..sample.len()).map(|row| sample.numbers(row).iter().map(|x| (x + 0.5).powi(2)).product());
    let y = y.collect();
    let start = Instant::now();
    decompose(&space, &sample, y, true)?;
    Ok(vec![sampled, seconds("vbd: the same design analysed", start, 1.0)])
}

fn optimised_trajectories() -> Result<Figure, Failure> {
    let space = unit_cube(15)?;
    let kind = Trajectories::Optimised { candidates: 1000 };
    let start = Instant::now();
    make(&space, Method::Morris(Morris { trajectories: 10, values: Morris::VALUES, kind }), 1)?;
    Ok(seconds("morris: best 10 of 1000 trajectories, 15 parameters", start, 0.5))
}

/// Largest errors over the parameters and ten seeds.
fn errors() -> Result<Vec<Figure>, Failure> {
    let oracle = Oracle::Ishigami;
    let truth = oracle.truth();
    let space = Space::new(oracle.parameters(), Vec::new()).map_err(|e| Failure::internal(e.to_string()))?;
    let (mut s1, mut st) = (0.0_f64, 0.0_f64);
    for seed in 0..10 {
        let saltelli = Saltelli { base: 8192, second_order: false, replicates: 1 };
        let sample = make(&space, Method::Saltelli(saltelli), seed)?;
        let y = (0..sample.len()).map(|row| oracle.evaluate(sample.numbers(row))).collect();
        let analysis = decompose(&space, &sample, y, false)?;
        let Some(Indices::Vbd { factors, .. }) = analysis.outputs.first().map(|o| &o.indices) else {
            continue;
        };
        for (i, factor) in factors.iter().enumerate() {
            s1 = s1.max((factor.s1.value - truth.s1[i]).abs());
            st = st.max((factor.st.value - truth.st[i]).abs());
        }
    }
    let figure = |name: &str, value, goal| Figure {
        name: name.into(),
        value,
        unit: "",
        goal: Some(Goal::AtMost(goal)),
        peer: None,
    };
    Ok(vec![
        figure("ishigami: largest error of S1, base 8192, 10 seeds", s1, 0.01),
        figure("ishigami: largest error of ST, base 8192, 10 seeds", st, 0.005),
    ])
}
