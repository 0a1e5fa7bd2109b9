//! What a run would take from the store of results, before it runs.

use onceflow_nuclei::StepProgress;
use onceflow_products::ProductKey;
use onceflow_reuse::{Level, ParameterRows, plan};
use onceflow_study::{Method, Phase};

use super::ProductReader;
use super::keys::part_keys;
use super::outputs::MeasuredOutputs;
use crate::open::sources::References;
use crate::plan::PhaseBasis;
use crate::{EngineError, ImagesDigested, OpenStudy, RunSettings};

/// Rows of a later phase that are looked for before it is its turn.
const MOST_ROWS: usize = 1 << 18;

/// What the store has of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPhase {
    /// The name of the phase.
    pub phase: String,
    /// What the store has, or why that is not known before the run.
    pub found: Result<StoredInstances, StoredUnknown>,
}

/// What the store has of the instances of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredInstances {
    /// Rows times parts, the reference row included.
    pub all: u64,
    /// How many were computed by earlier runs.
    pub taken: u64,
    /// How many of the others need only be compared, since their outputs are there.
    pub compared: u64,
}

impl std::ops::AddAssign for StoredInstances {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.taken += other.taken;
        self.compared += other.compared;
    }
}

/// Why it is not known before a run what the store has of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredUnknown {
    /// An earlier phase decides which parameters vary.
    Parameters,
    /// Rows are compared with regions of the reference row, which the run computes first.
    Reference,
    /// Rows are chosen by the results of others.
    Tuned,
    /// There are too many rows to look for twice.
    TooMany,
    /// A task gives other results each time.
    Changing,
}

impl StoredUnknown {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Parameters => "an earlier phase decides which parameters vary",
            Self::Reference => "rows are compared with the reference row, which is computed first",
            Self::Tuned => "rows are chosen by the results of others",
            Self::TooMany => "there are too many rows to look for them twice",
            Self::Changing => "a task gives other results each time",
        }
    }
}

/// What the store of the settings has of each phase of a study; `None` without a store. Nothing is written. `watch` is told how
/// many images have been read for their digests, and how many parts have been looked for.
///
/// # Errors
/// When a phase cannot be planned.
pub fn stored_phases(
    study: &OpenStudy,
    settings: &RunSettings,
    watch: &(dyn Fn(StepProgress) + Sync),
) -> Result<Option<Vec<StoredPhase>>, EngineError> {
    let is_there = settings.store.as_ref().is_some_and(|store| store.path().is_dir());
    if !is_there {
        return Ok(None);
    }
    let mut images = |digested: ImagesDigested| {
        watch(StepProgress { task: "images", done: digested.done as u64, of: digested.of as u64 })
    };
    let Some(Ok(reader)) = ProductReader::open(study, settings, &mut images) else { return Ok(None) };
    let stored = |(place, phase): (usize, &Phase)| {
        let found = match unknown(study, place, phase)? {
            Some(unknown) => Err(unknown),
            None => reader.stored(study, &study.planned_rows(place, false)?.rows, watch)?,
        };
        Ok(StoredPhase { phase: phase.name.clone(), found })
    };
    study.study.phases.iter().enumerate().map(stored).collect::<Result<_, _>>().map(Some)
}

/// Why the rows of a phase cannot be looked for.
fn unknown(study: &OpenStudy, place: usize, phase: &Phase) -> Result<Option<StoredUnknown>, EngineError> {
    Ok(if matches!(phase.design.method, Method::Tune(_)) {
        Some(StoredUnknown::Tuned)
    } else if study.basis(phase) == PhaseBasis::All {
        Some(StoredUnknown::Parameters)
    } else if place > 0 && study.row_count(phase)? > MOST_ROWS {
        Some(StoredUnknown::TooMany)
    } else {
        None
    })
}

impl ProductReader {
    /// What the store has of rows.
    fn stored(
        &self,
        study: &OpenStudy,
        rows: &ParameterRows,
        watch: &(dyn Fn(StepProgress) + Sync),
    ) -> Result<Result<StoredInstances, StoredUnknown>, EngineError> {
        let plan = plan(study.flow.clone(), rows, Level::Dataflow)?;
        if !(0..plan.flow().tasks.len()).all(|task| plan.lasts(plan.node(0, task))) {
            return Ok(Err(StoredUnknown::Changing));
        }
        let (outputs, references) = (MeasuredOutputs::new(plan.flow()), References::new());
        let (mut stored, parts) = (StoredInstances::default(), study.inputs.parts.len());
        for part in 0..parts {
            watch(StepProgress { task: "parts", done: part as u64, of: parts as u64 });
            let keys = part_keys(&plan, outputs.as_ref(), &|source, scope| {
                self.source(study, &references, &plan.flow().sources[source], scope, part)
            });
            let Some((rows, outputs)) = keys else { return Ok(Err(StoredUnknown::Reference)) };
            stored.all += plan.rows() as u64;
            stored.add(self, &rows, &outputs);
        }
        Ok(Ok(stored))
    }
}

impl StoredInstances {
    /// Adds the rows of a part. A store that does not answer has nothing.
    fn add(&mut self, reader: &ProductReader, rows: &[ProductKey], outputs: &[ProductKey]) {
        let has = |keys: &[ProductKey]| reader.store.has(keys).unwrap_or_else(|_| vec![false; keys.len()]);
        let (rows, outputs, each) = (has(rows), has(outputs), outputs.len() / rows.len().max(1));
        for (row, is_there) in rows.iter().enumerate() {
            let compared = each > 0 && outputs[row * each..(row + 1) * each].iter().all(|there| *there);
            self.taken += u64::from(*is_there);
            self.compared += u64::from(!*is_there && compared);
        }
    }
}
