//! The shipped nuclei workflow: its operations for studies, and segmentation, features and comparison of one image.
//!
//! Studies run the workflow task by task: [`catalogue`] describes the operations and [`operation`] binds a task to its kernel.
//! [`segment`], [`features`] and [`agreement`] work on one whole image, in memory or in tiles on a disk.

mod catalogue;
mod compare;
mod error;
mod features;
mod labels;
mod objects;
mod operation;
mod overlay;
mod pixels;
mod segment;
#[cfg(test)]
mod test_images;
mod workspace;

pub use catalogue::catalogue;
pub use compare::{agreement, bytes_to_compare, check_sizes, read_objects};
pub use error::NucleiError;
pub use features::{
    FeatureFile, FeatureForm, NucleiFeatures, NucleiSource, bytes_to_measure, disk_bytes_to_measure, features,
};
pub use labels::objects;
pub use objects::GeoJson;
pub use operation::{COMPARE, CountedWindow, PartComparison, STATISTICS_ROWS, counts_of, operation};
pub use overlay::{Agreement, marks, overlay};
pub use segment::{NucleiParameters, Overlay, Segmented, bytes_to_segment, check_truth, segment};
pub use workspace::{PROGRAM_BYTES, StepProgress, Tiling, Workspace, free_space};
