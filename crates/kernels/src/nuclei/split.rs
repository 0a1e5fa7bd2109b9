//! Splitting of touching nuclei: a flood over the colours starts from the middles of the objects and from the outside.
//!
//! Each 8-connected component of the mask is flooded on its own, in a window with one pixel around it. Nothing else affects
//! it: the pixels around a component are outside, and those on one side of it are connected beside it; distances end at
//! them; and buckets keep the order of events within each component.

mod object;
mod outside;
mod peaks;

use std::ops::Range;

use crate::{Connectivity, ObjectGroups, Plane, View, above, distance, label, level_peaks, regional_maxima};
pub use object::{SplitScratch, split_object};

/// `big` without the lines where the floods from two markers met; `normalized` has the same size.
///
/// When `big` covers the whole image there is no outside to flood from, and it stays as it is.
pub fn split(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    split_with(normalized, big, connectivity, &mut SplitScratch::default())
}

/// [`split`] with reused memory.
pub fn split_with(
    normalized: View<'_, [u8; 3]>,
    big: View<'_, u8>,
    connectivity: Connectivity,
    scratch: &mut SplitScratch,
) -> Plane<u8> {
    let groups = ObjectGroups::of(big, Connectivity::Eight);
    let mut lines = Vec::new();
    split_groups(normalized, &groups, 0..groups.len(), connectivity, scratch, &mut lines);
    without_lines(big, &lines)
}

/// The mask without the pixels of the lines.
pub fn without_lines(mask: View<'_, u8>, lines: &[(usize, usize)]) -> Plane<u8> {
    let mut result = above(mask, 0);
    let mut pixels = result.view_mut();
    lines.iter().for_each(|&(x, y)| pixels.row_mut(y)[x] = 0);
    result
}

/// Where the floods start: the middles of the objects of `big`, and the outside, each with its own label.
pub fn markers(big: View<'_, u8>, connectivity: Connectivity) -> Plane<u32> {
    let levelled = level_peaks(distance(big).view(), big);
    label(regional_maxima(levelled.view(), connectivity).view(), connectivity).plane
}

/// Adds the pixels, column and row, where the floods in some groups of objects met.
///
/// Groups are those of 8-connected components; the pixels do not depend on how groups are distributed over calls and
/// threads.
pub fn split_groups(
    normalized: View<'_, [u8; 3]>,
    groups: &ObjectGroups,
    some: Range<usize>,
    connectivity: Connectivity,
    scratch: &mut SplitScratch,
    lines: &mut Vec<(usize, usize)>,
) {
    let mut mask = scratch.take_mask();
    for group in some {
        let window = groups.paint(group, &mut mask);
        let Some(view) = View::new(&mask, window.width, window.height) else { continue };
        let found = split_object(window.of(normalized), view, connectivity, scratch);
        lines.extend(found.iter().map(|&(x, y)| (x + window.left, y + window.top)));
    }
    scratch.put_mask(mask);
}
