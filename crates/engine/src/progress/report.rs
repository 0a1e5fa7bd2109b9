//! Forwards progress to its receiver, and writes the status file and the events beside.

use std::path::Path;
use std::time::Instant;

use super::events::EventFile;
use super::status::StatusFile;
use super::track::ProgressTracker;
use super::{BucketOver, ImagesDigested, PhaseBegun, PicturesAhead, Progress, RowOver, TaskOver};
use crate::RunEnding;
use crate::{EngineError, RunFolder};

/// Forwards progress, and records it in the folder of the run.
pub(crate) struct ProgressReport<'a> {
    receiver: &'a mut dyn Progress,
    tracker: ProgressTracker,
    status: StatusFile,
    events: Option<EventFile>,
}

impl<'a> ProgressReport<'a> {
    /// Of a run in a folder, with events in a file when one is named.
    pub(crate) fn new(
        receiver: &'a mut dyn Progress,
        folder: &RunFolder,
        events: Option<&Path>,
    ) -> Result<Self, EngineError> {
        let (tracker, status) = (ProgressTracker::new(Instant::now()), StatusFile::new(folder));
        let events = events.map(EventFile::create).transpose()?;
        Ok(Self { receiver, tracker, status, events })
    }

    /// Records how the run ended.
    pub(crate) fn end(&mut self, ending: &RunEnding) {
        let word = ending.word();
        self.status.write(&self.tracker, word);
        if let Some(events) = &mut self.events {
            events.end(word, &self.tracker);
        }
    }
}

impl Progress for ProgressReport<'_> {
    fn digesting(&mut self, digested: ImagesDigested) {
        self.receiver.digesting(digested);
    }

    fn phase(&mut self, phase: &PhaseBegun) {
        self.tracker.begin(phase);
        self.receiver.phase(phase);
        self.status.write(&self.tracker, "running");
        if let Some(events) = &mut self.events {
            events.phase(&self.tracker);
        }
    }

    fn resumed(&mut self, instances: u64) {
        self.receiver.resumed(instances);
        if let Some(events) = &mut self.events {
            events.resumed(&self.tracker, instances);
        }
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        self.tracker.task(task);
        self.receiver.task(task);
        if let Some(events) = &mut self.events {
            events.task(&self.tracker, task);
        }
        self.status.refresh(&self.tracker);
    }

    fn duplicate(&mut self, task: usize) {
        self.tracker.duplicate(task);
        self.receiver.duplicate(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.tracker.row(row);
        self.receiver.row(row);
        if let Some(events) = &mut self.events {
            events.row(&self.tracker, row);
        }
        self.status.refresh(&self.tracker);
    }

    fn pictures(&mut self, ahead: &PicturesAhead) {
        self.receiver.pictures(ahead);
    }

    fn workers(&mut self, running: usize) {
        self.tracker.workers(running);
        self.receiver.workers(running);
        self.status.refresh(&self.tracker);
    }

    fn bucket(&mut self, bucket: &BucketOver<'_>) {
        self.tracker.bucket(bucket);
        self.receiver.bucket(bucket);
        self.status.refresh(&self.tracker);
    }

    fn note(&mut self, text: &str) {
        self.receiver.note(text);
    }
}
