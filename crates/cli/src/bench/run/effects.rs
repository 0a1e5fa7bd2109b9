//! The effects that the screening finds, beside those of an independent program.

use onceflow_sensitivity::{Indices, MorrisIndex};

use super::figure;
use super::levels::LevelRun;
use crate::bench::Figure;

/// mu* of the Dice coefficient against the default result, computed by an independent program with 12 trajectories on a
/// glioma tile of 500 x 500 pixels. Other images have other effects; their order is what compares.
const INDEPENDENT: [(&str, f64); 5] =
    [("G2", 0.38), ("G1", 0.11), ("minSizePl", 0.06), ("minSize", 0.03), ("reconConnectivity", 0.02)];

/// mu* of every parameter.
pub(super) fn figures(run: &LevelRun) -> Vec<Figure> {
    let analyses = run.run.answer.phases.iter().flat_map(|phase| &phase.analyses);
    let indices = analyses.flat_map(|analysis| &analysis.outputs).map(|output| &output.indices);
    let effects = indices.filter_map(|indices| match indices {
        Indices::Morris(effects) => Some(effects),
        _ => None,
    });
    effects.flatten().map(effect).collect()
}

fn effect(effect: &MorrisIndex) -> Figure {
    let peer = INDEPENDENT.iter().find(|(name, _)| *name == effect.name).map(|(_, value)| *value);
    let beside = if peer.is_some() { " (peer: independent program, glioma tile)" } else { "" };
    Figure { peer, ..figure(format!("mu* of {}{beside}", effect.name), effect.mu_star.value, "dice") }
}
