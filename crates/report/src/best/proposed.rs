//! Values that a run proposes: those of the best row, without changes that have no influence.

use onceflow_sensitivity::Verdict;
use onceflow_study::{Metric, Parameter, Value};

use super::{Better, changes, first_metric, is_same, reference};
use crate::subject::Subject;
use crate::words::{and, metric_text};
use crate::{BestRow, MetricTable, PhaseAnswer, ProposedRow, RowRecord, RowStatus, ValueChange};

/// Values that lose more than this share of what the best row gains are not proposed.
const TOLERATED_LOSS: f64 = 0.1;

/// Whether a parameter changes the first metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Influence {
    Influential,
    /// Judged so, or screened out.
    Without,
    /// The rows cannot say.
    Unknown,
}

impl Influence {
    /// By the last phase that says something of the parameter.
    pub(super) fn of(parameter: &str, metric: &str, phases: &[PhaseAnswer]) -> Self {
        let said = phases.iter().rev().find_map(|phase| {
            let screened = phase.kept.as_ref().is_some_and(|kept| {
                kept.metric == metric && !kept.names.iter().any(|name| name == parameter)
            });
            if screened {
                return Some(Self::Without);
            }
            let subject = Subject::in_phase(phase, metric)?;
            let line = subject.table.lines.iter().find(|line| line.name == parameter)?;
            Some(match line.verdict {
                Some(Verdict::Influential) => Self::Influential,
                Some(Verdict::NotInfluential) => Self::Without,
                Some(Verdict::Undecided { .. }) | None => Self::Unknown,
            })
        });
        said.unwrap_or(Self::Unknown)
    }
}

/// Names of changed parameters without influence.
pub(super) fn without_influence(
    changes: &[ValueChange],
    metric: &str,
    phases: &[PhaseAnswer],
) -> Vec<String> {
    let names = changes.iter().map(|change| &change.parameter);
    names.filter(|name| Influence::of(name, metric, phases) == Influence::Without).cloned().collect()
}

/// Influential parameters that have their defaults in a row.
pub(super) fn kept_defaults(
    table: &MetricTable,
    parameters: &[Parameter],
    row: &RowRecord,
    metric: &str,
    phases: &[PhaseAnswer],
) -> Vec<(String, Value)> {
    let kept = |parameter: &Parameter| {
        let place = table.parameters.iter().position(|name| *name == parameter.name)?;
        let own = row.values.get(place)?;
        let default = reference(table).and_then(|r| r.values.get(place)).or(parameter.default.as_ref())?;
        let influences = Influence::of(&parameter.name, metric, phases) == Influence::Influential;
        (influences && is_same(parameter, default, own)).then(|| (parameter.name.clone(), own.clone()))
    };
    parameters.iter().filter_map(kept).collect()
}

impl BestRow {
    /// The values of the best row with the defaults of changed parameters that have no influence; `None` when there are
    /// none. The row with these values is not in the table: it is for the caller to run it.
    pub fn proposal(&self, table: &MetricTable) -> Option<Vec<Value>> {
        let mut values = table.rows.get(self.row)?.values.clone();
        for change in self.changes.iter().filter(|change| self.without_influence.contains(&change.parameter))
        {
            let place = table.parameters.iter().position(|name| *name == change.parameter)?;
            *values.get_mut(place)? = change.from.clone();
        }
        (!self.without_influence.is_empty()).then_some(values)
    }

    /// The same with what the proposed row gave, unless it gave less than the best row: then the best row stays proposed.
    #[must_use]
    pub fn with_proposed(
        mut self,
        row: &RowRecord,
        table: &MetricTable,
        metrics: &[Metric],
        parameters: &[Parameter],
    ) -> Self {
        let measured = first_metric(row).filter(|_| row.status == RowStatus::Ok);
        let Some((value, metric)) = measured.zip(metrics.first()) else { return self };
        let Some(better) = Better::of(metric) else { return self };
        let gain = self.default.map_or(0.0, |default| (self.value - default).abs());
        let loses = better.is_better(self.value, value);
        if loses && (self.value - value).abs() > TOLERATED_LOSS * gain {
            self.warnings.push(format!(
                "With {} at the default{}, which seemed to have no influence, {} is {}: the values of the best row are proposed.",
                and(&self.without_influence),
                if self.without_influence.len() == 1 { "" } else { "s" },
                metric.name,
                metric_text(value)
            ));
            self.without_influence.clear();
            return self;
        }
        let changes = changes(table, parameters, row, reference(table));
        self.proposed = Some(ProposedRow { row: row.clone(), value, changes });
        self
    }

    /// The changes that are proposed.
    pub fn proposed_changes(&self) -> &[ValueChange] {
        self.proposed.as_ref().map_or(&self.changes, |proposed| &proposed.changes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{metric, parameters, table};
    use super::*;
    use onceflow_study::Against;

    const ROWS: [(f64, f64, &[f64]); 2] = [(80.0, 8.0, &[0.5]), (40.0, 4.0, &[0.7])];

    fn best() -> BestRow {
        let metrics = [metric("dice", Against::Truth)];
        let mut best = super::super::best(&table(&ROWS), &metrics, &parameters(), &[], &[]).unwrap();
        best.without_influence = vec!["connectivity".into()];
        best
    }

    fn with(value: f64) -> BestRow {
        let (table, best) = (table(&ROWS), best());
        let mut row = table.rows[1].clone();
        row.values = best.proposal(&table).unwrap();
        row.metrics = vec![Some(value)];
        best.with_proposed(&row, &table, &[metric("dice", Against::Truth)], &parameters())
    }

    #[test]
    fn changes_without_influence_go_back_to_their_defaults() {
        let proposal = best().proposal(&table(&ROWS)).unwrap();
        assert_eq!(proposal, [Value::Real(40.0), Value::Real(8.0)]);
        let proposed = with(0.69).proposed.unwrap();
        let names: Vec<&str> = proposed.changes.iter().map(|change| change.parameter.as_str()).collect();
        assert_eq!((proposed.value, names), (0.69, vec!["G1"]));
    }

    #[test]
    fn values_that_lose_much_of_the_gain_are_not_proposed() {
        let best = with(0.6);
        assert_eq!(best.proposed, None);
        let warning = best.warnings.last().unwrap();
        assert!(warning.starts_with("With connectivity at the default, which seemed"), "{warning}");
        assert_eq!(best.proposed_changes().len(), 2);
    }

    #[test]
    fn without_changes_to_take_back_there_is_nothing_to_run() {
        let best = BestRow { without_influence: Vec::new(), ..best() };
        assert_eq!(best.proposal(&table(&ROWS)), None);
    }
}
