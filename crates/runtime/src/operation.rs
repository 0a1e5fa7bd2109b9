//! What a task does, and what it is given.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::ContentDigest;
use onceflow_study::Canonical;

use crate::WorkerDevice;

/// Something that turns regions into regions.
pub trait Operation: Send + Sync {
    /// Does it once.
    ///
    /// # Errors
    /// When it cannot: every row that needs it fails for this part, and the run goes on.
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError>;
}

/// What an operation is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    /// The regions it takes, in the order of its inputs.
    pub inputs: &'a [Arc<Region>],
    /// What each of them holds, where the run asks for that; else there are none.
    pub digests: &'a [ContentDigest],
    /// Whether the run wants to know what its outputs hold.
    pub wanted: bool,
    /// The values it reads, in the order of its parameters.
    pub parameters: &'a [Canonical],
    /// The first row of the plan that asked for it.
    pub row: u32,
    /// The number of the part or image, by the scope of its task; 0 for the study.
    pub site: usize,
    /// What it computes with.
    pub device: WorkerDevice,
}

/// What an operation gives.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The regions it made, in the order of its outputs; they may be missing when it ends its stage.
    pub outputs: Vec<Region>,
    /// A status, when it found that going on is useless.
    pub ended: Option<String>,
    /// What each of them holds, where the operation can tell for less than a digest of its bytes costs: contents of two
    /// calls are the same only when the bytes are. None where it cannot.
    pub digests: Vec<ContentDigest>,
    /// Seconds of its run that went into telling that: they belong to finding equal things, not to the work.
    pub telling: f64,
    /// Whether all its objects were cached: nothing was computed but lookups.
    pub known: bool,
}

/// Why an operation could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OperationError {
    /// What went wrong, in words.
    pub message: String,
    /// Whether it may pass by itself, so that trying again makes sense: a disk that was busy, a service that was away.
    pub transient: bool,
}

impl OperationError {
    /// A failure with this message, which trying again would only repeat.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), transient: false }
    }

    /// A failure that may pass by itself.
    pub fn transient(message: impl Into<String>) -> Self {
        Self { message: message.into(), transient: true }
    }
}

impl Done {
    /// These regions, and nothing to say about going on.
    pub fn with(outputs: Vec<Region>) -> Self {
        Self { outputs, ..Self::default() }
    }
}
