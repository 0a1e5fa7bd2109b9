//! Figures of regions and files: what the abstraction costs, how fast pixels come and go, and what slides take.

mod arrays;
mod boxes;
mod conversion;
mod copies;
mod overhead;
mod slide;
mod staged;

use std::path::Path;
use std::time::Instant;

use onceflow_terminal::{Failure, Terminal};
use tempfile::TempDir;

use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use crate::program::failed;
use crate::python::PythonPeer;

/// zarr-python, tensorstore, openslide-python and ome-zarr-py.
const SCRIPT: &str = include_str!("peer.py");

/// Measures them; peers take part when a Python that has them is found.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let peer = if args.no_peer { None } else { PythonPeer::find(args.python.as_deref(), SCRIPT) };
    match &peer {
        Some(peer) => terminal.say(&format!("peers: {}", peer.name())),
        None if args.no_peer => {}
        None => terminal.say(
            "no peers: no Python with zarr, tensorstore and ome-zarr was found (scripts/peers installs one; --python names one)",
        ),
    }
    let here = std::env::current_dir().map_err(failed)?;
    let folder = tempfile::tempdir_in(here).map_err(failed)?;
    let bench = RegionBench { folder: &folder, peer: peer.as_ref(), image: args.image.as_deref() };
    let mut figures = Vec::new();
    for (name, what, section) in SECTIONS {
        if args.only.as_ref().is_none_or(|only| name.contains(only.as_str())) {
            let _progress = terminal.progress(what);
            figures.extend(section(&bench)?);
        }
    }
    Ok(figures)
}

/// What is measured: how it is called, what is said meanwhile, and who measures it.
const SECTIONS: [(&str, &str, RegionSection); 7] = [
    ("overhead", "measuring what regions cost", overhead::figures),
    ("copies", "measuring copies", copies::figures),
    ("boxes", "measuring box queries", boxes::figures),
    ("arrays", "measuring arrays on the disk", arrays::figures),
    ("staging", "measuring staging", staged::figures),
    ("conversions", "measuring conversions", conversion::figures),
    ("slide", "measuring a slide of 100,000 x 100,000 pixels, two minutes", slide::figures),
];

type RegionSection = fn(&RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure>;

/// What every section may use.
struct RegionBench<'a> {
    /// On the disk that is measured: that of the working folder.
    folder: &'a TempDir,
    peer: Option<&'a PythonPeer>,
    image: Option<&'a str>,
}

impl RegionBench<'_> {
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// Seconds of two ways to do the same, the least of rounds that take turns.
fn compare(
    rounds: usize,
    mut one: impl FnMut() -> Result<(), Failure>,
    mut other: impl FnMut() -> Result<(), Failure>,
) -> Result<(f64, f64), Failure> {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        let start = Instant::now();
        one()?;
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        other()?;
        best.1 = best.1.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal: None, peer: None }
}

/// Bytes of files and folders below a path.
fn bytes_below(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => bytes_below(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}
