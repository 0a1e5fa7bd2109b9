//! The objects of a whole image: found strip by strip, gone through in groups that fit in memory, written as GeoJSON.

mod extents;
mod geojson;
mod groups;

pub(crate) use extents::{components, numbers};
pub use geojson::GeoJson;
pub(crate) use groups::WindowGroups;

/// Whether an object lies entirely in the image, as files say it.
pub(crate) fn border_word(at_border: bool) -> &'static str {
    if at_border { "at_border" } else { "whole" }
}
