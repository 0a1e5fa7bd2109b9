//! The rows that a run has left, cut into buckets.

use std::collections::{BTreeSet, HashSet};

use onceflow_reuse::{Flow, FlowInput, REFERENCE_SUFFIX, plan};
use onceflow_study::{Diagnostic, Phase, Scope};

use super::check::{file_digest, image_digests, plan_digest};
use super::{BucketInput, BucketPhase, BucketReference, BucketRow, SavedFile, SavedRegion, SharedTask};
use crate::open::supply::{References, SavedReference};
use crate::plan::phase::PhaseRows;
use crate::resume::journal::{JournalLine, RowsIdentity};
use crate::run::Runner;
use crate::run::recorder::reference_name;
use crate::{EngineError, OpenStudy, Progress, RunEnding, RunFolder, RunSettings};

/// The rows that a run in a folder has left in its first phase that is not complete, in the buckets that the settings ask
/// for: one bucket where rows are not merged. None when all rows of all phases are there. Nothing is computed.
///
/// # Errors
/// When a phase cannot be sampled or planned, or the journal cannot be read.
pub fn next_buckets(
    study: &OpenStudy,
    settings: &RunSettings,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<Vec<BucketInput>, EngineError> {
    folder.make()?;
    let mut runner = Runner::open(study, settings, folder)?;
    for phase in &study.study.phases {
        let buckets = runner.cut(phase)?;
        if !buckets.is_empty() {
            return Ok(buckets);
        }
        runner.phase(phase, progress)?;
        if runner.ending != RunEnding::Complete {
            break;
        }
    }
    Ok(Vec::new())
}

impl Runner<'_> {
    /// The buckets of the rows of a phase that are not done.
    fn cut(&self, phase: &Phase) -> Result<Vec<BucketInput>, EngineError> {
        let sampled = PhaseRows::new(&self.study.study, phase, &self.analyses)?;
        let (first, with_reference) = (self.table.rows.len(), self.table.rows.is_empty());
        let identity = RowsIdentity::new(self.study, &sampled, with_reference, first);
        let known = self.journal.known(&phase.name, &identity);
        let rows = self.study.rows(&sampled, with_reference)?;
        let whole = plan(self.study.flow.clone(), &rows, self.options.level)?;
        let groups = self.study.row_groups(whole, self.options)?;
        let (name, digest) = (phase.name.clone(), identity.digest(identity.len()));
        let phase = BucketPhase { name, rows: identity.len(), digest, first, with_reference };
        let reference = self.reference(with_reference, &known)?;
        let cut = CutRows { study: self.study, sampled: &sampled, phase: &phase, done: done(&known) };
        let buckets = groups.iter().filter_map(|group| cut.bucket(group, &reference));
        buckets.collect()
    }

    /// What rows are compared with: saved regions where all of them are there.
    fn reference(
        &self,
        with_reference: bool,
        known: &[&JournalLine],
    ) -> Result<BucketReference, EngineError> {
        let wanted = reference_regions(&self.study.flow);
        if wanted.is_empty() {
            return Ok(BucketReference::Unused);
        }
        let mut saved = if with_reference { References::new() } else { self.context.references.clone() };
        for line in known {
            if let JournalLine::Saved { name, part, file } = line {
                let file = file.as_ref().map(|file| self.folder.path().join(file));
                let region = file.map_or(SavedReference::Ended, |path| SavedReference::Saved(path, None));
                saved.insert((reference_name(name), *part), region);
            }
        }
        let parts = 0..self.study.inputs.parts.len();
        let is_saved = |name: &String| parts.clone().all(|part| saved.contains_key(&(name.clone(), part)));
        if with_reference && !wanted.iter().all(is_saved) {
            return Ok(BucketReference::Computed);
        }
        let region = |((name, part), region): (&(String, usize), &SavedReference)| {
            let name = name.trim_end_matches(REFERENCE_SUFFIX).to_owned();
            Ok(SavedRegion { name, part: *part, file: saved_file(self.folder, region)? })
        };
        let mut regions = saved.iter().map(region).collect::<Result<Vec<_>, EngineError>>()?;
        regions.sort_unstable();
        Ok(BucketReference::Saved(regions))
    }
}

/// A phase whose rows are cut.
struct CutRows<'a> {
    study: &'a OpenStudy,
    sampled: &'a PhaseRows,
    phase: &'a BucketPhase,
    done: HashSet<(usize, usize)>,
}

impl CutRows<'_> {
    /// The bucket of those rows of a group that are not done; none when all are.
    fn bucket(
        &self,
        group: &[usize],
        reference: &BucketReference,
    ) -> Option<Result<BucketInput, EngineError>> {
        let parts = 0..self.study.inputs.parts.len();
        let is_left = |row: usize, part: usize| !self.done.contains(&(row, part));
        let left = |row: &usize| parts.clone().any(|part| is_left(*row, part));
        let rows: Vec<usize> = group.iter().copied().filter(left).collect();
        let parts: Vec<usize> =
            parts.clone().filter(|part| rows.iter().any(|row| is_left(*row, *part))).collect();
        (!rows.is_empty()).then(|| self.filled(&rows, parts, reference))
    }

    fn filled(
        &self,
        rows: &[usize],
        parts: Vec<usize>,
        reference: &BucketReference,
    ) -> Result<BucketInput, EngineError> {
        let inputs = &self.study.inputs;
        let images: BTreeSet<usize> = parts.iter().map(|part| inputs.parts[*part].image).collect();
        let shared = shared_tasks(self.study, &images);
        let images = images.iter().map(|image| image_digests(&inputs.images[*image]));
        Ok(BucketInput {
            version: BucketInput::VERSION,
            plan: plan_digest(self.study, self.phase),
            phase: self.phase.clone(),
            rows: rows.iter().map(|row| self.row(*row)).collect(),
            parts,
            images: images.collect::<Result<_, _>>()?,
            reference: reference.clone(),
            shared,
        })
    }

    fn row(&self, row: usize) -> BucketRow {
        let values = match row.checked_sub(usize::from(self.phase.with_reference)) {
            None => self.study.reference.values.clone(),
            Some(sampled) => self.sampled.values(&self.study.reference, sampled),
        };
        BucketRow { row, values: values.iter().map(Into::into).collect() }
    }
}

impl OpenStudy {
    /// The rows of a plan in the buckets of the stage that costs most; all of them in one when nothing is merged.
    fn row_groups(
        &self,
        whole: onceflow_reuse::Plan,
        settings: &RunSettings,
    ) -> Result<Vec<Vec<usize>>, EngineError> {
        let rows = whole.rows();
        let merged = self.grouped(whole, &settings.merge, settings.level)?.merged;
        let dearest = merged.iter().max_by(|one, other| one.cost().total_cmp(&other.cost()));
        Ok(dearest.map_or_else(
            || vec![(0..rows).collect()],
            |stage| {
                let groups = stage.rows().into_iter();
                groups.map(|group| group.into_iter().map(|row| row as usize).collect()).collect()
            },
        ))
    }
}

/// Rows that are done, with their parts.
fn done(lines: &[&JournalLine]) -> HashSet<(usize, usize)> {
    let done = |line: &&JournalLine| match line {
        JournalLine::Done { row, part, .. } => Some((*row, *part)),
        _ => None,
    };
    lines.iter().filter_map(done).collect()
}

/// The names under which tasks take regions of the reference row.
fn reference_regions(flow: &Flow) -> BTreeSet<String> {
    let inputs = flow.tasks.iter().flat_map(|task| &task.inputs);
    let name = |input: &FlowInput| match input {
        FlowInput::Reference { task, output } => {
            Some(reference_name(&flow.tasks[*task].outputs[*output].name))
        }
        _ => None,
    };
    inputs.filter_map(name).collect()
}

/// The tasks of a flow whose results belong to one of these images, or to the study.
fn shared_tasks(study: &OpenStudy, images: &BTreeSet<usize>) -> Vec<SharedTask> {
    let mut shared = Vec::new();
    for (at, task) in study.flow.tasks.iter().enumerate() {
        let of = |image: Option<&usize>| SharedTask {
            task: task.name.clone(),
            image: image.map(|image| study.inputs.images[*image].name.clone()),
        };
        match study.flow.scope(at) {
            Scope::Part => {}
            Scope::Image => shared.extend(images.iter().map(|image| of(Some(image)))),
            Scope::Study => shared.push(of(None)),
        }
    }
    shared
}

fn saved_file(folder: &RunFolder, region: &SavedReference) -> Result<Option<SavedFile>, EngineError> {
    let SavedReference::Saved(path, _) = region else { return Ok(None) };
    let unreadable = |error| Diagnostic::error(format!("cannot read {}: {error}", path.display()));
    let digest = file_digest(path).map_err(unreadable)?;
    let inside = path.strip_prefix(folder.path()).unwrap_or(path);
    Ok(Some(SavedFile { path: inside.display().to_string(), digest }))
}
