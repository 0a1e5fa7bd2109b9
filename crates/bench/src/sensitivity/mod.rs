//! Figures of samplers and analysers: speed, error against known indices, cover of the intervals, agreement with SALib.

mod accuracy;
mod agreement;
mod coverage;
mod peer;
mod screening;
mod speed;

use onceflow_sensitivity::{
    AnalysisOptions, Estimator, IndexEstimate, Indices, Oracle, Outputs, Sample, Technique,
};
use onceflow_sensitivity::{analyze, sample};
use onceflow_study::{Design, Method, SaltelliDesign, Space};
use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use crate::python::PythonPeer;

/// Measures them; SALib takes part when a Python that has it is found.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let peer = if args.no_peer { None } else { PythonPeer::find(args.python.as_deref(), peer::SCRIPT) };
    match &peer {
        Some(peer) => terminal.say(&format!("peer: {}", peer.name())),
        None if args.no_peer => {}
        None => terminal
            .say("no peer: no Python with SALib was found (scripts/peers installs one; --python names one)"),
    }
    let peer = peer.as_ref();
    let parts: [(&str, SensitivitySection); 5] = [
        ("speed", speed::figures),
        ("accuracy", accuracy::figures),
        ("coverage", coverage::figures),
        ("screening", screening::figures),
        ("agreement with the peer", agreement::figures),
    ];
    let mut figures = Vec::new();
    for (what, part) in parts {
        let _progress = terminal.progress(format!("measuring {what}"));
        figures.extend(part(peer)?);
    }
    Ok(figures)
}

type SensitivitySection = fn(Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure>;

/// The space of an oracle.
fn space_of(oracle: Oracle) -> Result<Space, Failure> {
    Space::new(oracle.parameters(), Vec::new()).map_err(ours)
}

/// What cannot happen with our own inputs is our bug.
fn ours(error: impl std::fmt::Display) -> Failure {
    Failure::internal(error.to_string())
}

fn saltelli(base: u64, second_order: bool, replicates: u64, seed: u64) -> Design {
    Design { method: Method::Saltelli(SaltelliDesign { base, second_order, replicates }), seed }
}

fn evaluate(sample: &Sample, f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    (0..sample.len()).map(|row| f(sample.numbers(row))).collect()
}

/// First-order and total estimates, in this order.
fn first_and_total(indices: &Indices) -> Vec<IndexEstimate> {
    let Indices::Vbd { factors, .. } = indices else { return Vec::new() };
    factors.iter().map(|f| f.s1).chain(factors.iter().map(|f| f.st)).collect()
}

/// Estimates of an oracle's indices from one seeded sample; rows for which `fails` says so have no output.
fn estimates(
    oracle: Oracle,
    base: u64,
    seed: u64,
    fails: impl Fn(usize) -> bool,
) -> Result<Vec<IndexEstimate>, Failure> {
    let space = space_of(oracle)?;
    let rows = sample(&space, &saltelli(base, false, SaltelliDesign::REPLICATES, seed)).map_err(ours)?;
    let mut y = evaluate(&rows, |x| oracle.evaluate(x));
    y.iter_mut().enumerate().filter(|(row, _)| fails(*row)).for_each(|(_, y)| *y = f64::NAN);
    indices(&space, &rows, y, Estimator::default())
}

fn indices(
    space: &Space,
    rows: &Sample,
    y: Vec<f64>,
    estimator: Estimator,
) -> Result<Vec<IndexEstimate>, Failure> {
    let options = AnalysisOptions { estimator, ..AnalysisOptions::new(Technique::Vbd) };
    let analysis = analyze(space, rows, &Outputs::single("y", y), &options).map_err(ours)?;
    Ok(analysis.outputs.first().map_or_else(Vec::new, |output| first_and_total(&output.indices)))
}

/// Exact indices in the order of [`first_and_total`].
fn truth(oracle: Oracle) -> Vec<f64> {
    let truth = oracle.truth();
    [truth.s1, truth.st].concat()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
