//! Objects that are looked at together: by their numbers, as many as lie in a window that fits in memory.

use std::collections::HashMap;

use onceflow_kernels::features::{Extent, FEATURES};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::Lease;

use super::internal;
use crate::EngineError;
use crate::whole::desk::{Desk, resize};

/// Bytes that a pixel of a window takes: colours in two copies, a mask, labels, and the runs they are found by.
const PIXEL: u64 = 32;

/// Bytes of an object while its group is worked on: its features, its outline, and both as a text.
const OBJECT: u64 = FEATURES as u64 * (8 + 8 + 64);

/// More pixels or objects at once gain nothing.
const MOST_PIXELS: u64 = 1 << 23;
const MOST_OBJECTS: u64 = 4096;

/// Cuts a list of objects into groups.
pub(crate) struct Groups<'a> {
    extents: &'a [Extent],
    next: usize,
    image: Window,
    /// How far around an object is looked.
    reach: usize,
    pixels: u64,
    objects: usize,
    lease: Lease,
    desk: &'a Desk<'a>,
}

/// Some objects that follow each other, and a window that shows them and what is around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    /// The place of the first.
    pub(crate) first: usize,
    pub(crate) extents: &'a [Extent],
    pub(crate) window: Window,
}

impl<'a> Groups<'a> {
    /// Takes up to half of the free memory.
    pub(crate) fn new(
        extents: &'a [Extent],
        image: Window,
        reach: usize,
        desk: &'a Desk<'a>,
    ) -> Result<Self, EngineError> {
        let free = desk.free();
        let objects = (free / 8 / OBJECT).clamp(1, MOST_OBJECTS);
        let pixels = (free / 8 * 3 / PIXEL).min(MOST_PIXELS).min(image.len() as u64);
        let lease = desk.reserve("objects", objects * OBJECT + pixels * PIXEL)?;
        Ok(Self { extents, next: 0, image, reach, pixels, objects: objects as usize, lease, desk })
    }

    /// The next objects; none when all were given.
    pub(crate) fn next_group(&mut self) -> Result<Option<Group<'a>>, EngineError> {
        let first = self.next;
        let Some(extent) = self.extents.get(first) else { return Ok(None) };
        let mut hull = self.around(extent);
        self.fit(area(&hull))?;
        let mut count = 1;
        for extent in self.extents[first + 1..].iter().take(self.objects - 1) {
            let mut larger = hull;
            larger.include(&self.around(extent));
            if area(&larger) > self.pixels {
                break;
            }
            (hull, count) = (larger, count + 1);
        }
        self.next += count;
        let (width, height) = (hull.width(), hull.height());
        let window = Window { left: hull.left, top: hull.top, width, height };
        Ok(Some(Group { first, extents: &self.extents[first..self.next], window }))
    }

    fn around(&self, extent: &Extent) -> Extent {
        extent.grown(self.reach, self.image.width, self.image.height)
    }

    /// An object that is larger than all other windows has one of its own, if there is memory.
    fn fit(&mut self, pixels: u64) -> Result<(), EngineError> {
        if pixels > self.pixels {
            let bytes = self.objects as u64 * OBJECT + pixels.saturating_mul(PIXEL);
            resize(&mut self.lease, &self.desk.budget, "the largest object", bytes)?;
            self.pixels = pixels;
        }
        Ok(())
    }
}

fn area(extent: &Extent) -> u64 {
    (extent.width() as u64).saturating_mul(extent.height() as u64)
}

/// The number of pixels of objects that are not of the group: no object has it.
const OTHER: u32 = u32::MAX;

impl Group<'_> {
    /// Numbers the 8-connected components of the group's window: those of the group as they are, all others alike.
    ///
    /// A component is known by its box. No other one can have the same: what reaches from side to side and what reaches
    /// from top to bottom meet.
    pub(crate) fn component_labels(&self, mask: View<'_, u8>) -> Plane<u32> {
        let Window { left, top, .. } = self.window;
        let corners = |extent: &Extent| [extent.left, extent.top, extent.right, extent.bottom];
        let known: HashMap<[usize; 4], u32> =
            self.extents.iter().map(|extent| (corners(extent), extent.label)).collect();
        let found = label(mask, Connectivity::Eight);
        let numbers: Vec<u32> = std::iter::once(0)
            .chain(found.components.iter().map(|part| {
                let corners = [part.left + left, part.top + top, part.right + left, part.bottom + top];
                known.get(&corners).copied().unwrap_or(OTHER)
            }))
            .collect();
        let mut plane = found.plane;
        plane.pixels_mut().iter_mut().for_each(|pixel| *pixel = numbers[*pixel as usize]);
        plane
    }

    /// The box of an object in the labels of the window.
    pub(crate) fn show<'b>(
        &self,
        labels: View<'b, u32>,
        extent: &Extent,
    ) -> Result<View<'b, u32>, EngineError> {
        let (left, top) = (extent.left - self.window.left, extent.top - self.window.top);
        let shown = labels.crop(left, top, extent.width(), extent.height());
        shown.ok_or_else(|| internal("an object outside its window"))
    }
}
