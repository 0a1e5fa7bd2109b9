//! Images that cannot be read, before a run and while it goes on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_region::Access;
use onceflow_region::{Bounds, Dense, Digest, ImageInfo, Source, SourceError};

/// An image that is left out of a study since it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOutImage {
    pub(crate) name: String,
    pub(crate) why: String,
}

impl LeftOutImage {
    /// `image b is left out: cannot read …`.
    pub(crate) fn words(&self) -> String {
        format!("image {} is left out, since it cannot be read: {}", self.name, self.why)
    }
}

/// Images, by their places, of which something could not be read while tasks ran, and why.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnreadImages(Arc<Mutex<BTreeMap<usize, String>>>);

impl UnreadImages {
    /// Takes note of an error.
    pub(crate) fn note(&self, image: usize, error: &SourceError) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.entry(image).or_insert_with(|| error.to_string());
    }

    /// Takes note of what another process found.
    pub(crate) fn note_words(&self, image: usize, why: &str) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.entry(image).or_insert_with(|| why.to_owned());
    }

    /// Whether something of an image could not be read.
    pub(crate) fn has(&self, image: usize) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&image)
    }

    /// All of them.
    pub(crate) fn found(&self) -> BTreeMap<usize, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The source of an image whose errors are noted.
    pub(crate) fn watch(&self, image: usize, source: &Arc<dyn Source>) -> Arc<dyn Source> {
        Arc::new(WatchedSource { image, source: Arc::clone(source), unread: self.clone() })
    }
}

/// A source whose errors are noted.
#[derive(Debug)]
struct WatchedSource {
    image: usize,
    source: Arc<dyn Source>,
    unread: UnreadImages,
}

impl WatchedSource {
    fn noted<T>(&self, read: Result<T, SourceError>) -> Result<T, SourceError> {
        read.inspect_err(|error| self.unread.note(self.image, error))
    }
}

impl Source for WatchedSource {
    fn info(&self) -> &ImageInfo {
        self.source.info()
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        self.noted(self.source.read(bounds))
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        self.noted(self.source.read_scale(scale, bounds))
    }

    fn access(&self) -> Access {
        self.source.access()
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.noted(self.source.digest())
    }
}
