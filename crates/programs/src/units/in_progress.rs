//! Units that workers compute at the moment: another worker that needs one waits for it instead of computing it as well.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use onceflow_kernels::ObjectHash;

/// Keys of units in progress, each with the site of its part.
#[derive(Debug, Default)]
pub(super) struct UnitsInProgress {
    keys: Mutex<HashSet<(usize, ObjectHash)>>,
    changed: Condvar,
}

/// Units that one worker computes; dropping it releases the workers that wait for them, also after a failure.
pub(super) struct UnitClaim<'a> {
    units: &'a UnitsInProgress,
    site: usize,
    keys: HashSet<ObjectHash>,
}

impl UnitsInProgress {
    /// Claims the keys that no other worker has claimed.
    pub(super) fn claim<'a>(&'a self, site: usize, keys: impl Iterator<Item = ObjectHash>) -> UnitClaim<'a> {
        let mut claimed = self.lock();
        let keys = keys.filter(|key| claimed.insert((site, *key))).collect();
        UnitClaim { units: self, site, keys }
    }

    /// Waits until none of these is in progress. A worker that waits holds no claim itself, so there is no deadlock.
    pub(super) fn wait(&self, site: usize, keys: &[ObjectHash]) {
        let mut claimed = self.lock();
        while keys.iter().any(|key| claimed.contains(&(site, *key))) {
            claimed = self.changed.wait(claimed).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<(usize, ObjectHash)>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnitClaim<'_> {
    /// Whether it includes a key.
    pub(super) fn has(&self, key: ObjectHash) -> bool {
        self.keys.contains(&key)
    }
}

impl Drop for UnitClaim<'_> {
    fn drop(&mut self) {
        let mut claimed = self.units.lock();
        for key in &self.keys {
            claimed.remove(&(self.site, *key));
        }
        drop(claimed);
        self.units.changed.notify_all();
    }
}
