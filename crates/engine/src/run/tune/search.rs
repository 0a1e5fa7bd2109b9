//! Batch after batch: rows are asked for, run on the images that take part, and told to the tuner.

use onceflow_report::{RowRecord, RowStatus, RunEnding};
use onceflow_sensitivity::TuneProposal;
use onceflow_study::Value;

use super::rows::TuneBatch;
use super::{Runner, TunePhase};
use crate::open::metrics::Tally;
use crate::{EngineError, Progress};

/// More failed rows than this share end the phase.
const MOST_FAILED: f64 = 0.5;
/// Failures that are too few to say anything.
const FEW: u64 = 10;

impl Runner<'_> {
    /// Batch after batch, until so many rows were run, or this share of the time or cost is used up.
    pub(super) fn search(
        &mut self,
        tune: &mut TunePhase<'_>,
        last: u64,
        share: f64,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        while tune.evaluations < last
            && self.ending == RunEnding::Complete
            && !self.tuned.is_over(tune.design, share)
        {
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
    pub(super) fn run_tuned(
        &mut self,
        tune: &mut TunePhase<'_>,
        rows: Vec<Vec<Value>>,
        role: &str,
        progress: &mut dyn Progress,
    ) -> Result<Option<Vec<RowRecord>>, EngineError> {
        let batch = TuneBatch {
            name: format!("{}#{}", tune.name, tune.batches),
            phase: &tune.name,
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
                phase: Some(tune.name.clone()),
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
    pub(super) fn whole(&self, tune: &TunePhase<'_>, values: &[Value]) -> Vec<Value> {
        let mut whole = self.study.reference.values.clone();
        tune.columns.iter().zip(values).for_each(|(column, value)| whole[*column] = value.clone());
        whole
    }

    pub(super) fn note_truth(&mut self, tallies: &[Vec<Tally>]) {
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
}
