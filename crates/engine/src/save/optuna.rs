//! The rows of a search as a journal of Optuna.

use onceflow_report::{Answer, TriedRow, TuneAnswer};
use onceflow_study::{OptunaTrial, optuna_journal};

/// The journal of a search: a trial for each row, with its number, its role and its metrics.
pub(super) fn journal(answer: &Answer, tuning: &TuneAnswer) -> String {
    let phase = answer.phases.iter().find(|phase| phase.name == tuning.phase);
    let Some(space) = phase.map(|phase| &phase.space) else { return String::new() };
    let columns: Vec<Option<usize>> = space
        .parameters()
        .iter()
        .map(|parameter| answer.table.parameters.iter().position(|name| *name == parameter.name))
        .collect();
    let trial = |tried: &TriedRow| {
        let row = answer.table.rows.get(tried.place)?;
        let value = |column: &Option<usize>| row.values.get((*column)?).cloned();
        let mut attributes =
            vec![("row".to_owned(), row.row.to_string()), ("role".to_owned(), row.role.clone())];
        let metrics = answer.table.metrics.iter().zip(&row.metrics);
        attributes.extend(metrics.filter_map(|(name, value)| Some((name.clone(), (*value)?.to_string()))));
        let values = columns.iter().map(value).collect::<Option<_>>()?;
        Some(OptunaTrial { values, objectives: tried.objectives.clone(), attributes })
    };
    let trials: Vec<OptunaTrial> = tuning.history.iter().filter_map(trial).collect();
    optuna_journal(space, &answer.study, &tuning.maximize, &trials)
}
