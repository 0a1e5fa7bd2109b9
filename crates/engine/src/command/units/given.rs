//! What a program is given to make some units: the part with no others, or a rectangle of tiles.

use std::sync::Arc;

use onceflow_kernels::Window;
use onceflow_region::{Bounds, Dense, Pixels, Region};
use onceflow_runtime::{Call, Done, OperationError};

use super::super::own::OwnTask;
use super::cut::{Cut, Over, Run, pixel_bytes};
use super::tiles::{around, rectangles};

/// A program, however it is run.
pub(in super::super) trait Program {
    /// What is known of it.
    fn task(&self) -> &OwnTask;

    /// Columns and rows of what a call makes.
    fn size(&self, call: &Call<'_>) -> (u64, u64);

    /// Runs it once.
    fn once(&self, given: &Given<'_>) -> Result<Done, OperationError>;
}

/// All of a call.
pub(in super::super) fn whole<'a>(program: &dyn Program, call: &Call<'a>) -> Given<'a> {
    Given { call: *call, size: program.size(call), again: false }
}

/// One run of a program.
pub(in super::super) struct Given<'a> {
    /// The call for which it runs, with what it is given.
    pub(in super::super) call: Call<'a>,
    /// Columns and rows of what it must make.
    pub(in super::super) size: (u64, u64),
    /// Whether its log goes on with that of a run before it for the same call.
    pub(in super::super) again: bool,
}

/// Inputs of a run that makes some units.
pub(super) struct Share {
    pub(super) inputs: Vec<Arc<Region>>,
    pub(super) units: Vec<usize>,
    /// What the program sees of the part.
    pub(super) window: Window,
}

impl Share {
    /// One run of the program for a call.
    pub(super) fn given<'a>(&'a self, call: &Call<'a>, again: bool) -> Given<'a> {
        let size = (self.window.width as u64, self.window.height as u64);
        Given { call: Call { inputs: &self.inputs, contents: &[], ..*call }, size, again }
    }
}

impl Cut<'_> {
    /// What makes these units, which are in order: one run on the part with no other objects, or one for each rectangle of tiles.
    pub(super) fn shares(
        &self,
        call: &Call<'_>,
        units: &[usize],
        reach: Option<usize>,
    ) -> Option<Vec<Share>> {
        match self.over {
            Over::Objects(inputs) => Some(vec![self.only(call, *inputs.first()?, units)?]),
            Over::Tiles(_) => {
                let rectangles = rectangles(self, units).into_iter();
                rectangles.map(|units| self.rectangle(call, units, reach.unwrap_or(0))).collect()
            }
        }
    }

    /// The same, without all that a program which keeps its promise does not look at.
    pub(super) fn blind_shares(
        &self,
        call: &Call<'_>,
        units: &[usize],
        reach: Option<usize>,
    ) -> Option<Vec<Share>> {
        let mut shares = self.shares(call, units, reach)?;
        if let (Over::Objects(_), Some(reach)) = (self.over, reach) {
            let seen: Vec<Run> =
                units.iter().flat_map(|unit| rows(self.grown(self.units[*unit].bounds, reach))).collect();
            for share in &mut shares {
                for (at, region) in share.inputs.iter_mut().enumerate() {
                    if let Some(dense) = region.as_dense().filter(|_| !self.is_named(at)) {
                        *region = Arc::new(Region::Dense(kept(dense, seen.iter())?));
                    }
                }
            }
        }
        Some(shares)
    }

    /// The whole part, of whose objects only some are there.
    fn only(&self, call: &Call<'_>, input: usize, units: &[usize]) -> Option<Share> {
        let mut inputs = call.inputs.to_vec();
        let runs = || units.iter().flat_map(|unit| &self.units[*unit].runs);
        let objects = Arc::new(Region::Dense(kept(inputs.get(input)?.as_dense()?, runs())?));
        for at in (0..inputs.len()).filter(|at| self.is_named(*at)) {
            inputs[at] = Arc::clone(&objects);
        }
        let window = Window { left: 0, top: 0, width: self.width, height: self.height };
        Some(Share { inputs, units: units.to_vec(), window })
    }

    /// A rectangle of tiles with what is around it.
    fn rectangle(&self, call: &Call<'_>, units: Vec<usize>, reach: usize) -> Option<Share> {
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
        Some(Share { inputs, units, window })
    }
}

/// The rows of a window.
pub(super) fn rows(window: Window) -> impl Iterator<Item = Run> {
    let (start, end) = (window.left as u32, (window.left + window.width) as u32);
    (window.top..window.top + window.height).map(move |y| Run { y: y as u32, start, end })
}

/// An image that is 0 but for some of its pixels.
fn kept<'a>(dense: &Dense, runs: impl Iterator<Item = &'a Run>) -> Option<Dense> {
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
