//! Regions that stay in memory while they are pinned.

use std::ops::Deref;
use std::sync::Arc;

use onceflow_region::Region;

use super::loading::Pinned;
use super::shared::SharedTiers;

/// A region that stays in memory, and is never dropped, as long as this lives.
pub struct Pin {
    shared: Arc<SharedTiers>,
    pinned: Pinned,
    region: Arc<Region>,
}

impl Pin {
    pub(super) fn new(shared: Arc<SharedTiers>, pinned: Pinned, region: Arc<Region>) -> Pin {
        Pin { shared, pinned, region }
    }

    /// The region, to be handed on.
    pub fn region(&self) -> &Arc<Region> {
        &self.region
    }
}

impl Deref for Pin {
    type Target = Region;

    fn deref(&self) -> &Region {
        &self.region
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.shared.unpin(&self.pinned);
    }
}

impl std::fmt::Debug for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pin({})", self.pinned.digest)
    }
}
