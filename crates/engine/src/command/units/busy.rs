//! What workers make at the moment, so that another one that needs the same waits for it instead of making it as well.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use onceflow_kernels::Shape;

/// Keys of units that are being made, with the part they belong to.
#[derive(Debug, Default)]
pub(super) struct Busy {
    keys: Mutex<HashSet<(usize, Shape)>>,
    changed: Condvar,
}

/// Units that one worker makes; nobody waits for them any longer once it is dropped, however that went.
pub(super) struct Claim<'a> {
    busy: &'a Busy,
    site: usize,
    keys: HashSet<Shape>,
}

impl Busy {
    /// Claims those keys that nobody else has.
    pub(super) fn claim<'a>(&'a self, site: usize, keys: impl Iterator<Item = Shape>) -> Claim<'a> {
        let mut busy = self.lock();
        let keys = keys.filter(|key| busy.insert((site, *key))).collect();
        Claim { busy: self, site, keys }
    }

    /// Waits until nobody makes any of these. Whoever waits has no claim itself, so that nobody waits for ever.
    pub(super) fn wait(&self, site: usize, keys: &[Shape]) {
        let mut busy = self.lock();
        while keys.iter().any(|key| busy.contains(&(site, *key))) {
            busy = self.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<(usize, Shape)>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claim<'_> {
    /// Whether a key is claimed by it.
    pub(super) fn has(&self, key: Shape) -> bool {
        self.keys.contains(&key)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut busy = self.busy.lock();
        for key in &self.keys {
            busy.remove(&(self.site, *key));
        }
        drop(busy);
        self.busy.changed.notify_all();
    }
}
