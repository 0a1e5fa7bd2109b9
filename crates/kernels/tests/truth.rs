//! The default segmentation of real tiles against what is known to be there, where the tiles are found beside the
//! repository.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::compare::{ComparisonCounts, MetricKind, compare_boundaries};
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, Plane, label};
use tiff::decoder::{Decoder, DecodingResult};

fn tiles() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histology-nuclei");
    if !folder.exists() {
        eprintln!("skipped: there are no tiles at {}", folder.display());
    }
    folder.exists().then_some(folder)
}

/// Compares the nuclei found in a raw tile with its truth.
fn found(tile: &Plane<[u8; 3]>, truth: &Plane<u32>) -> ComparisonCounts {
    let mut statistics = ColourSums::new();
    statistics.add(tile.view());
    let normalized = transfer(tile.view(), &statistics.finish());
    let mask = segment(normalized.view(), &Parameters::default()).mask;
    compare_boundaries(label(mask.view(), Connectivity::Eight).plane.view(), truth.view()).unwrap()
}

fn check_dice(counts: &ComparisonCounts, expected: f64, name: &str) {
    let values = MetricKind::ALL.map(|m| (m.word(), m.value(counts, Some(0.25))));
    let dice = MetricKind::Dice.value(counts, None).unwrap();
    assert!((dice - expected).abs() < 0.0005, "{name}: expected Dice {expected}, found {values:?}");
}

#[test]
fn a_tile_of_glioma() {
    let Some(folder) = tiles().map(|tiles| tiles.join("tcga-glioma")) else { return };
    let name = "TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG";
    let tile = pictures::colour_without_alpha(&folder.join(format!("{name}.png")));
    let truth = pictures::colour(&folder.join(format!("{name}-mask.png")));
    let labels = truth.pixels().iter().map(|pixel| u32::from(pixel[0])).collect();
    let counts = found(&tile, &Plane::from_vec(labels, truth.width(), truth.height()).unwrap());
    assert_eq!(counts.reference_objects, 61);
    check_dice(&counts, 0.847, name);
}

#[test]
fn tiles_of_four_organs() {
    let Some(folder) = tiles().map(|tiles| tiles.join("monuseg")) else { return };
    // Dice as a second program finds it, which is made of operations of OpenCV, SciPy and scikit-image.
    let known = [
        ("TCGA-21-5784-01Z-00-DX1", 398, 0.631),
        ("TCGA-A7-A13E-01Z-00-DX1", 314, 0.575),
        ("TCGA-B0-5698-01Z-00-DX1", 357, 0.542),
        ("TCGA-CH-5767-01Z-00-DX1", 294, 0.481),
    ];
    for (name, nuclei, dice) in known {
        let truth = pictures::deep(&folder.join(format!("{name}.labels.png")));
        let labels = truth.pixels().iter().map(|label| u32::from(*label)).collect();
        let truth = Plane::from_vec(labels, truth.width(), truth.height()).unwrap();
        let counts = found(&colour_tiff(&folder.join(format!("{name}.tif"))), &truth);
        assert_eq!(counts.reference_objects, nuclei, "{name}");
        check_dice(&counts, dice, name);
    }
}

fn colour_tiff(path: &Path) -> Plane<[u8; 3]> {
    let mut decoder = Decoder::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let (width, height) = decoder.dimensions().unwrap();
    let DecodingResult::U8(bytes) = decoder.read_image().unwrap() else { panic!("not 8-bit") };
    Plane::from_vec(bytes.as_chunks().0.to_vec(), width as usize, height as usize).expect("three channels")
}
