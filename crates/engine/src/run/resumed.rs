//! What a run takes over from its journal: rows that are done, and regions that were kept.

use onceflow_reuse::Plan;
use onceflow_runtime::{KnownFrom, KnownRows};

use crate::open::measured::PartMeasures;
use crate::open::sources::SavedReference;
use crate::resume::journal::{JournalLine, PastPhase};
use crate::run::recorder::{RunRecorder, reference_name};

impl RunRecorder<'_> {
    /// Takes over what is known of a phase, and says which rows need not be run. Rows that failed are tried again.
    pub(crate) fn resume(&mut self, plan: &Plan, past: &PastPhase) -> KnownRows {
        let known = self.take_done(plan, past, true);
        if !known.is_empty() {
            self.progress.resumed(known.len() as u64);
        }
        known
    }

    /// Takes over what workers computed, which the progress was told of when it came. Rows that failed have failed.
    pub(crate) fn take_worked(&mut self, plan: &Plan, past: &PastPhase) -> KnownRows {
        let mut known = self.take_done(plan, past, false);
        for line in &past.lines {
            let JournalLine::Failed { row, part, task, message } = line else { continue };
            if *row < plan.rows() && *part < self.layout.parts.len() && !known.knows(*row, *part) {
                known.note(*row, *part, KnownFrom::Journal);
                self.fail(*row, *part, task, message);
            }
        }
        known
    }

    fn take_done(&mut self, plan: &Plan, past: &PastPhase, tells: bool) -> KnownRows {
        past.lines.iter().for_each(|line| self.restore(plan, line));
        let mut known = KnownRows::nothing();
        for line in &past.lines {
            let JournalLine::Done { row, part, status, results } = line else { continue };
            let Some(comparisons) = PartMeasures::of_tables(results) else { continue };
            let whole = comparisons.len() == plan.flow().results.len();
            if whole && !known.knows(*row, *part) && self.is_complete(plan, *row, *part, status.is_some()) {
                known.note(*row, *part, KnownFrom::Journal);
                self.add(*row, *part, &comparisons, status.as_deref());
                if tells {
                    self.tell_of_row(*row, *part, status.as_deref().unwrap_or("ok"), true);
                }
            }
        }
        known
    }

    /// Files that an earlier run kept and that are still there.
    fn restore(&mut self, plan: &Plan, line: &JournalLine) {
        let there = |file: &str| self.folder.path().join(file).is_file();
        match line {
            JournalLine::Kept { row, place, site, file } if there(file) => {
                self.keeper.restore(plan, *row, *place, *site, file);
            }
            JournalLine::Saved { name, part, file: None } => {
                self.saved.insert((reference_name(name), *part), SavedReference::Ended);
            }
            JournalLine::Saved { name, part, file: Some(file) } if there(file) => {
                let path = self.folder.path().join(file);
                self.saved.insert((reference_name(name), *part), SavedReference::Saved(path, None));
            }
            _ => {}
        }
    }

    /// Whether nothing is missing that a row leaves behind at a part.
    pub(super) fn is_complete(&self, plan: &Plan, row: usize, part: usize, ended: bool) -> bool {
        let there = row < plan.rows() && part < self.layout.parts.len();
        let kept = || ended || self.keeper.has_all(plan, self.layout, row, part);
        let saved = |(_, _, name): &(_, _, String)| self.saved.contains_key(&(reference_name(name), part));
        let is_reference = self.reference == Some(row);
        there && kept() && (!is_reference || self.wanted.iter().all(saved))
    }
}
