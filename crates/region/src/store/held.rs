//! A region that a reader holds, with the memory that it takes.

use std::ops::Deref;
use std::sync::Arc;

use crate::{Lease, Region};

/// A region in memory. Its bytes are given back when the last holder lets go, even if the store has removed it before.
#[derive(Debug, Clone)]
pub struct Held(Arc<(Region, Option<Lease>)>);

impl Held {
    /// A region with the lease that covers it, if one does.
    pub fn new(region: Region, lease: Option<Lease>) -> Held {
        Held(Arc::new((region, lease)))
    }
}

impl Deref for Held {
    type Target = Region;

    fn deref(&self) -> &Region {
        &self.0.0
    }
}
