//! The components of a mask one by one, each in a window of its own, so that work on one costs as much as it is large.

mod groups;
mod shape;
mod sort;
mod trace;

use std::ops::Range;

pub use groups::Groups;
pub(crate) use groups::is_sparse;
pub use shape::Shape;
pub(crate) use trace::Trace;
pub use trace::Traces;

use crate::runs::{Runs, Side};
use crate::{Connectivity, Machine, ON, View};
use sort::Sorting;

/// A rectangle of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl Window {
    /// What an image shows in this window, which lies inside it.
    pub fn of<'a, T>(&self, image: View<'a, T>) -> View<'a, T> {
        image.window(self.left, self.top, self.width, self.height)
    }

    /// All of an image.
    pub fn whole<T>(image: View<'_, T>) -> Self {
        Self { left: 0, top: 0, width: image.width(), height: image.height() }
    }

    /// The columns it has in a row of the image; none above and below it.
    pub(crate) fn columns_of(&self, row: usize) -> Range<usize> {
        let inside = (self.top..self.top + self.height).contains(&row);
        self.left..self.left + if inside { self.width } else { 0 }
    }

    /// Whether a pixel lies in it.
    pub(crate) fn holds(&self, x: usize, y: usize) -> bool {
        self.columns_of(y).contains(&x)
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// Whether it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A mask's connected components, each with its pixels.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    width: usize,
    height: usize,
    /// Component after component, each from the top.
    spans: Vec<Span>,
    objects: Vec<Object>,
    sorting: Sorting,
}

/// Neighbouring pixels of one row.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    y: u32,
    start: u32,
    end: u32,
}

/// A component and where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// How many spans it has; when all are known, one after its last.
    pub(crate) spans: usize,
    pub(crate) area: u64,
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Objects {
    /// The components of the pixels that are not 0, in raster order of their first pixels.
    pub fn of(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        let mut objects = Self::default();
        objects.find(Machine::default(), mask, connectivity, &mut Runs::default());
        objects
    }

    /// Finds the same for another mask in the same memory.
    pub(crate) fn find(
        &mut self,
        machine: Machine,
        mask: View<'_, u8>,
        connectivity: Connectivity,
        runs: &mut Runs,
    ) {
        (self.width, self.height) = (mask.width(), mask.height());
        runs.find(machine, mask.into(), connectivity, Side::Foreground, &mut self.objects);
        self.spans.resize(self.objects.iter().map(|object| object.spans).sum(), Span::default());
        self.sorting.sort(machine, runs, &mut self.objects, &mut self.spans);
    }

    /// No object of an image of this size.
    fn start(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.spans.clear();
        self.objects.clear();
    }

    /// One more, of these rows with their columns, from the top.
    fn add(&mut self, rows: impl Iterator<Item = (usize, Range<u32>)>) -> usize {
        let first = self.spans.len();
        self.spans.extend(rows.map(|(y, Range { start, end })| Span { y: y as u32, start, end }));
        let own = &self.spans[first..];
        self.objects.push(Object {
            spans: self.spans.len(),
            area: own.iter().map(|span| u64::from(span.end - span.start)).sum(),
            left: own.iter().map(|span| span.start).min().unwrap_or(0),
            right: own.iter().map(|span| span.end).max().unwrap_or(0),
        });
        self.objects.len() - 1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
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
        let Object { left, right, .. } = self.objects[object];
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

    /// Adds the object to a mask of what a window shows, in rows without gaps; the object lies inside the window.
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

    fn spans(&self, object: usize) -> &[Span] {
        &self.spans[self.place(object)]
    }

    /// Where its spans are.
    fn place(&self, object: usize) -> Range<usize> {
        let start = object.checked_sub(1).map_or(0, |before| self.objects[before].spans);
        start..self.objects[object].spans
    }
}
