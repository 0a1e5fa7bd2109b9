//! The file that tells another terminal how far a run is.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use onceflow_store::publish::Publisher;
use serde_json::{Value, json};

use super::track::{ProgressTracker, StageProgress};
use crate::RunFolder;

/// Its name in the folder of a run.
pub const STATUS_FILE: &str = "status.json";

/// Written now and then while a run goes on.
pub(super) struct StatusFile {
    path: PathBuf,
    written: Instant,
}

/// Rarely enough to be no load on a file system that many share.
const PAUSE: Duration = Duration::from_secs(1);

impl StatusFile {
    /// In the folder of a run.
    pub(super) fn new(folder: &RunFolder) -> Self {
        Self { path: folder.path().join(STATUS_FILE), written: Instant::now() }
    }

    /// Writes it, unless it was written shortly before.
    pub(super) fn refresh(&mut self, far: &ProgressTracker) {
        if self.written.elapsed() >= PAUSE {
            self.write(far, "running");
        }
    }

    /// Writes how far a run is, without waiting for the disk: after a loss of power no run goes on. When there is no space for
    /// that the results will say so.
    pub(super) fn write(&mut self, far: &ProgressTracker, state: &str) {
        self.written = Instant::now();
        let text = format!("{}\n", status(far, state));
        let _ = Publisher::hasty().write_file(&self.path, |file| file.write_all(text.as_bytes()));
    }
}

fn status(far: &ProgressTracker, state: &str) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
    let stage = |(name, stage): (&String, StageProgress)| json!({ "stage": name, "computed": stage.computed, "planned": stage.planned, "asked": stage.asked });
    let stages: Vec<Value> = far.phase.stages.iter().zip(far.stages()).map(stage).collect();
    json!({
        "version": 1,
        "state": state,
        "process": std::process::id(),
        "phase": far.phase.name,
        "instances": { "done": far.instances, "of": far.phase.instances, "failed": far.failed },
        "stages": stages,
        "memory": { "reserved_bytes": far.reserved, "bound_bytes": far.phase.memory, "largest_worker_bytes": far.peak },
        "work": far.cost.map(|(done, of)| json!({ "done_s": done, "of_s": of })),
        "workers": far.phase.workers,
        "processes": far.processes,
        "running_s": far.began.elapsed().as_secs_f64(),
        "left_s": far.can_tell().then(|| far.seconds_left()),
        "updated": now,
    })
}
