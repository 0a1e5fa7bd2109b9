//! Groups of consecutive objects whose common window fits in memory.

use std::collections::HashMap;

use onceflow_kernels::features::{FEATURES, ObjectExtent};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use onceflow_region::Lease;

use crate::NucleiError;
use crate::workspace::{Workspace, resize};

/// Bytes per pixel of a window: colours in two copies, a mask, labels, and runs.
const PIXEL: u64 = 32;

/// Bytes per object of a group: its features, its outline, and both as text.
const OBJECT: u64 = FEATURES as u64 * (8 + 8 + 64);

/// The most pixels and objects of a group: more gain nothing.
const MOST_PIXELS: u64 = 1 << 23;
const MOST_OBJECTS: u64 = 4096;

/// Cuts a list of objects into groups.
pub(crate) struct WindowGroups<'a> {
    extents: &'a [ObjectExtent],
    next: usize,
    image: Window,
    /// Pixels around an object that belong to its window.
    reach: usize,
    pixels: u64,
    objects: usize,
    lease: Lease,
    workspace: &'a Workspace<'a>,
}

/// Consecutive objects, and the window of them and their surroundings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowGroup<'a> {
    /// The index of the first.
    pub(crate) first: usize,
    pub(crate) extents: &'a [ObjectExtent],
    pub(crate) window: Window,
}

impl<'a> WindowGroups<'a> {
    /// Groups of objects that take up to half of the free memory.
    pub(crate) fn new(
        extents: &'a [ObjectExtent],
        image: Window,
        reach: usize,
        workspace: &'a Workspace<'a>,
    ) -> Result<Self, NucleiError> {
        let free = workspace.free();
        let objects = (free / 8 / OBJECT).clamp(1, MOST_OBJECTS);
        let pixels = (free / 8 * 3 / PIXEL).min(MOST_PIXELS).min(image.len() as u64);
        let lease = workspace.reserve("objects", objects * OBJECT + pixels * PIXEL)?;
        Ok(Self { extents, next: 0, image, reach, pixels, objects: objects as usize, lease, workspace })
    }

    /// The next group; none at the end.
    pub(crate) fn next_group(&mut self) -> Result<Option<WindowGroup<'a>>, NucleiError> {
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
        Ok(Some(WindowGroup { first, extents: &self.extents[first..self.next], window }))
    }

    fn around(&self, extent: &ObjectExtent) -> ObjectExtent {
        extent.grown(self.reach, self.image.width, self.image.height)
    }

    /// Grows the memory for an object that is larger than the window.
    fn fit(&mut self, pixels: u64) -> Result<(), NucleiError> {
        if pixels > self.pixels {
            let bytes = self.objects as u64 * OBJECT + pixels.saturating_mul(PIXEL);
            resize(&mut self.lease, &self.workspace.budget, "the largest object", bytes)?;
            self.pixels = pixels;
        }
        Ok(())
    }
}

fn area(extent: &ObjectExtent) -> u64 {
    (extent.width() as u64).saturating_mul(extent.height() as u64)
}

/// The label of pixels of objects outside the group; no object has it.
const OTHER: u32 = u32::MAX;

impl WindowGroup<'_> {
    /// Labels the 8-connected components of the window: those of the group with their labels, all others alike.
    ///
    /// A component is identified by its bounding box. No two have the same one: a component that spans the box from side
    /// to side meets one that spans it from top to bottom.
    pub(crate) fn component_labels(&self, mask: View<'_, u8>) -> Plane<u32> {
        let Window { left, top, .. } = self.window;
        let corners = |extent: &ObjectExtent| [extent.left, extent.top, extent.right, extent.bottom];
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

    /// The labels in the box of an object.
    pub(crate) fn show<'b>(
        &self,
        labels: View<'b, u32>,
        extent: &ObjectExtent,
    ) -> Result<View<'b, u32>, NucleiError> {
        let (left, top) = (extent.left - self.window.left, extent.top - self.window.top);
        let shown = labels.crop(left, top, extent.width(), extent.height());
        shown.ok_or_else(|| NucleiError::internal("an object outside its window"))
    }
}
