//! Splitting of touching nuclei (t6, second half): uncut objects in their tile, objects cut by a seam once and whole.

use super::super::{SplitScratch, split_groups, split_object, without_lines};
use super::{Layer, Planes, TiledSegmenter};
use crate::components::is_sparse;
use crate::seams::{Numbering, uncut_objects};
use crate::{Component, Connectivity, ON, ObjectGroups, Plane, Window, select};

impl<S: Planes> TiledSegmenter<'_, S> {
    /// Writes the mask without the lines where floods met to the next layer.
    pub(super) fn split(&mut self) -> Result<(), S::Error> {
        let mut numbering = Numbering::new(self.grid, Connectivity::Eight);
        let mut scratch = SplitScratch::default();
        self.each_tile("t6_flood", |work, tile| {
            numbering.visit(work.read(Layer::Mask, tile)?.view());
            work.allow(numbering.bytes())?;
            work.split_uncut(tile, &mut scratch)
        })?;
        let (image, room) = (self.grid.image(), self.planes.room());
        let cut = numbering.cut().iter().map(|object| CutObjects::new(object, image)).collect();
        together(cut, room).iter().try_for_each(|cut| self.split_cut(cut, &mut scratch))
    }

    fn split_uncut(&mut self, tile: usize, scratch: &mut SplitScratch) -> Result<(), S::Error> {
        let around = self.grid.around(tile, 1);
        let (big, colours) = (self.planes.read(Layer::Mask, around)?, self.planes.colours(around)?);
        let groups = ObjectGroups::of(uncut_objects(self.grid, tile, big.view()).view(), Connectivity::Eight);
        let mut lines = Vec::new();
        let connectivity = self.parameters.watershed_connectivity;
        split_groups(colours.view(), &groups, 0..groups.len(), connectivity, scratch, &mut lines);
        self.write_own(Layer::Next, tile, 1, &without_lines(big.view(), &lines))
    }

    fn split_cut(&mut self, cut: &CutObjects, scratch: &mut SplitScratch) -> Result<(), S::Error> {
        let CutObjects { window, .. } = *cut;
        let (big, colours) = (self.planes.read(Layer::Mask, window)?, self.planes.colours(window)?);
        let mut seeds = Plane::filled(0, window.width, window.height);
        cut.firsts.iter().for_each(|&(x, y)| seeds.view_mut().row_mut(y - window.top)[x - window.left] = ON);
        let alone = select(big.view(), seeds.view(), Connectivity::Eight);
        let connectivity = self.parameters.watershed_connectivity;
        let lines = split_object(colours.view(), alone.view(), connectivity, scratch);
        let mut apart = self.planes.read(Layer::Next, window)?;
        lines.iter().for_each(|&(x, y)| apart.view_mut().row_mut(y)[x] = 0);
        self.planes.write(Layer::Next, window, apart.view())
    }
}

/// Objects that seams cut, nearly always one.
struct CutObjects {
    /// Their window with one pixel around them, as far as the image goes.
    window: Window,
    /// Their first pixels.
    firsts: Vec<(usize, usize)>,
    sparse: bool,
}

impl CutObjects {
    fn new(object: &Component, image: Window) -> Self {
        let (left, top) = (object.left.saturating_sub(1), object.top.saturating_sub(1));
        let (right, bottom) = ((object.right + 1).min(image.width), (object.bottom + 1).min(image.height));
        let window = Window { left, top, width: right - left, height: bottom - top };
        Self { window, firsts: vec![object.first], sparse: is_sparse(window, object.area as usize) }
    }

    /// The smallest window that contains both.
    fn hull(&self, other: &Self) -> Window {
        let (one, other) = (self.window, other.window);
        let (left, top) = (one.left.min(other.left), one.top.min(other.top));
        let right = (one.left + one.width).max(other.left + other.width);
        let bottom = (one.top + one.height).max(other.top + other.height);
        Window { left, top, width: right - left, height: bottom - top }
    }
}

/// Puts objects in large and nearly empty windows together where that is less work and there is room, as [`ObjectGroups`] does
/// in memory: otherwise many long thin objects would cost many times the image.
fn together(objects: Vec<CutObjects>, room: usize) -> Vec<CutObjects> {
    let (sparse, mut all): (Vec<_>, Vec<_>) = objects.into_iter().partition(|object| object.sparse);
    let mut group: Option<CutObjects> = None;
    for object in sparse {
        let hull = group.as_ref().map(|group| group.hull(&object));
        match (group.as_mut(), hull) {
            (Some(group), Some(hull)) if hull.len() <= room.min(group.window.len() + object.window.len()) => {
                group.window = hull;
                group.firsts.extend(object.firsts);
            }
            _ => all.extend(group.replace(object)),
        }
    }
    all.extend(group);
    all
}
