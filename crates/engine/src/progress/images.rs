//! How many images were looked at, for those who wait.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::StepProgress;

/// Is told, from any thread, how many images were looked at while a study is opened. By default it does nothing.
#[derive(Clone, Default)]
pub struct ImageWatch(Option<Arc<dyn Fn(StepProgress) + Send + Sync>>);

impl ImageWatch {
    /// Calls a function after each image.
    pub fn new(watch: impl Fn(StepProgress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(watch)))
    }

    /// Counts what is done of so many images.
    pub(crate) fn counter(&self, task: &'static str, of: usize) -> ImageCounter<'_> {
        ImageCounter { watch: self, task, done: AtomicU64::new(0), of: of as u64 }
    }
}

impl fmt::Debug for ImageWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ImageWatch")
    }
}

/// Counts images of one pass over all of them.
pub(crate) struct ImageCounter<'a> {
    watch: &'a ImageWatch,
    task: &'static str,
    done: AtomicU64,
    of: u64,
}

impl ImageCounter<'_> {
    /// One more image is done.
    pub(crate) fn one(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(watch) = &self.watch.0 {
            watch(StepProgress { task: self.task, done, of: self.of });
        }
    }
}
