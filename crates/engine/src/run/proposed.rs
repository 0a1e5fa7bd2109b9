//! The row that a run proposes is run like the others, so that its value is measured. It is in no table: its tasks have
//! amounts of their own in the account.

use std::time::Instant;

use onceflow_report::{BestRow, ProposedWork, RowRecord, RowStatus, RunEnding, WorkAccount};
use onceflow_reuse::{FlowInput, Level, ParameterRows, plan};
use onceflow_study::{Value, counted};

use super::Runner;
use super::account::Ledger;
use super::executed::KnownWork;
use crate::open::metrics::Tally;
use crate::resume::journal::RowsIdentity;
use crate::run::keep::Keeper;
use crate::{EngineError, Progress, best};

/// Its name in the journal; no phase of a study has such a name.
const PHASE: &str = "@proposed";

/// Its name in the progress.
const NAME: &str = "proposed";

impl Runner<'_> {
    /// The best row, with what is proposed of its values.
    pub(super) fn best(&mut self, progress: &mut dyn Progress) -> Result<Option<BestRow>, EngineError> {
        let study = self.study;
        let (study, parameters) = (&study.study, study.study.space.parameters());
        let found = best(&self.table, &study.metrics, parameters, &self.images(), &self.phases);
        let Some(mut found) = found else { return Ok(None) };
        if self.ending != RunEnding::Complete {
            let rows = counted(self.table.rows.len(), "row");
            let warning = format!(
                "The run did not come to its end: this is the best of {rows}, and nothing is proposed yet."
            );
            found.warnings.insert(0, warning);
        }
        let proposed = self.proposed(&found, progress)?;
        let with =
            |row: RowRecord| found.clone().with_proposed(&row, &self.table, &study.metrics, parameters);
        Ok(Some(proposed.map(with).unwrap_or(found)))
    }

    /// What the proposed row gave; `None` when the best row itself is proposed, or the run did not come to its end.
    fn proposed(
        &mut self,
        best: &BestRow,
        progress: &mut dyn Progress,
    ) -> Result<Option<RowRecord>, EngineError> {
        let values = best.proposal(&self.table).filter(|_| self.ending == RunEnding::Complete);
        let Some(values) = values else { return Ok(None) };
        let known = self.table.rows.iter().find(|row| row.values == values && row.status == RowStatus::Ok);
        match known {
            Some(row) => Ok(Some(row.clone())),
            None => self.measured(values, progress),
        }
    }

    fn measured(
        &mut self,
        values: Vec<Value>,
        progress: &mut dyn Progress,
    ) -> Result<Option<RowRecord>, EngineError> {
        let began = Instant::now();
        let reference = &self.study.reference;
        let with_reference = self.needs_reference();
        let mut rows = ParameterRows::new(reference.names.clone());
        if with_reference {
            rows.push(&reference.values)?;
            rows.reference = Some(0);
        }
        rows.push(&values)?;
        let mut plan = plan(self.study.flow.clone(), &rows, Level::Dataflow)?;
        progress.phase(&self.study.ahead(NAME, &plan, self.options));
        let past = self.journal.phase(PHASE, &RowsIdentity::of_values(&values))?;
        let work = self.work(self.table.rows.len(), plan.rows(), with_reference, Some(&rows), progress);
        let (execution, gathered) = work.execute(&mut plan, Keeper::default(), KnownWork::Past(&past))?;
        self.clips.end_phase(&gathered.same);
        // The reference row may stand before it; its place is behind the rows of the table.
        let place = self.table.rows.len();
        let number = |row: usize| if row + 1 < plan.rows() { 0 } else { place };
        self.trace_rows(NAME, &plan, &number, &execution.log);
        let mut ledger = Ledger::default();
        ledger.add(&execution, &plan, &gathered.objects, &self.study.seconds(plan.flow(), Level::None));
        let WorkAccount { tasks, seconds, .. } = ledger.work();
        self.proposed = ProposedWork { tasks, seconds, wall: began.elapsed().as_secs_f64() };
        self.moves += execution.moves;
        self.clips.renumber(place + plan.rows() - 1, place);
        let Some(tallies) = gathered.tallies.last().filter(|_| !execution.stopped) else { return Ok(None) };
        if tallies.iter().map(Tally::parts).sum::<usize>() != self.study.inputs.parts.len() {
            return Ok(None);
        }
        let mut record = RowRecord { role: NAME.into(), values, ..self.study.reference.record() };
        self.study.metrics.fill(&mut record, tallies, &self.study.inputs, &self.left_out());
        Ok(Some(record))
    }

    /// Whether the row is compared with the reference row, and no phase has left the regions of that.
    fn needs_reference(&self) -> bool {
        let mut inputs = self.study.flow.tasks.iter().flat_map(|task| &task.inputs);
        self.study.study.phases.len() < 2 && inputs.any(|input| matches!(input, FlowInput::Reference { .. }))
    }
}
