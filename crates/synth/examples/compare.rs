//! Prints the figures of real and synthetic tiles side by side: `compare FOLDER`, where the folder holds
//! `NAME.tif` and `NAME.labels.png`.
#![allow(clippy::print_stdout)]

#[path = "../tests/statistics/mod.rs"]
mod statistics;

use std::{env, error::Error, path::Path};

use onceflow_synth::Tissue;
use statistics::{Labelled, NAMES, figures, real_tiles};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("expected the folder of the real tiles")?;
    let mut tiles = real_tiles(Path::new(&folder))?;
    for seed in 1..=4 {
        let tile = Tissue::new(1000, 1000, seed)?.render(0, 0, 1000, 1000)?;
        tiles.push((format!("seed {seed}"), Labelled { width: 1000, rgb: tile.rgb, labels: tile.labels }));
    }
    let columns: Vec<Vec<f64>> = tiles.iter().map(|(_, tile)| figures(tile)).collect();
    let cut = |name: &str| name.chars().take(12).collect::<String>();
    println!("{:34}{}", "", tiles.iter().map(|(name, _)| format!("{:>14}", cut(name))).collect::<String>());
    for (index, name) in NAMES.iter().enumerate() {
        let row: String = columns.iter().map(|figures| format!("{:>14.2}", figures[index])).collect();
        println!("{name:34}{row}");
    }
    Ok(())
}
