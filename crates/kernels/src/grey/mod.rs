//! Grey morphology without a bounded reach: reconstruction, and the extrema found by it.

mod extrema;
mod reconstruct;

pub use extrema::{
    PlateauScratch, h_maxima, h_maxima_into, h_maxima_on, h_minima, h_minima_into, level_peaks,
    level_peaks_into, regional_maxima, regional_maxima_into, regional_maxima_on, regional_minima,
    regional_minima_into, regional_minima_on,
};
pub use reconstruct::{
    GreyScratch, GreyValue, reconstruct, reconstruct_by_erosion, reconstruct_by_erosion_into,
    reconstruct_from, reconstruct_into, reconstruct_on,
};
