//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod area;
mod canny;
pub mod colour;
pub mod compare;
mod connectivity;
mod deconvolution;
mod distance;
mod extrema;
pub mod features;
mod fill;
mod glcm;
mod gradient;
mod grid;
mod isa;
mod label;
mod morphology;
pub mod nuclei;
mod polygon;
mod reconstruct;
mod runs;
mod select;
mod view;
mod watershed;

pub use area::filter_area;
pub use canny::canny;
pub use connectivity::Connectivity;
pub use deconvolution::Deconvolution;
pub use distance::distance;
pub use extrema::{level_peaks, regional_maxima};
pub use fill::fill_holes;
pub use gradient::gradient;
pub use isa::Isa;
pub use label::{Component, Labels, label};
pub use morphology::{Element, dilate, erode, open};
pub use polygon::{Corner, Polygon};
pub use reconstruct::{Level, reconstruct};
pub use select::select;
pub use view::{Plane, View, ViewMut};
pub use watershed::{LINE, repair_lines, watershed};

/// A mask's pixel that belongs to it.
pub const ON: u8 = 255;
