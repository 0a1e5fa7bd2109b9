//! What a run keeps of each phase, and the answer that it makes of all.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use onceflow_report::{
    Answer, BestRow, ImageAnalysis, ImageSummary, PhaseAnswer, RowStatus, RunEnding, TraceEntry, TraceOutcome,
};
use onceflow_reuse::Plan;
use onceflow_runtime::{Execution, TaskLogEntry};
use onceflow_sensitivity::{Analysis, AnalyzeError};
use onceflow_study::Phase;

use crate::open::metrics::Tally;
use crate::peak_resident;
use crate::plan::earlier;
use crate::plan::phase::{Measured, PhaseRows};
use crate::run::Runner;
use crate::run::account::PhaseTasks;
use crate::run::ended::Run;
use crate::run::executed::{Gathered, skips_unreadable};
use crate::run::keep::HEAD;

impl Runner<'_> {
    /// Rows that are done on all images, or failed on one; a run that was stopped has others.
    pub(super) fn add_rows(
        &mut self,
        phase: &Phase,
        sampled: &PhaseRows,
        with_reference: bool,
        gathered: &Gathered,
    ) {
        let first = if with_reference { 1 } else { self.table.rows.last().map_or(0, |r| r.row + 1) };
        let reference = with_reference.then(|| self.study.reference.record());
        let records = sampled.records(phase, &self.study.reference, first);
        let images = self.taking_part();
        let parts: usize = images.iter().map(|image| self.study.inputs.parts_of(*image)).sum();
        for (mut record, tallies) in reference.into_iter().chain(records).zip(&gathered.tallies) {
            let done = images.iter().map(|image| tallies[*image].parts()).sum::<usize>() == parts;
            if done || tallies.iter().any(Tally::has_failed) {
                record = self.tuned_record(record, tallies, &images);
                self.table.rows.push(record);
                for image in &images {
                    self.truth_objects[*image] =
                        self.truth_objects[*image].or(tallies[*image].truth_objects());
                }
            }
        }
    }

    /// The images that rows are computed without; all of them would leave nothing to compute rows from.
    pub(super) fn left_out(&self) -> BTreeSet<usize> {
        let found: BTreeSet<usize> = self.unread.found().into_keys().collect();
        let some = skips_unreadable(self.study) && found.len() < self.study.inputs.images.len();
        if some { found } else { BTreeSet::new() }
    }

    /// What a reader must know of images that turned out to be unreadable.
    fn note_unread(&mut self) {
        let left_out = self.left_out();
        for (image, why) in self.unread.found() {
            let name = &self.study.inputs.images[image].name;
            let then =
                if left_out.contains(&image) { "rows are computed without it" } else { "rows failed on it" };
            self.notes.push(format!("Image {name} could not be read while rows ran, and {then}: {why}."));
        }
    }

    pub(super) fn trace(&mut self, phase: &str, plan: &Plan, first: usize, log: &[TaskLogEntry]) {
        self.trace_rows(phase, plan, &|row| first + row, log);
    }

    /// The same for rows of the plan that have these numbers in the table.
    pub(super) fn trace_rows(
        &mut self,
        phase: &str,
        plan: &Plan,
        number: &dyn Fn(usize) -> usize,
        log: &[TaskLogEntry],
    ) {
        let since =
            self.began.elapsed().as_secs_f64() - log.iter().map(|e| e.start + e.seconds).fold(0.0, f64::max);
        self.trace.extend(log.iter().filter(|entry| !entry.served).map(|entry| TraceEntry {
            phase: phase.to_owned(),
            task: plan.flow().tasks[entry.task].name.clone(),
            row: number(entry.row as usize),
            site: entry.instance.site,
            worker: entry.worker,
            start: since.max(0.0) + entry.start,
            seconds: entry.seconds,
            bytes: entry.bytes,
            cause: entry.cause.words(),
            outcome: trace_outcome(entry),
        }));
    }

    pub(super) fn conclude(&mut self, execution: &Execution, gathered: &Gathered) {
        if gathered.too_many {
            self.ending = RunEnding::TooManyFailures;
        } else if execution.stopped || self.options.stop.load(Ordering::Relaxed) {
            self.ending = RunEnding::Stopped;
        }
    }

    pub(super) fn analyse(
        &mut self,
        phase: &Phase,
        sampled: PhaseRows,
        rows: std::ops::Range<usize>,
        PhaseTasks { computed, reused }: PhaseTasks,
        seconds: f64,
    ) {
        let (study, table) = (&self.study.study, &self.table);
        let overall = sampled
            .analyses(study, phase, &table.metrics, |row, m| Measured::over_all(table, rows.start + row, m));
        let per_image = |image: usize| {
            sampled.analyses(study, phase, &table.metrics, |row, m| {
                Measured::on_image(table, image, rows.start + row, m)
            })
        };
        let images = if table.images.len() > 1 { table.images.len() } else { 0 };
        let per_image: Vec<_> = (0..images).map(per_image).collect();
        let progress = sampled
            .progress(study, phase, &table.metrics, |row, m| Measured::over_all(table, rows.start + row, m));
        let analyses = self.analysed(&phase.name, "could not be analysed", overall);
        let progress = self.analysed(&phase.name, "has no curves of its indices", progress);
        let per_image = self.analysed_images(&phase.name, per_image);
        let failed = |r: &&crate::RowRecord| matches!(r.status, RowStatus::Failed { .. });
        self.analyses.push((phase.name.clone(), analyses.clone()));
        self.phases.push(PhaseAnswer {
            name: phase.name.clone(),
            method: method_word(phase).into(),
            space: sampled.space,
            failed: self.table.rows[rows.clone()].iter().filter(failed).count() as u64,
            rows,
            kept: sampled.kept,
            analyses,
            per_image,
            progress,
            computed,
            reused,
            seconds,
        });
    }

    /// What an analysis found; a note where it failed.
    fn analysed<T>(&mut self, phase: &str, failed: &str, found: Result<Vec<T>, AnalyzeError>) -> Vec<T> {
        found.unwrap_or_else(|error| {
            self.notes.push(format!("Phase {phase} {failed}: {error}."));
            Vec::new()
        })
    }

    /// The analyses of images; those on which all rows failed have none.
    fn analysed_images(
        &mut self,
        phase: &str,
        found: Vec<Result<Vec<Analysis>, AnalyzeError>>,
    ) -> Vec<ImageAnalysis> {
        let mut analysed = Vec::new();
        for (image, found) in found.into_iter().enumerate() {
            if matches!(found, Err(AnalyzeError::AllFailed { .. })) {
                continue;
            }
            let failed = format!("could not be analysed on image {}", self.table.images[image]);
            let analyses = self.analysed(phase, &failed, found);
            if !analyses.is_empty() {
                analysed.push(ImageAnalysis { image, analyses });
            }
        }
        analysed
    }

    pub(super) fn images(&self) -> Vec<ImageSummary> {
        let mut images = self.study.inputs.summaries();
        for (image, objects) in images.iter_mut().zip(&self.truth_objects) {
            image.truth_objects = *objects;
        }
        images
    }

    pub(super) fn finish(mut self, best: Option<BestRow>) -> Run {
        self.note_unread();
        let study = &self.study.study;
        let images = self.images();
        let mut work = self.ledger.work();
        work.grain.clone_from(&self.grain);
        work.wall = self.began.elapsed().as_secs_f64();
        work.workers = self.options.workers;
        work.memory = self.options.memory;
        work.spilled = self.moves.spilled;
        work.spilled_bytes = self.moves.spilled_bytes;
        work.recomputed = self.moves.recomputed;
        work.peak_reserved = self.context.budget.peak().saturating_add(self.study.aside);
        work.peak_resident = peak_resident();
        work.rows = self.table.rows.len() as u64;
        work.earlier = self.earlier.1;
        work.proposed = self.proposed;
        work.instances = work.rows * self.study.inputs.parts.len() as u64;
        let workflow = &self.study.workflow;
        let answer = Answer {
            study: study.name.clone(),
            workflow: format!("{} {}", workflow.name, workflow.version),
            seed: study.seed,
            images,
            metrics: study.metrics.clone(),
            seams: study.parts.seams,
            halo: self.study.inputs.halo,
            table: self.table,
            phases: self.phases,
            best,
            tuning: self.tuning,
            work,
            notes: self.notes,
        };
        let earlier = (!self.earlier.0.is_empty()).then(|| format!("{}{}", earlier::HEAD, self.earlier.0));
        let kept = (!self.study.kept.is_empty()).then(|| format!("{HEAD}{}", self.kept));
        let Self { ending, records, findings, trace, duplicates, objects, clips, .. } = self;
        Run {
            answer,
            ending,
            records,
            findings,
            trace,
            duplicates,
            objects,
            earlier,
            kept,
            clips,
            store: None,
        }
    }
}

fn trace_outcome(entry: &TaskLogEntry) -> TraceOutcome {
    match entry {
        TaskLogEntry { failed: true, .. } => TraceOutcome::Failed,
        TaskLogEntry { known: true, .. } => TraceOutcome::Known,
        _ => TraceOutcome::Computed,
    }
}

/// The word that studies use.
fn method_word(phase: &Phase) -> &'static str {
    match phase.design.method.word() {
        "morris" => "moat",
        "saltelli" => "vbd",
        other => other,
    }
}
