//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod area;
pub mod colour;
pub mod compare;
mod connectivity;
mod distance;
mod extrema;
mod fill;
mod grid;
mod isa;
mod label;
mod morphology;
pub mod nuclei;
mod object;
mod reconstruct;
mod runs;
mod select;
mod view;
mod watershed;

pub use area::filter_area;
pub use connectivity::Connectivity;
pub use distance::{DistanceScratch, distance, distance_into, distance_with};
pub use extrema::{level_peaks, regional_maxima};
pub use fill::fill_holes;
pub use isa::Isa;
pub use label::{Component, Labels, label};
pub use morphology::{Element, dilate, erode, open};
pub use object::{Groups, Objects, Window};
pub use reconstruct::{Level, reconstruct};
pub use select::select;
pub use view::{Plane, View, ViewMut};
pub use watershed::{LINE, WatershedScratch, repair_lines, watershed, watershed_into};

/// A mask's pixel that belongs to it.
pub const ON: u8 = 255;
