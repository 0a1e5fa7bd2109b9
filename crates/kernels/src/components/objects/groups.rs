//! Units of work: each object in its own window, and all objects with large, nearly empty windows together.

use std::ops::Range;

use super::Objects;
use crate::components::runs::Runs;
use crate::{Connectivity, Cpu, View, Window};

/// How many times larger than an object its window may be.
const SPARSE: usize = 12;

/// Whether a window is much larger than the object in it.
pub(crate) fn is_sparse(window: Window, area: usize) -> bool {
    window.len() > SPARSE * (area + 1)
}

/// A mask's objects in groups, nearly always of one object.
///
/// Long thin objects can have windows as large as the image, each; together they are in the window of the whole image, so
/// that no mask costs more than a few times its pixels.
#[derive(Clone, Debug, Default)]
pub struct ObjectGroups {
    objects: Objects,
    alone: Vec<usize>,
    together: Vec<usize>,
    runs: Runs,
}

impl ObjectGroups {
    /// The components of the pixels that are not 0.
    pub fn of(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        let mut groups = Self::default();
        groups.find(Cpu::default(), mask, connectivity);
        groups
    }

    /// [`ObjectGroups::of`] in reused memory.
    pub(crate) fn find(&mut self, cpu: Cpu, mask: View<'_, u8>, connectivity: Connectivity) {
        let Self { objects, alone, together, runs } = self;
        objects.find(cpu, mask, connectivity, runs);
        let sparse = |object: &usize| is_sparse(objects.window(*object), objects.area(*object));
        alone.clear();
        together.clear();
        alone.extend((0..objects.len()).filter(|object| !sparse(object)));
        together.extend((0..objects.len()).filter(sparse));
    }

    /// One group without objects, of an image of this size.
    pub(super) fn start(&mut self, width: usize, height: usize) {
        self.objects.start(width, height);
        self.alone.clear();
        self.together.clear();
    }

    /// Adds an object's rows, from the top, to that group, which has one object (`is_alone`) or several.
    pub(super) fn add(&mut self, rows: impl Iterator<Item = (usize, Range<u32>)>, is_alone: bool) {
        let object = self.objects.add(rows);
        if is_alone { &mut self.alone } else { &mut self.together }.push(object);
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.alone.len() + usize::from(!self.together.is_empty())
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Up to `count` ranges of groups of about the same number of pixels, for as many threads.
    pub fn bands(&self, count: usize) -> Vec<Range<usize>> {
        let areas: Vec<usize> = (0..self.len()).map(|group| self.area(group)).collect();
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

    /// The group's objects with one pixel around them, as far as the image goes.
    pub fn window(&self, group: usize) -> Window {
        self.alone.get(group).map_or(self.objects.image(), |object| self.objects.window(*object))
    }

    /// A mask of the group alone in its window.
    pub fn paint(&self, group: usize, mask: &mut Vec<u8>) -> Window {
        let window = self.window(group);
        mask.clear();
        mask.resize(window.len(), 0);
        self.members(group).iter().for_each(|object| self.objects.paint(*object, window, mask));
        window
    }

    /// Gives the group's pixels: rows, each with columns from the left.
    #[inline]
    pub(crate) fn each_row(&self, group: usize, mut give: impl FnMut(usize, Range<usize>)) {
        for object in self.members(group) {
            self.objects.rows(*object).for_each(|(y, columns)| give(y, columns));
        }
    }

    /// From the group's first row to its last.
    pub(crate) fn vertical(&self, group: usize) -> Range<usize> {
        let rows = self.members(group).iter().map(|object| self.objects.vertical(*object));
        rows.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end)).unwrap_or(0..0)
    }

    /// How many pixels it has.
    pub fn area(&self, group: usize) -> usize {
        self.members(group).iter().map(|object| self.objects.area(*object)).sum()
    }

    fn members(&self, group: usize) -> &[usize] {
        self.alone.get(group).map_or(&self.together, std::slice::from_ref)
    }
}
