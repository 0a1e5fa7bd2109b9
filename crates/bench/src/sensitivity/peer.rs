//! SALib, asked through a Python that has it.

use onceflow_sensitivity::Oracle;
use onceflow_study::Domain;
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use crate::python::PythonPeer;

/// What SALib is asked through.
pub(super) const SCRIPT: &str = include_str!("peer.py");

/// SALib's indices, first order then total, and the half widths of its intervals.
pub(super) struct PeerIndices {
    pub(super) values: Vec<f64>,
    pub(super) half_widths: Vec<f64>,
}

/// A list of numbers out of an answer.
pub(super) fn numbers(answer: &Value, key: &str) -> Vec<f64> {
    let list = answer[key].as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

/// Its own sample of an oracle without second order, evaluated here and analysed by it.
pub(super) fn indices(
    peer: &PythonPeer,
    oracle: Oracle,
    base: u64,
    seed: u64,
) -> Result<PeerIndices, Failure> {
    let k = oracle.parameters().len();
    let request = json!({ "do": "saltelli_sample", "k": k, "n": base, "second_order": false, "seed": seed });
    let unit = numbers(&peer.ask(&request)?, "x");
    let y: Vec<f64> = unit.chunks_exact(k).map(|row| oracle.evaluate(&scaled(oracle, row))).collect();
    let answer = peer.ask(&json!({
        "do": "saltelli_analyze", "k": k, "y": y, "second_order": false, "resamples": 100, "seed": seed
    }))?;
    let both = |first: &str, total: &str| [numbers(&answer, first), numbers(&answer, total)].concat();
    Ok(PeerIndices { values: both("S1", "ST"), half_widths: both("S1_conf", "ST_conf") })
}

/// From the unit cube to the oracle's values, as users of SALib do by hand.
fn scaled(oracle: Oracle, unit: &[f64]) -> Vec<f64> {
    let value = |(domain, u): (&Domain, &f64)| match domain {
        Domain::Integers { from, to } => (*from as f64) + (u * (to - from + 1) as f64).floor(),
        other => other.ends().map_or(*u, |(from, to)| from + u * (to - from)),
    };
    oracle.parameters().iter().map(|p| &p.domain).zip(unit).map(value).collect()
}
