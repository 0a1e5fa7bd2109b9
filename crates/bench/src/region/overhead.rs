//! What regions cost an application: nuclei of tiles and their features, found in plain buffers and files and through regions
//! and stores.
//!
//! The plain way reads a file whole, works, and writes a file whole: no checksums, no temporary names, nothing that says what
//! the bytes are. The store does all of that beside it. Neither waits for the disk (fsync). Each pair is measured one way
//! right after the other, and the figure is the median of all pairs, since others on the machine disturb more than regions do.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use onceflow_kernels::features::features;
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, View, label};
use onceflow_region::store::{ListRegions as _, ReadRegion as _, RemoveRegion as _, WriteRegion as _};
use onceflow_region::{Bounds, Budget, Dense, Pixels, Region, RegionId, RegionKind, Remainder, partition};
use onceflow_store::publish::Publisher;
use onceflow_store::zarr::Compression;
use onceflow_store::{MemoryStore, ZarrStore};
use onceflow_terminal::Failure;

use super::{RegionBench, failed, figure};
use crate::figure::{BenchFigure, Goal};
use crate::kernels::processor_time;

/// Side of the Region Templates paper's tiles.
const PUBLISHED: u64 = 4096;

/// Side of the image and of its tiles, and how often it is done: four small ones, whose files cost more beside their pixels
/// than those of larger ones, and one of the size that the Region Templates paper measures with.
const SIZES: [(u64, u64, usize); 2] = [(2048, 1024, 61), (PUBLISHED, PUBLISHED, 15)];

pub(super) fn figures(bench: &RegionBench<'_>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (side, tile, rounds) in SIZES {
        let source = onceflow_engine::open_image(&format!("synth:{side}x{side}?seed=7"), "".as_ref());
        let source = source.map_err(failed)?;
        let image =
            source.read(source.info().bounds().ok_or_else(|| failed("no pixels"))?).map_err(failed)?;
        figures.extend(figures_of(&OverheadTiles::new(bench, image, tile)?, rounds)?);
    }
    Ok(figures)
}

/// What regions cost the application in memory and on disk; then the reading and writing alone, without the work.
fn figures_of(tiles: &OverheadTiles<'_>, rounds: usize) -> Result<Vec<BenchFigure>, Failure> {
    let count = tiles.boxes.len();
    let memory = TimedPair::measure(rounds, 1, |_| tiles.plain(), |_| tiles.regions())?;
    let disk = TimedPair::measure(rounds, count, |at| tiles.file(at, nuclei), |at| tiles.stored(at, nuclei))?;
    let bare =
        TimedPair::measure(rounds, count, |at| tiles.file(at, no_work), |at| tiles.stored(at, no_work))?;
    let named = |name: &str| format!("{}: {name}", tiles.name());
    let mut figures = Vec::new();
    for (name, pair) in [("in memory over buffers", &memory), ("on disk over files", &disk)] {
        let name = named(&format!("overhead of regions {name}"));
        let goal = tiles.is_published_size().then_some(Goal::AtMost(1.0));
        figures.push(BenchFigure { goal, ..figure(&name, pair.overhead, "%") });
        figures.push(figure(format!("{name}, half of the pairs lie within +-"), pair.spread, "%"));
    }
    if let Some(overhead) = disk.processor() {
        figures.push(figure(named("on disk, of time on the processor"), overhead, "%"));
    }
    let alone = (bare.least.1 - bare.least.0) / disk.least.0 * 100.0;
    figures.push(figure(named("on disk, as reading and writing alone take more"), alone, "%"));
    for (name, TimedPair { least: (plain, regions), .. }) in
        [("a tile read, worked on and written", disk), ("a tile read and written, no work", bare)]
    {
        let name = format!("{} (peer: plain files)", named(name));
        figures.push(BenchFigure { peer: Some(plain * 1e3), ..figure(name, regions * 1e3, "ms") });
    }
    let name = format!("{} (peer: plain files)", named("files and folders of a region"));
    figures.push(BenchFigure { peer: Some(1.0), ..figure(name, tiles.files_each()?, "") });
    Ok(figures)
}

/// What two ways to do the same take when they take turns.
struct TimedPair {
    /// The least seconds of each.
    least: (f64, f64),
    /// Percent that the second way takes more: the median of the pairs, and how far half of them lie from it.
    overhead: f64,
    spread: f64,
    /// Milliseconds on the processor in all, of which others on the machine take nothing; none where it is not said.
    processor: Option<(f64, f64)>,
}

impl TimedPair {
    /// Does both ways of so many things for some rounds, one right after the other. Which goes first changes from round to
    /// round, so that what slows the machine down, or the cache that one leaves to the other, favours neither.
    fn measure(
        rounds: usize,
        things: usize,
        one: impl Fn(usize) -> Result<(), Failure>,
        other: impl Fn(usize) -> Result<(), Failure>,
    ) -> Result<TimedPair, Failure> {
        let mut pairs = Vec::new();
        for round in 0..rounds {
            for thing in 0..things {
                let in_order = (round + thing) % 2 == 0;
                let early = if in_order { timed(&one, thing)? } else { timed(&other, thing)? };
                let late = if in_order { timed(&other, thing)? } else { timed(&one, thing)? };
                pairs.push(if in_order { (early, late) } else { (late, early) });
            }
        }
        Ok(TimedPair::of(&pairs))
    }

    fn of(pairs: &[(TimeTaken, TimeTaken)]) -> TimedPair {
        let least =
            |way: fn(&(TimeTaken, TimeTaken)) -> f64| pairs.iter().map(way).fold(f64::INFINITY, f64::min);
        let mut more: Vec<f64> =
            pairs.iter().map(|(one, other)| (other.seconds / one.seconds - 1.0) * 100.0).collect();
        let overhead = median(&mut more);
        let mut apart: Vec<f64> = more.iter().map(|more| (more - overhead).abs()).collect();
        let all =
            |way: fn(&(TimeTaken, TimeTaken)) -> Option<f64>| pairs.iter().map(way).sum::<Option<f64>>();
        TimedPair {
            least: (least(|pair| pair.0.seconds), least(|pair| pair.1.seconds)),
            overhead,
            spread: median(&mut apart),
            processor: all(|pair| pair.0.processor).zip(all(|pair| pair.1.processor)),
        }
    }

    fn processor(&self) -> Option<f64> {
        self.processor.map(|(one, other)| (other / one - 1.0) * 100.0)
    }
}

/// What something took once.
struct TimeTaken {
    seconds: f64,
    /// Milliseconds on the processor.
    processor: Option<f64>,
}

fn timed(work: &impl Fn(usize) -> Result<(), Failure>, thing: usize) -> Result<TimeTaken, Failure> {
    let (before, start) = (processor_time(), Instant::now());
    work(thing)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(TimeTaken { seconds, processor: before.zip(processor_time()).map(|(before, after)| after - before) })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The same tiles in every form.
struct OverheadTiles<'a> {
    bench: &'a RegionBench<'a>,
    image: Dense,
    boxes: Vec<Bounds>,
    store: ZarrStore,
    folder: PathBuf,
    /// How many masks were written: each has a name of its own, as in an application that stages what it makes once.
    written: Cell<usize>,
}

impl<'a> OverheadTiles<'a> {
    /// Whether the Region Templates paper measures with tiles of this size, which its 3 % and our goal are about.
    fn is_published_size(&self) -> bool {
        self.boxes.iter().all(|tile| tile.width() == PUBLISHED)
    }

    fn new(bench: &'a RegionBench<'a>, image: Dense, tile: u64) -> Result<Self, Failure> {
        let parts = partition(image.bounds(), tile, 0, Remainder::Keep).map_err(failed)?;
        let boxes: Vec<Bounds> = parts.iter().map(|part| part.core).collect();
        // Neither side waits for the disk: both lose what the power takes.
        let (budget, publisher) = (Budget::new(1 << 30), Publisher::hasty());
        let folder = bench.path(&format!("store-{tile}"));
        let store = ZarrStore::with(&folder, budget, Compression::None, publisher);
        let tiles =
            Self { bench, image, boxes, store: store.map_err(failed)?, folder, written: Cell::new(0) };
        for (at, bounds) in tiles.boxes.iter().enumerate() {
            let tile = tiles.image.crop(*bounds).map_err(failed)?;
            fs::write(bench.path(&format!("{at}.raw")), bytes(&tile)?).map_err(failed)?;
            tiles.store.write(&id("tile", at), Region::Dense(tile)).map_err(failed)?;
        }
        Ok(tiles)
    }

    /// Rows are copied into a buffer, and the mask into the whole.
    fn plain(&self) -> Result<(), Failure> {
        let (pixels, side) = (bytes(&self.image)?, self.image.width());
        let mut whole = vec![0u8; side * side];
        for bounds in &self.boxes {
            let [x, y, width, height] = sides(bounds);
            let mut tile = Vec::with_capacity(3 * width * height);
            (y..y + height)
                .for_each(|row| tile.extend_from_slice(&pixels[3 * (row * side + x)..][..3 * width]));
            let mask = nuclei(&tile, width, height)?;
            for (row, line) in mask.chunks(width).enumerate() {
                whole[(y + row) * side + x..][..width].copy_from_slice(line);
            }
        }
        std::hint::black_box(&whole);
        Ok(())
    }

    /// Tiles are cropped, staged, read, and the masks staged in their turn.
    fn regions(&self) -> Result<(), Failure> {
        let store = MemoryStore::new(Budget::new(1 << 30));
        for (at, bounds) in self.boxes.iter().enumerate() {
            let tile = self.image.crop(*bounds).map_err(failed)?;
            store.write(&id("tile", at), Region::Dense(tile)).map_err(failed)?;
            let held = store.read(&id("tile", at)).map_err(failed)?;
            let mask = mask(&held, nuclei)?;
            // Buffers are let go after their tile, too.
            drop(held);
            store.remove(&id("tile", at)).map_err(failed)?;
            store.write(&id("mask", at), mask).map_err(failed)?;
        }
        std::hint::black_box(&store);
        Ok(())
    }

    fn file(&self, at: usize, work: TileWork) -> Result<(), Failure> {
        let [_, _, width, height] = sides(&self.boxes[at]);
        let tile = fs::read(self.bench.path(&format!("{at}.raw"))).map_err(failed)?;
        let mask = work(&tile, width, height)?;
        fs::write(self.bench.path(&format!("{}.mask", self.next())), mask).map_err(failed)
    }

    fn stored(&self, at: usize, work: TileWork) -> Result<(), Failure> {
        let held = self.store.read(&id("tile", at)).map_err(failed)?;
        self.store.write(&id("mask", self.next()), mask(&held, work)?).map_err(failed)
    }

    /// Each is an inode, which a disk takes longer to make than to fill.
    fn files_each(&self) -> Result<f64, Failure> {
        let regions = self.store.list().map_err(failed)?.len();
        Ok(entries_below(&self.folder) as f64 / regions.max(1) as f64)
    }

    fn name(&self) -> String {
        let side = self.boxes.first().map_or(0, Bounds::width);
        format!(
            "nuclei and features, {} of {side} x {side}",
            onceflow_study::counted(self.boxes.len(), "tile")
        )
    }

    fn next(&self) -> usize {
        self.written.replace(self.written.get() + 1)
    }
}

/// What is done with the colours of a tile of so many columns and rows.
type TileWork = fn(&[u8], usize, usize) -> Result<Vec<u8>, Failure>;

fn id(key: &str, at: usize) -> RegionId {
    RegionId::new(at.to_string(), key, RegionKind::Dense)
}

fn mask(region: &Region, work: TileWork) -> Result<Region, Failure> {
    let tile = region.as_dense().ok_or_else(|| failed("no pixels"))?;
    let (width, height) = (tile.width(), tile.height());
    let mask = work(bytes(tile)?, width, height)?;
    Dense::new(width, height, 1, Pixels::U8(mask)).map(Region::Dense).map_err(failed)
}

/// The application of the Region Templates paper: nuclei are found, and features of each measured.
fn nuclei(tile: &[u8], width: usize, height: usize) -> Result<Vec<u8>, Failure> {
    let (colours, _) = tile.as_chunks::<3>();
    let view = View::new(colours, width, height).ok_or_else(|| failed("a tile of another size"))?;
    let mask = segment(view, &Parameters::default()).mask;
    std::hint::black_box(features(view, label(mask.view(), Connectivity::Eight).plane.view()));
    Ok(mask.into_vec())
}

/// A mask as large as that of the nuclei, of which no chunk is empty.
fn no_work(_: &[u8], width: usize, height: usize) -> Result<Vec<u8>, Failure> {
    Ok(vec![255; width * height])
}

fn bytes(dense: &Dense) -> Result<&[u8], Failure> {
    dense.as_u8().ok_or_else(|| failed("pixels of more than 8 bits"))
}

/// Files and folders below those of a store itself; one with two names is one.
fn entries_below(folder: &Path) -> usize {
    let entries =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let regions =
        entries(folder).filter(|path| path.is_dir()).flat_map(|path| entries(&path).collect::<Vec<_>>());
    let all = regions.flat_map(|path| entries(&path).chain([path.clone()]).collect::<Vec<_>>());
    all.filter_map(|path| number(&path)).collect::<HashSet<u64>>().len()
}

#[cfg(unix)]
fn number(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|there| there.ino())
}

#[cfg(not(unix))]
fn number(path: &Path) -> Option<u64> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    Some(hasher.finish())
}

fn sides(bounds: &Bounds) -> [usize; 4] {
    let [x, y] = [bounds.x(), bounds.y()].map(|side| usize::try_from(side).unwrap_or(0));
    let [width, height] = [bounds.width(), bounds.height()].map(|side| side as usize);
    [x, y, width, height]
}
