//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod bits;
mod buffer_hash;
pub mod colour;
pub mod compare;
mod components;
mod connectivity;
mod cpu;
pub mod dense;
mod distance;
mod edges;
pub mod features;
mod grey;
mod hash;
mod morphology;
pub mod nuclei;
pub mod object_cache;
mod pixelwise;
mod polygon;
pub mod registration;
pub mod seams;
mod view;
mod watershed;

pub use bits::{Bits, Mask};
pub use buffer_hash::{BufferHash, BufferHasher};
pub use colour::Deconvolution;
pub use components::{
    Component, LabelledComponents, ObjectGroups, Objects, Runs, SizedRuns, Traces, fill_holes,
    fill_holes_into, filter_area, filter_area_into, label, label_into, select, select_into,
};
pub use connectivity::Connectivity;
pub use cpu::{Cpu, Isa, prefetch};
pub use distance::{DistanceScratch, distance, distance_into, distance_on, distance_with};
pub use edges::{canny, gradient};
pub use grey::{
    GreyScratch, GreyValue, PlateauScratch, h_maxima, h_maxima_into, h_maxima_on, h_minima, h_minima_into,
    level_peaks, level_peaks_into, reconstruct, reconstruct_by_erosion, reconstruct_by_erosion_into,
    reconstruct_from, reconstruct_into, reconstruct_on, regional_maxima, regional_maxima_into,
    regional_maxima_on, regional_minima, regional_minima_into, regional_minima_on,
};
pub use hash::ObjectHash;
pub use morphology::{
    MorphologyScratch, StructuringElement, dilate, dilate_into, erode, erode_into, open, open_into,
};
pub use pixelwise::{above, above_into, count_above, darkness_into, difference_into, histogram, remove};
pub use polygon::{PixelCorner, Polygon, outline};
pub use view::{Plane, View, ViewMut, Window};
pub use watershed::{
    LINE, WatershedScratch, repair_lines, watershed, watershed_from, watershed_into, watershed_on,
};

/// The value of a mask's foreground pixels.
pub const ON: u8 = 255;
