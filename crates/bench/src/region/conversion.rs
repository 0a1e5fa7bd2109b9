//! Slides as OME-Zarr: ours beside the usual way in Python, openslide-python and ome-zarr-py.

use std::time::Duration;

use onceflow_terminal::Failure;
use serde_json::json;

use super::{RegionBench, figure};
use crate::figure::{BenchFigure, Goal};
use crate::program::run;

/// Tissue without a file, and the same as a file that both can read.
const TISSUE: &str = "synth:20000x20000?seed=7";

/// Most bytes resident.
const MEMORY: f64 = 500.0;

pub(super) fn figures(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let slide = bench.path("slide.tif").display().to_string();
    let made = run(&["image", "convert", TISSUE, &slide, "--compression", "jpeg"], HOUR)?;
    let mut figures = vec![
        figure("20,000 x 20,000 pixels of tissue as a TIFF pyramid", made.seconds, "s"),
        memory("20,000 x 20,000 pixels of tissue as a TIFF pyramid", made.resident),
    ];
    let named = [("20,000 x 20,000 pixels", slide.as_str())].into_iter();
    for (name, file) in named.chain(bench.image.map(|image| (image, image))) {
        figures.extend(as_zarr(bench, name, file)?);
    }
    Ok(figures)
}

const HOUR: Duration = Duration::from_secs(3600);

fn as_zarr(bench: &RegionBench<'_>, name: &str, file: &str) -> Result<Vec<BenchFigure>, Failure> {
    let target = bench.path("ours.zarr");
    let target = target.to_string_lossy();
    let ours = run(&["image", "convert", file, &target, "--memory", "400 MiB", "--force"], HOUR)?;
    let title = format!("{name} as OME-Zarr");
    let mut figures = vec![figure(title.clone(), ours.seconds, "s"), memory(&title, ours.resident)];
    let Some(peer) = bench.peer else { return Ok(figures) };
    let answer = peer.ask(&json!({ "do": "convert", "slide": file, "target": bench.path("theirs.zarr") }))?;
    if let Some(seconds) = answer["seconds"].as_f64() {
        let goal = Some(Goal::Ratio(1.0));
        let figure = figure(format!("{title} (peer: openslide-python and ome-zarr-py)"), ours.seconds, "s");
        figures.push(BenchFigure { goal, peer: Some(seconds), ..figure });
    }
    if let Some(bytes) = answer["peak_bytes"].as_f64() {
        figures.push(figure(format!("{title}: peer's most memory"), bytes / 1e6, "MB"));
    }
    Ok(figures)
}

fn memory(name: &str, bytes: u64) -> BenchFigure {
    let figure = figure(format!("{name}: most memory"), bytes as f64 / 1e6, "MB");
    BenchFigure { goal: Some(Goal::AtMost(MEMORY)), ..figure }
}
