//! A region that a reader holds, with the memory that it takes.

use std::ops::Deref;
use std::sync::Arc;

use crate::{Lease, Region};

/// A region in memory. Its bytes are given back when the last holder lets go, even if the store has removed it before.
#[derive(Debug, Clone)]
pub struct Held {
    region: Arc<Region>,
    /// Dropped with the last clone.
    _lease: Option<Arc<Lease>>,
}

impl Held {
    /// A region with the lease that covers it, if one does.
    pub fn new(region: Region, lease: Option<Lease>) -> Held {
        Held { region: Arc::new(region), _lease: lease.map(Arc::new) }
    }

    /// A region whose memory its store accounts for as long as somebody holds it.
    pub fn shared(region: Arc<Region>) -> Held {
        Held { region, _lease: None }
    }
}

impl Deref for Held {
    type Target = Region;

    fn deref(&self) -> &Region {
        &self.region
    }
}
