//! Features of objects: shape, colours and stains, gradients, edges, texture, and the cytoplasm around them.
//!
//! [`FeatureMeter::measure`] computes one object from its surroundings alone; [`features`] does so for every object of an
//! image, into columns.

mod cytoplasm;
mod extent;
mod glcm;
mod histogram;
mod hull;
mod labelled_image;
mod logarithms;
mod measure;
mod names;
mod relief;
mod runs;
mod shape;
mod texture;

pub use extent::{Extents, ObjectExtent, extents};
pub use labelled_image::LabelledImage;
pub(crate) use logarithms::Logarithms;
pub use measure::{FeatureMeter, MeasuredObject};
pub use names::{FEATURES, names};

use crate::{Polygon, View};

/// The features of objects as columns.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    /// The objects, one for each entry of a column.
    pub objects: Vec<ObjectLocation>,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The columns; NaN where there is nothing to measure.
    pub columns: Vec<Vec<f64>>,
}

/// The position and the outline of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectLocation {
    /// Its number and box.
    pub extent: ObjectExtent,
    /// Column and row of the mean of its pixels' centres; that of the image's first pixel is 0.5, 0.5.
    pub centroid: [f64; 2],
    /// Whether it touches the image's border, so that some of it may be missing.
    pub at_border: bool,
    /// Its outline.
    pub polygons: Vec<Polygon>,
}

impl FromIterator<MeasuredObject> for FeatureTable {
    fn from_iter<I: IntoIterator<Item = MeasuredObject>>(measured: I) -> Self {
        let mut features = Self { objects: Vec::new(), names: names(), columns: vec![Vec::new(); FEATURES] };
        for MeasuredObject { extent, centroid, at_border, polygons, values } in measured {
            features.objects.push(ObjectLocation { extent, centroid, at_border, polygons });
            features.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        features
    }
}

/// The features of all objects of a label image, sorted by label; `None` when the two images differ in size.
pub fn features(image: View<'_, [u8; 3]>, labels: View<'_, u32>) -> Option<FeatureTable> {
    let mut meter = FeatureMeter::new();
    let scene = LabelledImage::whole(image, labels)?;
    extents(labels).into_iter().map(|extent| meter.measure(scene, extent)).collect()
}
