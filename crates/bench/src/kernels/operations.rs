//! Our operations, timed on the tile; results go to the peers' folder.

use std::hint::black_box;
use std::num::NonZeroUsize;

use onceflow_kernels::colour::{ColourSums, transfer_into};
use onceflow_kernels::nuclei::{self, Parameters, SegmentScratch};
use onceflow_kernels::{
    BufferHasher, Connectivity, Cpu, DistanceScratch, Isa, MorphologyScratch, Plane, PlateauScratch, Runs,
    StructuringElement, WatershedScratch, above_into, distance_on, fill_holes_into, filter_area_into,
    h_maxima_on, label_into, open_into, reconstruct_from, regional_maxima_on, select_into, watershed_from,
};
use onceflow_terminal::Failure;

use super::clock::BenchClock;
use super::folder::{ArrayFolder, PeerArray};
use super::tile::BenchTile;

/// One operation's time; memory is given to it, warm from the time before.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeasuredOperation {
    pub(super) name: &'static str,
    /// In one thread.
    pub(super) milliseconds: f64,
    /// Wall times; `None` where threads cannot help.
    pub(super) threads: Option<ThreadTimes>,
    /// Bytes that it must read and write for each pixel.
    pub(super) bytes: usize,
}

/// Milliseconds in one thread and in as many as there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadTimes {
    pub(super) one: f64,
    pub(super) all: f64,
    /// What one thread and all take to copy as many bytes as the operation must read and write.
    pub(super) copies: (f64, f64),
}

/// What the operations are measured with.
pub(super) struct KernelBench<'a> {
    pub(super) tile: &'a BenchTile,
    pub(super) clock: BenchClock,
    /// As many as the system has processors.
    pub(super) threads: NonZeroUsize,
    /// Where peers look for our results.
    pub(super) folder: Option<&'a ArrayFolder>,
}

/// Its name, and what measures it.
type KernelOperation =
    (&'static str, fn(&KernelBench<'_>, &'static str) -> Result<MeasuredOperation, Failure>);

/// Every operation, in the order of the workflow, and the whole at the end.
pub(super) const OPERATIONS: [KernelOperation; 15] = [
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

impl KernelBench<'_> {
    /// An operation that runs on one thread.
    fn single(&self, name: &'static str, bytes: usize, work: impl FnMut()) -> MeasuredOperation {
        MeasuredOperation { name, milliseconds: self.clock.least(work), threads: None, bytes }
    }

    /// An operation that runs on as many threads as the machine that it is given says.
    fn threaded(&self, name: &'static str, bytes: usize, mut work: impl FnMut(Cpu)) -> MeasuredOperation {
        let (one, all) = (Cpu::one_thread(), Cpu { threads: self.threads, ..Cpu::one_thread() });
        let single = self.single(name, bytes, || work(one));
        let threads = (self.threads.get() > 1).then(|| {
            let (one, all) = BenchClock::compare([one, all], &mut work);
            ThreadTimes { one, all, copies: BenchClock::copy(self.threads, bytes * self.tile.len() / 2) }
        });
        MeasuredOperation { threads, ..single }
    }

    fn keep(&self, measured: MeasuredOperation, result: PeerArray<'_>) -> Result<MeasuredOperation, Failure> {
        if let Some(folder) = self.folder {
            folder.write(&format!("ours-{}", measured.name), result)?;
        }
        Ok(measured)
    }

    fn plane<T: Clone>(&self, value: T) -> Plane<T> {
        Plane::filled(value, self.tile.big.width(), self.tile.big.height())
    }
}

fn opening(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    open_by(bench, name, StructuringElement::Disk19)
}

fn opening_by_cross(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    open_by(bench, name, StructuringElement::Cross3)
}

fn open_by(
    bench: &KernelBench<'_>,
    name: &'static str,
    element: StructuringElement,
) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), MorphologyScratch::default());
    let time = bench.threaded(name, 2, |machine| {
        open_into(machine, bench.tile.darkness.view(), element, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn reconstruction(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Vec::new());
    let time = bench.threaded(name, 3, |machine| {
        let (opened, darkness) = (bench.tile.opened.view(), bench.tile.darkness.view());
        reconstruct_from(machine, opened, darkness, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn threshold(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let mut result = bench.plane(0);
    let time = bench.threaded(name, 2, |machine| {
        above_into(machine, bench.tile.darkness.view(), 80, result.view_mut());
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn fill(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 2, |machine| {
        let mask = bench.tile.candidates.view();
        fill_holes_into(machine, mask, Connectivity::Four, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn label(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut components, mut scratch) = (bench.plane(0), Vec::new(), Runs::default());
    let time = bench.threaded(name, 5, |machine| {
        label_into(machine, bench.tile.dark.view(), EIGHT, result.view_mut(), &mut components, &mut scratch);
    });
    bench.keep(time, PeerArray::Labels(&result))
}

fn area(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 2, |machine| {
        let mask = bench.tile.dark.view();
        filter_area_into(machine, mask, 21, Some(1000), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn select(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.threaded(name, 3, |machine| {
        let (mask, seeds) = (bench.tile.dark.view(), bench.tile.candidates.view());
        select_into(machine, mask, seeds, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn distance(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), DistanceScratch::default());
    let time = bench.threaded(name, 5, |machine| {
        distance_on(machine, bench.tile.big.view(), result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Heights(&result))
}

fn h_maxima(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), Vec::new());
    let time = bench.threaded(name, 8, |machine| {
        h_maxima_on(machine, bench.tile.far.view(), 1.0, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Heights(&result))
}

fn regional_maxima(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), PlateauScratch::default());
    let time = bench.threaded(name, 5, |machine| {
        regional_maxima_on(machine, bench.tile.levelled.view(), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}

fn watershed(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), WatershedScratch::default());
    let time = bench.threaded(name, 11, |machine| {
        let (image, markers) = (bench.tile.basins.view(), bench.tile.markers.view());
        watershed_from(machine, image, markers, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Labels(&result))
}

fn normalization(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let mut result = bench.plane([0; 3]);
    // The image is read twice: its statistics must be known before its first pixel can change.
    let time = bench.threaded(name, 9, |machine| {
        let mut statistics = ColourSums::new();
        statistics.add_with(machine, bench.tile.rgb.view());
        transfer_into(machine, bench.tile.rgb.view(), &statistics.finish(), result.view_mut());
    });
    bench.keep(time, PeerArray::Colours(&result))
}

fn digest(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    Ok(bench.single(name, 1, || {
        let mut digester = BufferHasher::new(Isa::best(), 1);
        digester.update(bench.tile.darkness.pixels());
        black_box(digester.finish());
    }))
}

fn segmentation(bench: &KernelBench<'_>, name: &'static str) -> Result<MeasuredOperation, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), SegmentScratch::default());
    let (image, parameters) = (bench.tile.normalized.view(), Parameters::default());
    let time = bench.threaded(name, 4, |machine| {
        nuclei::segment_into(machine, image, &parameters, result.view_mut(), &mut scratch);
    });
    bench.keep(time, PeerArray::Bytes(&result))
}
