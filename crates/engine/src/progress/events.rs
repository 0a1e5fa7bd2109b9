//! What happens in a run, as lines of JSON for programs that watch it.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::track::ProgressTracker;
use super::{RowOver, TaskAhead, TaskOver};
use crate::EngineError;

/// A file of events, a line each.
pub(super) struct EventFile {
    /// `None` after a write failed: the reader is gone, and the run goes on.
    file: Option<File>,
}

impl EventFile {
    /// Begins a file, or opens a pipe.
    pub(super) fn create(path: &Path) -> Result<Self, EngineError> {
        let file = File::create(path).map_err(|error| EngineError::Write { path: path.into(), error })?;
        Ok(Self { file: Some(file) })
    }

    /// A phase begins.
    pub(super) fn phase(&mut self, far: &ProgressTracker) {
        let task = |task: &TaskAhead| {
            let stage = &far.phase.stages[task.stage];
            json!({ "task": task.name, "stage": stage, "asked": task.asked, "planned": task.planned })
        };
        let tasks: Vec<Value> = far.phase.tasks.iter().map(task).collect();
        let (name, instances) = (&far.phase.name, far.phase.instances);
        self.write(far, json!({ "event": "phase", "phase": name, "instances": instances, "tasks": tasks }));
    }

    /// So many rows were done on a part before.
    pub(super) fn resumed(&mut self, far: &ProgressTracker, instances: u64) {
        self.write(far, json!({ "event": "resumed", "instances": instances }));
    }

    /// A task is over.
    pub(super) fn task(&mut self, far: &ProgressTracker, task: &TaskOver<'_>) {
        let name = &far.phase.tasks[task.task].name;
        let event = json!({
            "event": "task", "task": name, "row": task.row, "image": task.image, "site": task.site,
            "seconds": task.seconds, "reserved_bytes": task.reserved, "failed": task.failed,
        });
        self.write(far, event);
    }

    /// A row is over on a part.
    pub(super) fn row(&mut self, far: &ProgressTracker, row: &RowOver<'_>) {
        let event = json!({
            "event": "row", "row": row.row, "image": row.image, "part": row.part, "status": row.status,
            "resumed": row.resumed,
        });
        self.write(far, event);
    }

    /// The run is over.
    pub(super) fn end(&mut self, ending: &str, far: &ProgressTracker) {
        self.write(far, json!({ "event": "end", "ending": ending }));
    }

    fn write(&mut self, far: &ProgressTracker, mut event: Value) {
        event["version"] = json!(1);
        event["s"] = json!((far.began.elapsed().as_secs_f64() * 1e6).round() / 1e6);
        let line = format!("{event}\n");
        if self.file.as_mut().is_some_and(|file| file.write_all(line.as_bytes()).is_err()) {
            self.file = None;
        }
    }
}
