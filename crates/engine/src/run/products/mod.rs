//! Rows that earlier runs computed: found in the store of results, and published there for later runs.
//!
//! A row at a part is known by the static keys of all its tasks, in which images stand by the digests of their contents.

mod keys;
mod publisher;
mod sources;

use std::sync::Arc;

use onceflow_nuclei::{PartComparison, counts_of};
use onceflow_products::{NewProduct, Product, ProductError, ProductKey, ProductStore};
use onceflow_region::{Lease, Region};
use onceflow_reuse::Plan;
use onceflow_runtime::{KnownFrom, KnownRows};

use crate::resume::journal::JournalLine;
use crate::run::recorder::RunRecorder;
use crate::{OpenStudy, Progress, RunFolder, RunSettings};
use publisher::RowPublisher;
use sources::ImageDigests;

/// The store of results as a run uses it.
#[derive(Debug)]
pub(crate) struct RunProducts {
    store: Arc<ProductStore>,
    images: Vec<ImageDigests>,
    publisher: RowPublisher,
}

/// The rows of a phase in the store.
#[derive(Debug)]
pub(crate) struct PhaseProducts<'a> {
    run: &'a RunProducts,
    /// The keys of the rows at each part; none where a source has no digest.
    keys: Vec<Option<Vec<ProductKey>>>,
    /// Seconds that a row takes at a part.
    seconds: f64,
    _memory: Vec<Lease>,
}

impl RunProducts {
    /// Opens the store of a run. One that cannot be used is a note, and the run computes everything.
    pub(crate) fn open(
        study: &OpenStudy,
        settings: &RunSettings,
        folder: &RunFolder,
        progress: &mut dyn Progress,
    ) -> Option<Self> {
        let store = Arc::new(opened(settings.store.as_ref()?.open(), progress)?);
        let images = opened(sources::digests(study, &store, settings.workers), progress)?;
        let publisher = RowPublisher::start(Arc::clone(&store), &folder.path().display().to_string());
        Some(Self { store, images, publisher })
    }

    /// Publishes what is left, keeps the store within its limit, and gives what is to be said of it.
    pub(crate) fn finish(self) -> Vec<String> {
        let mut notes = self.publisher.finish();
        match self.store.keep_limit() {
            Ok(None) => {}
            Ok(Some(collected)) => notes.push(format!(
                "The store of results was full: {} results of least value were removed.",
                collected.removed
            )),
            Err(error) => notes.push(format!("The store of results cannot be collected: {error}.")),
        }
        notes
    }
}

fn opened<T>(result: Result<T, ProductError>, progress: &mut dyn Progress) -> Option<T> {
    result
        .inspect_err(|error| progress.note(&format!("note: results of earlier runs are not used: {error}")))
        .ok()
}

impl PhaseProducts<'_> {
    fn fetch(&self, part: usize, rows: &[usize]) -> Result<Vec<Option<Product>>, ProductError> {
        match self.keys.get(part).and_then(Option::as_ref) {
            Some(keys) => self.run.store.fetch(&rows.iter().map(|row| keys[*row]).collect::<Vec<_>>()),
            None => Ok(vec![None; rows.len()]),
        }
    }

    /// Keeps what a row gave at a part for later runs.
    pub(crate) fn publish(&self, row: usize, part: usize, line: &JournalLine) {
        let key = self.keys.get(part).and_then(Option::as_ref).map(|keys| keys[row]);
        let JournalLine::Done { status, results, .. } = line else { return };
        // Where a row stands in its run is not part of its result.
        let line = JournalLine::Done { row: 0, part: 0, status: status.clone(), results: results.clone() };
        if let (Some(key), Ok(text)) = (key, line.to_text()) {
            self.run.publisher.add(NewProduct { key, payload: text.into_bytes(), seconds: self.seconds });
        }
    }
}

impl RunRecorder<'_> {
    /// Takes rows from the store that are not known yet; gives all that are known then.
    pub(crate) fn serve(&mut self, plan: &Plan, mut known: KnownRows) -> KnownRows {
        let Some(products) = self.products else { return known };
        let (mut served, mut makers) = (0, Vec::new());
        for part in 0..self.layout.parts.len() {
            let rows: Vec<usize> = (0..plan.rows()).filter(|row| !known.knows(*row, part)).collect();
            let found = match products.fetch(part, &rows) {
                Ok(found) => found,
                Err(error) => {
                    self.progress.note(&format!("note: results of earlier runs are not used: {error}"));
                    return known;
                }
            };
            for (row, product) in rows.into_iter().zip(found) {
                let Some(product) = product else { continue };
                if self.take(plan, row, part, &product.payload) {
                    known.note(row, part, KnownFrom::Products);
                    served += 1;
                    if !makers.contains(&product.maker.run) {
                        makers.push(product.maker.run);
                    }
                }
            }
        }
        if served > 0 {
            let all = plan.rows() * self.layout.parts.len();
            self.progress.note(&format!("{served} of {all} instances taken from {}", named(&makers)));
        }
        known
    }

    /// Takes over what a row gave in another run, if nothing is missing that it leaves behind.
    fn take(&mut self, plan: &Plan, row: usize, part: usize, payload: &[u8]) -> bool {
        let line =
            std::str::from_utf8(payload).ok().and_then(|text| JournalLine::parse(text.strip_suffix('\n')?));
        let Some(JournalLine::Done { status, results, .. }) = line else { return false };
        let counts = results.iter().map(|table| counts_of(&Region::Table(table.clone())));
        let Some(comparisons) = counts.collect::<Option<Vec<PartComparison>>>() else { return false };
        let whole = comparisons.len() == plan.flow().results.len();
        if !whole || !self.is_complete(plan, row, part, status.is_some()) {
            return false;
        }
        self.add(row, part, &comparisons, status.as_deref());
        self.tell_of_row(row, part, status.as_deref().unwrap_or("ok"), true);
        let row = self.numbers.in_phase(row);
        self.note(&JournalLine::Done { row, part, status, results });
        true
    }
}

/// The runs that rows came from, in words.
fn named(makers: &[String]) -> String {
    match makers {
        [one] => format!("an earlier run, {one}"),
        [one, .., last] => format!("{} earlier runs, {one} to {last}", makers.len()),
        [] => "no run".into(),
    }
}
