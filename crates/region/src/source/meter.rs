//! Counting what is read, so that a test can say that no more was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Access, ImageInfo, Source, SourceError};
use crate::{Bounds, Dense, Digest};

/// Calls and bytes.
#[derive(Debug, Default)]
pub struct Meter {
    calls: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    /// How many reads.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// How many bytes they gave.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, bytes: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A source that counts the boxes read from it and the bytes of their pixels.
#[derive(Debug)]
pub struct Metered {
    source: Arc<dyn Source>,
    meter: Meter,
}

impl Metered {
    /// Counts from now on.
    pub fn new(source: Arc<dyn Source>) -> Metered {
        Metered { source, meter: Meter::default() }
    }

    /// What was counted.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }
}

impl Source for Metered {
    fn info(&self) -> &ImageInfo {
        self.source.info()
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let dense = self.source.read(bounds)?;
        self.meter.count(dense.bytes());
        Ok(dense)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        let dense = self.source.read_scale(scale, bounds)?;
        self.meter.count(dense.bytes());
        Ok(dense)
    }

    fn access(&self) -> Access {
        self.source.access()
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.source.digest()
    }
}
