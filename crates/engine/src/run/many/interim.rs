//! The first answer before the end: indices over the parts at which all rows are over.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use onceflow_report::MetricTable;
use onceflow_sensitivity::{Analysis, analysis_to_json, is_decided, leading_verdicts};
use onceflow_study::Phase;
use serde_json::{Value, json};

use super::handed::HandedPhase;
use crate::open::measured::PartMeasures;
use crate::open::metrics::Tally;
use crate::plan::phase::{Measured, PhaseRows};
use crate::resume::journal::JournalLine;
use crate::run::Runner;
use crate::write_whole;

/// Its name in the folder of a run, while the run is not over.
pub const INTERIM_FILE: &str = "interim.json";

/// An answer follows the one before after this time at the soonest, and after so many times what it took to make.
const PAUSE: Duration = Duration::from_secs(10);
const TIMES: u32 = 50;

/// When the next answer is made.
pub(super) struct Interim {
    next: Instant,
    /// How many parts the last one was of.
    parts: usize,
}

impl Interim {
    /// The first answer is made as soon as there can be one.
    pub(super) fn new() -> Self {
        Self { next: Instant::now(), parts: 0 }
    }

    /// Writes an answer when it is time, and more parts are whole than for the last one. One that cannot be made or written is
    /// left out: the answer at the end says why.
    pub(super) fn tell(
        &mut self,
        runner: &Runner<'_>,
        phase: &Phase,
        sampled: &PhaseRows,
        handed: &HandedPhase<'_>,
    ) {
        let began = Instant::now();
        if began < self.next {
            return;
        }
        let whole = whole_parts(handed, sampled.sample.len() + usize::from(runner.table.rows.is_empty()));
        let is_new = whole.len() > self.parts;
        if is_new {
            self.parts = whole.len();
            if let Some(answer) = runner.interim(phase, sampled, handed, &whole) {
                let text = format!("{answer:#}\n");
                let _left_out = write_whole(&runner.folder.path().join(INTERIM_FILE), text.as_bytes());
            }
        }
        let pause = if is_new { PAUSE } else { Duration::ZERO };
        self.next = Instant::now() + pause.max(began.elapsed() * TIMES);
    }
}

/// Removes the answer that was made before the end.
pub(super) fn remove(folder: &Path) {
    let _nothing = std::fs::remove_file(folder.join(INTERIM_FILE));
}

/// Parts at which so many rows are over.
fn whole_parts(handed: &HandedPhase<'_>, rows: usize) -> BTreeSet<usize> {
    let mut counts = HashMap::new();
    for (_, part) in &handed.over {
        *counts.entry(*part).or_insert(0_usize) += 1;
    }
    counts.into_iter().filter(|(_, count)| *count >= rows).map(|(part, _)| part).collect()
}

impl Runner<'_> {
    /// The indices of a phase over some parts; nothing where they cannot be computed.
    fn interim(
        &self,
        phase: &Phase,
        sampled: &PhaseRows,
        handed: &HandedPhase<'_>,
        parts: &BTreeSet<usize>,
    ) -> Option<Value> {
        let with_reference = self.table.rows.is_empty();
        let table = self.interim_table(phase, sampled, handed, parts);
        let study = &self.study.study;
        let first = usize::from(with_reference);
        let analyses = sampled
            .analyses(study, phase, &table.metrics, |row, m| Measured::over_all(&table, first + row, m))
            .ok()?;
        let all = self.study.inputs.parts.len();
        Some(json!({
            "version": 1, "phase": phase.name, "rows": sampled.sample.len(),
            "parts": { "done": parts.len(), "of": all },
            "verdicts": verdicts(&analyses, &table),
            "analyses": analyses.iter().map(analysis_to_json).collect::<Vec<_>>(),
        }))
    }

    /// The rows of a phase, measured at some parts.
    fn interim_table(
        &self,
        phase: &Phase,
        sampled: &PhaseRows,
        handed: &HandedPhase<'_>,
        parts: &BTreeSet<usize>,
    ) -> MetricTable {
        let (study, inputs) = (self.study, &self.study.inputs);
        let reference = self.table.rows.is_empty().then(|| study.reference.record());
        let records: Vec<_> =
            reference.into_iter().chain(sampled.records(phase, &study.reference, 1)).collect();
        let mut tallies: Vec<Vec<Tally>> =
            records.iter().map(|_| study.metrics.tallies(inputs.images.len())).collect();
        let mut seen = BTreeSet::new();
        for line in &handed.past.lines {
            let (JournalLine::Done { row, part, .. } | JournalLine::Failed { row, part, .. }) = line else {
                continue;
            };
            let Some(tally) = tallies.get_mut(*row).filter(|_| parts.contains(part)) else { continue };
            if seen.insert((*row, *part)) {
                add(&mut tally[inputs.parts[*part].image], *part, line);
            }
        }
        // Images of which no part is whole have no say.
        let seen: BTreeSet<usize> = parts.iter().map(|part| inputs.parts[*part].image).collect();
        let unseen: BTreeSet<usize> =
            (0..inputs.images.len()).filter(|image| !seen.contains(image)).collect();
        let filled = records.into_iter().zip(&tallies).map(|(mut record, tallies)| {
            study.metrics.fill(&mut record, tallies, inputs, &unseen);
            record
        });
        MetricTable { rows: filled.collect(), ..self.table.clone() }
    }
}

/// Adds what a line says of a part.
fn add(tally: &mut Tally, part: usize, line: &JournalLine) {
    match line {
        JournalLine::Done { status, results, .. } => {
            if let Some(comparisons) = PartMeasures::of_tables(results) {
                tally.add(part, &comparisons, status.as_deref());
            }
        }
        JournalLine::Failed { task, message, .. } => tally.fail(part, task, message),
        _ => {}
    }
}

/// How many verdicts there are about the first metric, and how many of them are decided.
fn verdicts(analyses: &[Analysis], table: &MetricTable) -> Value {
    let metric = table.metrics.first().cloned().unwrap_or_default();
    let found = leading_verdicts(analyses, &metric).unwrap_or_default();
    let decided = found.iter().filter(|verdict| is_decided(std::slice::from_ref(*verdict))).count();
    json!({ "metric": metric, "decided": decided, "of": found.len() })
}
