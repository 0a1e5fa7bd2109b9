//! SALib, asked through a Python that has it.

use onceflow_sensitivity::Oracle;
use onceflow_study::Domain;
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use crate::python::PythonPeer;

/// What SALib is asked through.
pub(super) const SCRIPT: &str = include_str!("peer.py");

/// SALib's indices, first order then total, and the half widths of its intervals.
#[derive(Clone)]
pub(super) struct PeerIndices {
    pub(super) values: Vec<f64>,
    pub(super) half_widths: Vec<f64>,
}

/// A list of numbers out of an answer.
pub(super) fn numbers(answer: &Value, key: &str) -> Vec<f64> {
    list(&answer[key])
}

fn list(numbers: &Value) -> Vec<f64> {
    let list = numbers.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

/// Samples in one request: a start of Python takes longer than an analysis, and a request holds all rows as text.
const AT_ONCE: usize = 10;

/// Its own samples of an oracle without second order, one per seed, evaluated here and analysed by it.
pub(super) fn indices(
    peer: &PythonPeer,
    oracle: Oracle,
    base: u64,
    seeds: u64,
) -> Result<Vec<PeerIndices>, Failure> {
    let seeds: Vec<u64> = (0..seeds).collect();
    let found = seeds.chunks(AT_ONCE).map(|seeds| some_indices(peer, oracle, base, seeds));
    Ok(found.collect::<Result<Vec<_>, Failure>>()?.concat())
}

fn some_indices(
    peer: &PythonPeer,
    oracle: Oracle,
    base: u64,
    seeds: &[u64],
) -> Result<Vec<PeerIndices>, Failure> {
    let k = oracle.parameters().len();
    let request =
        json!({ "do": "saltelli_samples", "k": k, "n": base, "second_order": false, "seeds": seeds });
    let samples = peer.ask(&request)?;
    let outputs = |sample: &Value| -> Vec<f64> {
        list(sample).chunks_exact(k).map(|row| oracle.evaluate(&scaled(oracle, row))).collect()
    };
    let y: Vec<Vec<f64>> =
        samples["x"].as_array().map_or(&[][..], Vec::as_slice).iter().map(outputs).collect();
    let answer = peer.ask(&json!({
        "do": "saltelli_analyses", "k": k, "y": y, "second_order": false, "resamples": 100, "seeds": seeds
    }))?;
    let found = answer["found"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let both =
        |found: &Value, [first, total]: [&str; 2]| [numbers(found, first), numbers(found, total)].concat();
    let found: Vec<PeerIndices> = found
        .map(|found| PeerIndices {
            values: both(found, ["S1", "ST"]),
            half_widths: both(found, ["S1_conf", "ST_conf"]),
        })
        .collect();
    let whole = found.len() == seeds.len() && found.iter().all(|found| found.values.len() == 2 * k);
    if whole { Ok(found) } else { Err(Failure::internal("the peer did not analyse every sample")) }
}

/// From the unit cube to the oracle's values, as users of SALib do by hand.
fn scaled(oracle: Oracle, unit: &[f64]) -> Vec<f64> {
    let value = |(domain, u): (&Domain, &f64)| match domain {
        Domain::Integers { from, to } => (*from as f64) + (u * (to - from + 1) as f64).floor(),
        other => other.ends().map_or(*u, |(from, to)| from + u * (to - from)),
    };
    oracle.parameters().iter().map(|p| &p.domain).zip(unit).map(value).collect()
}
