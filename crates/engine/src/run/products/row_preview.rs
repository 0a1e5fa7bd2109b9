//! What the store of results has of one row, and from which earlier runs, before anything runs.

use onceflow_products::{Listed, ProductKey};
use onceflow_reuse::{Level, Plan, StaticKeys, plan};
use onceflow_study::counted;
use serde_json::{Value, json};

use super::ProductReader;
use super::keys::row_keys;
use super::outputs::MeasuredOutputs;
use super::tasks::{StoredTask, task_key};
use crate::open::sources::References;
use crate::plan::phase::PhaseRows;
use crate::{EngineError, Explanation, OpenStudy, RunSettings, duration_words};

/// Digits of a key that name a result.
const DIGITS: usize = 16;

/// What of a row is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    /// All that it gives.
    Row,
    /// An output that metrics measure.
    Output(String),
    /// The result of a task.
    Task(String),
}

/// What the store has of a row from one run.
struct StoredPiece {
    of: Of,
    run: String,
    parts: usize,
    seconds: f64,
    /// One of the keys.
    key: ProductKey,
}

/// Says what the store of the settings has of a row of the first phase, by its number in the table; `None` without a store, and
/// for rows of later phases. Nothing is written, and nothing is counted as used.
///
/// # Errors
/// When the phase cannot be planned.
pub fn stored_row(
    study: &OpenStudy,
    settings: &RunSettings,
    number: usize,
) -> Result<Option<Explanation>, EngineError> {
    let is_there = settings.store.as_ref().is_some_and(|store| store.path().is_dir());
    let (Some(phase), true) = (study.study.phases.first(), is_there) else { return Ok(None) };
    let Some(Ok(reader)) = ProductReader::open(study, settings, &mut |_| {}) else { return Ok(None) };
    let rows = study.rows(&PhaseRows::new(&study.study, phase, &[])?, true)?;
    let plan = plan(study.flow.clone(), &rows, Level::Dataflow)?;
    Ok((number < plan.rows()).then(|| {
        let pieces = pieces(study, &reader, &plan, number);
        explanation(&pieces, study.inputs.parts.len())
    }))
}

/// All that the store has of a row, by what it is and by run.
fn pieces(study: &OpenStudy, reader: &ProductReader, plan: &Plan, row: usize) -> Vec<StoredPiece> {
    let (outputs, references) = (MeasuredOutputs::new(plan.flow()), References::new());
    let tasks = StoredTask::all(study, plan.flow());
    let wanted: Vec<usize> = (0..tasks.len())
        .filter(|task| tasks[*task].is_wanted() && plan.lasts(plan.node(row, *task)))
        .collect();
    let lasts = (0..tasks.len()).all(|task| plan.lasts(plan.node(row, task)));
    let mut pieces = Vec::new();
    for part in 0..study.inputs.parts.len() {
        let source = |source: usize, scope| {
            reader.source(study, &references, &plan.flow().sources[source], scope, part)
        };
        let mut known = StaticKeys::default();
        let mut asked = Vec::new();
        if let Some((whole, given)) =
            row_keys(plan, row, outputs.as_ref(), &mut known, &source).filter(|_| lasts)
        {
            asked.push((Of::Row, whole));
            let names = outputs.iter().flat_map(|outputs| &outputs.regions);
            asked.extend(names.zip(given).map(|(region, key)| (Of::Output(region.name.clone()), key)));
        }
        for task in &wanted {
            let key = known.key(plan, plan.node(row, *task), &source);
            asked.extend(key.map(|key| (Of::Task(plan.flow().tasks[*task].name.clone()), task_key(&key))));
        }
        // A store that does not answer has nothing.
        let found = asked.into_iter().filter_map(|(of, key)| Some((of, reader.store.listed(&key).ok()??)));
        found.for_each(|(of, listed)| add(&mut pieces, of, listed));
    }
    pieces
}

fn add(pieces: &mut Vec<StoredPiece>, of: Of, listed: Listed) {
    let Listed { key, seconds, maker, .. } = listed;
    match pieces.iter_mut().find(|piece| piece.of == of && piece.run == maker.run) {
        Some(piece) => (piece.parts, piece.seconds) = (piece.parts + 1, piece.seconds + seconds),
        None => pieces.push(StoredPiece { of, run: maker.run, parts: 1, seconds, key }),
    }
}

fn explanation(pieces: &[StoredPiece], parts: usize) -> Explanation {
    let lines: Vec<String> = pieces.iter().map(|piece| piece.text(parts)).collect();
    let text = if lines.is_empty() { "the store has nothing of it\n".into() } else { lines.concat() };
    Explanation { text, json: pieces.iter().map(StoredPiece::json).collect() }
}

impl StoredPiece {
    fn text(&self, parts: usize) -> String {
        let run: String = self.run.chars().filter(|c| !c.is_control()).collect();
        let key = &self.key.to_string()[..DIGITS];
        let what = match &self.of {
            Of::Row => "all that it gives".to_owned(),
            Of::Output(name) => format!("its {name}"),
            Of::Task(name) => format!("the result of {name}"),
        };
        let (here, took) = (counted(parts, "part"), duration_words(self.seconds));
        format!(
            "the store has {what} on {} of {here}, from {run}: {took} to compute, key {key}\n",
            self.parts
        )
    }

    fn json(&self) -> Value {
        let (what, name) = match &self.of {
            Of::Row => ("row", None),
            Of::Output(name) => ("output", Some(name)),
            Of::Task(name) => ("task", Some(name)),
        };
        json!({
            "what": what, "name": name, "run": self.run, "parts": self.parts, "seconds": self.seconds,
            "key": self.key.to_string(),
        })
    }
}
