//! Where the objects of a label image lie.

use std::collections::HashMap;

use crate::View;

/// An object's number and the box that holds all its pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectExtent {
    /// Its number in the label image, not 0.
    pub label: u32,
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Column after the last.
    pub right: usize,
    /// Row after the last.
    pub bottom: usize,
}

/// The objects of a label image, sorted by label; 0 is the background.
pub fn extents(labels: View<'_, u32>) -> Vec<ObjectExtent> {
    let mut extents = Extents::default();
    extents.add(labels, 0);
    extents.finish()
}

/// The objects of a label image given some rows at a time.
#[derive(Clone, Debug, Default)]
pub struct Extents {
    places: HashMap<u32, usize>,
    extents: Vec<ObjectExtent>,
}

impl Extents {
    /// Adds rows, the first of which is the row `top` of the image.
    pub fn add(&mut self, labels: View<'_, u32>, top: usize) {
        for (y, row) in labels.rows().enumerate() {
            let mut left = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let (label, right) = (run[0], left + run.len());
                if label != 0 {
                    self.include(ObjectExtent { label, left, top: top + y, right, bottom: top + y + 1 });
                }
                left = right;
            }
        }
    }

    fn include(&mut self, run: ObjectExtent) {
        let place = *self.places.entry(run.label).or_insert(self.extents.len());
        match self.extents.get_mut(place) {
            Some(extent) => extent.include(&run),
            None => self.extents.push(run),
        }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        // A hash table has one control byte for each entry.
        let place = size_of::<(u32, usize)>() + 1;
        self.places.capacity() * place + self.extents.capacity() * size_of::<ObjectExtent>()
    }

    /// The objects by their numbers.
    pub fn finish(mut self) -> Vec<ObjectExtent> {
        self.extents.sort_unstable_by_key(|extent| extent.label);
        self.extents
    }
}

impl ObjectExtent {
    /// Makes the box large enough for both.
    pub fn include(&mut self, other: &Self) {
        self.left = self.left.min(other.left);
        self.top = self.top.min(other.top);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }

    /// The same box with a margin on each side, as far as the image goes.
    pub fn grown(&self, margin: usize, width: usize, height: usize) -> Self {
        Self {
            label: self.label,
            left: self.left.saturating_sub(margin),
            top: self.top.saturating_sub(margin),
            right: self.right.saturating_add(margin).min(width),
            bottom: self.bottom.saturating_add(margin).min(height),
        }
    }

    /// Whether it reaches to the border of an image.
    pub fn touches_border(&self, width: usize, height: usize) -> bool {
        self.left == 0 || self.top == 0 || self.right == width || self.bottom == height
    }

    /// Columns of the box.
    pub fn width(&self) -> usize {
        self.right.saturating_sub(self.left)
    }

    /// Rows of the box.
    pub fn height(&self) -> usize {
        self.bottom.saturating_sub(self.top)
    }

    /// The part of an image under the box, if it lies inside.
    pub(crate) fn of<'a, T>(&self, image: View<'a, T>) -> Option<View<'a, T>> {
        image.crop(self.left, self.top, self.width(), self.height())
    }
}
