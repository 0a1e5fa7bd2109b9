//! Rows computed again to be looked at: regions of one instance, and pictures for the report.

mod instance;
mod pictures;
mod pixels;
mod recompute;
mod region;

pub use instance::{InstancePictures, InstanceRequest, instance};
pub(crate) use pictures::pictures;
pub use pixels::StudyPixels;
pub use region::{RegionRequest, compute_region};
