//! Counting what is read, so that a test can say that no more was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Access, ImageInfo, Source};
use crate::{Bounds, Dense, Digest, SourceError};

/// Calls and bytes.
#[derive(Debug, Default)]
pub struct ReadMeter {
    calls: AtomicU64,
    bytes: AtomicU64,
}

impl ReadMeter {
    /// How many reads.
    #[inline]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// How many bytes they gave.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts one read of so many bytes.
    #[inline]
    pub fn count(&self, bytes: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A source that counts the boxes read from it and the bytes of their pixels.
#[derive(Debug)]
pub struct MeteredSource {
    source: Arc<dyn Source>,
    meter: ReadMeter,
}

impl MeteredSource {
    /// Counts from now on.
    pub fn new(source: Arc<dyn Source>) -> MeteredSource {
        MeteredSource { source, meter: ReadMeter::default() }
    }

    /// What was counted.
    pub fn meter(&self) -> &ReadMeter {
        &self.meter
    }
}

impl Source for MeteredSource {
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

    fn reads_check_file(&self) -> bool {
        self.source.reads_check_file()
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.source.digest()
    }
}
