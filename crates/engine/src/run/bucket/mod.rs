//! Buckets as a contract between processes: rows of a phase go out as a value, their results come back as one.
//!
//! [`next_buckets`] cuts the rows that a run has left, [`execute_bucket`] carries out one bucket in any process that has
//! opened the same study, and [`record_bucket`] adds its results to the journal of the run. Carried out twice, in any order
//! and at any level of reuse, buckets give the same results as the whole run.

mod check;
mod cut;
mod input;
mod rows;
mod shared;
mod split;
mod stage_counts;
mod wide;
mod worked;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use onceflow_reuse::{Level, ParameterRows, Plan, plan};
use onceflow_runtime::{KnownFrom, KnownRows};
use onceflow_study::Value;

pub(super) use check::plan_digest;
pub(super) use cut::PhaseToCut;
pub use cut::next_buckets;
pub use input::{
    BucketImage, BucketInput, BucketMakes, BucketPhase, BucketReference, BucketRow, BucketValue, SavedFile,
    SavedRegion, SharedTask,
};
pub use rows::{BucketRows, record_bucket};
pub(crate) use shared::{BucketResults, PublishedResults};
pub use split::SplitCost;
pub use worked::{BucketCost, BucketResult};
pub(super) use worked::{amounts, terms};

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::plan::grain::Grained;
use crate::resume::journal::{JournalLine, RowLines};
use crate::run::account::Ledger;
use crate::run::context::RunContext;
use crate::run::executed::{KnownWork, PhaseWork};
use crate::run::keep::Keeper;
use crate::run::products::RunProducts;
use crate::run::row_numbers::RowNumbers;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings, peak_resident};
pub(super) use check::unreadable;
use check::{check_images, check_plan, check_rows, check_version, damaged_line, references};
use stage_counts::{StageCounts, computed_stages};

/// Carries out a bucket on this machine. Regions that the study asks to keep, and those of the reference row, go into the
/// folder of the run; rows that fail are results, not errors.
///
/// # Errors
/// When the bucket belongs to another plan, a file that it names has changed, commands may not run, or the memory bound is
/// too small.
pub fn execute_bucket(
    study: &OpenStudy,
    settings: &RunSettings,
    bucket: &BucketInput,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<BucketRows, EngineError> {
    let work = BucketWork { study, settings, folder, aids: BucketAids::default() };
    Ok(work.execute(bucket, progress)?.rows)
}

/// A bucket carried out in one process.
pub(super) struct BucketWork<'a> {
    pub(super) study: &'a OpenStudy,
    pub(super) settings: &'a RunSettings,
    pub(super) folder: &'a RunFolder,
    pub(super) aids: BucketAids<'a>,
}

/// What a worker has beside the bucket.
#[derive(Default)]
pub(super) struct BucketAids<'a> {
    /// The name of the worker.
    pub(super) worker: String,
    /// Results of earlier runs.
    pub(super) products: Option<&'a RunProducts>,
    /// What earlier attempts at the bucket left.
    pub(super) earlier: Vec<JournalLine>,
    /// Is given each new line at once.
    pub(super) lines: Option<&'a mut dyn RowLines>,
    /// Where results go that memory has no room for.
    pub(super) scratch: Option<PathBuf>,
}

/// Keeps lines, and passes them on.
struct KeptLines<'a> {
    lines: Vec<JournalLine>,
    also: Option<&'a mut dyn RowLines>,
}

impl RowLines for KeptLines<'_> {
    fn write(&mut self, line: &JournalLine) -> Result<(), EngineError> {
        self.lines.push(line.clone());
        self.also.as_mut().map_or(Ok(()), |also| also.write(line))
    }
}

impl BucketWork<'_> {
    /// Carries it out.
    pub(super) fn execute(
        self,
        bucket: &BucketInput,
        progress: &mut dyn Progress,
    ) -> Result<BucketResult, EngineError> {
        let began = Instant::now();
        let mut counts = StageCounts::of(progress);
        let Self { study, settings, folder, aids } = self;
        bucket.check(study)?;
        study.inputs.warm();
        folder.make()?;
        let published = bucket.published.as_ref().map(|path| folder.path().join(path));
        if let (BucketMakes::Shared, Some(published)) = (bucket.makes, &published) {
            return wide::publish(study, settings, (bucket, published), &aids, began);
        }
        let mut context = RunContext::new(study, settings, study.budget(settings.memory));
        context.references = references(bucket, folder)?;
        let (rows, numbers) = bucket.plan_rows(study)?;
        let granularity = study.granularity(settings.level, &settings.merge);
        let Grained { flow, kept, .. } =
            study.grained(&bucket.phase.name, &rows, settings.level, &granularity)?;
        let mut plan = plan(flow, &rows, settings.level)?;
        counts.phase(&study.ahead(&bucket.phase.name, &plan, settings));
        let BucketAids { worker, products, earlier, lines: also, scratch } = aids;
        let mut known = bucket.elsewhere(study, &plan);
        // Regions that are kept are part of a row: with them a row is computed as a whole.
        let earlier = if study.kept.is_empty() { earlier } else { Vec::new() };
        bucket.known_rows(&earlier, &numbers, &mut known);
        let mut lines = KeptLines { lines: earlier, also };
        // Pictures are drawn where the run is.
        let (clips, unread) = (PictureClips::new(Vec::new()), UnreadImages::default());
        let published = published.map(|folder| PublishedResults::new(&folder, plan.flow()));
        let work = PhaseWork {
            study,
            options: settings,
            folder,
            context: &mut context,
            products: products.map(|products| (products, &rows)),
            published: published.as_ref(),
            scratch,
            lines: &mut lines,
            clips: &clips,
            progress: &mut counts,
            numbers: RowNumbers::of_bucket(bucket.phase.first, numbers.clone()),
            is_followed: false,
            saves_reference: bucket.has_reference_row() && study.study.phases.len() > 1,
            most_failed: u64::MAX,
            unread: unread.clone(),
            asked_parts: None,
        };
        let (execution, gathered) =
            work.execute(&mut plan, Keeper::new(kept), KnownWork::Instances(known))?;
        let mut lines = lines.lines;
        lines.retain(|line| !matches!(line, JournalLine::Kept { .. }));
        lines.extend(gathered.keeper.kept_lines(&plan, &study.inputs, &numbers));
        let mut ledger = Ledger::default();
        let expected = study.seconds(plan.flow(), Level::None);
        ledger.add(&execution, &plan, &gathered.objects, &expected);
        let work = ledger.work();
        let cost = BucketCost {
            worker,
            seconds: began.elapsed().as_secs_f64(),
            account: [terms(&work.tasks), terms(&work.seconds)],
            stages: counts.computed(),
            records: gathered.records.iter().map(onceflow_costs::Record::to_line).collect(),
            unread: unread.found().into_iter().collect(),
            peak_bytes: peak_resident().unwrap_or(0),
        };
        Ok(BucketResult { rows: bucket.results(lines)?, cost })
    }
}

impl BucketInput {
    /// Refuses what does not belong to the study as it is now.
    fn check(&self, study: &OpenStudy) -> Result<(), EngineError> {
        check_version("a bucket", self.version, Self::VERSION)?;
        check_plan(study, &self.phase, &self.plan)?;
        check_rows(study, self)?;
        check_images(study, self)?;
        study.check_commands()
    }

    /// Notes the rows that earlier attempts did.
    fn known_rows(&self, earlier: &[JournalLine], numbers: &[usize], known: &mut KnownRows) {
        let places: HashMap<usize, usize> = numbers.iter().enumerate().map(|(at, row)| (*row, at)).collect();
        for line in earlier {
            let (JournalLine::Done { row, part, .. } | JournalLine::Failed { row, part, .. }) = line else {
                continue;
            };
            if let Some(place) = places.get(row).filter(|place| !known.knows(**place, *part)) {
                known.note(*place, *part, KnownFrom::Journal);
            }
        }
    }

    /// The results of a bucket that killed its workers: rows that earlier attempts did not do fail.
    pub(super) fn given_up(
        &self,
        earlier: Vec<JournalLine>,
        message: &str,
    ) -> Result<BucketRows, EngineError> {
        let mut lines = earlier;
        for row in self.rows.iter().map(|row| row.row).filter(|_| self.makes == BucketMakes::Rows) {
            let failed = self.failed_row(row, &lines, message);
            lines.extend(failed);
        }
        self.results(lines)
    }

    /// A row that killed its workers fails at the parts at which it is not over.
    pub(super) fn failed_row(&self, row: usize, lines: &[JournalLine], message: &str) -> Vec<JournalLine> {
        let over: HashSet<(usize, usize)> = lines.iter().filter_map(JournalLine::over).collect();
        let left = self.parts.iter().filter(|part| !over.contains(&(row, **part)));
        let failed = |part: &usize| JournalLine::Failed {
            row,
            part: *part,
            task: WORKER.into(),
            message: message.to_owned(),
        };
        left.map(failed).collect()
    }

    /// The bucket of one of its rows; none where that row is over.
    pub(super) fn only(&self, row: &BucketRow, lines: &[JournalLine]) -> Option<Self> {
        let over: HashSet<(usize, usize)> = lines.iter().filter_map(JournalLine::over).collect();
        let left = self.parts.iter().any(|part| !over.contains(&(row.row, *part)));
        left.then(|| Self { rows: vec![row.clone()], ..self.clone() })
    }

    /// Rows at parts.
    pub(super) fn instances(&self) -> usize {
        if self.makes == BucketMakes::Rows { self.rows.len() * self.parts.len() } else { 0 }
    }

    /// Whether the reference row is one of its rows.
    fn has_reference_row(&self) -> bool {
        self.phase.with_reference && self.rows.iter().any(|row| row.row == 0)
    }

    /// The rows of its plan, and their numbers in the phase: the reference row first, when it is needed.
    fn plan_rows(&self, study: &OpenStudy) -> Result<(ParameterRows, Vec<usize>), EngineError> {
        let mut rows = ParameterRows::new(study.reference.names.clone());
        let mut numbers = Vec::new();
        if self.has_reference_row() || self.reference == BucketReference::Computed {
            rows.push(&study.reference.values)?;
            rows.reference = Some(0);
            numbers.push(0);
        }
        for row in self.rows.iter().filter(|row| !(self.phase.with_reference && row.row == 0)) {
            rows.push(&row.values.iter().map(Value::from).collect::<Vec<_>>())?;
            numbers.push(row.row);
        }
        Ok((rows, numbers))
    }

    /// All rows at the parts that it has nothing to do with.
    fn elsewhere(&self, study: &OpenStudy, plan: &Plan) -> KnownRows {
        let asked: HashSet<usize> = self.parts.iter().copied().collect();
        let mut known = KnownRows::nothing();
        for part in (0..study.inputs.parts.len()).filter(|part| !asked.contains(part)) {
            (0..plan.rows()).for_each(|row| known.note(row, part, KnownFrom::Journal));
        }
        known
    }

    /// The lines of its own rows and parts, in order, each once.
    pub(super) fn results(&self, lines: Vec<JournalLine>) -> Result<BucketRows, EngineError> {
        let asked: HashSet<usize> = self.rows.iter().map(|row| row.row).collect();
        let parts: HashSet<usize> = self.parts.iter().copied().collect();
        let is_asked = |line: &JournalLine| match line {
            JournalLine::Done { row, part, .. } | JournalLine::Failed { row, part, .. } => {
                asked.contains(row) && parts.contains(part)
            }
            JournalLine::Kept { row, .. } => asked.contains(row),
            _ => true,
        };
        // What two attempts made is the same, so that the first of a place stands for all.
        let mut ordered = BTreeMap::new();
        for line in lines.into_iter().filter(is_asked) {
            let name = if let JournalLine::Saved { name, .. } = &line { name.clone() } else { String::new() };
            ordered.entry((line.order(), name)).or_insert(line);
        }
        let over = ordered.values().filter_map(JournalLine::over).collect::<BTreeSet<_>>().len();
        let complete = self.makes == BucketMakes::Shared || over == asked.len() * self.parts.len();
        let text = |line: &JournalLine| {
            let text = line.to_text().map_err(|error| EngineError::Internal(error.to_string()))?;
            Ok(text.trim_end().to_owned())
        };
        Ok(BucketRows {
            version: BucketRows::VERSION,
            bucket: self.digest()?,
            plan: self.plan.clone(),
            phase: self.phase.clone(),
            lines: ordered.values().map(text).collect::<Result<_, EngineError>>()?,
            complete,
        })
    }
}

/// The task that rows name as the one that failed, where their worker ended.
const WORKER: &str = "worker";
