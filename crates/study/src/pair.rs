//! What belongs to a pair of volumes: columns of sheets, keys of images, and inputs of workflows.

/// The column of a pair's moving volume.
pub(crate) const MOVING: &str = "moving";

/// What belongs to a pair of volumes, beside the fixed one.
pub const PAIR_COLUMNS: [&str; 7] = [
    MOVING,
    "fixed_mask",
    "moving_mask",
    "fixed_labels",
    "moving_labels",
    "fixed_landmarks",
    "moving_landmarks",
];
