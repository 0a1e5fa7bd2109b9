//! Volumes that are not read: what is known of them, and how their boxes are read.

use std::fmt::Debug;

use crate::{Bounds, Element, SourceError, Volume, VolumeGeometry};

/// What is known of a volume before its values are read.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeInfo {
    /// The form of the file: `nifti`, `mha`, `mhd`.
    pub format: String,
    /// Columns, rows, depths and times, each from 0 on.
    pub bounds: Bounds,
    /// The type of the values that reading gives.
    pub element: Element,
    /// Where the volume lies in the world.
    pub geometry: VolumeGeometry,
    /// What the values are packed with.
    pub compression: Option<String>,
}

/// A volume of which any box can be read, by several threads at once.
pub trait ReadVolume: Debug + Send + Sync {
    /// What is known without reading values.
    fn info(&self) -> &VolumeInfo;

    /// The values in a box.
    ///
    /// # Errors
    /// When the box is empty or reaches outside, is larger than one read may be, or the volume cannot be read.
    fn read(&self, bounds: Bounds) -> Result<Volume, SourceError>;
}
