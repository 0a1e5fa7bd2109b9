//! Volumes of three dimensions and time.
//!
//! Lengths are in millimetres; places and directions are those of the patient's left, back and head (LPS), as in ITK.

mod geometry;

pub use geometry::VolumeGeometry;

use crate::{Bounds, Digester, Element, Pixels, RegionError};

/// The values of a box, one per place: columns change fastest, then rows, depths and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    bounds: Bounds,
    values: Pixels,
    geometry: VolumeGeometry,
}

impl Volume {
    /// The volume with these values.
    ///
    /// # Errors
    /// When there is not one value for each place of the box.
    pub fn new(bounds: Bounds, values: Pixels, geometry: VolumeGeometry) -> Result<Volume, RegionError> {
        let found = values.len();
        match bounds.positions() {
            Some(expected) if expected == found as u64 => Ok(Volume { bounds, values, geometry }),
            expected => Err(RegionError::Volume { bounds: Box::new(bounds), expected, found }),
        }
    }

    /// Where the values lie within the volume that they were read from.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The values.
    #[inline]
    pub fn values(&self) -> &Pixels {
        &self.values
    }

    /// The values, without a copy.
    pub fn into_values(self) -> Pixels {
        self.values
    }

    /// The type of the values.
    #[inline]
    pub fn element(&self) -> Element {
        self.values.element()
    }

    /// Where the whole volume lies in the world.
    #[inline]
    pub fn geometry(&self) -> &VolumeGeometry {
        &self.geometry
    }

    /// Columns, rows, depths and times.
    #[inline]
    pub fn size(&self) -> [u64; 4] {
        self.bounds.size()
    }

    /// Bytes that the values take.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.values.bytes()
    }

    /// The values in a box, where they are.
    ///
    /// # Errors
    /// When the box reaches outside.
    pub fn crop(&self, bounds: Bounds) -> Result<Volume, RegionError> {
        if !self.bounds.contains(&bounds) {
            return Err(RegionError::Outside { outer: Box::new(self.bounds), inner: Box::new(bounds) });
        }
        // What lies in memory has places that an index can hold.
        let starts = self.bounds.row_offsets(&bounds).map(|start| start as usize);
        let values = match bounds.is_empty() {
            true => self.values.pick(&[]),
            false => self.values.rows(starts, bounds.width() as usize),
        };
        Volume::new(bounds, values, self.geometry)
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.text(&self.element().to_string());
        digester.bounds(&self.bounds);
        let VolumeGeometry { spacing, origin, directions } = &self.geometry;
        for numbers in [spacing, origin].into_iter().chain(directions) {
            digester.wide(numbers, f64::to_le_bytes);
        }
        digester.pixels(&self.values);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::position::tests::{all, nested};

    proptest! {
        #[test]
        fn a_crop_holds_the_values_of_the_box((outer, inner) in nested()) {
            let count = outer.positions().unwrap() as u32;
            let volume = Volume::new(outer, Pixels::U32((0..count).collect()), VolumeGeometry::default()).unwrap();
            let crop = volume.crop(inner).unwrap();
            prop_assert_eq!(crop.bounds(), inner);
            let expected = all(&inner).iter().map(|p| outer.offset_of(p).unwrap() as u32).collect();
            prop_assert_eq!(crop.values(), &Pixels::U32(expected));
            prop_assert_eq!(crop.crop(outer).is_ok(), inner == outer);
        }
    }
}
