//! How good a registration is: overlap of labels, errors of landmarks, folding, similarities.

mod folding;
mod landmarks;
mod overlap;
mod similarities;

pub use folding::Folding;
pub use landmarks::LandmarkErrors;
pub use overlap::{LabelOverlap, Overlap, overlap};
pub use similarities::{Similarities, similarities};
