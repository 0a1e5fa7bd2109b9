//! Nuclei that touch are parted: a flood over the colours starts from the middles of the objects and from the outside.
//!
//! Each 8-connected component of the mask is flooded on its own, in a window with one pixel around it. Nothing else reaches
//! it: the pixels around a component are outside whatever lies beyond them, and those on one side of it hang together
//! beside it; distances end at them; and buckets keep the order of events of each component whatever the others do.

mod object;
mod outside;
mod peaks;

use std::ops::Range;

use crate::{Connectivity, ON, Objects, Plane, View, Window, distance, label, level_peaks, regional_maxima};
pub use object::{SplitScratch, split_object};

/// `big` without the lines where the floods from two markers met; `normalized` has the same size.
///
/// When `big` covers the whole image there is no outside to flood from, and it stays as it is.
pub fn split(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    split_with(normalized, big, connectivity, &mut SplitScratch::default())
}

/// The same in memory that is used again.
pub fn split_with(
    normalized: View<'_, [u8; 3]>,
    big: View<'_, u8>,
    connectivity: Connectivity,
    scratch: &mut SplitScratch,
) -> Plane<u8> {
    let groups = Groups::of(big);
    let mut lines = Vec::new();
    groups.lines(normalized, 0..groups.len(), connectivity, scratch, &mut lines);
    without_lines(big, &lines)
}

/// The mask without some of its pixels.
pub fn without_lines(mask: View<'_, u8>, lines: &[(usize, usize)]) -> Plane<u8> {
    let mut result = mask.to_plane();
    result.pixels_mut().iter_mut().for_each(|pixel| *pixel = if *pixel == 0 { 0 } else { ON });
    let mut pixels = result.view_mut();
    lines.iter().for_each(|&(x, y)| pixels.row_mut(y)[x] = 0);
    result
}

/// Where the floods start: the middles of the objects of `big`, and the outside, each with its own label.
pub fn markers(big: View<'_, u8>, connectivity: Connectivity) -> Plane<u32> {
    let levelled = level_peaks(distance(big).view(), big);
    label(regional_maxima(levelled.view(), connectivity).view(), connectivity).plane
}

/// How many times larger than an object its window may be; long thin objects can have windows as large as the image, each.
const SPARSE: usize = 12;

/// A mask's objects as they are flooded: each on its own, but those in large and nearly empty windows together, so that no
/// mask costs more than a few times its pixels.
#[derive(Clone, Debug)]
pub struct Groups {
    objects: Objects,
    alone: Vec<usize>,
    together: Vec<usize>,
    image: Window,
}

impl Groups {
    /// The objects of `big`.
    pub fn of(big: View<'_, u8>) -> Self {
        let objects = Objects::of(big, Connectivity::Eight);
        let is_sparse = |object: &usize| objects.window(*object).len() > SPARSE * (objects.area(*object) + 1);
        let (together, alone) = (0..objects.len()).partition(is_sparse);
        Self { objects, alone, together, image: Window::whole(big.width(), big.height()) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.alone.len() + usize::from(!self.together.is_empty())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Up to `count` ranges of groups of about the same number of pixels, for as many threads.
    pub fn bands(&self, count: usize) -> Vec<Range<usize>> {
        let areas =
            (0..self.len()).map(|group| self.members(group).iter().map(|o| self.objects.area(*o)).sum());
        let areas: Vec<usize> = areas.collect();
        let share = areas.iter().sum::<usize>().div_ceil(count.max(1)).max(1);
        let (mut bands, mut start, mut sum) = (Vec::new(), 0, 0);
        for (group, area) in areas.iter().enumerate() {
            sum += area;
            if sum >= share * (bands.len() + 1) || group + 1 == areas.len() {
                bands.push(start..group + 1);
                start = group + 1;
            }
        }
        bands
    }

    /// Adds the pixels, column and row, where the floods of some groups met.
    pub fn lines(
        &self,
        normalized: View<'_, [u8; 3]>,
        groups: Range<usize>,
        connectivity: Connectivity,
        scratch: &mut SplitScratch,
        lines: &mut Vec<(usize, usize)>,
    ) {
        let mut mask = Vec::new();
        for group in groups {
            let window = self.paint(group, &mut mask);
            let Some(view) = View::new(&mask, window.width, window.height) else { continue };
            let found = split_object(window.of(normalized), view, connectivity, scratch);
            lines.extend(found.iter().map(|&(x, y)| (x + window.left, y + window.top)));
        }
    }

    /// A mask of the group alone, in its window.
    pub fn paint(&self, group: usize, mask: &mut Vec<u8>) -> Window {
        let window = self.alone.get(group).map_or(self.image, |object| self.objects.window(*object));
        mask.clear();
        mask.resize(window.len(), 0);
        self.members(group).iter().for_each(|object| self.objects.paint(*object, window, mask));
        window
    }

    fn members(&self, group: usize) -> &[usize] {
        self.alone.get(group).map_or(&self.together, std::slice::from_ref)
    }
}
