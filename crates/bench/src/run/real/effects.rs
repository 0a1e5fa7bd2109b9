//! The effects that the screening finds, beside those of an independent program.

use onceflow_terminal::Failure;
use serde_json::Value;

use super::super::figure;
use super::{StudyRun, folder_text};
use crate::figure::BenchFigure;
use crate::program::failed;

/// mu* of the Dice coefficient against the default result, computed by an independent program with 12 trajectories on a
/// glioma tile of 500 x 500 pixels. Other images have other effects; their order is what compares.
const INDEPENDENT: [(&str, f64); 5] =
    [("G2", 0.38), ("G1", 0.11), ("minSizePl", 0.06), ("minSize", 0.03), ("reconConnectivity", 0.02)];

/// mu* of every parameter.
pub(super) fn figures(ran: &StudyRun) -> Result<Vec<BenchFigure>, Failure> {
    let indices: Value = serde_json::from_str(&folder_text(&ran.folder, "indices.json")?).map_err(failed)?;
    let effects = &indices["phases"][0]["analyses"][0]["outputs"][0]["parameters"];
    let effects = effects.as_array().ok_or_else(|| failed("a screening without effects"))?;
    Ok(effects.iter().filter_map(effect).collect())
}

fn effect(effect: &Value) -> Option<BenchFigure> {
    let (name, value) = (effect["name"].as_str()?, effect["mu_star"].as_f64()?);
    let peer = INDEPENDENT.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let beside = if peer.is_some() { " (peer: independent program, glioma tile)" } else { "" };
    Some(BenchFigure { peer, ..figure(format!("mu* of {name}{beside}"), value, "dice") })
}
