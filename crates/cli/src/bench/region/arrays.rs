//! Zarr arrays read beside raw files and beside zarr-python and tensorstore.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onceflow_engine::{
    Conversion, ImageForm, WantedPixels, convert, open_image, open_labels, plan_conversion,
};
use onceflow_region::publish::Publisher;
use onceflow_region::pyramid::Work;
use onceflow_region::store::{Read as _, Write as _};
use onceflow_region::zarr::Compression;
use onceflow_region::{Budget, Dense, OmeZarr, Pixels, Region, RegionId, RegionKind, Source, ZarrStore};
use serde_json::json;

use super::{Bench, bytes_below, compare, failed, figure};
use crate::bench::{Figure, Goal};
use crate::failure::Failure;

/// Tissue of 8192 x 8192 pixels: three bytes each, which Zarr keeps in planes, and its labels of four bytes.
const IMAGE: &str = "synth:8192x8192?seed=7";
const BYTES: usize = 8192 * 8192 * 3;
const LABEL_BYTES: usize = 8192 * 8192 * 4;

/// Colours as wide as the tiles of the Region Templates paper, as a store of regions keeps them: chunks are whole rows.
const WIDE: usize = 4096;
const HIGH: usize = 16_384;

const ROUNDS: usize = 5;

pub(super) fn figures(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let mut figures = stored(bench)?;
    figures.extend(images(bench)?);
    Ok(figures)
}

/// A whole region out of a store beside a file of the same bytes.
fn stored(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let colours: Vec<u8> = (0..3 * WIDE * HIGH).map(|at| (at * at % 251) as u8).collect();
    let (raw, bytes) = (bench.path("colours"), colours.len());
    fs::write(&raw, &colours).map_err(failed)?;
    let publisher = Publisher::hasty();
    let store = ZarrStore::with(&bench.path("regions"), Budget::new(1 << 30), Compression::None, publisher);
    let store = store.map_err(failed)?;
    let id = RegionId::new("bench", "colours", RegionKind::Dense);
    let region = Dense::new(WIDE, HIGH, 3, Pixels::U8(colours)).map_err(failed)?;
    store.write(&id, Region::Dense(region)).map_err(failed)?;
    let read_region = || {
        black_box(store.read(&id).map_err(failed)?);
        Ok(())
    };
    let (file, array) = compare(ROUNDS, || read_raw(&raw), read_region)?;
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    Ok(vec![
        figure("raw file of 201 MB, warm", rate(file), "GB/s"),
        figure(
            "Zarr without compression, chunks of whole rows as stores write them, warm",
            rate(array),
            "GB/s",
        ),
        Figure {
            goal: Some(Goal::AtLeast(0.8)),
            ..figure(
                "Zarr without compression, whole rows: share of the speed of a raw file",
                file / array,
                "",
            )
        },
    ])
}

fn images(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let (raw, labels) = (bench.path("raw"), bench.path("labels.zarr"));
    let (plain, packed) = (bench.path("plain.zarr"), bench.path("packed.zarr"));
    fs::write(&raw, vec![7u8; LABEL_BYTES]).map_err(failed)?;
    write(&labels, &open_labels(IMAGE, "".as_ref()).map_err(failed)?, Compression::None)?;
    let image = open_image(IMAGE, "".as_ref()).map_err(failed)?;
    write(&plain, &image, Compression::None)?;
    write(&packed, &image, Compression::default())?;
    let (file, array) = compare(ROUNDS, || read_raw(&raw), || read(&labels, 1))?;
    let (plane, coloured) = compare(ROUNDS, || read(&plain, 1), || read(&plain, 2))?;
    let (zstd, threads) = compare(ROUNDS, || read(&packed, 1), || read(&packed, 2))?;
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    let label_rate = |seconds: f64| LABEL_BYTES as f64 / seconds / 1e9;
    let mut figures = vec![
        figure("raw file of 268 MB into new memory, warm", label_rate(file), "GB/s"),
        figure(
            "Zarr without compression, labels, chunks of 512 x 512, warm, one thread",
            label_rate(array),
            "GB/s",
        ),
        Figure {
            goal: Some(Goal::AtLeast(0.8)),
            ..figure(
                "Zarr without compression, chunks of 512 x 512: share of the speed of a raw file",
                file / array,
                "",
            )
        },
        figure("Zarr without compression, colours from planes, one thread", rate(plane), "GB/s"),
        figure(
            "Zarr with zstd, share of the bytes",
            bytes_below(&packed.join("0")) as f64 / BYTES as f64,
            "",
        ),
        figure("Zarr with zstd, warm, one thread", rate(zstd), "GB/s"),
        figure("Zarr with zstd, warm, two threads", rate(threads), "GB/s"),
    ];
    let Some(peer) = bench.peer else { return Ok(figures) };
    for (name, path, ours) in [("with zstd", &packed, threads), ("without compression", &plain, coloured)] {
        let answer = peer.ask(&json!({ "do": "read", "path": path.join("0"), "rounds": ROUNDS }))?;
        for peer in ["zarr-python", "tensorstore"] {
            let Some(seconds) = answer[peer].as_f64() else { continue };
            // Faster than both is wanted of what is compressed.
            let goal = (name == "with zstd").then_some(Goal::Ratio(1.0));
            let figure =
                figure(format!("Zarr {name}, two threads (peer: {peer}, with its own)"), ours * 1e3, "ms");
            figures.push(Figure { goal, peer: Some(seconds * 1e3), ..figure });
        }
    }
    Ok(figures)
}

fn write(path: &Path, source: &Arc<dyn Source>, compression: Compression) -> Result<(), Failure> {
    let (form, pixels) = (ImageForm::Zarr(compression), WantedPixels::Scale(0));
    let wanted = Conversion { form, bounds: None, pixels, single: true, halving: None };
    let planned = plan_conversion(Arc::clone(source), &wanted).map_err(failed)?;
    let stop = AtomicBool::new(false);
    let work = Work { threads: 2, budget: Budget::new(1 << 30), watch: &|_, _| (), stop: &stop };
    convert(&planned, path, &work).map(|_| ()).map_err(failed)
}

fn read_raw(path: &Path) -> Result<(), Failure> {
    black_box(fs::read(path).map_err(failed)?);
    Ok(())
}

fn read(path: &Path, threads: usize) -> Result<(), Failure> {
    let source = OmeZarr::open(path, Arc::default()).map_err(failed)?;
    let bounds = source.info().bounds().ok_or_else(|| failed("no pixels"))?;
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    black_box(source.read_parallel(0, bounds, threads).map_err(failed)?);
    Ok(())
}
