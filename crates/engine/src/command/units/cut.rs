//! The units of a part, each with its pixels as runs.

use std::sync::Arc;

use onceflow_kernels::Window;
use onceflow_region::{Dense, Region};
use onceflow_runtime::Call;
use onceflow_study::{Declared, Halo};

use super::super::own::OwnTask;
use super::objects::objects;
use super::tiles::tiles;

/// What a program treats one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The objects of a region, which is these of the inputs: it may be taken twice.
    Objects(Vec<usize>),
    /// Tiles of this side.
    Tiles(usize),
}

/// Neighbouring pixels of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) y: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its number in an image of labels; 0 for others.
    pub(super) label: u32,
    /// Its pixels, row by row from the top.
    pub(super) runs: Vec<Run>,
    /// Its box.
    pub(super) bounds: Window,
}

/// All of a part.
#[derive(Clone, Debug)]
pub(super) struct Cut<'a> {
    pub(super) over: &'a Over,
    pub(super) units: Vec<Unit>,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Positions and counts of pixels are kept in 32 bits.
const MOST_PIXELS: usize = u32::MAX as usize;

impl Over {
    /// What a program is declared to work on.
    pub(super) fn of(task: &OwnTask) -> Option<Self> {
        let Declared { per_object, per_tile, .. } = &task.command.declared;
        let inputs = |name: &String| -> Vec<usize> {
            let inputs = task.spec.inputs.iter().enumerate();
            inputs.filter(|(_, region)| region.name == *name).map(|(at, _)| at).collect()
        };
        let objects = per_object.as_ref().map(inputs).map(Self::Objects);
        objects.or(per_tile.map(|side| Self::Tiles(side as usize)))
    }
}

impl Over {
    /// How a descriptor declares it.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Objects(_) => "per_object",
            Self::Tiles(_) => "per_tile",
        }
    }

    /// What they are.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Objects(_) => "objects",
            Self::Tiles(_) => "tiles",
        }
    }
}

/// How far around a unit a program looks; none when it may look everywhere.
pub(super) fn reach(halo: Halo) -> Option<usize> {
    match halo {
        Halo::None => Some(0),
        Halo::Pixels(pixels) => Some(pixels as usize),
        Halo::Objects(_) | Halo::Whole => None,
    }
}

impl<'a> Cut<'a> {
    /// The units of a call on a part of this size; none where it is not all pixels of that size.
    pub(super) fn new(over: &'a Over, call: &Call<'_>, (width, height): (u64, u64)) -> Option<Self> {
        let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        width.checked_mul(height).filter(|pixels| *pixels <= MOST_PIXELS)?;
        let fits = |region: &Arc<Region>| match region.as_ref() {
            Region::Dense(dense) => (dense.width(), dense.height()) == (width, height),
            Region::Table(_) => true,
            _ => false,
        };
        call.inputs.iter().all(fits).then_some(())?;
        let units = match over {
            Over::Objects(inputs) => objects(call.inputs.get(*inputs.first()?)?.as_dense()?)?,
            Over::Tiles(side) => tiles(*side, width, height),
        };
        Some(Self { over, units, width, height })
    }

    /// A unit's box with so much around it, as far as the part goes.
    pub(super) fn grown(&self, bounds: Window, by: usize) -> Window {
        let (left, top) = (bounds.left.saturating_sub(by), bounds.top.saturating_sub(by));
        let right = bounds.left.saturating_add(bounds.width).saturating_add(by).min(self.width);
        let bottom = bounds.top.saturating_add(bounds.height).saturating_add(by).min(self.height);
        Window { left, top, width: right - left, height: bottom - top }
    }

    /// Whether this input is the region whose objects are meant.
    pub(super) fn is_named(&self, input: usize) -> bool {
        matches!(self.over, Over::Objects(inputs) if inputs.contains(&input))
    }
}

impl Unit {
    /// Number of its pixels.
    pub(super) fn pixels(&self) -> usize {
        self.runs.iter().map(Run::len).sum()
    }
}

impl Run {
    pub(super) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Bytes of one pixel.
pub(super) fn pixel_bytes(dense: &Dense) -> usize {
    dense.element().bytes() as usize * dense.channels()
}
