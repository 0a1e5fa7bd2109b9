//! A region that a reader holds, with the memory that it takes.

use std::ops::Deref;
use std::sync::Arc;

use crate::{Lease, Region};

/// A region in memory. Its bytes are given back when the last holder lets go, even if the store has removed it before.
#[derive(Debug, Clone)]
pub struct HeldRegion {
    region: Arc<Region>,
    /// Dropped with the last clone.
    _lease: Option<Arc<Lease>>,
}

impl HeldRegion {
    /// A region with the lease that covers it, if one does.
    #[inline]
    pub fn new(region: Region, lease: Option<Lease>) -> HeldRegion {
        HeldRegion { region: Arc::new(region), _lease: lease.map(Arc::new) }
    }

    /// A region whose memory its store accounts for while a reader holds it.
    #[inline]
    pub fn shared(region: Arc<Region>) -> HeldRegion {
        HeldRegion { region, _lease: None }
    }
}

impl Deref for HeldRegion {
    type Target = Region;

    #[inline]
    fn deref(&self) -> &Region {
        &self.region
    }
}
