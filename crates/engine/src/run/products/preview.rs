//! What a run would take from the store of results, before it runs.

use onceflow_products::ProductKey;
use onceflow_reuse::{Level, plan};

use super::ProductReader;
use super::keys::part_keys;
use super::outputs::MeasuredOutputs;
use crate::open::supply::References;
use crate::plan::phase::PhaseRows;
use crate::{EngineError, OpenStudy, RunSettings};

/// What the store has of the first phase of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredInstances {
    /// Rows times parts, the reference row included.
    pub all: u64,
    /// How many were computed by earlier runs.
    pub taken: u64,
    /// How many of the others need only be compared, since their outputs are there.
    pub compared: u64,
}

/// What the store of the settings has of the first phase of a study; `None` without a store, or where a task gives other
/// results each time. Nothing is written.
///
/// # Errors
/// When the phase cannot be planned.
pub fn stored_instances(
    study: &OpenStudy,
    settings: &RunSettings,
) -> Result<Option<StoredInstances>, EngineError> {
    let is_there = settings.store.as_ref().is_some_and(|store| store.path().is_dir());
    let (Some(phase), true) = (study.study.phases.first(), is_there) else { return Ok(None) };
    let Some(Ok(reader)) = ProductReader::open(study, settings, &mut |_| {}) else { return Ok(None) };
    let rows = study.rows(&PhaseRows::new(&study.study, phase, &[])?, true)?;
    let plan = plan(study.flow.clone(), &rows, Level::Dataflow)?;
    let lasts = (0..plan.flow().tasks.len()).all(|task| plan.lasts(plan.node(0, task)));
    let (outputs, references) = (MeasuredOutputs::new(plan.flow()), References::new());
    let mut stored = StoredInstances::default();
    for part in (0..study.inputs.parts.len()).filter(|_| lasts) {
        let keys = part_keys(&plan, outputs.as_ref(), &|source, scope| {
            reader.source(study, &references, &plan.flow().sources[source], scope, part)
        });
        stored.all += plan.rows() as u64;
        if let Some((rows, outputs)) = keys {
            stored.add(&reader, &rows, &outputs);
        }
    }
    Ok(lasts.then_some(stored))
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
