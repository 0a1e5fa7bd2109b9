//! The rows that a run has left, cut into buckets.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use onceflow_cluster::SplitRules;
use onceflow_reuse::{Flow, FlowInput, Level, REFERENCE_SUFFIX, plan};
use onceflow_study::{Diagnostic, Phase, Scope};

use super::check::{file_digest, image_digests, plan_digest};
use super::split::seconds_of;
use super::{
    BucketImage, BucketInput, BucketMakes, BucketPhase, BucketReference, BucketRow, SavedFile, SavedRegion,
    SharedTask,
};
use crate::open::sources::{References, SavedReference};
use crate::plan::phase::PhaseRows;
use crate::resume::journal::{JournalLine, RowsIdentity};
use crate::run::Runner;
use crate::run::recorder::reference_name;
use crate::work::CutBucket;
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
        let groups = self.study.row_groups(whole, &self.options.merge, self.options.level)?;
        let (name, digest) = (phase.name.clone(), identity.digest(identity.len()));
        let phase = BucketPhase { name, rows: identity.len(), digest, first, with_reference };
        let reference = self.reference(with_reference, &known)?;
        let cut = CutRows {
            study: self.study,
            sampled: &sampled,
            phase: &phase,
            done: done(known.iter().copied()),
            images: image_values(self.study)?,
        };
        let parts: Vec<usize> = (0..self.study.inputs.parts.len()).collect();
        Ok(groups.iter().filter_map(|group| cut.bucket(group, &parts, &reference)).collect())
    }

    /// What is left of a phase in buckets for many workers: cut between parts first, which costs nothing, and between rows
    /// where there are too few parts.
    pub(in crate::run) fn cut_finely(&self, asked: &PhaseToCut<'_>) -> Result<FineCut, EngineError> {
        let PhaseToCut { sampled, phase, lines, rules } = *asked;
        let known: Vec<&JournalLine> = lines.iter().collect();
        let reference = self.reference(phase.with_reference, &known)?;
        let rows = self.study.rows(sampled, phase.with_reference)?;
        let level = self.options.level.min(Level::Dataflow);
        let whole = plan(self.study.flow.clone(), &rows, level)?;
        let seconds = self.study.planned_seconds(&whole, self.options.level);
        let cut = CutRows {
            study: self.study,
            sampled,
            phase,
            done: done(lines.iter()),
            images: image_values(self.study)?,
        };
        let costs = cut.part_costs(seconds, rows.len());
        let runs = self.study.cut_runs(&whole, &costs, (&self.options.merge, self.options.level), rules)?;
        let mut fine = FineCut { buckets: Vec::new(), cut: Vec::new(), seconds: seconds_of(&runs) };
        let mut uses = BTreeMap::new();
        for run in runs {
            let parts: Vec<usize> = run.parts.collect();
            for group in run.groups.iter() {
                if let Some(bucket) = cut.bucket(group, &parts, &reference) {
                    let share = group.len() as f64 / rows.len().max(1) as f64;
                    let seconds = run.seconds * share * (1.0 + run.more);
                    for image in &bucket.images {
                        *uses.entry(image.name.clone()).or_insert(0_usize) += 1;
                    }
                    fine.cut.push(CutBucket { seconds, after: Vec::new() });
                    fine.buckets.push(bucket);
                }
            }
        }
        let wide = |images: usize| self.study.wide_seconds(&whole, self.options.level, images);
        cut.share(&mut fine, &uses, &wide);
        Ok(fine)
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

/// A phase that is cut for many workers.
#[derive(Clone, Copy)]
pub(in crate::run) struct PhaseToCut<'a> {
    pub(in crate::run) sampled: &'a PhaseRows,
    pub(in crate::run) phase: &'a BucketPhase,
    /// What is known of it.
    pub(in crate::run) lines: &'a [JournalLine],
    pub(in crate::run) rules: &'a SplitRules,
}

/// Buckets for many workers.
pub(in crate::run) struct FineCut {
    pub(in crate::run) buckets: Vec<BucketInput>,
    /// What is expected of each.
    pub(in crate::run) cut: Vec<CutBucket>,
    /// Seconds of the work in one piece, and in these buckets.
    pub(in crate::run) seconds: (f64, f64),
}

/// A phase whose rows are cut.
struct CutRows<'a> {
    study: &'a OpenStudy,
    sampled: &'a PhaseRows,
    phase: &'a BucketPhase,
    done: HashSet<(usize, usize)>,
    images: Vec<BucketImage>,
}

impl CutRows<'_> {
    /// The bucket of those rows of a group that are not done at these parts; none when all are.
    fn bucket(&self, group: &[usize], parts: &[usize], reference: &BucketReference) -> Option<BucketInput> {
        let is_left = |row: usize, part: usize| !self.done.contains(&(row, part));
        let left = |row: &usize| parts.iter().any(|part| is_left(*row, *part));
        let rows: Vec<usize> = group.iter().copied().filter(left).collect();
        let of_any = |part: &usize| rows.iter().any(|row| is_left(*row, *part));
        let parts: Vec<usize> = parts.iter().copied().filter(of_any).collect();
        (!rows.is_empty()).then(|| self.filled(&rows, parts, reference))
    }

    fn filled(&self, rows: &[usize], parts: Vec<usize>, reference: &BucketReference) -> BucketInput {
        let inputs = &self.study.inputs;
        let images: BTreeSet<usize> = parts.iter().map(|part| inputs.parts[*part].image).collect();
        let of_parts = |region: &SavedRegion| parts.contains(&region.part);
        let reference = match reference {
            BucketReference::Saved(regions) => {
                BucketReference::Saved(regions.iter().filter(|region| of_parts(region)).cloned().collect())
            }
            other => other.clone(),
        };
        BucketInput {
            version: BucketInput::VERSION,
            plan: plan_digest(self.study, self.phase),
            phase: self.phase.clone(),
            rows: rows.iter().map(|row| self.row(*row)).collect(),
            images: images.iter().map(|image| self.images[*image].clone()).collect(),
            shared: shared_tasks(self.study, &images),
            parts,
            reference,
            published: None,
            makes: BucketMakes::Rows,
        }
    }

    /// The seconds of each part, by its pixels and by how many of its rows are left.
    fn part_costs(&self, seconds: f64, rows: usize) -> Vec<f64> {
        let weights = self.study.part_weights();
        let mut done = vec![0_usize; weights.len()];
        for (_, part) in &self.done {
            if let Some(done) = done.get_mut(*part) {
                *done += 1;
            }
        }
        let all: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let left = |done: &usize| 1.0 - *done as f64 / rows.max(1) as f64;
        weights.iter().zip(&done).map(|(weight, done)| seconds * weight / all * left(done).max(0.0)).collect()
    }

    /// Buckets that make what others share come first: one for each image of which several buckets take results. `wide` says
    /// how long they take for so many images.
    fn share(&self, fine: &mut FineCut, uses: &BTreeMap<String, usize>, wide: &dyn Fn(usize) -> f64) {
        let flow = &self.study.flow;
        let is_of = |scope: Scope| (0..flow.tasks.len()).any(|task| flow.scope(task) == scope);
        let several = |image: &usize| uses.get(&self.images[*image].name).is_some_and(|uses| *uses > 1);
        let images = 0..self.images.len();
        let groups: Vec<Vec<usize>> = if is_of(Scope::Study) && fine.buckets.len() > 1 {
            vec![images.collect()]
        } else if is_of(Scope::Image) {
            images.filter(several).map(|image| vec![image]).collect()
        } else {
            Vec::new()
        };
        let rows: BTreeSet<usize> =
            fine.buckets.iter().flat_map(|bucket| &bucket.rows).map(|row| row.row).collect();
        let rows: Vec<usize> = rows.into_iter().collect();
        let parts = |group: &[usize]| -> Vec<usize> {
            let parts = self.study.inputs.parts.iter().enumerate();
            parts.filter(|(_, part)| group.contains(&part.image)).map(|(at, _)| at).collect()
        };
        let makers: Vec<BucketInput> = groups
            .iter()
            .map(|group| BucketInput {
                makes: BucketMakes::Shared,
                ..self.filled(&rows, parts(group), &BucketReference::Unused)
            })
            .collect();
        for (bucket, cut) in fine.buckets.iter().zip(&mut fine.cut) {
            let takes = |group: &Vec<usize>| {
                group
                    .iter()
                    .any(|image| bucket.images.iter().any(|other| other.name == self.images[*image].name))
            };
            cut.after = (0..groups.len()).filter(|at| takes(&groups[*at])).collect();
        }
        let cut = groups.iter().map(|group| CutBucket { seconds: wide(group.len()), after: Vec::new() });
        fine.cut.splice(0..0, cut);
        fine.buckets.splice(0..0, makers);
    }

    fn row(&self, row: usize) -> BucketRow {
        let values = match row.checked_sub(usize::from(self.phase.with_reference)) {
            None => self.study.reference.values.clone(),
            Some(sampled) => self.sampled.values(&self.study.reference, sampled),
        };
        BucketRow { row, values: values.iter().map(Into::into).collect() }
    }
}

/// Rows that are done, with their parts.
fn done<'l>(lines: impl Iterator<Item = &'l JournalLine>) -> HashSet<(usize, usize)> {
    lines.filter(|line| matches!(line, JournalLine::Done { .. })).filter_map(JournalLine::over).collect()
}

/// The images of a study by the digests of what buckets read of them.
fn image_values(study: &OpenStudy) -> Result<Vec<BucketImage>, EngineError> {
    study.inputs.images.iter().map(image_digests).collect()
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
