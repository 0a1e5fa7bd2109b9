//! Features of objects: shape, colours and stains, gradients, edges, texture, and the cytoplasm around them.
//!
//! [`Meter::measure`] computes one object from its surroundings alone; [`features`] does so for every object of an
//! image, into columns.

mod cytoplasm;
mod extent;
mod histogram;
mod hull;
mod logarithms;
mod measure;
mod names;
mod relief;
mod runs;
mod scene;
mod shape;
mod texture;

pub use extent::{Extent, Extents, extents};
pub(crate) use logarithms::Logarithms;
pub use measure::{Measured, Meter};
pub use names::{FEATURES, names};
pub use scene::Scene;

use crate::{Polygon, View};

/// The features of objects as columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// The objects, one for each entry of a column.
    pub objects: Vec<Object>,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The columns; not a number where there is nothing to measure.
    pub columns: Vec<Vec<f64>>,
}

/// One object: where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its number and box.
    pub extent: Extent,
    /// Column and row of the mean of its pixels' centres; that of the image's first pixel is 0.5, 0.5.
    pub centroid: [f64; 2],
    /// Whether it touches the image's border, so that some of it may be missing.
    pub at_border: bool,
    /// Its outline.
    pub polygons: Vec<Polygon>,
}

impl FromIterator<Measured> for Features {
    fn from_iter<I: IntoIterator<Item = Measured>>(measured: I) -> Self {
        let mut features = Self { objects: Vec::new(), names: names(), columns: vec![Vec::new(); FEATURES] };
        for Measured { extent, centroid, at_border, polygons, values } in measured {
            features.objects.push(Object { extent, centroid, at_border, polygons });
            features.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        features
    }
}

/// The features of all objects of a label image, by their numbers; none when the two images differ in size.
pub fn features(image: View<'_, [u8; 3]>, labels: View<'_, u32>) -> Features {
    let mut meter = Meter::new();
    let Some(scene) = Scene::whole(image, labels) else { return std::iter::empty().collect() };
    extents(labels).into_iter().filter_map(|extent| meter.measure(scene, extent)).collect()
}
