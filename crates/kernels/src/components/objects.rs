//! The components of a mask one by one, each in a window of its own, so that the cost of work on one depends on its size.

mod groups;
mod sort;
mod trace;

use std::ops::Range;

pub use groups::ObjectGroups;
pub(crate) use groups::is_sparse;
pub(crate) use trace::Trace;
pub use trace::Traces;

use crate::components::runs::{MaskSide, Runs};
use crate::{Connectivity, Cpu, ON, View, Window};
use sort::Sorting;

/// A mask's connected components, each with its pixels.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    width: usize,
    height: usize,
    /// Component after component, each from the top.
    spans: Vec<ObjectSpan>,
    objects: Vec<ObjectBounds>,
    sorting: Sorting,
}

/// Neighbouring pixels of one row.
#[derive(Clone, Copy, Debug, Default)]
struct ObjectSpan {
    y: u32,
    start: u32,
    end: u32,
}

/// A component and where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectBounds {
    /// The number of its spans; after sorting, the end of its spans in the list.
    pub(crate) spans: usize,
    pub(crate) area: u64,
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Objects {
    /// The components of the pixels that are not 0, in raster order of their first pixels.
    pub fn of(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        let mut objects = Self::default();
        objects.find(Cpu::default(), mask, connectivity, &mut Runs::default());
        objects
    }

    /// [`Objects::of`] in reused memory.
    pub(crate) fn find(&mut self, cpu: Cpu, mask: View<'_, u8>, connectivity: Connectivity, runs: &mut Runs) {
        (self.width, self.height) = (mask.width(), mask.height());
        runs.find(cpu, mask.into(), connectivity, MaskSide::Foreground, &mut self.objects);
        self.spans.resize(self.objects.iter().map(|object| object.spans).sum(), ObjectSpan::default());
        self.sorting.sort(cpu, runs, &mut self.objects, &mut self.spans);
    }

    /// Starts again without objects, for an image of this size.
    fn start(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.spans.clear();
        self.objects.clear();
    }

    /// Adds an object with these runs: rows from the top, each with its columns.
    fn add(&mut self, rows: impl Iterator<Item = (usize, Range<u32>)>) -> usize {
        let first = self.spans.len();
        self.spans.extend(rows.map(|(y, Range { start, end })| ObjectSpan { y: y as u32, start, end }));
        let own = &self.spans[first..];
        self.objects.push(ObjectBounds {
            spans: self.spans.len(),
            area: own.iter().map(|span| u64::from(span.end - span.start)).sum(),
            left: own.iter().map(|span| span.start).min().unwrap_or(0),
            right: own.iter().map(|span| span.end).max().unwrap_or(0),
        });
        self.objects.len() - 1
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The whole image.
    pub fn image(&self) -> Window {
        Window { left: 0, top: 0, width: self.width, height: self.height }
    }

    /// Number of an object's pixels.
    pub fn area(&self, object: usize) -> usize {
        self.objects[object].area as usize
    }

    /// The object with one pixel around it, as far as the image goes.
    pub fn window(&self, object: usize) -> Window {
        let ObjectBounds { left, right, .. } = self.objects[object];
        let Range { start: top, end: bottom } = self.vertical(object);
        let (left, top) = ((left as usize).saturating_sub(1), top.saturating_sub(1));
        let (right, bottom) = ((right as usize + 1).min(self.width), (bottom + 1).min(self.height));
        Window { left, top, width: right - left, height: bottom - top }
    }

    /// From the object's first row to its last.
    pub(crate) fn vertical(&self, object: usize) -> Range<usize> {
        let spans = self.spans(object);
        spans.first().zip(spans.last()).map_or(0..0, |(first, last)| first.y as usize..last.y as usize + 1)
    }

    /// Adds the object to the mask of a window, in rows without gaps; the object lies inside the window.
    pub fn paint(&self, object: usize, window: Window, mask: &mut [u8]) {
        for (y, Range { start, end }) in self.rows(object) {
            let row = (y - window.top) * window.width;
            mask[row + start - window.left..row + end - window.left].fill(ON);
        }
    }

    /// The object's pixels: rows from the top, each with columns from the left.
    pub fn rows(&self, object: usize) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.spans(object).iter().map(|span| (span.y as usize, span.start as usize..span.end as usize))
    }

    fn spans(&self, object: usize) -> &[ObjectSpan] {
        &self.spans[self.place(object)]
    }

    /// The range of its spans.
    fn place(&self, object: usize) -> Range<usize> {
        let start = object.checked_sub(1).map_or(0, |before| self.objects[before].spans);
        start..self.objects[object].spans
    }
}
