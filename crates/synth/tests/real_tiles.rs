//! Synthetic tissue stays within the range that real tiles span.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod statistics;

use std::path::Path;

use onceflow_synth::Tissue;
use statistics::{Labelled, NAMES, figures, real_tiles};

/// How far a figure may lie outside the range of the real tiles, relative to its nearer end.
const MARGIN: f64 = 0.2;

#[test]
fn figures_of_synthetic_tiles_lie_within_the_range_of_real_tiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histology-nuclei/monuseg");
    if !folder.exists() {
        eprintln!("not compared: no real tiles at {}", folder.display());
        return;
    }
    let real: Vec<Vec<f64>> = real_tiles(&folder).unwrap().iter().map(|(_, tile)| figures(tile)).collect();
    for seed in 1..=4 {
        for (index, figure) in figures(&synthetic(seed)).into_iter().enumerate() {
            let column = || real.iter().map(|figures| figures[index]);
            let low = column().fold(f64::MAX, f64::min) * (1.0 - MARGIN);
            let high = column().fold(f64::MIN, f64::max) * (1.0 + MARGIN);
            assert!(
                (low..=high).contains(&figure),
                "seed {seed}: {} is {figure}, not in {low}..{high}",
                NAMES[index]
            );
        }
    }
}

fn synthetic(seed: u64) -> Labelled {
    let tile = Tissue::new(1000, 1000, seed).unwrap().render(0, 0, 1000, 1000).unwrap();
    Labelled { width: 1000, rgb: tile.rgb, labels: tile.labels }
}
