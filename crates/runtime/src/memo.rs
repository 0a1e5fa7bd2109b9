//! What earlier runs left behind: outputs by static key.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::Key;

/// Remembers outputs. It is asked and told only by workers, of tasks that give the same bytes in every run.
pub trait Memo: Send + Sync {
    /// Whether it is worth asking: keys cost time.
    fn enabled(&self) -> bool {
        true
    }

    /// The outputs that were put under a key.
    fn get(&self, key: &Key) -> Option<Vec<Arc<Region>>>;

    /// Keeps outputs that took so many seconds to make. A task that ended its stage is not put, so what is found again
    /// did not end it.
    fn put(&self, key: &Key, outputs: &[Arc<Region>], seconds: f64);
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemo;

impl Memo for NoMemo {
    fn enabled(&self) -> bool {
        false
    }

    fn get(&self, _: &Key) -> Option<Vec<Arc<Region>>> {
        None
    }

    fn put(&self, _: &Key, _: &[Arc<Region>], _: f64) {}
}
