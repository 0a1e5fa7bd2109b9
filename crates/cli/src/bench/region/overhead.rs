//! What regions cost an application: nuclei of tiles and their features, found in plain buffers and files and through regions
//! and stores.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use onceflow_kernels::features::features;
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, View, label};
use onceflow_region::publish::Publisher;
use onceflow_region::store::{List as _, Read as _, Write as _};
use onceflow_region::zarr::Compression;
use onceflow_region::{
    Bounds, Budget, Dense, MemoryStore, Pixels, Region, RegionId, RegionKind, Remainder, ZarrStore, partition,
};

use super::{Bench, compare, failed, figure};
use crate::bench::kernels::processor_time;
use crate::bench::{Figure, Goal};
use crate::failure::Failure;

/// Side of the image and of its tiles, and how often it is done: four small ones, whose files cost more beside their pixels
/// than those of larger ones, and one of the size that the Region Templates paper measures with.
const SIZES: [(u64, u64, usize); 2] = [(2048, 1024, 21), (4096, 4096, 7)];

pub(super) fn figures(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for (side, tile, rounds) in SIZES {
        let source = onceflow_engine::open_image(&format!("synth:{side}x{side}?seed=7"), "".as_ref());
        let source = source.map_err(failed)?;
        let image =
            source.read(source.info().bounds().ok_or_else(|| failed("no pixels"))?).map_err(failed)?;
        figures.extend(figures_of(&Tiles::new(bench, image, tile)?, rounds)?);
    }
    Ok(figures)
}

/// What regions cost the application in memory and on disk; then the reading and writing alone, without the work.
fn figures_of(tiles: &Tiles<'_>, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let memory = Pair::measure(rounds, || tiles.plain(), || tiles.regions())?;
    let disk = Pair::measure(rounds, || tiles.files(nuclei), || tiles.stored(nuclei))?;
    let bare = Pair::measure(rounds, || tiles.files(no_work), || tiles.stored(no_work))?;
    let named = |name: &str| format!("{}: {name}", tiles.name());
    let goal = Some(Goal::AtMost(1.0));
    let mut figures = vec![
        Figure { goal, ..figure(named("overhead of regions in memory over buffers"), memory.wall(), "%") },
        Figure { goal, ..figure(named("overhead of regions on disk over files"), disk.wall(), "%") },
    ];
    if let Some(overhead) = disk.processor() {
        figures.push(figure(named("the same, of time on the processor"), overhead, "%"));
    }
    let each =
        |pair: &Pair| [pair.least.0, pair.least.1].map(|seconds| seconds * 1e3 / tiles.boxes.len() as f64);
    for (name, pair) in
        [("a tile read, worked on and written", disk), ("a tile read and written, no work", bare)]
    {
        let [plain, regions] = each(&pair);
        let name = format!("{} (peer: plain files)", named(name));
        figures.push(Figure { peer: Some(plain), ..figure(name, regions, "ms") });
    }
    let name = format!("{} (peer: plain files)", named("files and folders of a region"));
    figures.push(Figure { peer: Some(1.0), ..figure(name, tiles.files_each()?, "") });
    Ok(figures)
}

/// What two ways to do the same take when they take turns.
#[derive(Clone, Copy)]
struct Pair {
    /// The least seconds of a round.
    least: (f64, f64),
    /// Milliseconds on the processor in all rounds, of which others on the machine take nothing; none where it is not said.
    processor: Option<(f64, f64)>,
}

impl Pair {
    fn measure(
        rounds: usize,
        one: impl Fn() -> Result<(), Failure>,
        other: impl Fn() -> Result<(), Failure>,
    ) -> Result<Pair, Failure> {
        let ran = Cell::new(Some((0.0, 0.0)));
        let timed = |work: &dyn Fn() -> Result<(), Failure>, is_first: bool| {
            let before = processor_time();
            work()?;
            let taken = before.zip(processor_time()).map(|(before, after)| after - before);
            let add = |(all, taken): ((f64, f64), f64)| {
                if is_first { (all.0 + taken, all.1) } else { (all.0, all.1 + taken) }
            };
            ran.set(ran.get().zip(taken).map(add));
            Ok(())
        };
        let least = compare(rounds, || timed(&one, true), || timed(&other, false))?;
        Ok(Pair { least, processor: ran.get() })
    }

    /// Percent that the second way takes more.
    fn wall(&self) -> f64 {
        (self.least.1 / self.least.0 - 1.0) * 100.0
    }

    fn processor(&self) -> Option<f64> {
        self.processor.map(|(one, other)| (other / one - 1.0) * 100.0)
    }
}

/// The same tiles in every form.
struct Tiles<'a> {
    bench: &'a Bench<'a>,
    image: Dense,
    boxes: Vec<Bounds>,
    store: ZarrStore,
    folder: PathBuf,
    /// How many masks were written: each has a name of its own, as in an application that stages what it makes once.
    written: Cell<usize>,
}

impl<'a> Tiles<'a> {
    fn new(bench: &'a Bench<'a>, image: Dense, tile: u64) -> Result<Self, Failure> {
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
            store.write(&id("mask", at), mask(&held, nuclei)?).map_err(failed)?;
        }
        std::hint::black_box(&store);
        Ok(())
    }

    fn files(&self, work: Work) -> Result<(), Failure> {
        for (at, bounds) in self.boxes.iter().enumerate() {
            let [_, _, width, height] = sides(bounds);
            let tile = fs::read(self.bench.path(&format!("{at}.raw"))).map_err(failed)?;
            let mask = work(&tile, width, height)?;
            fs::write(self.bench.path(&format!("{}.mask", self.next())), mask).map_err(failed)?;
        }
        Ok(())
    }

    fn stored(&self, work: Work) -> Result<(), Failure> {
        for at in 0..self.boxes.len() {
            let held = self.store.read(&id("tile", at)).map_err(failed)?;
            self.store.write(&id("mask", self.next()), mask(&held, work)?).map_err(failed)?;
        }
        Ok(())
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
type Work = fn(&[u8], usize, usize) -> Result<Vec<u8>, Failure>;

fn id(key: &str, at: usize) -> RegionId {
    RegionId::new(at.to_string(), key, RegionKind::Dense)
}

fn mask(region: &Region, work: Work) -> Result<Region, Failure> {
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

/// Files and folders below those of a store itself.
fn entries_below(folder: &Path) -> usize {
    let entries =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let regions =
        entries(folder).filter(|path| path.is_dir()).flat_map(|path| entries(&path).collect::<Vec<_>>());
    regions.map(|path| 1 + if path.is_dir() { entries(&path).count() } else { 0 }).sum()
}

fn sides(bounds: &Bounds) -> [usize; 4] {
    let [x, y] = [bounds.x(), bounds.y()].map(|side| usize::try_from(side).unwrap_or(0));
    let [width, height] = [bounds.width(), bounds.height()].map(|side| side as usize);
    [x, y, width, height]
}
