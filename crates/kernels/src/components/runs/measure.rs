//! Measures of components, taken while their runs are found.

use crate::Component;
use crate::components::objects::{ObjectBounds, Trace};

/// A measure that is computed run by run and can be merged.
pub(crate) trait RunMeasure: Copy + Send + Sync {
    /// Whether the edges of runs are kept, to read the runs of a component afterwards.
    const EDGES: bool = false;

    /// The measure of a component's first run.
    fn new(y: usize, start: u32, end: u32) -> Self;

    /// Adds a run in the same row or below.
    fn extend(&mut self, y: usize, start: u32, end: u32);

    /// Merges the measure of another part of the same component, whose first pixel comes later.
    fn merge(&mut self, other: &Self);

    /// Where a band stores it, by label.
    fn of(measures: &mut RunMeasures) -> &mut Vec<Self>;
}

/// A band's measures; an operation uses one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunMeasures {
    nothing: Vec<()>,
    areas: Vec<u64>,
    extents: Vec<ComponentExtent>,
    objects: Vec<ObjectBounds>,
    pub(crate) traces: Vec<Trace>,
}

/// No measure.
impl RunMeasure for () {
    #[inline(always)]
    fn new(_: usize, _: u32, _: u32) -> Self {}

    #[inline(always)]
    fn extend(&mut self, _: usize, _: u32, _: u32) {}

    #[inline(always)]
    fn merge(&mut self, (): &Self) {}

    fn of(measures: &mut RunMeasures) -> &mut Vec<Self> {
        &mut measures.nothing
    }
}

/// The number of pixels.
impl RunMeasure for u64 {
    #[inline(always)]
    fn new(_: usize, start: u32, end: u32) -> Self {
        u64::from(end - start)
    }

    #[inline(always)]
    fn extend(&mut self, _: usize, start: u32, end: u32) {
        *self += u64::from(end - start);
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        *self += other;
    }

    fn of(measures: &mut RunMeasures) -> &mut Vec<Self> {
        &mut measures.areas
    }
}

/// Number of pixels and bounding box, in little memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComponentExtent {
    area: u64,
    left: u32,
    right: u32,
    bottom: u32,
    top: u32,
    /// Column of the first pixel, which is in the first row.
    first: u32,
}

impl RunMeasure for ComponentExtent {
    #[inline(always)]
    fn new(y: usize, start: u32, end: u32) -> Self {
        let (area, y) = (u64::from(end - start), y as u32);
        Self { area, left: start, right: end, bottom: y + 1, top: y, first: start }
    }

    #[inline(always)]
    fn extend(&mut self, y: usize, start: u32, end: u32) {
        self.area += u64::from(end - start);
        self.left = self.left.min(start);
        self.right = self.right.max(end);
        self.bottom = y as u32 + 1;
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.area += other.area;
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }

    fn of(measures: &mut RunMeasures) -> &mut Vec<Self> {
        &mut measures.extents
    }
}

impl RunMeasure for ObjectBounds {
    #[inline(always)]
    fn new(_: usize, start: u32, end: u32) -> Self {
        Self { spans: 1, area: u64::from(end - start), left: start, right: end }
    }

    #[inline(always)]
    fn extend(&mut self, _: usize, start: u32, end: u32) {
        self.merge(&Self::new(0, start, end));
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.spans += other.spans;
        self.area += other.area;
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
    }

    fn of(measures: &mut RunMeasures) -> &mut Vec<Self> {
        &mut measures.objects
    }
}

impl From<&ComponentExtent> for Component {
    fn from(extent: &ComponentExtent) -> Self {
        let ComponentExtent { area, left, right, bottom, top, first } = *extent;
        let [left, right, top, bottom, first] = [left, right, top, bottom, first].map(|n| n as usize);
        Self { area, left, top, right, bottom, first: (first, top) }
    }
}
