//! Our operations, timed on the tile; results go to the peers' folder.

use std::hint::black_box;
use std::num::NonZeroUsize;

use onceflow_kernels::colour::{Statistics, transfer_into};
use onceflow_kernels::nuclei::{self, Parameters, SegmentScratch};
use onceflow_kernels::{
    Connectivity, Digester, DistanceScratch, Element, Isa, Machine, Plane, PlateauScratch, Runs, Scratch,
    WatershedScratch, above_into, distance_on, fill_holes_into, filter_area_into, h_maxima_on, label_into,
    open_into, reconstruct_from, regional_maxima_on, select_into, watershed_from,
};

use super::clock::Clock;
use super::folder::{Array, Folder};
use super::tile::Tile;
use crate::failure::Failure;

/// One operation's time; memory is given to it, warm from the time before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) name: &'static str,
    /// In one thread.
    pub(super) milliseconds: f64,
    /// By everybody's clock; nothing where threads cannot help.
    pub(super) threads: Option<Threads>,
    /// Bytes that it must read and write for each pixel.
    pub(super) bytes: usize,
}

/// Milliseconds in one thread and in as many as there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads {
    pub(super) one: f64,
    pub(super) all: f64,
    /// What one thread and all take to copy as many bytes as the operation must read and write.
    pub(super) copies: (f64, f64),
}

/// What the operations are measured with.
pub(super) struct Bench<'a> {
    pub(super) tile: &'a Tile,
    pub(super) clock: Clock,
    /// As many as the system has processors.
    pub(super) threads: NonZeroUsize,
    /// Where peers look for our results.
    pub(super) folder: Option<&'a Folder>,
}

/// Its name, and what measures it.
type Operation = (&'static str, fn(&Bench<'_>, &'static str) -> Result<Measured, Failure>);

/// Every operation, in the order of the workflow, and the whole at the end.
pub(super) const OPERATIONS: [Operation; 15] = [
    ("opening", opening),
    ("opening by the cross", opening_by_cross),
    ("reconstruction", reconstruction),
    ("threshold", threshold),
    ("fill holes", fill),
    ("label", label),
    ("label and filter by area", area),
    ("select", select),
    ("distance", distance),
    ("h-maxima", h_maxima),
    ("regional maxima", regional_maxima),
    ("watershed", watershed),
    ("normalization", normalization),
    ("digest", digest),
    ("segmentation", segmentation),
];

const EIGHT: Connectivity = Connectivity::Eight;

impl Bench<'_> {
    /// An operation that runs on one thread.
    fn single(&self, name: &'static str, bytes: usize, work: impl FnMut()) -> Measured {
        Measured { name, milliseconds: self.clock.least(work), threads: None, bytes }
    }

    /// An operation that runs on as many threads as the machine that it is given says.
    fn threaded(&self, name: &'static str, bytes: usize, mut work: impl FnMut(Machine)) -> Measured {
        let (one, all) = (Machine::one_thread(), Machine { threads: self.threads, ..Machine::one_thread() });
        let single = self.single(name, bytes, || work(one));
        let threads = (self.threads.get() > 1).then(|| {
            let (one, all) = Clock::compare([one, all], &mut work);
            Threads { one, all, copies: Clock::copy(self.threads, bytes * self.tile.len() / 2) }
        });
        Measured { threads, ..single }
    }

    fn keep(&self, measured: Measured, result: Array<'_>) -> Result<Measured, Failure> {
        if let Some(folder) = self.folder {
            folder.write(&format!("ours-{}", measured.name), result)?;
        }
        Ok(measured)
    }

    fn plane<T: Clone>(&self, value: T) -> Plane<T> {
        Plane::filled(value, self.tile.big.width(), self.tile.big.height())
    }
}

fn opening(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    open_by(bench, name, Element::Disk19)
}

fn opening_by_cross(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    open_by(bench, name, Element::Cross3)
}

fn open_by(bench: &Bench<'_>, name: &'static str, element: Element) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Scratch::default());
    let time = bench.threaded(name, 2, |machine| {
        open_into(machine, bench.tile.darkness.view(), element, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn reconstruction(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Vec::new());
    let time = bench.threaded(name, 3, |machine| {
        let (opened, darkness) = (bench.tile.opened.view(), bench.tile.darkness.view());
        reconstruct_from(machine, opened, darkness, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn threshold(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let mut result = bench.plane(0);
    let time = bench.threaded(name, 2, |machine| {
        above_into(machine, bench.tile.darkness.view(), 80, result.view_mut());
    });
    bench.keep(time, Array::Bytes(&result))
}

fn fill(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 2, |machine| {
        let mask = bench.tile.candidates.view();
        fill_holes_into(machine, mask, Connectivity::Four, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn label(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut components, mut scratch) = (bench.plane(0), Vec::new(), Runs::default());
    let time = bench.threaded(name, 5, |machine| {
        label_into(machine, bench.tile.dark.view(), EIGHT, result.view_mut(), &mut components, &mut scratch);
    });
    bench.keep(time, Array::Labels(&result))
}

fn area(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 2, |machine| {
        let mask = bench.tile.dark.view();
        filter_area_into(machine, mask, 21, Some(1000), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn select(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 3, |machine| {
        let (mask, seeds) = (bench.tile.dark.view(), bench.tile.candidates.view());
        select_into(machine, mask, seeds, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn distance(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), DistanceScratch::default());
    let time = bench.threaded(name, 5, |machine| {
        distance_on(machine, bench.tile.big.view(), result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Heights(&result))
}

fn h_maxima(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), Vec::new());
    let time = bench.threaded(name, 8, |machine| {
        h_maxima_on(machine, bench.tile.far.view(), 1.0, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Heights(&result))
}

fn regional_maxima(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), PlateauScratch::default());
    let time = bench.threaded(name, 5, |machine| {
        regional_maxima_on(machine, bench.tile.levelled.view(), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn watershed(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), WatershedScratch::default());
    let time = bench.threaded(name, 11, |machine| {
        let (image, markers) = (bench.tile.basins.view(), bench.tile.markers.view());
        watershed_from(machine, image, markers, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Labels(&result))
}

fn normalization(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let mut result = bench.plane([0; 3]);
    // The image is read twice: its statistics must be known before its first pixel can change.
    let time = bench.threaded(name, 9, |machine| {
        let mut statistics = Statistics::new();
        statistics.add_with(machine, bench.tile.rgb.view());
        transfer_into(machine, bench.tile.rgb.view(), &statistics.finish(), result.view_mut());
    });
    bench.keep(time, Array::Colours(&result))
}

fn digest(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    Ok(bench.single(name, 1, || {
        let mut digester = Digester::new(Isa::best(), 1);
        digester.update(bench.tile.darkness.pixels());
        black_box(digester.finish());
    }))
}

fn segmentation(bench: &Bench<'_>, name: &'static str) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), SegmentScratch::default());
    let (image, parameters) = (bench.tile.normalized.view(), Parameters::default());
    let time = bench.threaded(name, 4, |machine| {
        nuclei::segment_into(machine, image, &parameters, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}
