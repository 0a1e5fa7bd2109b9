//! The kinds of regions, each in a file or folder of its own.

mod convert;
mod dense;
mod line;
mod objects;
mod points;
mod polygons;
mod sparse;
mod table;
mod volume;

pub use convert::{LabelPlane, into_rgb8, labels, rgb8};
pub use dense::Dense;
pub use line::Line;
pub use objects::{ObjectRef, ObjectSet, PixelRun};
pub use points::Points;
pub use polygons::{Polygon, PolygonCorner, PolygonRef, Polygons};
pub use sparse::Sparse;
pub use table::{Column, Table};
pub use volume::{Volume, VolumeGeometry};
