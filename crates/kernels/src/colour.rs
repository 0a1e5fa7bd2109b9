//! Reinhard's colour transfer on tissue: every image gets the mean and the spread of one reference stain.
//!
//! [`Statistics`] gathers what an image looks like, block by block; [`transfer`] then changes any part of it.

mod logarithm;
mod run;
mod space;
mod statistics;
mod transfer;

pub use statistics::{ColourStatistics, Statistics};
pub use transfer::{transfer, transfer_into};

/// What normalized tissue looks like: mean of l, a and b.
const TARGET_MEAN: [f64; 3] = [-0.632356, -0.0516004, 0.0376543];

/// What normalized tissue looks like: standard deviation of l, a and b.
const TARGET_DEVIATION: [f64; 3] = [0.26235, 0.0514831, 0.0114217];
