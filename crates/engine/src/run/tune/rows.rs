//! Rows of a tuning phase, batch by batch: planned, run on some of the images, and added to the table.

use std::collections::BTreeSet;

use onceflow_report::{RowRecord, RowStatus};
use onceflow_reuse::{Account, Flow, Level, ParameterRows, plan};
use onceflow_study::{Scope, Value};

use super::super::executed::KnownWork;
use super::super::keep::Keeper;
use super::super::{Runner, object_origins};
use crate::open::metrics::Tally;
use crate::plan::duplicates;
use crate::plan::earlier;
use crate::plan::grain::Grained;
use crate::resume::journal::{RowLines as _, RowsIdentity};
use crate::{EngineError, PhaseBegun, Progress, RowOver, TaskOver};

/// Rows to run on some of the images.
pub(super) struct TuneBatch<'b> {
    /// Its name in the journal.
    pub(super) name: String,
    /// The phase in reports.
    pub(super) phase: &'b str,
    /// The values of all parameters, row by row.
    pub(super) rows: Vec<Vec<Value>>,
    /// The images they are run on.
    pub(super) images: &'b [usize],
    /// Whether the row of the defaults comes first.
    pub(super) with_reference: bool,
    /// The number of its first row in the table.
    pub(super) first: usize,
}

impl Runner<'_> {
    /// Runs a batch; `None` when the run was stopped. Each row has one tally per image.
    pub(super) fn run_batch(
        &mut self,
        batch: &TuneBatch<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Option<Vec<Vec<Tally>>>, EngineError> {
        let mut rows = ParameterRows::new(self.study.reference.names.clone());
        if batch.with_reference {
            rows.push(&self.study.reference.values)?;
            rows.reference = Some(0);
        }
        for values in &batch.rows {
            rows.push(values)?;
        }
        let level = self.options.level;
        let granularity = self.study.granularity(level, &self.options.merge);
        let Grained { flow, kept, grain } = self.study.grained(batch.phase, &rows, level, &granularity)?;
        let plan = plan(flow, &rows, level)?;
        let mut plan = self.study.grouped(plan, &self.options.merge, level)?.plan;
        let asked = self.asked_parts(batch.images);
        let instances = plan.rows() * asked.iter().filter(|asked| **asked).count();
        let ahead = self.study.ahead(batch.phase, &plan, self.options);
        let progress = &mut BatchProgress(progress);
        progress.phase(&PhaseBegun { instances: instances as u64, ..ahead });
        let identity = RowsIdentity::of_rows(batch.with_reference, &batch.rows);
        let past = self.journal.phase(&batch.name, &identity)?;
        let mut work = self.work(batch.first, plan.rows(), batch.with_reference, Some(&rows), progress);
        work.is_followed = true;
        work.saves_reference = batch.with_reference;
        // A tuner learns from failures: how many are too many is decided over the whole phase.
        work.most_failed = u64::MAX;
        work.asked_parts = Some(asked.clone());
        let (mut execution, mut gathered) =
            work.execute(&mut plan, Keeper::new(kept), KnownWork::Past(&past))?;
        self.clips.end_phase(&gathered.same);
        self.trace(batch.phase, &plan, batch.first, &execution.log);
        self.duplicates.push_str(&duplicates::lines(batch.phase, &plan, &gathered.same, batch.first));
        let origins = std::mem::take(&mut gathered.origins);
        self.objects.push_str(&object_origins::lines(batch.phase, origins));
        self.earlier.0.push_str(&gathered.earlier.lines(batch.phase, &plan, batch.first));
        let name = |node| plan.flow().tasks[plan.task_of(node)].name.clone();
        earlier::add(&mut self.earlier.1, gathered.earlier.sums(batch.phase, name));
        self.list_logs(&plan, &gathered.same, batch.first)?;
        self.conclude(&execution, &gathered);
        self.moves += execution.moves;
        let images = self.asked_images(&asked);
        leave_out(&mut execution.account, plan.flow(), plan.rows(), &asked, &images);
        let expected = self.study.seconds(plan.flow(), Level::None);
        let tasks = self.ledger.add(&execution, &plan, &gathered.objects, &expected);
        self.tuned.tasks.0 += tasks.computed;
        self.tuned.tasks.1 += tasks.reused;
        let seconds = execution.log.iter().map(|entry| entry.seconds).sum();
        if !self.grain.iter().any(|known| known.phase == grain.phase) {
            self.grain.push(grain);
        }
        self.kept.push_str(&gathered.keeper.lines(&plan, &self.study.inputs, batch.first));
        self.context.references.extend(gathered.saved);
        self.records.extend(gathered.records);
        let whole = |tallies: &Vec<Tally>| {
            let done: usize = tallies.iter().map(Tally::parts).sum();
            done == asked.iter().filter(|asked| **asked).count() || tallies.iter().any(Tally::has_failed)
        };
        let complete = gathered.tallies.len() == plan.rows() && gathered.tallies.iter().all(whole);
        if complete && let Some(spent) = self.tuned.end_batch(&past, seconds) {
            self.journal.write(&spent)?;
        }
        Ok(complete.then_some(gathered.tallies))
    }

    /// For each part whether it belongs to one of these images.
    pub(in crate::run) fn asked_parts(&self, images: &[usize]) -> Vec<bool> {
        self.study.inputs.parts.iter().map(|part| images.contains(&part.image)).collect()
    }

    /// For each image whether one of its parts is asked for.
    pub(in crate::run) fn asked_images(&self, parts: &[bool]) -> Vec<bool> {
        let mut images = vec![false; self.study.inputs.images.len()];
        for (part, asked) in self.study.inputs.parts.iter().zip(parts) {
            images[part.image] |= asked;
        }
        images
    }

    /// The record of a row that was run on some images only: it has no value on the others.
    pub(in crate::run) fn tuned_record(
        &self,
        mut record: RowRecord,
        tallies: &[Tally],
        images: &[usize],
    ) -> RowRecord {
        let mut left_out: BTreeSet<usize> = self.left_out();
        left_out.extend((0..self.study.inputs.images.len()).filter(|image| !images.contains(image)));
        self.study.metrics.fill(&mut record, tallies, &self.study.inputs, &left_out);
        for (image, own) in record.images.iter_mut().enumerate() {
            if !images.contains(&image) {
                own.metrics.iter_mut().for_each(|metric| *metric = None);
                own.objects = None;
                own.status = RowStatus::Ok;
            }
        }
        record
    }
}

/// What is shown of batches: that rows of each are known from the journal is said of none.
struct BatchProgress<'p>(&'p mut dyn Progress);

impl Progress for BatchProgress<'_> {
    fn phase(&mut self, phase: &PhaseBegun) {
        self.0.phase(phase);
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        self.0.task(task);
    }

    fn duplicate(&mut self, task: usize) {
        self.0.duplicate(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.0.row(row);
    }

    fn note(&mut self, text: &str) {
        self.0.note(text);
    }
}

/// Takes what was not asked for out of an account: rows at parts of other images were neither run nor known.
pub(in crate::run) fn leave_out(
    account: &mut Account,
    flow: &Flow,
    rows: usize,
    parts: &[bool],
    images: &[bool],
) {
    let without = |asked: &[bool]| (asked.iter().filter(|asked| !**asked).count() * rows) as u64;
    for (task, entry) in account.tasks.iter_mut().enumerate() {
        let left_out = match flow.scope(task) {
            Scope::Part => without(parts),
            Scope::Image => without(images),
            Scope::Study => 0,
        };
        entry.asked = entry.asked.saturating_sub(left_out);
        entry.resumed = entry.resumed.saturating_sub(left_out);
    }
}
