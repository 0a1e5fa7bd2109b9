//! Our operations, timed on the tile; results go to the peers' folder.

use onceflow_kernels::nuclei::{self, Parameters};
use onceflow_kernels::{
    Connectivity, DistanceScratch, Element, GreyScratch, Isa, Plane, PlateauScratch, Runs, WatershedScratch,
    distance_into, fill_holes_into, filter_area_into, h_maxima_into, label_into, open, reconstruct_into,
    regional_maxima_into, watershed_into,
};

use super::clock::Clock;
use super::folder::{Array, Folder};
use super::tile::{Tile, normalize};
use crate::failure::Failure;

/// One operation's time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) name: &'static str,
    pub(super) milliseconds: f64,
    /// Bytes that it must read and write for each pixel.
    pub(super) bytes: usize,
    /// Whether memory is given to it, warm from the time before; else it takes new memory every time.
    pub(super) warm: bool,
}

/// What the operations are measured with.
pub(super) struct Bench<'a> {
    pub(super) tile: &'a Tile,
    pub(super) clock: Clock,
    /// Where peers look for our results.
    pub(super) folder: Option<&'a Folder>,
}

type Operation = fn(&Bench<'_>) -> Result<Measured, Failure>;

/// Every operation, in the order of the workflow, and the whole at the end.
pub(super) const OPERATIONS: [Operation; 11] = [
    opening,
    reconstruction,
    fill,
    label,
    area,
    distance,
    h_maxima,
    regional_maxima,
    watershed,
    normalization,
    segmentation,
];

const EIGHT: Connectivity = Connectivity::Eight;

impl Bench<'_> {
    fn warm(&self, name: &'static str, bytes: usize, work: impl FnMut()) -> Measured {
        Measured { name, milliseconds: self.clock.least(work), bytes, warm: true }
    }

    fn cold(&self, name: &'static str, bytes: usize, work: impl FnMut()) -> Measured {
        Measured { warm: false, ..self.warm(name, bytes, work) }
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

fn opening(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let mut result = bench.plane(0);
    let time = bench.cold("opening", 2, || result = open(bench.tile.darkness.view(), Element::Disk19));
    bench.keep(time, Array::Bytes(&result))
}

fn reconstruction(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), GreyScratch::default());
    let time = bench.warm("reconstruction", 3, || {
        result.pixels_mut().copy_from_slice(bench.tile.opened.pixels());
        reconstruct_into(Isa::best(), bench.tile.darkness.view(), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn fill(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.warm("fill holes", 2, || {
        fill_holes_into(bench.tile.candidates.view(), Connectivity::Four, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn label(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut components, mut scratch) = (bench.plane(0), Vec::new(), Runs::default());
    let time = bench.warm("label", 5, || {
        label_into(bench.tile.dark.view(), EIGHT, result.view_mut(), &mut components, &mut scratch);
    });
    bench.keep(time, Array::Labels(&result))
}

fn area(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), Runs::default());
    let time = bench.warm("label and filter by area", 2, || {
        filter_area_into(bench.tile.dark.view(), 21, Some(1000), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn distance(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), DistanceScratch::default());
    let time =
        bench.warm("distance", 5, || distance_into(bench.tile.big.view(), result.view_mut(), &mut scratch));
    bench.keep(time, Array::Heights(&result))
}

fn h_maxima(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0.0), GreyScratch::default());
    let time = bench.warm("h-maxima", 8, || {
        h_maxima_into(Isa::best(), bench.tile.far.view(), 1.0, EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Heights(&result))
}

fn regional_maxima(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), PlateauScratch::default());
    let time = bench.warm("regional maxima", 5, || {
        regional_maxima_into(Isa::best(), bench.tile.levelled.view(), EIGHT, result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Bytes(&result))
}

fn watershed(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let (mut result, mut scratch) = (bench.plane(0), WatershedScratch::default());
    let time = bench.warm("watershed", 11, || {
        result.pixels_mut().copy_from_slice(bench.tile.markers.pixels());
        watershed_into(bench.tile.basins.view(), result.view_mut(), &mut scratch);
    });
    bench.keep(time, Array::Labels(&result))
}

fn normalization(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let mut result = bench.plane([0; 3]);
    // The image is read twice: its statistics must be known before its first pixel can change.
    let time = bench.cold("normalization", 9, || result = normalize(&bench.tile.rgb));
    bench.keep(time, Array::Colours(&result))
}

fn segmentation(bench: &Bench<'_>) -> Result<Measured, Failure> {
    let mut result = bench.plane(0);
    let parameters = Parameters::default();
    let time = bench.cold("segmentation", 4, || {
        result = nuclei::segment(bench.tile.normalized.view(), &parameters).mask;
    });
    bench.keep(time, Array::Bytes(&result))
}
