//! A phase that tunes: rows are proposed in batches, run on the images that take part, and told to the tuner; at the end the
//! best row is tried once more, parameter by parameter, and measured on the images that took no part.

mod confirm;
mod finish;
mod objective;
mod rows;
mod seeds;
mod split;

use std::time::Instant;

use onceflow_report::{
    BestRow, PhaseAnswer, RowRecord, RowStatus, RunEnding, TuneAnswer, TunedMetric, TunedRow, ValueChange,
    chosen_row,
};
use onceflow_sensitivity::{TuneOutcome, TuneProposal, Tuner, TunerOptions, pareto_front};
use onceflow_study::{Diagnostic, Method, Phase, Space, TuneDesign, TuneMethod, Value};

use super::Runner;
use crate::plan::phase::{PhaseRows, kept};
use crate::{EngineError, Progress};
use objective::TuneObjective;
use rows::TuneBatch;
use split::ImageSplit;

/// What a phase does, and how far it is.
struct TunePhase<'p> {
    phase: &'p Phase,
    design: &'p TuneDesign,
    space: Space,
    objective: TuneObjective,
    split: ImageSplit,
    tuner: Tuner,
    /// Columns of the table that vary.
    columns: Vec<usize>,
    /// The first of its rows in the table.
    first: usize,
    /// Rows that were run, with that of the defaults.
    evaluations: u64,
    batches: usize,
    began: Instant,
}

/// More failed rows than this share end the phase.
const MOST_FAILED: f64 = 0.5;
/// Failures that are too few to say anything.
const FEW: u64 = 10;

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
        let mut tune = self.begin_tuning(phase, design, space)?;
        self.tuned_tasks = (0, 0);
        if self.table.rows.is_empty() && !self.tune_defaults(&mut tune, progress)? {
            return Ok(());
        }
        self.seed(&mut tune)?;
        let spared = tune.spared();
        let last = design.evaluations.saturating_sub(spared).max(2);
        self.search(&mut tune, last, progress)?;
        if self.ending != RunEnding::Complete {
            return Ok(());
        }
        self.finish_tuning(&mut tune, progress)?;
        // Rows that the end did not need are proposed as before.
        self.search(&mut tune, design.evaluations, progress)?;
        if self.ending != RunEnding::Complete {
            return Ok(());
        }
        let mut answer = self.tune_answer(&tune)?;
        self.confirm(&tune, &mut answer, progress)?;
        self.tuning = Some(answer);
        let rows = tune.first..self.table.rows.len();
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
            computed: self.tuned_tasks.0,
            reused: self.tuned_tasks.1,
            seconds: tune.began.elapsed().as_secs_f64(),
        });
        self.analyses.push((phase.name.clone(), Vec::new()));
        Ok(())
    }

    fn begin_tuning<'p>(
        &self,
        phase: &'p Phase,
        design: &'p TuneDesign,
        space: Space,
    ) -> Result<TunePhase<'p>, EngineError> {
        let study = &self.study.study;
        let objective = TuneObjective::new(&study.metrics, design)?;
        let split = ImageSplit::new(study, &self.study.inputs, &design.hold_out, phase.design.seed);
        if split.tuning.is_empty() {
            return Err(no_images());
        }
        let options = TunerOptions {
            method: design.tuner,
            maximize: objective.maximize.clone(),
            stages: self.stages(&space),
            defaults_first: false,
            ranking: self.ranking(&space, &study.metrics[objective.metrics[0]].name),
            ..TunerOptions::new(phase.design.seed)
        };
        let tuner = Tuner::new(&space, &options)
            .map_err(|error| EngineError::from(crate::open::sampling::cannot_sample(phase, &error)))?;
        let column = |name: &String| self.study.reference.names.iter().position(|own| own == name);
        let columns = space.parameters().iter().filter_map(|p| column(&p.name)).collect();
        Ok(TunePhase {
            phase,
            design,
            space,
            objective,
            split,
            tuner,
            columns,
            first: self.table.rows.len().max(1),
            evaluations: 1,
            batches: 0,
            began: Instant::now(),
        })
    }

    /// Runs the defaults on all images with truth, those that confirm included; says whether it came to its end.
    fn tune_defaults(
        &mut self,
        tune: &mut TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        let mut images: Vec<usize> = tune.split.tuning.clone();
        images.extend(tune.split.held());
        let batch = TuneBatch {
            name: format!("{}@defaults", tune.phase.name),
            phase: &tune.phase.name,
            rows: Vec::new(),
            images: &images,
            with_reference: true,
            first: 0,
        };
        let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(false) };
        let pooled = self.tuned_record(self.study.reference.record(), &tallies[0], &tune.split.tuning);
        let mut record = self.tuned_record(self.study.reference.record(), &tallies[0], &images);
        record.metrics = pooled.metrics;
        self.note_truth(&tallies);
        self.table.rows.push(record);
        Ok(self.ending == RunEnding::Complete)
    }

    /// Batch after batch, until so many rows were run or the time is used up.
    fn search(
        &mut self,
        tune: &mut TunePhase<'_>,
        last: u64,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        while tune.evaluations < last && self.ending == RunEnding::Complete && !tune.is_late() {
            let most = tune.design.batch.min(last - tune.evaluations);
            let asked = tune.tuner.ask(usize::try_from(most).unwrap_or(usize::MAX));
            if asked.is_empty() {
                break;
            }
            self.run_asked(tune, &asked, progress)?;
        }
        Ok(())
    }

    fn run_asked(
        &mut self,
        tune: &mut TunePhase<'_>,
        asked: &[TuneProposal],
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let values: Vec<Vec<Value>> = asked.iter().map(|row| self.whole(tune, &row.values)).collect();
        let Some(records) = self.run_tuned(tune, values, "tune", progress)? else { return Ok(()) };
        for (row, record) in asked.iter().zip(&records) {
            let outcome = tune.objective.outcome(record, &tune.split.tuning);
            let told = tune.tuner.tell(row.number, &outcome);
            told.map_err(|error| EngineError::Internal(error.to_string()))?;
        }
        self.check_failures(tune);
        Ok(())
    }

    /// Runs rows on the images that take part, and adds them to the table; `None` when the run was stopped.
    fn run_tuned(
        &mut self,
        tune: &mut TunePhase<'_>,
        rows: Vec<Vec<Value>>,
        role: &str,
        progress: &mut dyn Progress,
    ) -> Result<Option<Vec<RowRecord>>, EngineError> {
        let batch = TuneBatch {
            name: format!("{}#{}", tune.phase.name, tune.batches),
            phase: &tune.phase.name,
            images: &tune.split.tuning,
            with_reference: false,
            first: self.table.rows.len(),
            rows,
        };
        let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(None) };
        let number = self.table.rows.last().map_or(0, |row| row.row + 1);
        let mut records = Vec::new();
        for (place, (values, tallies)) in batch.rows.iter().zip(&tallies).enumerate() {
            let record = RowRecord {
                row: number + place as u64,
                phase: Some(tune.phase.name.clone()),
                role: role.into(),
                base: tune.batches as u64,
                values: values.clone(),
                ..self.study.reference.record()
            };
            records.push(self.tuned_record(record, tallies, &tune.split.tuning));
        }
        self.note_truth(&tallies);
        self.table.rows.extend(records.iter().cloned());
        tune.evaluations += records.len() as u64;
        tune.batches += 1;
        Ok(Some(records))
    }

    /// The values of all parameters: those that do not vary have the reference's.
    fn whole(&self, tune: &TunePhase<'_>, values: &[Value]) -> Vec<Value> {
        let mut whole = self.study.reference.values.clone();
        tune.columns.iter().zip(values).for_each(|(column, value)| whole[*column] = value.clone());
        whole
    }

    fn note_truth(&mut self, tallies: &[Vec<crate::open::metrics::Tally>]) {
        for row in tallies {
            for (known, tally) in self.truth_objects.iter_mut().zip(row) {
                *known = known.or(tally.truth_objects().filter(|_| tally.parts() > 0));
            }
        }
    }

    /// A phase of which most rows fail has nothing to learn from.
    fn check_failures(&mut self, tune: &TunePhase<'_>) {
        let rows = &self.table.rows[tune.first.min(self.table.rows.len())..];
        let failed = rows.iter().filter(|row| matches!(row.status, RowStatus::Failed { .. })).count() as u64;
        if failed >= FEW && failed as f64 > MOST_FAILED * rows.len() as f64 {
            self.ending = RunEnding::TooManyFailures;
        }
    }

    fn tune_answer(&self, tune: &TunePhase<'_>) -> Result<TuneAnswer, EngineError> {
        let (table, objective, images) = (&self.table, &tune.objective, &tune.split.tuning);
        let reference = &table.rows[0];
        let row = self.chosen(tune).ok_or_else(|| nothing_found(&tune.phase.name))?;
        let value = |row: &RowRecord| objective.value(row, objective.metrics[0], images).unwrap_or(f64::NAN);
        let best = &table.rows[row];
        let metric = |(place, name): (usize, &String)| TunedMetric {
            name: name.clone(),
            default: objective.value(reference, place, images),
            best: objective.value(best, place, images),
        };
        let metrics: Vec<TunedMetric> = table.metrics.iter().enumerate().map(metric).collect();
        let varied: Vec<Value> = tune.columns.iter().map(|column| best.values[*column].clone()).collect();
        let parameters = tune.space.parameters();
        let is_changed = |place: &usize| {
            let column = tune.columns[*place];
            reference.values[column] != best.values[column]
        };
        let ends = tune.tuner.at_ends(&varied).into_iter().filter(is_changed);
        let change = |column: usize| ValueChange {
            parameter: table.parameters[column].clone(),
            from: reference.values[column].clone(),
            to: best.values[column].clone(),
        };
        let changed = (0..table.parameters.len()).filter(|c| reference.values[*c] != best.values[*c]);
        let history = table
            .rows
            .iter()
            .filter(|row| tune.is_own(row))
            .map(|row| (row.row, objective.value(row, objective.metrics[0], images)));
        let front = if objective.metrics.len() > 1 { self.front(tune) } else { Vec::new() };
        let warnings = fallen(&metrics, &self.study.study.metrics, "the images that took part");
        Ok(TuneAnswer {
            phase: tune.phase.name.clone(),
            tuner: tune.design.tuner.word().into(),
            objectives: objective.names(table),
            maximize: objective.maximize.clone(),
            over: objective.over.word().into(),
            evaluations: tune.evaluations,
            images: images.iter().map(|image| table.images[*image].clone()).collect(),
            row,
            values: best.values.clone(),
            default: value(reference),
            best: value(best),
            metrics,
            changes: changed.map(change).collect(),
            returned: tune_returned(self, tune, row),
            ends: ends.map(|place| format!("{} {}", parameters[place].name, varied[place])).collect(),
            front,
            history: history.collect(),
            held_out: None,
            warnings,
        })
    }

    /// The place of the row to recommend: the best one; with several objectives the one nearest to all of their best values.
    fn chosen(&self, tune: &TunePhase<'_>) -> Option<usize> {
        let rows = self.tuned_values(tune);
        if tune.objective.metrics.len() == 1 {
            // Rows at the end come last and are chosen when they are as good: they have fewer changes.
            let better = |a: &(usize, Vec<f64>), b: &(usize, Vec<f64>)| {
                tune.objective.gain(a.1[0], b.1[0]).total_cmp(&0.0).then(b.0.cmp(&a.0))
            };
            let best = rows.iter().max_by(|a, b| better(a, b))?;
            let simple = rows.iter().rev().find(|row| {
                self.table.rows[row.0].role == "returned"
                    && tune.objective.gain(best.1[0], row.1[0])
                        <= finish::TOLERANCE * self.gained(tune, best.1[0])
            });
            return Some(simple.map_or(best.0, |row| row.0));
        }
        let values: Vec<Vec<f64>> = rows.iter().map(|row| row.1.clone()).collect();
        let front = pareto_front(&values, &tune.objective.maximize);
        let objectives = tune.objective.metrics.len();
        let ends = |i: usize| {
            let of = front.iter().map(|place| values[*place][i]);
            (of.clone().fold(f64::INFINITY, f64::min), of.fold(f64::NEG_INFINITY, f64::max))
        };
        let distance = |place: &usize| {
            (0..objectives).fold(0.0, |most, i| {
                let (low, high) = ends(i);
                let best = if tune.objective.maximize[i] { high } else { low };
                let range = if high > low { high - low } else { 1.0 };
                f64::max(most, (values[*place][i] - best).abs() / range)
            })
        };
        front.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|place| rows[*place].0)
    }

    fn front(&self, tune: &TunePhase<'_>) -> Vec<TunedRow> {
        let rows = self.tuned_values(tune);
        let values: Vec<Vec<f64>> = rows.iter().map(|row| row.1.clone()).collect();
        let front = pareto_front(&values, &tune.objective.maximize).into_iter();
        front
            .map(|place| TunedRow {
                row: self.table.rows[rows[place].0].row,
                objectives: values[place].clone(),
            })
            .collect()
    }

    /// The rows of the phase and the defaults, with their objectives; those that failed are left out.
    fn tuned_values(&self, tune: &TunePhase<'_>) -> Vec<(usize, Vec<f64>)> {
        let rows = self.table.rows.iter().enumerate().filter(|(_, row)| tune.is_own(row));
        let values = rows.filter_map(|(place, row)| match tune.objective.outcome(row, &tune.split.tuning) {
            TuneOutcome::Values(values) if values.iter().all(|x| x.is_finite()) => Some((place, values)),
            _ => None,
        });
        values.collect()
    }

    /// What a value of the objective gains over the defaults.
    fn gained(&self, tune: &TunePhase<'_>, value: f64) -> f64 {
        let metric = tune.objective.metrics[0];
        let default = tune.objective.value(&self.table.rows[0], metric, &tune.split.tuning);
        default.map_or(0.0, |default| tune.objective.gain(value, default).max(0.0))
    }
}

impl TunePhase<'_> {
    /// Whether a row takes part: one of the phase, or the defaults.
    fn is_own(&self, row: &RowRecord) -> bool {
        row.role == "reference" || row.phase.as_ref() == Some(&self.phase.name)
    }

    /// Rows that are left for the end: the best row is tried in each parameter.
    fn spared(&self) -> u64 {
        let parameters = self.space.parameters().len() as u64;
        if self.design.tuner == TuneMethod::Random || self.objective.metrics.len() > 1 {
            return 0;
        }
        (parameters + 2).min(self.design.evaluations / 4)
    }

    /// Tells the tuner of a row that it did not propose.
    fn learn(&mut self, values: &[Value], outcome: &TuneOutcome) -> Result<(), EngineError> {
        self.tuner.learn(values, outcome).map_err(|error| EngineError::Internal(error.to_string()))
    }

    fn is_late(&self) -> bool {
        self.design.time.is_some_and(|time| self.began.elapsed() >= time)
    }
}

/// Parameters that went back to their defaults at the end.
fn tune_returned(runner: &Runner<'_>, tune: &TunePhase<'_>, row: usize) -> Vec<String> {
    let table = &runner.table;
    if table.rows[row].role != "returned" {
        return Vec::new();
    }
    let before =
        runner.tuned_values(tune).into_iter().filter(|(place, _)| table.rows[*place].role != "returned");
    let best = before.max_by(|a, b| tune.objective.gain(a.1[0], b.1[0]).total_cmp(&0.0));
    let Some((best, _)) = best else { return Vec::new() };
    let (from, to) = (&table.rows[best].values, &table.rows[row].values);
    let gone = (0..from.len()).filter(|c| from[*c] != to[*c] && to[*c] == table.rows[0].values[*c]);
    gone.map(|column| table.parameters[column].clone()).collect()
}

/// Metrics other than the improved ones that are worse by more than .02 of their range from 0 to 1.
fn fallen(metrics: &[TunedMetric], known: &[onceflow_study::Metric], on: &str) -> Vec<String> {
    const TOLERATED: f64 = 0.02;
    let mut warnings = Vec::new();
    for (metric, own) in metrics.iter().zip(known) {
        let bounded =
            matches!(own.measure.as_deref(), Some("dice" | "jaccard" | "object_f1" | "panoptic_quality"));
        if let (true, Some(default), Some(best)) = (bounded, metric.default, metric.best)
            && default - best > TOLERATED
        {
            warnings.push(format!(
                "{} falls from {default:.3} to {best:.3} on {on}: the values are better only by what was tuned for.",
                metric.name
            ));
        }
    }
    warnings
}

fn no_images() -> EngineError {
    let error = Diagnostic::error("no image is left for tuning");
    let error = error.expected_found("an image with truth that is not held out", "none");
    error.with_hint("give truth = … with an image, or hold out fewer slides").into()
}

fn nothing_found(phase: &str) -> EngineError {
    let error = Diagnostic::error(format!(
        "phase `{phase}` found no values: every row failed, also that of the defaults"
    ));
    error.with_hint("look at rows.csv for the failures").into()
}
