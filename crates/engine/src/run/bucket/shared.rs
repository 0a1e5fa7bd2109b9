//! Results of tasks of a whole image or study that several buckets take: computed once, and published as files by key.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{Flow, TaskKey};
use onceflow_runtime::{CachedResult, InputProvider, LastingResults, NewResult, OperationError, ResultCache};
use onceflow_store::codec;
use onceflow_store::publish::Publisher;
use onceflow_study::Scope;

use crate::open::sources::Sources;
use crate::run::results::PhaseResults;

/// A result with more bytes than this was not written by us.
const MOST_BYTES: u64 = 1 << 34;

/// The published results of a phase.
#[derive(Debug)]
pub(crate) struct PublishedResults {
    folder: PathBuf,
    /// The tasks of the flow that belong to an image or the study.
    wide: Vec<bool>,
}

impl PublishedResults {
    /// Those in a folder, for the tasks of a flow.
    pub(crate) fn new(folder: &Path, flow: &Flow) -> Self {
        let wide = (0..flow.tasks.len()).map(|task| flow.scope(task) != Scope::Part).collect();
        Self { folder: folder.to_path_buf(), wide }
    }

    fn path(&self, key: &TaskKey) -> PathBuf {
        let hex: String = key.0.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(hex)
    }

    fn read(&self, key: &TaskKey) -> Result<Vec<Region>, String> {
        let mut file = fs::File::open(self.path(key)).map_err(|error| error.to_string())?;
        let whole = file.metadata().map_err(|error| error.to_string())?.len();
        let mut number = || {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes).map_err(|error| error.to_string())?;
            Ok::<u64, String>(u64::from_le_bytes(bytes))
        };
        let count = number()?;
        if count > whole / 8 || whole > MOST_BYTES {
            return Err("a published result is damaged".into());
        }
        let lengths = (0..count).map(|_| number()).collect::<Result<Vec<u64>, String>>()?;
        let needed = lengths.iter().try_fold((count + 1) * 8, |sum, length| sum.checked_add(*length));
        if needed != Some(whole) {
            return Err("a published result is damaged".into());
        }
        let region = |length: u64| {
            let mut part = std::io::Read::take(&mut file, length);
            codec::decode(&mut part, length).map_err(|error| error.to_string())
        };
        lengths.into_iter().map(region).collect()
    }
}

impl ResultCache for PublishedResults {
    fn wants(&self, task: usize) -> bool {
        self.wide.get(task).copied().unwrap_or(false)
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        let held = |key: &TaskKey| {
            let bytes = fs::metadata(self.path(key)).ok()?.len();
            Some(CachedResult { digests: Vec::new(), contents: Vec::new(), bytes, origin: None })
        };
        Ok(keys.iter().map(held).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let regions = self.read(key).map_err(OperationError::new)?;
        Ok(regions.into_iter().map(Arc::new).collect())
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        let failed = |error: &dyn std::fmt::Display| OperationError::new(error.to_string());
        let mut encoded = Vec::new();
        for region in result.outputs {
            let mut bytes = Vec::new();
            codec::encode(region, &mut bytes).map_err(|error| failed(&error))?;
            encoded.push(bytes);
        }
        let numbers = std::iter::once(encoded.len() as u64).chain(encoded.iter().map(|b| b.len() as u64));
        let head: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        for path in keys.iter().map(|key| self.path(key)).filter(|path| !path.is_file()) {
            let written = Publisher::hasty().write_file(&path, |file| {
                file.write_all(&head)?;
                encoded.iter().try_for_each(|bytes| file.write_all(bytes))
            });
            written.map_err(|error: std::io::Error| failed(&error))?;
        }
        let bytes = encoded.iter().map(|bytes| bytes.len() as u64).sum();
        Ok(Some(CachedResult { digests: Vec::new(), contents: Vec::new(), bytes, origin: None }))
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// The results of a bucket: those of its process, and behind them the published ones.
pub(crate) struct BucketResults<'a> {
    pub(crate) of_run: &'a PhaseResults,
    pub(crate) published: &'a PublishedResults,
    /// Sources by their numbers, which are the same in all processes with this plan.
    pub(crate) sources: &'a Sources<'a>,
}

impl ResultCache for BucketResults<'_> {
    fn is_enabled(&self) -> bool {
        self.of_run.is_enabled()
    }

    fn is_of_run(&self) -> bool {
        true
    }

    fn lasting(&self) -> Option<LastingResults<'_>> {
        let provider: &dyn InputProvider = self.sources;
        Some(LastingResults { cache: self.published, provider })
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        self.of_run.lookup(keys)
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        self.of_run.fetch(key)
    }

    fn store(
        &self,
        keys: &[TaskKey],
        result: &NewResult<'_>,
    ) -> Result<Option<CachedResult>, OperationError> {
        self.of_run.store(keys, result)
    }

    fn bytes(&self) -> u64 {
        self.of_run.bytes()
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Dense, Pixels};

    use super::*;

    #[test]
    fn results_come_back_and_damaged_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let flow = Flow::default();
        let results = PublishedResults::new(folder.path(), &flow);
        let region =
            |value| Arc::new(Region::Dense(Dense::new(3, 2, 1, Pixels::U8(vec![value; 6])).unwrap()));
        let outputs = [region(1), Arc::new(Region::Nothing), region(2)];
        let keys = [TaskKey([1; 32]), TaskKey([2; 32])];
        let result = NewResult { task: 0, site: 0, outputs: &outputs, contents: &[], seconds: 1.0 };
        assert!(results.lookup(&keys).unwrap().iter().all(Option::is_none));
        results.store(&keys, &result).unwrap();
        for key in &keys {
            let found: Vec<_> = results.fetch(key).unwrap().iter().map(|region| region.digest()).collect();
            assert_eq!(found, outputs.each_ref().map(|region| region.digest()));
        }
        let whole = fs::read(results.path(&keys[0])).unwrap();
        for end in 0..whole.len() {
            fs::write(results.path(&keys[0]), &whole[..end]).unwrap();
            assert!(results.fetch(&keys[0]).is_err(), "cut at {end}");
        }
        let huge = [u64::MAX.to_le_bytes(), u64::MAX.to_le_bytes()].concat();
        fs::write(results.path(&keys[0]), huge).unwrap();
        assert!(results.fetch(&keys[0]).is_err());
    }
}
