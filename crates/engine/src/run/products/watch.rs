//! Whether the files that a run reads stay as they were when their digests were taken. What was computed after a file changed is
//! not published: its key would stand for another content.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use onceflow_products::WatchedFile;
use onceflow_study::counted;

/// What a product depends on besides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DependsOn {
    /// Nothing: its key is the digest of its bytes.
    Bytes,
    /// The files of this image.
    Image(usize),
    /// The files of all images.
    Study,
}

/// The files of the images of a run.
#[derive(Debug)]
pub(super) struct SourceWatch {
    /// The files of each image.
    images: Vec<Vec<WatchedFile>>,
    changed: Mutex<ChangedFiles>,
}

#[derive(Debug, Default)]
struct ChangedFiles {
    images: BTreeSet<usize>,
    names: BTreeSet<String>,
    /// Results that were not published because of them.
    dropped: usize,
}

impl SourceWatch {
    pub(super) fn new(images: Vec<Vec<WatchedFile>>) -> Self {
        Self { images, changed: Mutex::default() }
    }

    /// Looks at all files again. One that changed stays changed: what was computed meanwhile may be of either content.
    pub(super) fn look(&self) {
        let mut changed = self.changed();
        for (image, files) in self.images.iter().enumerate() {
            for file in files.iter().filter(|file| !file.is_unchanged()) {
                changed.images.insert(image);
                changed.names.insert(file.path().display().to_string());
            }
        }
    }

    /// Which of these products may be published; the others are counted.
    pub(super) fn allowed(&self, products: &[DependsOn]) -> Vec<bool> {
        let mut changed = self.changed();
        let is_allowed = |on: &DependsOn| match on {
            DependsOn::Bytes => true,
            DependsOn::Image(image) => !changed.images.contains(image),
            DependsOn::Study => changed.images.is_empty(),
        };
        let allowed: Vec<bool> = products.iter().map(is_allowed).collect();
        changed.dropped += allowed.iter().filter(|allowed| !**allowed).count();
        allowed
    }

    /// What is to be said of files that changed.
    pub(super) fn words(&self) -> Option<String> {
        let changed = self.changed();
        let first = changed.names.first()?;
        let files = match changed.names.len() {
            1 => format!("{first} was changed"),
            more => format!("{} ({first}, …) were changed", counted(more, "file")),
        };
        let dropped = match changed.dropped {
            0 => String::new(),
            results => format!(", and {} of it was not kept for later runs", counted(results, "result")),
        };
        Some(format!(
            "{files} while the run read it: its results may be of two contents{dropped}. Run the study again into another folder."
        ))
    }

    fn changed(&self) -> MutexGuard<'_, ChangedFiles> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
