//! A phase that tunes: rows are proposed in batches, run on the images that take part, and told to the tuner; at the end the
//! best row is tried once more, parameter by parameter, and measured on the images that took no part.

mod answer;
mod asked;
mod confirm;
mod defaults;
mod finish;
mod left_out;
mod objective;
mod rows;
mod search;
mod seeds;
mod spent;
mod split;
mod widen;
mod yardstick;

use onceflow_report::{BestRow, FlippedValue, PhaseAnswer, RowRecord, RowStatus, RunEnding, chosen_row};
use onceflow_sensitivity::{TuneOutcome, Tuner, TunerOptions};
use onceflow_study::{Method, Phase, Space, TuneDesign, TuneMethod, Value};

use super::Runner;
use crate::plan::phase::{PhaseRows, kept};
use crate::{EngineError, Progress};
pub use asked::{AskedOptions, AskedRow, AskedSearch};
use objective::TuneObjective;
pub(super) use rows::leave_out;
pub(super) use spent::TunedWork;
pub(super) use split::ImageSplit;

/// What a search does, and how far it is.
struct TunePhase<'p> {
    /// The phase of its rows in the table.
    name: String,
    phase: &'p Phase,
    design: &'p TuneDesign,
    space: Space,
    objective: TuneObjective,
    split: ImageSplit,
    tuner: Tuner,
    /// Columns of the table that vary.
    columns: Vec<usize>,
    /// Parameters that matter by an earlier phase, the first most.
    influential: Vec<String>,
    /// The place of the row of an earlier phase that it began from.
    seeded: Option<usize>,
    /// The first of its rows in the table.
    first: usize,
    /// Rows that were run, with that of the defaults.
    evaluations: u64,
    batches: usize,
    /// What the end tried beside the best row, and how much of that it could not.
    flips: Vec<FlippedValue>,
    untried: usize,
}

/// The share of its time and cost that a search may take before its end, which tries the best row once more.
const SEARCHED: f64 = 0.8;

/// The design of a phase that tunes.
pub(super) fn tune_design(phase: &Phase) -> Option<&TuneDesign> {
    match &phase.design.method {
        Method::Tune(design) => Some(design),
        _ => None,
    }
}

impl Runner<'_> {
    /// The row that tuning recommends; `None` in a run that did not tune.
    pub(super) fn tuned_best(&self) -> Option<BestRow> {
        let tuning = self.tuning.as_ref()?;
        let row = if tuning.recommends_defaults() { 0 } else { tuning.row };
        let parameters = self.study.study.space.parameters();
        let warnings = tuning.doubts();
        chosen_row(&self.table, parameters, row, tuning.best, Some(tuning.default), warnings)
    }

    /// Carries out a phase that tunes.
    pub(super) fn tune(
        &mut self,
        phase: &Phase,
        design: &TuneDesign,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let kept = kept(&self.study.study, phase, &self.analyses)?;
        let names = kept.as_ref().map(|kept| kept.names.as_slice());
        let space = PhaseRows::space(&self.study.study, phase, names)?;
        let Some(split) = self.split.clone() else {
            return Err(EngineError::Internal("a phase that tunes without the row of the defaults".into()));
        };
        let mut tune = self.begin_tuning(phase, design, phase.name.clone(), space, split)?;
        self.seed(&mut tune)?;
        self.search_to_end(&mut tune, progress)?;
        if self.ending != RunEnding::Complete {
            return Ok(());
        }
        let rows = tune.first..self.table.rows.len();
        let mut answer = self.tune_answer(&tune)?;
        self.confirm(&tune, &mut answer, progress)?;
        answer.random = self.yardstick(&tune, progress)?;
        answer.left_out = self.leave_each_out(&tune, progress)?;
        if self.ending != RunEnding::Complete {
            return Ok(());
        }
        self.tuning = Some(answer);
        let failed = |row: &&RowRecord| matches!(row.status, RowStatus::Failed { .. });
        self.phases.push(PhaseAnswer {
            name: phase.name.clone(),
            method: "tune".into(),
            space: tune.space.clone(),
            failed: self.table.rows[rows.clone()].iter().filter(failed).count() as u64,
            rows,
            kept,
            analyses: Vec::new(),
            per_image: Vec::new(),
            progress: Vec::new(),
            computed: self.tuned.tasks.0,
            reused: self.tuned.tasks.1,
            seconds: self.tuned.seconds(),
        });
        self.analyses.push((phase.name.clone(), Vec::new()));
        Ok(())
    }

    /// The search, its end, and more of the search where the end did not need all rows that were left for it.
    fn search_to_end(
        &mut self,
        tune: &mut TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        self.tuned.begin_search();
        let spared = tune.spared();
        self.search(tune, tune.design.evaluations.saturating_sub(spared).max(2), SEARCHED, progress)?;
        if self.ending == RunEnding::Complete {
            self.finish_tuning(tune, progress)?;
            self.search(tune, tune.design.evaluations, 1.0, progress)?;
        }
        Ok(())
    }

    fn begin_tuning<'p>(
        &self,
        phase: &'p Phase,
        design: &'p TuneDesign,
        name: String,
        space: Space,
        split: ImageSplit,
    ) -> Result<TunePhase<'p>, EngineError> {
        let study = &self.study.study;
        let objective = TuneObjective::new(&study.metrics, design)?;
        let influential = self.ranking(&space, &study.metrics[objective.metrics[0]].name);
        let options = TunerOptions {
            method: design.tuner,
            maximize: objective.maximize.clone(),
            stages: self.stages(&space),
            defaults_first: false,
            ranking: influential.clone(),
            ..TunerOptions::new(phase.design.seed)
        };
        let tuner = Tuner::new(&space, &options)
            .map_err(|error| EngineError::from(crate::open::sampling::cannot_sample(phase, &error)))?;
        let column = |name: &String| self.study.reference.names.iter().position(|own| own == name);
        let columns = space.parameters().iter().filter_map(|p| column(&p.name)).collect();
        Ok(TunePhase {
            name,
            phase,
            design,
            space,
            objective,
            split,
            tuner,
            columns,
            influential,
            seeded: None,
            first: self.table.rows.len(),
            evaluations: 1,
            batches: 0,
            flips: Vec::new(),
            untried: 0,
        })
    }
}

impl TunePhase<'_> {
    /// Whether a row takes part: one of the search, the defaults, or the row that it began from.
    fn is_own(&self, place: usize, row: &RowRecord) -> bool {
        row.role == "reference" || row.phase.as_ref() == Some(&self.name) || self.seeded == Some(place)
    }

    /// Rows that are left for the end: the best row is tried in each parameter, and in each word of those without an order.
    fn spared(&self) -> u64 {
        if self.design.tuner == TuneMethod::Random {
            return 0;
        }
        let words = |parameter: &onceflow_study::Parameter| match parameter.domain.count() {
            Some(count) if parameter.domain.is_categorical() => count - 1,
            _ => 1,
        };
        let flips: u64 = self.space.parameters().iter().map(words).sum();
        (flips + 2).min(self.design.evaluations / 4)
    }

    /// Tells the tuner of a row that it did not propose.
    fn learn(&mut self, values: &[Value], outcome: &TuneOutcome) -> Result<(), EngineError> {
        self.tuner.learn(values, outcome).map_err(|error| EngineError::Internal(error.to_string()))
    }

    /// The values of the parameters that vary, of those of all.
    fn varied(&self, values: &[Value]) -> Vec<Value> {
        self.columns.iter().map(|column| values[*column].clone()).collect()
    }
}
