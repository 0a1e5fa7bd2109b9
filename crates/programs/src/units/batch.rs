//! The inputs of a run that computes some units: the part with no other objects, or a rectangle of tiles.

use std::sync::Arc;

use onceflow_kernels::Window;
use onceflow_region::{Bounds, Dense, Pixels, Region};
use onceflow_runtime::Call;

use super::program::ProgramRun;
use super::set::{UnitKind, UnitRun, UnitSet, pixel_bytes};
use super::tiles::{around, rectangles};

/// The inputs of a run that computes some units.
pub(super) struct UnitBatch {
    inputs: Vec<Arc<Region>>,
    pub(super) units: Vec<usize>,
    /// The box of the part that the program sees.
    window: Window,
}

impl UnitBatch {
    /// The run of the program for a call.
    pub(super) fn run<'a>(&'a self, call: &Call<'a>, again: bool) -> ProgramRun<'a> {
        let size = (self.window.width as u64, self.window.height as u64);
        ProgramRun { call: Call { inputs: &self.inputs, digests: &[], ..*call }, size, again }
    }

    /// The upper left corner of the run's outputs in the part.
    pub(super) fn corner(&self) -> (usize, usize) {
        (self.window.left, self.window.top)
    }
}

impl UnitSet<'_> {
    /// Batches that compute these units, which are in order: the part with no other objects, or rectangles of tiles.
    pub(super) fn batches(
        &self,
        call: &Call<'_>,
        units: &[usize],
        reach: Option<usize>,
    ) -> Option<Vec<UnitBatch>> {
        match self.kind {
            UnitKind::Objects(inputs) => Some(vec![self.only(call, *inputs.first()?, units)?]),
            UnitKind::Tiles(_) => {
                let (reach, rectangles) = (reach?, rectangles(self, units).into_iter());
                rectangles.map(|units| self.rectangle(call, units, reach)).collect()
            }
        }
    }

    /// The same with all pixels set to 0 that a program which keeps its promise does not look at.
    pub(super) fn blanked_batches(
        &self,
        call: &Call<'_>,
        units: &[usize],
        reach: Option<usize>,
    ) -> Option<Vec<UnitBatch>> {
        let mut batches = self.batches(call, units, reach)?;
        if let (UnitKind::Objects(_), Some(reach)) = (self.kind, reach) {
            let seen: Vec<UnitRun> =
                units.iter().flat_map(|unit| rows(self.grown(self.units[*unit].bounds, reach))).collect();
            for batch in &mut batches {
                for (at, region) in batch.inputs.iter_mut().enumerate() {
                    if let Some(dense) = region.as_dense().filter(|_| !self.is_objects(at)) {
                        *region = Arc::new(Region::Dense(blanked(dense, seen.iter())?));
                    }
                }
            }
        }
        Some(batches)
    }

    /// The whole part, with only some of its objects.
    fn only(&self, call: &Call<'_>, input: usize, units: &[usize]) -> Option<UnitBatch> {
        let mut inputs = call.inputs.to_vec();
        let runs = || units.iter().flat_map(|unit| &self.units[*unit].runs);
        let objects = Arc::new(Region::Dense(blanked(inputs.get(input)?.as_dense()?, runs())?));
        for at in (0..inputs.len()).filter(|at| self.is_objects(*at)) {
            inputs[at] = Arc::clone(&objects);
        }
        let window = Window { left: 0, top: 0, width: self.width, height: self.height };
        Some(UnitBatch { inputs, units: units.to_vec(), window })
    }

    /// A rectangle of tiles with the pixels around it.
    fn rectangle(&self, call: &Call<'_>, units: Vec<usize>, reach: usize) -> Option<UnitBatch> {
        let window = self.grown(around(self, &units), reach);
        let bounds = Bounds::plane(
            i64::try_from(window.left).ok()?,
            i64::try_from(window.top).ok()?,
            window.width as u64,
            window.height as u64,
        )?;
        let seen = |region: &Arc<Region>| match region.as_dense() {
            Some(dense) => Some(Arc::new(Region::Dense(dense.crop(bounds).ok()?))),
            None => Some(Arc::clone(region)),
        };
        let inputs = call.inputs.iter().map(seen).collect::<Option<_>>()?;
        Some(UnitBatch { inputs, units, window })
    }
}

/// The rows of a window.
fn rows(window: Window) -> impl Iterator<Item = UnitRun> {
    let (left, right) = (window.left, window.left + window.width);
    (window.top..window.top + window.height).map(move |y| UnitRun::new(y, left, right))
}

/// An image that is 0 outside some runs.
fn blanked<'a>(dense: &Dense, runs: impl Iterator<Item = &'a UnitRun>) -> Option<Dense> {
    let (size, width) = (pixel_bytes(dense), dense.width());
    let mut pixels = Pixels::zeros(dense.element(), dense.pixels().len());
    let (to, from) = (pixels.as_bytes_mut(), dense.pixels().as_bytes());
    for run in runs {
        let row = run.y as usize * width;
        let bytes = (row + run.start as usize) * size..(row + run.end as usize) * size;
        to[bytes.clone()].copy_from_slice(&from[bytes]);
    }
    Dense::new(width, dense.height(), dense.channels(), pixels).ok()
}
