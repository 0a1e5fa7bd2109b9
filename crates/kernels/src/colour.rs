//! Reinhard's colour transfer on tissue: every image gets the mean and the spread of one reference stain.
//!
//! [`ColourSums`] gathers the statistics of an image block by block; [`transfer`] then changes any part of it.

mod deconvolution;
mod logarithm;
mod run;
mod space;
mod statistics;
mod transfer;

pub use deconvolution::Deconvolution;
pub use statistics::{ColourStatistics, ColourSums};
pub use transfer::{transfer, transfer_into};

/// Mean of l, α and β of normalized tissue.
const TARGET_MEAN: [f64; 3] = [-0.632356, -0.0516004, 0.0376543];

/// Standard deviation of l, α and β of normalized tissue.
const TARGET_DEVIATION: [f64; 3] = [0.26235, 0.0514831, 0.0114217];
