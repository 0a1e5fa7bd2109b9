//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod area;
pub mod colour;
pub mod compare;
mod connectivity;
mod digest;
mod distance;
mod extrema;
mod fill;
mod grid;
mod isa;
mod label;
mod machine;
mod morphology;
pub mod nuclei;
mod pixelwise;
mod reconstruct;
mod runs;
mod select;
mod view;
mod watershed;

pub use area::filter_area;
pub use connectivity::Connectivity;
pub use digest::{Digest, Digester};
pub use distance::distance;
pub use extrema::{level_peaks, regional_maxima};
pub use fill::fill_holes;
pub use isa::Isa;
pub use label::{Component, Labels, label};
pub use machine::Machine;
pub use morphology::{Element, Scratch, dilate, dilate_into, erode, erode_into, open, open_into};
pub use pixelwise::{above, above_into, count_above, darkness_into, difference_into, histogram, remove};
pub use reconstruct::{Level, reconstruct};
pub use select::select;
pub use view::{Plane, View, ViewMut};
pub use watershed::{LINE, repair_lines, watershed};

/// A mask's pixel that belongs to it.
pub const ON: u8 = 255;
