//! A phase that workers compute, as its manager sees it: what is done, what was lost, and the results that come.

use std::collections::HashSet;
use std::fs;

use onceflow_costs::Record;

use super::bucket_file::BucketReader;
use super::manager::WorkedPhase;
use crate::resume::journal::{JournalLine, PastPhase, RowLines as _};
use crate::run::Runner;
use crate::run::bucket::{BucketResult, amounts};
use crate::work::driver::LostOwner;
use crate::work::{AttemptLog, CutBucket, LostWorker, PhaseFolder};
use crate::{BucketOver, EngineError, Progress};

/// A phase while workers compute it.
pub(super) struct HandedPhase<'p> {
    pub(super) folder: PhaseFolder,
    pub(super) plan: String,
    done: Vec<bool>,
    pub(super) left: usize,
    /// Rows that are over at parts.
    pub(super) over: HashSet<(usize, usize)>,
    pub(super) failed: HashSet<usize>,
    pub(super) past: &'p mut PastPhase,
    pub(super) worked: WorkedPhase,
    /// Seconds that each bucket is expected to take.
    seconds: Vec<f64>,
    /// The same of those that are done since the work began, and of all that were left then.
    cost: (f64, f64),
}

impl Runner<'_> {
    /// Takes results that came; says whether there were any.
    pub(super) fn take_results(
        &mut self,
        handed: &mut HandedPhase<'_>,
        first: usize,
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        let results = handed.folder.results();
        let results =
            results.map_err(|error| EngineError::Write { path: handed.folder.path().into(), error })?;
        let new: Vec<usize> =
            results.into_iter().filter(|number| handed.done.get(*number) == Some(&false)).collect();
        let mut gained = false;
        for number in new {
            let path = handed.folder.result(number);
            let read = fs::read_to_string(&path).ok().and_then(|text| BucketResult::from_json(&text).ok());
            let whole = read.filter(|result| result.rows.complete && result.rows.plan == handed.plan);
            match whole {
                Some(result) => {
                    let (stages, peak) = (result.cost.stages.clone(), result.cost.peak_bytes);
                    self.take_result(handed, result, first, progress)?;
                    handed.note_done(number);
                    progress.bucket(&BucketOver { computed: &stages, peak, cost: handed.cost });
                    gained = true;
                }
                None => handed.refuse(number, progress),
            }
        }
        Ok(gained)
    }

    fn take_result(
        &mut self,
        handed: &mut HandedPhase<'_>,
        result: BucketResult,
        first: usize,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let parts = self.study.inputs.parts.len();
        for line in result.rows.parsed()? {
            let told = match &line {
                JournalLine::Done { row, part, status, .. } => {
                    Some((*row, *part, status.clone().unwrap_or_else(|| "ok".into())))
                }
                JournalLine::Failed { row, part, .. } => Some((*row, *part, "failed".into())),
                _ => None,
            };
            if let Some((row, part, status)) = told {
                if part >= parts || !handed.over.insert((row, part)) {
                    continue;
                }
                if status == "failed" {
                    handed.failed.insert(row);
                }
                handed.worked.instances += 1;
                self.tell_of_row((first + row, part), (&status, false), progress);
            }
            self.journal.write(&line)?;
            handed.past.lines.push(line);
        }
        for (sum, terms) in handed.worked.account.iter_mut().zip(&result.cost.account) {
            sum.add(&amounts(terms));
        }
        self.records.extend(result.cost.records.iter().filter_map(|line| Record::parse_line(line).ok()));
        result.cost.unread.iter().for_each(|(image, why)| self.unread.note_words(*image, why));
        Ok(())
    }
}

impl<'p> HandedPhase<'p> {
    /// A phase that is cut into these buckets.
    pub(super) fn new(
        folder: PhaseFolder,
        plan: String,
        buckets: Vec<CutBucket>,
        past: &'p mut PastPhase,
    ) -> Self {
        let mut handed = Self {
            folder,
            plan,
            done: Vec::new(),
            left: 0,
            over: HashSet::new(),
            failed: HashSet::new(),
            past,
            worked: WorkedPhase::default(),
            seconds: Vec::new(),
            cost: (0.0, 0.0),
        };
        handed.cut(buckets);
        handed
    }

    /// It is cut into these buckets, of which none is done.
    pub(super) fn cut(&mut self, buckets: Vec<CutBucket>) {
        self.left = buckets.len();
        self.done = vec![false; self.left];
        self.seconds = buckets.into_iter().map(|bucket| bucket.seconds).collect();
    }

    /// What is done now was done before.
    pub(super) fn begin_work(&mut self) {
        let left = self.seconds.iter().zip(&self.done).filter(|(_, done)| !**done);
        self.cost = (0.0, left.map(|(seconds, _)| seconds).sum());
    }

    /// A bucket has results.
    fn note_done(&mut self, number: usize) {
        self.done[number] = true;
        self.left -= 1;
        self.cost.0 += self.seconds[number];
    }
}

impl HandedPhase<'_> {
    /// Whether all buckets without results can be read: a loss of power may have taken some.
    pub(super) fn is_whole(&self) -> bool {
        let mut reader = BucketReader::default();
        let left = (0..self.done.len()).filter(|number| !self.done[*number]);
        left.into_iter().all(|number| reader.read(&self.folder, number).is_ok())
    }

    /// A worker is gone: its buckets may be taken by others at once.
    pub(super) fn note_lost(&self, lost: &LostOwner, progress: &mut dyn Progress) {
        let loss = LostWorker { excused: lost.excused, reason: lost.reason.clone() };
        for (number, count) in self.folder.attempts().unwrap_or_default() {
            if self.done.get(number).copied().unwrap_or(true) {
                continue;
            }
            for attempt in 1..=count {
                let log = AttemptLog::read(&self.folder.attempt(number, attempt));
                let held = log.is_ok_and(|log| log.owner == lost.owner && !log.released);
                if held && self.folder.loss_of(number, attempt).is_none() {
                    // Without this note the bucket is taken again when its lease is over.
                    let _noted = self.folder.note_loss((number, attempt), &loss);
                    progress.note(&format!(
                        "note: the worker {} is gone ({}); bucket {number} is computed again",
                        lost.owner, lost.reason
                    ));
                }
            }
        }
    }

    /// Results that are not whole, as after a loss of power: the bucket is computed again.
    fn refuse(&self, number: usize, progress: &mut dyn Progress) {
        progress.note(&format!("note: the results of bucket {number} are damaged; it is computed again"));
        let attempts = self.folder.attempts().unwrap_or_default();
        let loss = LostWorker { excused: true, reason: "its results were damaged".into() };
        for attempt in 1..=attempts.get(&number).copied().unwrap_or(0) {
            if self.folder.loss_of(number, attempt).is_none() {
                let _noted = self.folder.note_loss((number, attempt), &loss);
            }
        }
        let _gone = fs::remove_file(self.folder.result(number));
    }
}
