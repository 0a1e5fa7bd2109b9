//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod area;
mod bits;
mod borders;
mod canny;
pub mod colour;
pub mod compare;
mod connectivity;
mod deconvolution;
mod digest;
mod distance;
mod extrema;
pub mod features;
mod fill;
mod glcm;
mod gradient;
mod isa;
mod label;
mod machine;
mod morphology;
pub mod nuclei;
mod object;
mod pixelwise;
mod polygon;
mod prefetch;
mod reconstruct;
mod runs;
pub mod seams;
mod select;
mod view;
mod watershed;

pub use area::{filter_area, filter_area_into};
pub use bits::{Bits, Mask};
pub use canny::canny;
pub use connectivity::Connectivity;
pub use deconvolution::Deconvolution;
pub use digest::{Digest, Digester};
pub use distance::{DistanceScratch, distance, distance_into, distance_on, distance_with};
pub use extrema::{
    PlateauScratch, h_maxima, h_maxima_into, h_maxima_on, h_minima, h_minima_into, level_peaks,
    level_peaks_into, regional_maxima, regional_maxima_into, regional_maxima_on, regional_minima,
    regional_minima_into, regional_minima_on,
};
pub use fill::{fill_holes, fill_holes_into};
pub use gradient::gradient;
pub use isa::Isa;
pub use label::{Component, Labels, label, label_into};
pub use machine::Machine;
pub use morphology::{Element, Scratch, dilate, dilate_into, erode, erode_into, open, open_into};
pub use object::{Groups, Objects, Shape, Traces, Window};
pub use pixelwise::{above, above_into, count_above, darkness_into, difference_into, histogram, remove};
pub use polygon::{Corner, Polygon, outline};
pub use prefetch::prefetch;
pub use reconstruct::{
    GreyScratch, Level, reconstruct, reconstruct_by_erosion, reconstruct_by_erosion_into, reconstruct_from,
    reconstruct_into, reconstruct_on,
};
pub use runs::{Runs, SizedRuns};
pub use select::{select, select_into};
pub use view::{Plane, View, ViewMut};
pub use watershed::{
    LINE, WatershedScratch, repair_lines, watershed, watershed_from, watershed_into, watershed_on,
};

/// A mask's pixel that belongs to it.
pub const ON: u8 = 255;
