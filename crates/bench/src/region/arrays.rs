//! Zarr arrays read beside raw files and beside zarr-python and tensorstore.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onceflow_allocator::release_freed;
use onceflow_engine::{
    Conversion, ImageForm, WantedPixels, convert, open_image, open_labels, plan_conversion,
};
use onceflow_imageio::OmeZarr;
use onceflow_imageio::pyramid::PyramidWork;
use onceflow_region::store::{ReadRegion as _, WriteRegion as _};
use onceflow_region::{Budget, Dense, Pixels, Region, RegionId, RegionKind, Source};
use onceflow_store::ZarrStore;
use onceflow_store::publish::Publisher;
use onceflow_store::zarr::Compression;
use onceflow_terminal::Failure;
use serde_json::json;

use super::{RegionBench, bytes_below, compare, failed, figure};
use crate::figure::{BenchFigure, Goal};

/// Tissue of 8192 x 8192 pixels: three bytes each, which Zarr keeps in planes, and its labels of four bytes.
const IMAGE: &str = "synth:8192x8192?seed=7";
const BYTES: usize = 8192 * 8192 * 3;
const LABEL_BYTES: usize = 8192 * 8192 * 4;

/// Colours as wide as the tiles of the Region Templates paper, as a store of regions keeps them: chunks are whole rows.
const WIDE: usize = 4096;
const HIGH: usize = 16_384;

const ROUNDS: usize = 5;

pub(super) fn figures(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = stored(bench)?;
    figures.extend(images(bench)?);
    Ok(figures)
}

/// A whole region out of a store beside a file of the same bytes.
fn stored(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let colours: Vec<u8> = (0..3 * WIDE * HIGH).map(|at| (at * at % 251) as u8).collect();
    let (raw, bytes) = (bench.path("colours"), colours.len());
    fs::write(&raw, &colours).map_err(failed)?;
    let publisher = Publisher::hasty();
    let store = ZarrStore::with(&bench.path("regions"), Budget::new(1 << 30), Compression::None, publisher);
    let store = store.map_err(failed)?;
    let id = RegionId::new("bench", "colours", RegionKind::Dense);
    let region = Dense::new(WIDE, HIGH, 3, Pixels::U8(colours)).map_err(failed)?;
    store.write(&id, Region::Dense(region)).map_err(failed)?;
    let rates = ReadRates::measure(bytes, || read_raw(&raw), || store.read(&id).map_err(failed))?;
    Ok(rates.figures("201 MB", "chunks of whole rows, as stores write them", Some(Goal::AtLeast(0.8))))
}

/// How fast a file and an array of as many bytes are read.
struct ReadRates {
    bytes: usize,
    /// Seconds of a file and of an array, into memory that is new.
    fresh: (f64, f64),
    /// The same into memory that was used before.
    used: (f64, f64),
}

impl ReadRates {
    fn measure<F, A>(
        bytes: usize,
        file: impl Fn() -> Result<F, Failure>,
        array: impl Fn() -> Result<A, Failure>,
    ) -> Result<Self, Failure> {
        let fresh = compare(ROUNDS, || into_new_memory(&file), || into_new_memory(&array))?;
        let used = compare(ROUNDS, || forget(file()), || forget(array()))?;
        Ok(Self { bytes, fresh, used })
    }

    fn figures(&self, size: &str, chunks: &str, goal: Option<Goal>) -> Vec<BenchFigure> {
        let rate = |seconds: f64| self.bytes as f64 / seconds / 1e9;
        let of = |memory: &str, (file, array): (f64, f64), goal: Option<Goal>| {
            let zarr = format!("Zarr without compression, {chunks}, warm, into {memory}");
            let share = figure(format!("{zarr}: share of the speed of a raw file"), file / array, "");
            [
                figure(format!("raw file of {size}, warm, into {memory}"), rate(file), "GB/s"),
                figure(zarr, rate(array), "GB/s"),
                BenchFigure { goal, ..share },
            ]
        };
        let fresh = of("new memory", self.fresh, goal);
        fresh.into_iter().chain(of("memory used before", self.used, None)).collect()
    }
}

fn images(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let (raw, labels) = (bench.path("raw"), bench.path("labels.zarr"));
    let (plain, packed) = (bench.path("plain.zarr"), bench.path("packed.zarr"));
    fs::write(&raw, vec![7u8; LABEL_BYTES]).map_err(failed)?;
    write(&labels, &open_labels(IMAGE, "".as_ref()).map_err(failed)?, Compression::None)?;
    let image = open_image(IMAGE, "".as_ref()).map_err(failed)?;
    write(&plain, &image, Compression::None)?;
    write(&packed, &image, Compression::default())?;
    let rates = ReadRates::measure(LABEL_BYTES, || read_raw(&raw), || read(&labels, 1))?;
    let (plane, coloured) = compare(ROUNDS, || forget(read(&plain, 1)), || forget(read(&plain, 2)))?;
    let (zstd, threads) = compare(ROUNDS, || forget(read(&packed, 1)), || forget(read(&packed, 2)))?;
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    let mut figures = rates.figures("268 MB", "labels in chunks of 512 x 512", None);
    figures.extend([
        figure("Zarr without compression, colours from planes, one thread", rate(plane), "GB/s"),
        figure(
            "Zarr with zstd, share of the bytes",
            bytes_below(&packed.join("0")) as f64 / BYTES as f64,
            "",
        ),
        figure("Zarr with zstd, warm, one thread", rate(zstd), "GB/s"),
        figure("Zarr with zstd, warm, two threads", rate(threads), "GB/s"),
    ]);
    let Some(peer) = bench.peer else { return Ok(figures) };
    for (name, path, ours) in [("with zstd", &packed, threads), ("without compression", &plain, coloured)] {
        let answer = peer.ask(&json!({ "do": "read", "path": path.join("0"), "rounds": ROUNDS }))?;
        for peer in ["zarr-python", "tensorstore"] {
            let Some(seconds) = answer[peer].as_f64() else { continue };
            // Faster than both is wanted of what is compressed.
            let goal = (name == "with zstd").then_some(Goal::Ratio(1.0));
            let figure =
                figure(format!("Zarr {name}, two threads (peer: {peer}, with its own)"), ours * 1e3, "ms");
            figures.push(BenchFigure { goal, peer: Some(seconds * 1e3), ..figure });
        }
    }
    Ok(figures)
}

fn write(path: &Path, source: &Arc<dyn Source>, compression: Compression) -> Result<(), Failure> {
    let (form, pixels) = (ImageForm::Zarr(compression), WantedPixels::Scale(0));
    let wanted = Conversion { form, bounds: None, pixels, single: true, halving: None };
    let planned = plan_conversion(Arc::clone(source), &wanted).map_err(failed)?;
    let stop = AtomicBool::new(false);
    let work = PyramidWork { threads: 2, budget: Budget::new(1 << 30), watch: &|_, _| (), stop: &stop };
    convert(&planned, path, &work).map(|_| ()).map_err(failed)
}

fn read_raw(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(failed)
}

fn read(path: &Path, threads: usize) -> Result<Dense, Failure> {
    let source = OmeZarr::open(path, Arc::default()).map_err(failed)?;
    let bounds = source.info().bounds().ok_or_else(|| failed("no pixels"))?;
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    source.read_parallel(0, bounds, threads).map_err(failed)
}

/// The system's own memory, as programs have it that read once.
fn into_new_memory<T>(read: impl Fn() -> Result<T, Failure>) -> Result<(), Failure> {
    release_freed();
    forget(read())
}

fn forget<T>(read: Result<T, Failure>) -> Result<(), Failure> {
    read.map(|read| drop(black_box(read)))
}
