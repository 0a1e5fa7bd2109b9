//! Where regions come from that no task makes.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::Digest32;
use onceflow_study::{RegionKind, Scope};

use crate::OperationError;

/// Gives sources and stand-ins. A site is the number of a part or an image, by the scope; 0 for the study.
pub trait InputProvider: Sync {
    /// What a task of that scope sees of a source, by its number in the flow.
    ///
    /// # Errors
    /// When it cannot be read: the task that takes it fails.
    fn source(&self, source: usize, scope: Scope, site: usize) -> Result<Arc<Region>, OperationError>;

    /// The digest of the same content.
    ///
    /// # Errors
    /// When it cannot be read: the task runs without being remembered.
    fn digest(&self, source: usize, scope: Scope, site: usize) -> Result<Digest32, OperationError>;

    /// A region with nothing in it, which stands for one of a stage that ended early.
    fn empty(&self, kind: RegionKind, scope: Scope, site: usize) -> Region;
}
