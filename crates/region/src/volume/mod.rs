//! Volumes of three dimensions and time: NIfTI and MetaImage files, read box by box and written.
//!
//! Lengths are in millimetres; places and directions are those of the patient's left, back and head (LPS), as in ITK.

mod affine;
mod error;
mod geometry;
mod header;
mod metaimage;
mod nifti;
mod source;
mod stream;
mod write;

pub use error::WriteError;
pub use geometry::Geometry;
pub use source::{VolumeInfo, VolumeSource, open_volume, open_volume_bytes};
pub use write::VolumeForm;

use crate::{Bounds, Element, Pixels, RegionError};

/// The values of a box, one per place: columns change fastest, then rows, depths and times.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    bounds: Bounds,
    values: Pixels,
    geometry: Geometry,
}

impl Volume {
    /// The volume with these values.
    ///
    /// # Errors
    /// When there is not one value for each place of the box.
    pub fn new(bounds: Bounds, values: Pixels, geometry: Geometry) -> Result<Volume, RegionError> {
        let found = values.len();
        match places(&bounds) {
            Some(expected) if expected == found as u64 => Ok(Volume { bounds, values, geometry }),
            expected => Err(RegionError::Volume { bounds: Box::new(bounds), expected, found }),
        }
    }

    /// Where the values lie within the volume that they were read from.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The values.
    pub fn values(&self) -> &Pixels {
        &self.values
    }

    /// The values, without a copy.
    pub fn into_values(self) -> Pixels {
        self.values
    }

    /// The type of the values.
    pub fn element(&self) -> Element {
        self.values.element()
    }

    /// Where the whole volume lies in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Columns, rows, depths and times.
    pub fn size(&self) -> [u64; 4] {
        size(&self.bounds)
    }
}

fn size(bounds: &Bounds) -> [u64; 4] {
    [bounds.width(), bounds.height(), bounds.z().length(), bounds.time().length()]
}

/// How many places a box has; none when that is not a number we can hold.
fn places(bounds: &Bounds) -> Option<u64> {
    size(bounds).into_iter().try_fold(1u64, |product, side| product.checked_mul(side))
}
