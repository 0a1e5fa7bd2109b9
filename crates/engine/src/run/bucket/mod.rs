//! Buckets as a contract between processes: rows of a phase go out as a value, their results come back as one.
//!
//! [`next_buckets`] cuts the rows that a run has left, [`execute_bucket`] carries out one bucket in any process that has
//! opened the same study, and [`record_bucket`] adds its results to the journal of the run. Carried out twice, in any order
//! and at any level of reuse, buckets give the same results as the whole run.

mod check;
mod cut;
mod input;
mod rows;

use std::collections::{BTreeSet, HashSet};

use onceflow_reuse::{ParameterRows, Plan, plan};
use onceflow_runtime::{KnownFrom, KnownRows};
use onceflow_study::Value;

pub use cut::next_buckets;
pub use input::{
    BucketImage, BucketInput, BucketPhase, BucketReference, BucketRow, BucketValue, SavedFile, SavedRegion,
    SharedTask,
};
pub use rows::{BucketRows, record_bucket};

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::plan::grain::Grained;
use crate::resume::journal::JournalLine;
use crate::run::context::RunContext;
use crate::run::executed::{KnownWork, PhaseWork};
use crate::run::keep::Keeper;
use crate::run::row_numbers::RowNumbers;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};
use check::{check_images, check_plan, check_rows, check_version, damaged_line, references, unreadable};

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
    check_version("a bucket", bucket.version, BucketInput::VERSION)?;
    check_plan(study, &bucket.phase, &bucket.plan)?;
    check_rows(study, bucket)?;
    check_images(study, bucket)?;
    study.check_commands()?;
    study.inputs.warm();
    folder.make()?;
    let mut context = RunContext::new(study, settings, study.budget(settings.memory));
    context.references = references(bucket, folder)?;
    let (rows, numbers) = bucket.plan_rows(study)?;
    let granularity = study.granularity(settings.level, &settings.merge);
    let Grained { flow, kept, .. } =
        study.grained(&bucket.phase.name, &rows, settings.level, &granularity)?;
    let mut plan = plan(flow, &rows, settings.level)?;
    progress.phase(&study.ahead(&bucket.phase.name, &plan, settings));
    let mut lines = Vec::new();
    // Pictures are drawn where the run is.
    let clips = PictureClips::new(Vec::new());
    let work = PhaseWork {
        study,
        options: settings,
        folder,
        context: &mut context,
        products: None,
        lines: &mut lines,
        clips: &clips,
        progress,
        numbers: RowNumbers::of_bucket(bucket.phase.first, numbers.clone()),
        is_followed: false,
        saves_reference: bucket.has_reference_row() && study.study.phases.len() > 1,
        most_failed: u64::MAX,
        unread: UnreadImages::default(),
        asked_parts: None,
    };
    let known = KnownWork::Instances(bucket.elsewhere(study, &plan));
    let (_, gathered) = work.execute(&mut plan, Keeper::new(kept), known)?;
    lines.retain(|line| !matches!(line, JournalLine::Kept { .. }));
    lines.extend(gathered.keeper.kept_lines(&plan, &study.inputs, &numbers));
    bucket.results(lines)
}

impl BucketInput {
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

    /// The lines of its own rows and parts, in order.
    fn results(&self, mut lines: Vec<JournalLine>) -> Result<BucketRows, EngineError> {
        let asked: HashSet<usize> = self.rows.iter().map(|row| row.row).collect();
        lines.retain(|line| match line {
            JournalLine::Done { row, .. } | JournalLine::Failed { row, .. } => asked.contains(row),
            JournalLine::Kept { row, .. } => asked.contains(row),
            _ => true,
        });
        lines.sort_by_key(JournalLine::order);
        let over = lines.iter().filter_map(|line| match line {
            JournalLine::Done { row, part, .. } | JournalLine::Failed { row, part, .. } => {
                Some((*row, *part))
            }
            _ => None,
        });
        let complete = over.collect::<BTreeSet<_>>().len() == asked.len() * self.parts.len();
        let text = |line: &JournalLine| {
            let text = line.to_text().map_err(|error| EngineError::Internal(error.to_string()))?;
            Ok(text.trim_end().to_owned())
        };
        Ok(BucketRows {
            version: BucketRows::VERSION,
            bucket: self.digest()?,
            plan: self.plan.clone(),
            phase: self.phase.clone(),
            lines: lines.iter().map(text).collect::<Result<_, EngineError>>()?,
            complete,
        })
    }
}
