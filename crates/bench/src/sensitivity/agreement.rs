//! Agreement with SALib on the same rows and outputs, samples of either side, through the files users exchange.

use onceflow_sensitivity::{
    AnalysisOptions, Estimator, Indices, Outputs, Sample, SampleFormat, SampleOptions, TableLayout, Technique,
};
use onceflow_sensitivity::{analyze, read_sample, sample, write_sample};
use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, Space, Trajectories};
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use super::peer::numbers;
use super::{evaluate, ours, saltelli};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

const FACTORS: usize = 5;
const BASE: u64 = 256;
const TRAJECTORIES: u64 = 30;

/// Largest differences of indices for our samples and for SALib's; nothing without a peer.
pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let Some(peer) = peer else { return Ok(Vec::new()) };
    let vbd = |rows: &Sample| vbd_difference(peer, rows, None);
    let grouped = saltelli_rows(&space(Some(&GROUPS))?, false)?;
    Ok(vec![
        figure("S1, ST, S2 of our sample", vbd(&saltelli_rows(&space(None)?, true)?)?),
        figure("S1, ST, S2 of the peer's sample", vbd(&peer_saltelli(peer)?)?),
        figure("S1, ST of our sample with groups", vbd_difference(peer, &grouped, Some(&GROUPS))?),
        figure("mu, mu*, sigma of our sample", morris_difference(peer, &morris_rows()?)?),
        figure("mu, mu*, sigma of the peer's sample", morris_difference(peer, &peer_morris(peer)?)?),
    ])
}

fn figure(what: &str, value: f64) -> BenchFigure {
    let name = format!("largest difference to the peer's {what}");
    BenchFigure { name, value, unit: "", goal: Some(Goal::AtMost(1e-12)), peer: None }
}

const GROUPS: [&str; FACTORS] = ["g1", "g1", "g2", "g3", "g3"];

fn space(groups: Option<&[&str]>) -> Result<Space, Failure> {
    let unit = Domain::Continuous { from: 0.0, to: 1.0 };
    let parameter = |i: usize| Parameter {
        group: groups.map(|groups| groups[i].to_owned()),
        ..Parameter::new(format!("x{}", i + 1), unit.clone())
    };
    Space::new((0..FACTORS).map(parameter).collect(), Vec::new()).map_err(ours)
}

/// Uneven, with interactions, and far from 0, where careless sums lose their digits.
fn model(x: &[f64]) -> f64 {
    50.0 + 4.0 * x[0] + (6.0 * x[1]).sin() + 3.0 * x[0] * x[2] + x[3].powi(3) - 0.1 * x[4]
}

/// Written as SALib reads it and read again, as a user would hand it over.
fn exchanged(space: &Space, rows: &Sample, layout: TableLayout) -> Result<Sample, Failure> {
    let text = write_sample(space, rows, SampleFormat::Salib).map_err(ours)?;
    read_sample(space, &text, &SampleOptions { layout, extra_columns: false }).map_err(ours)
}

fn saltelli_rows(space: &Space, second_order: bool) -> Result<Sample, Failure> {
    let rows = sample(space, &saltelli(BASE, second_order, 8, 3)).map_err(ours)?;
    exchanged(space, &rows, TableLayout::Saltelli { second_order })
}

fn morris_rows() -> Result<Sample, Failure> {
    let space = space(None)?;
    let kind = Trajectories::Plain;
    let method =
        Method::Morris(MorrisDesign { trajectories: TRAJECTORIES, values: MorrisDesign::VALUES, kind });
    let rows = sample(&space, &Design { method, seed: 3 }).map_err(ours)?;
    exchanged(&space, &rows, TableLayout::Morris)
}

fn peer_rows(peer: &PythonPeer, request: &Value, layout: TableLayout) -> Result<Sample, Failure> {
    let numbers = numbers(&peer.ask(request)?, "x");
    let line = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let text = numbers.chunks_exact(FACTORS).map(line).collect::<Vec<_>>().join("\n");
    read_sample(&space(None)?, &text, &SampleOptions { layout, extra_columns: false }).map_err(ours)
}

fn peer_saltelli(peer: &PythonPeer) -> Result<Sample, Failure> {
    let request =
        json!({ "do": "saltelli_sample", "k": FACTORS, "n": BASE, "second_order": true, "seed": 3 });
    peer_rows(peer, &request, TableLayout::Saltelli { second_order: true })
}

fn peer_morris(peer: &PythonPeer) -> Result<Sample, Failure> {
    peer_rows(
        peer,
        &json!({ "do": "morris_sample", "k": FACTORS, "n": TRAJECTORIES, "seed": 3 }),
        TableLayout::Morris,
    )
}

fn vbd_difference(peer: &PythonPeer, rows: &Sample, groups: Option<&[&str]>) -> Result<f64, Failure> {
    let second_order = groups.is_none();
    let y = evaluate(rows, model);
    let answer = peer.ask(&json!({
        "do": "saltelli_analyze", "k": FACTORS, "groups": groups, "y": y, "second_order": second_order,
        "resamples": 10, "seed": 1
    }))?;
    let options = AnalysisOptions {
        estimator: Estimator::Saltelli,
        second_order,
        resamples: 10,
        ..AnalysisOptions::new(Technique::Vbd)
    };
    let analysis = analyze(&space(groups)?, rows, &Outputs::single("y", y), &options).map_err(ours)?;
    let Some(Indices::Vbd { factors, pairs }) = analysis.outputs.first().map(|output| &output.indices) else {
        return Err(Failure::internal("a variance-based analysis without its indices"));
    };
    let first = largest(factors.iter().map(|f| f.s1.value), numbers(&answer, "S1"));
    let total = largest(factors.iter().map(|f| f.st.value), numbers(&answer, "ST"));
    let second = largest(pairs.iter().map(|p| p.s2.value), upper_triangle(&answer["S2"]));
    Ok(first.max(total).max(second))
}

fn upper_triangle(matrix: &Value) -> Vec<f64> {
    let rows = matrix.as_array().map_or(&[][..], Vec::as_slice);
    let entry = |i: usize, j: usize| rows[i][j].as_f64().unwrap_or(f64::NAN);
    (0..rows.len()).flat_map(|i| (i + 1..rows.len()).map(move |j| entry(i, j))).collect()
}

fn morris_difference(peer: &PythonPeer, rows: &Sample) -> Result<f64, Failure> {
    let y = evaluate(rows, model);
    let answer = peer.ask(&json!({ "do": "morris_analyze", "k": FACTORS, "x": rows.values, "y": y }))?;
    let outputs = Outputs::single("y", y);
    let analysis =
        analyze(&space(None)?, rows, &outputs, &AnalysisOptions::new(Technique::Morris)).map_err(ours)?;
    let Some(Indices::Morris(found)) = analysis.outputs.first().map(|output| &output.indices) else {
        return Err(Failure::internal("a Morris analysis without Morris's indices"));
    };
    let mu = largest(found.iter().map(|f| f.mu), numbers(&answer, "mu"));
    let mu_star = largest(found.iter().map(|f| f.mu_star.value), numbers(&answer, "mu_star"));
    let sigma = largest(found.iter().map(|f| f.sigma), numbers(&answer, "sigma"));
    Ok(mu.max(mu_star).max(sigma))
}

/// NaN, which meets no goal, when the lists differ in length or hold a NaN.
fn largest(ours: impl ExactSizeIterator<Item = f64>, theirs: Vec<f64>) -> f64 {
    if ours.len() != theirs.len() {
        return f64::NAN;
    }
    let differences = ours.zip(theirs).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most: f64, d| if d.is_nan() || most.is_nan() { f64::NAN } else { most.max(d) })
}
