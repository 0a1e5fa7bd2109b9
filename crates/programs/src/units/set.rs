//! The units of a part, each with its pixels as runs.

use std::sync::Arc;

use onceflow_kernels::Window;
use onceflow_region::{Dense, Region};
use onceflow_runtime::Call;
use onceflow_study::{Halo, OperationDeclaration};

use super::objects::objects;
use super::tiles::tiles;
use crate::task::ProgramTask;

/// What the units of a program are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UnitKind {
    /// The objects of a region. These are the inputs that it is: a task may take a region twice.
    Objects(Vec<usize>),
    /// Tiles of this side.
    Tiles(usize),
}

/// Adjacent pixels of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitRun {
    pub(super) y: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// An object or a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its number in an image of labels; 0 otherwise.
    pub(super) label: u32,
    /// Its pixels, row by row from the top.
    pub(super) runs: Vec<UnitRun>,
    /// Its box.
    pub(super) bounds: Window,
}

/// All units of a part.
#[derive(Clone, Debug)]
pub(super) struct UnitSet<'a> {
    pub(super) kind: &'a UnitKind,
    pub(super) units: Vec<Unit>,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// The most pixels of a part: positions and counts have 32 bits.
const MOST_PIXELS: usize = u32::MAX as usize;

impl UnitKind {
    /// The declared units of a program; none when it declares none.
    pub(super) fn of(task: &ProgramTask) -> Option<Self> {
        let OperationDeclaration { per_object, per_tile, .. } = &task.command.declared;
        let inputs = |name: &String| -> Vec<usize> {
            let inputs = task.spec.inputs.iter().enumerate();
            inputs.filter(|(_, region)| region.name == *name).map(|(at, _)| at).collect()
        };
        let objects = per_object.as_ref().map(inputs).map(Self::Objects);
        objects.or(per_tile.map(|side| Self::Tiles(side as usize)))
    }

    /// The key that declares it in a descriptor.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Self::Objects(_) => "per_object",
            Self::Tiles(_) => "per_tile",
        }
    }

    /// The word for its units.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Objects(_) => "objects",
            Self::Tiles(_) => "tiles",
        }
    }
}

/// Pixels around a unit that a program sees; none when it may see everything.
pub(super) fn reach(halo: Halo) -> Option<usize> {
    match halo {
        Halo::None => Some(0),
        Halo::Pixels(pixels) => Some(pixels as usize),
        Halo::Objects(_) | Halo::Whole => None,
    }
}

impl<'a> UnitSet<'a> {
    /// The units of a call on a part of this size; none when an input does not consist of so many pixels.
    pub(super) fn new(kind: &'a UnitKind, call: &Call<'_>, (width, height): (u64, u64)) -> Option<Self> {
        let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        width.checked_mul(height).filter(|pixels| *pixels <= MOST_PIXELS)?;
        let fits = |region: &Arc<Region>| match region.as_ref() {
            Region::Dense(dense) => (dense.width(), dense.height()) == (width, height),
            Region::Table(_) => true,
            _ => false,
        };
        call.inputs.iter().all(fits).then_some(())?;
        let units = match kind {
            UnitKind::Objects(inputs) => objects(call.inputs.get(*inputs.first()?)?.as_dense()?)?,
            UnitKind::Tiles(side) => tiles(*side, width, height),
        };
        Some(Self { kind, units, width, height })
    }

    /// A box grown by some pixels, inside the part.
    pub(super) fn grown(&self, bounds: Window, by: usize) -> Window {
        let (left, top) = (bounds.left.saturating_sub(by), bounds.top.saturating_sub(by));
        let right = bounds.left.saturating_add(bounds.width).saturating_add(by).min(self.width);
        let bottom = bounds.top.saturating_add(bounds.height).saturating_add(by).min(self.height);
        Window { left, top, width: right - left, height: bottom - top }
    }

    /// Whether an input is the region whose objects are the units.
    pub(super) fn is_objects(&self, input: usize) -> bool {
        matches!(self.kind, UnitKind::Objects(inputs) if inputs.contains(&input))
    }

    /// Number of pixels of some units.
    pub(super) fn pixels<'u>(&self, units: impl IntoIterator<Item = &'u usize>) -> usize {
        units.into_iter().map(|unit| self.units[*unit].pixels()).sum()
    }
}

impl Unit {
    /// A unit with these pixels.
    pub(super) fn new(label: u32, runs: Vec<UnitRun>) -> Self {
        let first = |of: fn(&UnitRun) -> u32| runs.iter().map(of).min().unwrap_or(0) as usize;
        let last = |of: fn(&UnitRun) -> u32| runs.iter().map(of).max().unwrap_or(0) as usize;
        let (left, top) = (first(|run| run.start), first(|run| run.y));
        let (width, height) = (last(|run| run.end) - left, last(|run| run.y + 1) - top);
        Self { label, bounds: Window { left, top, width, height }, runs }
    }

    /// Number of its pixels.
    pub(super) fn pixels(&self) -> usize {
        self.runs.iter().map(UnitRun::len).sum()
    }
}

impl UnitRun {
    /// Columns of a row; parts have fewer pixels than 32 bits can count.
    pub(super) fn new(y: usize, start: usize, end: usize) -> Self {
        Self { y: y as u32, start: start as u32, end: end as u32 }
    }

    pub(super) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Bytes of one pixel.
pub(super) fn pixel_bytes(dense: &Dense) -> usize {
    dense.element().bytes() as usize * dense.channels()
}
