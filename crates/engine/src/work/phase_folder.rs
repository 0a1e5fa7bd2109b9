//! The folder of one phase: its buckets, the attempts at them, and their results.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onceflow_region::Digest;
use onceflow_store::publish::Publisher;
use serde::{Deserialize, Serialize};

use crate::{EngineError, RunFolder};

use super::job::WORK_FOLDER;

/// The folder of all work of a run.
#[derive(Clone, Debug)]
pub(crate) struct WorkRoot {
    path: PathBuf,
}

/// Names the phase that has buckets now.
const NOW: &str = "now";
/// Is there when the run is over.
const ENDED: &str = "ended";
/// Is written again and again while a manager lives.
const MANAGER: &str = "manager";
/// A manager says so often that it lives.
pub(crate) const SIGN: Duration = Duration::from_secs(1);
/// A process that asks whether one lives watches for so many signs.
const WATCHED: u32 = 4;
/// Where workers write what they would print.
const LOGS: &str = "logs";

impl WorkRoot {
    /// That of a run.
    pub(crate) fn of(run: &RunFolder) -> Self {
        Self { path: run.path().join(WORK_FOLDER) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a worker writes its log.
    pub(crate) fn log(&self, worker: &str) -> PathBuf {
        self.path.join(LOGS).join(format!("{worker}.log"))
    }

    /// Begins: the run is not over.
    pub(crate) fn begin(&self) -> Result<(), EngineError> {
        written(&self.path.join(LOGS), |path| fs::create_dir_all(path))?;
        let _nothing = fs::remove_file(self.path.join(ENDED));
        self.tell_of_manager()
    }

    /// The manager lives.
    pub(crate) fn tell_of_manager(&self) -> Result<(), EngineError> {
        written(&self.path.join(MANAGER), |path| fs::write(path, b"."))
    }

    /// What the file of the manager looks like: it changes while there is one.
    pub(crate) fn manager(&self) -> Option<std::time::SystemTime> {
        fs::File::open(self.path.join(MANAGER)).ok()?.metadata().ok()?.modified().ok()
    }

    /// Whether a manager lives: its sign is watched until it changes, so that no clock is compared with another.
    pub(crate) fn has_manager(&self) -> bool {
        let Some(first) = self.manager().filter(|_| !self.is_over()) else { return false };
        let until = Instant::now() + SIGN * WATCHED;
        while Instant::now() < until {
            std::thread::sleep(SIGN / 10);
            if self.manager().is_some_and(|now| now != first) {
                return true;
            }
        }
        false
    }

    /// Buckets are now in the folder of this phase.
    pub(crate) fn go_on_with(&self, phase: &PhaseFolder) -> Result<(), EngineError> {
        let name = phase.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        written(&self.path.join(NOW), |path| whole(path, name.as_bytes()))
    }

    /// The phase that has buckets now; none before the first, and when the run is over.
    pub(crate) fn now(&self) -> Option<PhaseFolder> {
        let name = fs::read_to_string(self.path.join(NOW)).ok()?;
        let known = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        known.then(|| PhaseFolder { path: self.path.join(name) })
    }

    /// The folder of a phase by the digest of its plan.
    pub(crate) fn phase(&self, plan: &str) -> PhaseFolder {
        PhaseFolder { path: self.path.join(&plan[..plan.len().min(16)]) }
    }

    /// The run is over.
    pub(crate) fn end(&self) -> Result<(), EngineError> {
        written(&self.path.join(ENDED), |path| fs::write(path, b"."))
    }

    /// Whether it is.
    pub(crate) fn is_over(&self) -> bool {
        self.path.join(ENDED).exists()
    }

    /// Removes all but the logs: the journal has what was computed.
    pub(crate) fn clear(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.ends_with(LOGS) {
                let _nothing = fs::remove_dir_all(&path);
            }
        }
        let _nothing = fs::remove_file(self.path.join(NOW));
    }
}

/// The folder of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseFolder {
    path: PathBuf,
}

/// The buckets of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CutFile {
    pub(crate) version: u32,
    /// The digest of the plan.
    pub(crate) plan: String,
    /// The buckets, in the order in which they are handed out.
    pub(crate) buckets: Vec<CutBucket>,
    /// Seconds of the work in one piece, and in these buckets, as expected.
    pub(crate) seconds: (f64, f64),
}

impl CutFile {
    pub(crate) const VERSION: u32 = 1;
}

/// What is to be known of a bucket before it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CutBucket {
    /// Seconds that it is expected to take.
    pub(crate) seconds: f64,
    /// Buckets whose results it takes.
    pub(crate) after: Vec<usize>,
}

impl PhaseFolder {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes all that is in it.
    pub(crate) fn clear(&self) -> Result<(), EngineError> {
        written(&self.path, |path| match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
    }

    /// Makes its folders.
    pub(crate) fn make(&self) -> Result<(), EngineError> {
        let make = |name: &str| written(&self.path.join(name), |path| fs::create_dir_all(path));
        ["buckets", "rows", "leases", "results", "shared"].into_iter().try_for_each(make)
    }

    /// The buckets that an earlier manager cut for the same plan.
    pub(crate) fn cut(&self, plan: Option<&str>) -> Option<CutFile> {
        let text = fs::read_to_string(self.path.join("cut.json")).ok()?;
        let cut: CutFile = serde_json::from_str(&text).ok()?;
        let same = cut.version == CutFile::VERSION && plan.is_none_or(|plan| cut.plan == plan);
        same.then_some(cut)
    }

    /// Says that all buckets are there.
    pub(crate) fn publish_cut(&self, cut: &CutFile) -> Result<(), EngineError> {
        let text = serde_json::to_string(cut).map_err(|error| EngineError::Internal(error.to_string()))?;
        written(&self.path.join("cut.json"), |path| whole(path, text.as_bytes()))
    }

    /// Writes a file of it whole.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), EngineError> {
        written(path, |path| whole(path, bytes))
    }

    /// Where the shared results are.
    pub(crate) fn shared(&self) -> PathBuf {
        self.path.join("shared")
    }

    pub(crate) fn leases(&self) -> PathBuf {
        self.path.join("leases")
    }

    pub(crate) fn bucket(&self, number: usize) -> PathBuf {
        self.path.join(format!("buckets/{number:06}.json"))
    }

    pub(crate) fn result(&self, number: usize) -> PathBuf {
        self.path.join(format!("results/{number:06}.json"))
    }

    pub(crate) fn attempt(&self, number: usize, attempt: usize) -> PathBuf {
        self.path.join(format!("leases/{number:06}.{attempt}"))
    }

    /// Where it is written that the worker of an attempt is gone.
    fn loss(&self, number: usize, attempt: usize) -> PathBuf {
        self.path.join(format!("leases/{number:06}.{attempt}.lost"))
    }

    /// Notes that the worker of an attempt is gone, and why.
    pub(crate) fn note_loss(&self, (number, attempt): (usize, usize), loss: &LostWorker) -> io::Result<()> {
        whole(&self.loss(number, attempt), serde_json::to_string(loss)?.as_bytes())
    }

    /// Why the worker of an attempt is gone, where that is known.
    pub(crate) fn loss_of(&self, number: usize, attempt: usize) -> Option<LostWorker> {
        serde_json::from_str(&fs::read_to_string(self.loss(number, attempt)).ok()?).ok()
    }

    /// Writes rows that many buckets have; gives their digest, which is their name.
    pub(crate) fn write_rows(&self, text: &str) -> Result<String, EngineError> {
        let digest = Digest::of_text("onceflow rows of buckets v1", text).to_string();
        let path = self.rows(&digest);
        if !path.is_file() {
            written(&path, |path| whole(path, text.as_bytes()))?;
        }
        Ok(digest)
    }

    pub(crate) fn rows(&self, digest: &str) -> PathBuf {
        self.path.join("rows").join(format!("{}.json", &digest[..digest.len().min(32)]))
    }

    /// The numbers of buckets that have results.
    pub(crate) fn results(&self) -> io::Result<Vec<usize>> {
        let number = |name: &str| name.strip_suffix(".json")?.parse().ok();
        Ok(names(&self.path.join("results"))?.iter().filter_map(|name| number(name)).collect())
    }

    /// How many attempts each bucket has had.
    pub(crate) fn attempts(&self) -> io::Result<BTreeMap<usize, usize>> {
        let mut attempts = BTreeMap::new();
        for name in names(&self.leases())? {
            let parsed = name.split_once('.').and_then(|(number, attempt)| {
                Some((number.parse::<usize>().ok()?, attempt.parse::<usize>().ok()?))
            });
            if let Some((number, attempt)) = parsed {
                let most = attempts.entry(number).or_insert(0);
                *most = attempt.max(*most);
            }
        }
        Ok(attempts)
    }
}

/// Why a worker is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LostWorker {
    /// Whether the bucket cannot be the reason.
    pub(crate) excused: bool,
    /// What is known of it.
    pub(crate) reason: String,
}

/// Writes a file that appears whole and may be lost with the power: what it holds can be computed again.
pub(super) fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Publisher::hasty().write_file(path, |file| file.write_all(bytes))
}

/// Names in a folder; none where it is not there.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn written(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), EngineError> {
    write(path).map_err(|error| EngineError::Write { path: path.to_path_buf(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Heartbeat;

    #[test]
    fn a_manager_is_there_while_it_gives_signs_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let root = WorkRoot::of(&RunFolder::new(folder.path()));
        assert!(!root.has_manager(), "there is no work");
        root.begin().unwrap();
        assert!(!root.has_manager(), "one sign is none");
        let signs = root.clone();
        let heartbeat = Heartbeat::start(SIGN, move || _ = signs.tell_of_manager());
        assert!(root.has_manager());
        root.end().unwrap();
        assert!(!root.has_manager(), "the run is over");
        drop(heartbeat);
    }
}
