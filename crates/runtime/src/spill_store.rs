//! Where outputs go that memory has no room for.

use std::sync::Arc;

use onceflow_region::Region;

use crate::{Instance, OperationError};

/// Keeps outputs until they are needed again. It is asked by workers, and for one instance by one at a time.
pub trait SpillStore: Sync {
    /// Keeps the outputs of an instance.
    ///
    /// # Errors
    /// When there is no room: they stay in memory.
    fn put(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError>;

    /// The outputs that were put.
    ///
    /// # Errors
    /// When they cannot be read: the tasks that take them fail.
    fn get(&self, instance: Instance) -> Result<Vec<Arc<Region>>, OperationError>;

    /// The outputs are not needed any more.
    fn forget(&self, instance: Instance);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSpillStore;

impl SpillStore for NoSpillStore {
    fn put(&self, _: Instance, _: &[Arc<Region>]) -> Result<(), OperationError> {
        Err(OperationError::new("there is nothing below memory"))
    }

    fn get(&self, _: Instance) -> Result<Vec<Arc<Region>>, OperationError> {
        Err(OperationError::new("there is nothing below memory"))
    }

    fn forget(&self, _: Instance) {}
}
