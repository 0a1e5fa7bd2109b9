//! How fast buckets are handed out when there is nothing to compute: what the protocol itself takes.

use std::path::Path;
use std::time::Instant;

use onceflow_cluster::ClaimRules;

use super::{Claimer, CutBucket, CutFile, NextClaim, WorkRoot};
use crate::{EngineError, RunFolder};

/// Bytes of a small bucket and of its results.
const BYTES: usize = 600;

/// Takes so many buckets in which there is nothing to do from a new folder, as a worker does, and leaves results; says the
/// seconds that it took.
///
/// # Errors
/// When the folder cannot be written.
pub fn take_empty_buckets(folder: &Path, buckets: usize) -> Result<f64, EngineError> {
    let root = WorkRoot::of(&RunFolder::create(folder)?);
    root.begin()?;
    let (plan, text) = ("0".repeat(64), vec![b'x'; BYTES]);
    let phase = root.phase(&plan);
    phase.make()?;
    (0..buckets).try_for_each(|number| phase.write(&phase.bucket(number), &text))?;
    let empty = CutBucket { seconds: 0.0, after: Vec::new() };
    let cut = CutFile { version: CutFile::VERSION, plan, buckets: vec![empty; buckets], seconds: (0.0, 0.0) };
    let failed = |error| EngineError::Write { path: folder.to_path_buf(), error };
    let began = Instant::now();
    let mut claimer = Claimer::new(phase.clone(), &cut, "bench", ClaimRules::default());
    while let NextClaim::Compute { number, .. } = claimer.next().map_err(failed)? {
        let bucket = std::fs::read(phase.bucket(number)).map_err(failed)?;
        phase.write(&phase.result(number), &bucket)?;
        claimer.note_done(number);
    }
    Ok(began.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        take_empty_buckets(folder.path(), 300).unwrap();
        let phase = WorkRoot::of(&RunFolder::new(folder.path())).phase(&"0".repeat(64));
        assert_eq!(phase.results().unwrap().len(), 300);
        let attempts = phase.attempts().unwrap();
        assert!(attempts.len() == 300 && attempts.values().all(|count| *count == 1));
    }
}
