//! What can be wrong when a volume is written.

use thiserror::Error;

/// A volume that cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file cannot be written.
    #[error("the volume cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// The form has no room for the size.
    #[error("expected at most {most} {axis}, found {found}; write it as MetaImage (.mha)")]
    Size {
        /// The most that the form holds.
        most: u64,
        /// What there are too many of.
        axis: &'static str,
        /// How many there are.
        found: u64,
    },
}
