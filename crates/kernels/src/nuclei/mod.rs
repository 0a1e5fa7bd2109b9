//! The tasks of the nuclei workflow.

mod split;

pub use split::{markers, split};
