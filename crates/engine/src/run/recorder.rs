//! What is gathered while a phase runs: counts of rows, costs of tasks, regions of the reference row.

use std::collections::{HashMap, HashSet, hash_map};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use onceflow_costs::Record;
use onceflow_nuclei::{PartComparison, counts_of};
use onceflow_region::{Budget, Region};
use onceflow_reuse::{ContentDigest, Flow, Level, NodeId, REFERENCE_SUFFIX, TaskOrigin};
use onceflow_runtime::{FinishedTask, Instance, Observer, PartLayout, RowOutcome, TaskLogEntry, TaskOutcome};
use onceflow_study::Scope;

use crate::clips::PictureClips;
use crate::costs::device;
use crate::open::inputs::{StudyInputs, UnreadImages};
use crate::open::metrics::{Metrics, Tally};
use crate::open::sources::{References, SavedReference};
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier::TakenResults;
use crate::resume::journal::{JournalLine, RowLines, tables};
use crate::run::composite::StepLog;
use crate::run::keep::Keeper;
use crate::run::products::PhaseProducts;
use crate::run::row_numbers::RowNumbers;
use crate::{EngineError, Progress, RowOver, RunFolder, TaskOver};

/// Gathers the results of one phase.
pub(crate) struct RunRecorder<'a> {
    pub(crate) inputs: &'a StudyInputs,
    pub(crate) layout: &'a PartLayout,
    pub(crate) flow: &'a Flow,
    /// The run's level of reuse.
    pub(crate) level: Level,
    pub(crate) folder: &'a RunFolder,
    pub(crate) lines: &'a mut dyn RowLines,
    pub(crate) progress: &'a mut dyn Progress,
    /// What came from earlier runs.
    pub(crate) earlier: TakenResults,
    /// The rows of the phase in the store of results.
    pub(crate) products: Option<&'a PhaseProducts<'a>>,
    pub(crate) budget: &'a Budget,
    pub(crate) stop: &'a AtomicBool,
    /// The reference row, when it is among the rows.
    pub(crate) reference: Option<usize>,
    /// Nodes whose outputs later phases compare with, the output, and its name.
    pub(crate) wanted: Vec<(NodeId, usize, String)>,
    /// What is kept for the pictures of the report.
    pub(crate) clips: &'a PictureClips,
    /// Regions that the study asks to keep.
    pub(crate) keeper: Keeper,
    /// The numbers of the rows.
    pub(crate) numbers: RowNumbers,
    /// Per row, per image.
    pub(crate) tallies: Vec<Vec<Tally>>,
    /// What each task that ran cost.
    pub(crate) records: Vec<Record>,
    /// What turned out to be the same as other nodes.
    pub(crate) same: Duplicates,
    /// Saved regions of the reference row.
    pub(crate) saved: References,
    /// Why nothing can be gathered any more.
    pub(crate) error: Option<EngineError>,
    /// Rows that failed somewhere.
    pub(crate) failed: HashSet<usize>,
    /// Images that are left out when they turn out to be unreadable: rows do not fail for them.
    pub(crate) skipped: Option<UnreadImages>,
    /// More failed rows than this stop the run.
    pub(crate) most_failed: u64,
    /// What steps of tasks in one took, and which of them failed.
    pub(crate) steps: Arc<StepLog>,
    /// The nodes of each fused task, by row.
    pub(crate) fused_nodes: HashMap<usize, Vec<NodeId>>,
    /// The steps in which calls of fused tasks failed.
    pub(crate) failed_steps: HashMap<Instance, usize>,
}

impl<'a> RunRecorder<'a> {
    /// Empty tallies for so many rows.
    pub(crate) fn tallies(metrics: &Metrics, rows: usize, images: usize) -> Vec<Vec<Tally>> {
        (0..rows).map(|_| metrics.tallies(images)).collect()
    }

    /// Adds what a row gave at a part.
    pub(crate) fn add(
        &mut self,
        row: usize,
        part: usize,
        comparisons: &[PartComparison],
        status: Option<&str>,
    ) {
        self.tallies[row][self.inputs.parts[part].image].add(part, comparisons, status);
        if status.is_some() && self.reference == Some(row) {
            self.note_ended_reference(part);
        }
    }

    /// Writes a line into the journal; a run that cannot be gone on with is not gone on with.
    pub(super) fn note(&mut self, line: &JournalLine) {
        if let Err(error) = self.lines.write(line) {
            self.give_up(error);
        }
    }

    /// A row failed at a part, in a task and for a reason.
    pub(super) fn fail(&mut self, row: usize, part: usize, task: &str, message: &str) {
        let image = self.inputs.parts[part].image;
        self.tallies[row][image].fail(part, task, message);
        if !self.skipped.as_ref().is_some_and(|skipped| skipped.has(image)) {
            self.count_failure(row);
        }
    }

    /// A row that fails on several parts is one failed row.
    fn count_failure(&mut self, row: usize) {
        self.failed.insert(row);
        if self.failed.len() as u64 > self.most_failed {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// What a task cost; one that failed, or that an earlier run had done, says nothing of the next.
    fn cost(&self, finished: &FinishedTask<'_>) -> Option<Record> {
        let TaskLogEntry { instance, task, seconds, bytes, served, .. } = *finished.entry;
        let fused = matches!(self.flow.tasks[task].made, TaskOrigin::Fused(_));
        if fused || served || matches!(finished.outcome, TaskOutcome::Failed { .. }) {
            return None;
        }
        let spec = &self.flow.tasks[task].spec;
        let output_bytes = finished.outputs.iter().map(|region| region.bytes()).sum();
        Some(Record {
            operation: spec.id.clone(),
            version: spec.version,
            device: device().into(),
            pixels: self.layout.pixels(self.flow.scope(task), instance.site),
            seconds,
            output_bytes,
            scratch_bytes: bytes.saturating_sub(output_bytes),
            reuse: Some(self.level.word().into()),
        })
    }

    /// Takes over what steps of tasks in one cost: each is a record of its own operation.
    pub(crate) fn take_steps(&mut self) {
        for taken in self.steps.drain() {
            let TaskOrigin::Fused(steps) = &self.flow.tasks[taken.task].made else { continue };
            let spec = &steps[taken.step].task.spec;
            self.records.push(Record {
                operation: spec.id.clone(),
                version: spec.version,
                device: device().into(),
                pixels: self.layout.pixels(self.flow.scope(taken.task), taken.site),
                seconds: taken.seconds,
                output_bytes: taken.bytes,
                scratch_bytes: 0,
                reuse: Some(self.level.word().into()),
            });
        }
    }

    /// The task of the workflow in which a row failed at a part: of fused tasks the one that failed.
    fn failing(&self, row: usize, task: usize, part: usize) -> String {
        let own = &self.flow.tasks[task];
        let step = || {
            let site = self.layout.site(self.flow.scope(task), part);
            let mut node = *self.fused_nodes.get(&task)?.get(row)?;
            while let Some(same) = self.same.get(&Instance { node, site }) {
                node = *same;
            }
            self.failed_steps.get(&Instance { node, site })
        };
        match (&own.made, step()) {
            (TaskOrigin::Fused(steps), Some(step)) => steps[*step].task.written().to_owned(),
            _ => own.written().to_owned(),
        }
    }

    /// Notes in which step a call of fused tasks failed.
    fn note_failed_step(&mut self, finished: &FinishedTask<'_>) {
        let TaskLogEntry { instance, task, row, .. } = *finished.entry;
        if let (TaskOutcome::Failed { .. }, Some(step)) =
            (finished.outcome, self.steps.failed(task, instance.site, row))
        {
            self.failed_steps.insert(instance, step);
        }
    }

    fn tell_of_task(&mut self, finished: &FinishedTask<'_>) {
        let TaskLogEntry { instance, task, row, seconds, known, .. } = *finished.entry;
        let image = match self.flow.scope(task) {
            Scope::Part => Some(self.inputs.parts[instance.site].image),
            Scope::Image => Some(instance.site),
            Scope::Study => None,
        };
        let failed = match finished.outcome {
            TaskOutcome::Failed { message, .. } => Some(message.as_str()),
            _ => None,
        };
        self.progress.task(&TaskOver {
            task,
            row: self.numbers.in_table(row as usize),
            image: image.map(|image| self.inputs.images[image].name.as_str()),
            site: instance.site,
            seconds,
            reserved: self.budget.used(),
            known,
            failed,
        });
    }

    /// Says that a row was compared on a part.
    pub(super) fn tell_of_compared(&mut self, task: usize, row: usize, part: usize, seconds: f64) {
        let image = self.inputs.images[self.inputs.parts[part].image].name.as_str();
        self.progress.task(&TaskOver {
            task,
            row: self.numbers.in_table(row),
            image: Some(image),
            site: part,
            seconds,
            reserved: self.budget.used(),
            known: false,
            failed: None,
        });
    }

    /// Says that a row is over on a part.
    pub(crate) fn tell_of_row(&mut self, row: usize, part: usize, status: &str, resumed: bool) {
        let image = self.inputs.images[self.inputs.parts[part].image].name.as_str();
        let row = self.numbers.in_table(row);
        self.progress.row(&RowOver { row, image, part, status, resumed });
    }

    fn give_up(&mut self, error: EngineError) {
        self.error.get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What was not made before a stage of the reference row ended stays empty.
    fn note_ended_reference(&mut self, part: usize) {
        for name in self.wanted.iter().map(|(_, _, name)| name.clone()).collect::<Vec<_>>() {
            if let hash_map::Entry::Vacant(vacant) = self.saved.entry((reference_name(&name), part)) {
                vacant.insert(SavedReference::Ended);
                self.note(&JournalLine::Saved { name, part, file: None });
            }
        }
    }

    pub(super) fn save(&mut self, part: usize, name: &str, region: &Region, content: Option<ContentDigest>) {
        match self.folder.save_reference(name, part, region) {
            Ok((file, path)) => {
                self.saved.insert((reference_name(name), part), SavedReference::Saved(path, content));
                self.note(&JournalLine::Saved { name: name.to_owned(), part, file: Some(file) });
            }
            Err(error) => self.give_up(error),
        }
    }
}

/// The name under which tasks take a region of the reference row.
pub(crate) fn reference_name(region: &str) -> String {
    format!("{region}{REFERENCE_SUFFIX}")
}

impl Observer for RunRecorder<'_> {
    fn finished(&mut self, finished: &FinishedTask<'_>) {
        let instance = finished.entry.instance;
        self.note_failed_step(finished);
        self.products.inspect(|products| products.keep_outputs(finished));
        self.clips.keep(instance, finished.entry.task, finished.outputs);
        self.records.extend(self.cost(finished));
        let wanted = self.wanted.iter().find(|(node, _, _)| *node == instance.node).cloned();
        if let Some((_, output, name)) = wanted
            && let Some(region) = finished.outputs.get(output)
        {
            self.save(instance.site, &name, region, finished.digests.get(output).copied());
        }
        if let Err(error) = self.keeper.keep(finished, self.inputs, &self.numbers, self.folder, self.lines) {
            self.give_up(error);
        }
        if finished.entry.served {
            self.progress.duplicate(finished.entry.task);
        } else {
            self.tell_of_task(finished);
        }
    }

    fn duplicate(&mut self, instance: Instance, same_as: Instance, task: usize) {
        self.same.insert(instance, same_as.node);
        self.products.inspect(|products| products.keep_same(instance, same_as, task));
        self.progress.duplicate(task);
    }

    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]) {
        match outcome {
            RowOutcome::Failed { task, message } => {
                let task = self.failing(row, *task, part);
                self.fail(row, part, &task, message);
                let row = self.numbers.in_phase(row);
                self.note(&JournalLine::Failed { row, part, task, message: message.clone() });
            }
            RowOutcome::Done { status } => {
                if status.is_some() {
                    self.clips.keep_ended(self.numbers.in_table(row), part);
                }
                let counts =
                    |outputs: &Vec<Arc<Region>>| outputs.first().and_then(|region| counts_of(region));
                match results.iter().map(counts).collect::<Option<Vec<PartComparison>>>() {
                    Some(comparisons) => {
                        self.add(row, part, &comparisons, status.as_deref());
                        let regions = results.iter().filter_map(|outputs| outputs.first());
                        if let Some(results) = tables(regions.map(AsRef::as_ref)) {
                            let number = self.numbers.in_phase(row);
                            let line =
                                JournalLine::Done { row: number, part, status: status.clone(), results };
                            self.note(&line);
                            if let Some(products) = self.products {
                                let number = self.numbers.in_table(row);
                                products.publish(row, number, part, &line);
                                products.publish_outputs(row, number, part, status.as_deref());
                            }
                        }
                    }
                    None => self.give_up(EngineError::Internal(format!("row {row} came without counts"))),
                }
            }
        }
        let status = match outcome {
            RowOutcome::Failed { .. } => "failed",
            RowOutcome::Done { status } => status.as_deref().unwrap_or("ok"),
        };
        self.tell_of_row(row, part, status, false);
    }
}
