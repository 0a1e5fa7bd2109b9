//! What a worker does to make room: write outputs below memory, or bring them back.

use std::sync::Arc;

use onceflow_region::Region;

use super::ExecutionContext;
use super::job::guarded;
use crate::{Instance, OperationError};

/// Outputs that are to be moved.
pub(super) enum Carry {
    Down { instance: Instance, outputs: Vec<Arc<Region>> },
    Up { instance: Instance },
}

/// How moving went.
pub(super) enum Carried {
    Down { instance: Instance, bytes: Option<u64> },
    Up { instance: Instance, outputs: Result<Vec<Arc<Region>>, OperationError> },
}

impl Carry {
    pub(super) fn carry(self, work: &ExecutionContext<'_>) -> Carried {
        match self {
            Self::Down { instance, outputs } => {
                let put = guarded(|| work.spill.put(instance, &outputs));
                let bytes = outputs.iter().map(|region| region.bytes()).sum();
                Carried::Down { instance, bytes: put.is_ok().then_some(bytes) }
            }
            Self::Up { instance } => Carried::Up { instance, outputs: guarded(|| work.spill.get(instance)) },
        }
    }
}
