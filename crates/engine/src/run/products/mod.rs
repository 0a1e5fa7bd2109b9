//! Rows that earlier runs computed: found in the store of results, and published there for later runs.
//!
//! A row at a part is known by the static keys of all its tasks, in which images stand by the digests of their contents.

mod bands;
mod described;
mod keys;
mod lookups;
mod mask_bytes;
mod outputs;
mod preview;
mod publisher;
mod region_bytes;
mod region_reader;
mod row_preview;
mod sources;
mod stored;
mod stored_flow;
mod stored_regions;
mod tasks;
mod watch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_nuclei::{PartComparison, counts_of};
use onceflow_products::{NewProduct, NewRegion, Product, ProductError, ProductKey, ProductStore};
use onceflow_region::{Budget, Digester, Lease, Region};
use onceflow_reuse::{NodeId, Plan};
use onceflow_runtime::{FinishedTask, Instance, KnownFrom, KnownRows, OperationError, TaskOutcome};

use crate::plan::earlier::TakenKind;
use crate::resume::journal::JournalLine;
use crate::run::recorder::RunRecorder;
use crate::{AuditShare, ImagesDigested, OpenStudy, Progress, RunFolder, RunSettings};
use described::DescribedParts;
use lookups::{LookupBudget, fetch_in_time};
use outputs::{MeasuredOutputs, region_key};
pub use preview::{StoredInstances, StoredPhase, StoredUnknown, stored_phases};
use publisher::{GivenOutput, PublishOrder, Publisher};
pub use region_reader::{PixelBox, StoredPixels, StoredPixelsError, stored_pixels};
pub use row_preview::stored_row;
use sources::ImageDigests;
pub(super) use stored::{ComparedRows, Comparing, count_taken};
pub(crate) use stored_regions::{StoredRegion, StoredRegions};
pub(super) use tasks::RunResults;
use watch::SourceWatch;

/// Seconds after which the reading of images for their digests is shown.
const LONG_READING: f64 = 1.0;

/// How many times the pixels of all parts the mask of an own task may have.
const LARGER_THAN_PARTS: u64 = 16;

/// Rows with which a proposed row is run: itself and the reference row.
const MOST_PROPOSED: usize = 2;

/// The store of results as a run uses it.
#[derive(Debug)]
pub(crate) struct RunProducts {
    reader: ProductReader,
    publisher: Publisher,
    audit: Audit,
}

/// Which results of the store are computed again to compare them.
#[derive(Debug)]
struct Audit {
    share: AuditShare,
    /// The run, so that other runs choose others.
    run: String,
    /// The keys of the rows that were found and are computed again.
    chosen: Mutex<HashSet<ProductKey>>,
}

/// The store of results, and what the images of a study are known by in it.
#[derive(Debug)]
pub(crate) struct ProductReader {
    store: Arc<ProductStore>,
    images: Vec<ImageDigests>,
    /// The files of these images.
    files: Arc<SourceWatch>,
    /// The time that lookups may take.
    lookups: LookupBudget,
    /// A mask of more pixels is damaged.
    most_pixels: u64,
}

/// The rows of a phase in the store.
#[derive(Debug)]
pub(crate) struct PhaseProducts<'a> {
    run: &'a RunProducts,
    /// The keys of the rows at each part; none where a source has no digest.
    keys: Vec<Option<Vec<ProductKey>>>,
    /// The keys of their measured outputs at each part, row by row.
    output_keys: Vec<Option<Vec<ProductKey>>>,
    /// The image of each part.
    images: Vec<usize>,
    /// The outputs that are kept, of the tasks as they are run.
    outputs: Option<MeasuredOutputs>,
    /// The node of each output in every row.
    nodes: Vec<Vec<NodeId>>,
    /// Which regions its results are.
    described: DescribedParts,
    /// Memory for regions that wait to be written.
    budgets: [Budget; 2],
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
        let mut digested = |digested: ImagesDigested| {
            if digested.seconds >= LONG_READING {
                progress.digesting(digested);
            }
        };
        let reader = ProductReader::open(study, settings, &mut digested)?;
        let failed = |error: &ProductError| {
            progress.note(&format!("note: results of earlier runs are not used: {error}"))
        };
        let reader = reader.inspect_err(failed).ok()?;
        let run = folder.path().display().to_string();
        let publisher = Publisher::start(Arc::clone(&reader.store), &run, Arc::clone(&reader.files));
        Some(Self {
            reader,
            publisher,
            audit: Audit { share: settings.audit, run, chosen: Mutex::default() },
        })
    }

    /// Publishes what is left, keeps the store within its limit, and gives what is to be said of it, and the store for the
    /// pictures of the run.
    pub(crate) fn finish(mut self) -> (Vec<String>, ProductReader) {
        let mut notes = self.publisher.finish();
        self.reader.files.look();
        notes.extend(self.reader.files.words());
        notes.extend(self.audit.words());
        notes.extend(self.reader.lookups.words());
        match self.reader.store.keep_limit() {
            Ok(None) => {}
            Ok(Some(collected)) => notes.push(format!(
                "The store of results was full: {} results of least value were removed.",
                collected.removed
            )),
            Err(error) => notes.push(format!("The store of results cannot be collected: {error}.")),
        }
        self.reader.lookups = LookupBudget::default();
        (notes, self.reader)
    }
}

impl Audit {
    /// Whether a row that was found is computed again; it is then noted.
    fn chooses(&self, key: &ProductKey) -> bool {
        if !self.share.is_any() {
            return false;
        }
        let mut digester = Digester::new("onceflow audit v1");
        digester.text(&self.run);
        digester.bytes(&key.0);
        let chosen = self.share.has(&digester.finish().0);
        if chosen {
            self.chosen.lock().unwrap_or_else(PoisonError::into_inner).insert(*key);
        }
        chosen
    }

    fn words(&self) -> Option<String> {
        let chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.share.is_any().then(|| {
            let results = onceflow_study::counted(chosen, "result");
            format!("{results} of earlier runs ({}) were computed again and compared.", self.share)
        })
    }
}

impl ProductReader {
    /// The store that the settings name, when they name one. `progress` is told how many images have been read for their digests.
    pub(crate) fn open(
        study: &OpenStudy,
        settings: &RunSettings,
        progress: &mut dyn FnMut(ImagesDigested),
    ) -> Option<Result<Self, ProductError>> {
        let opened = |store: ProductStore| {
            let store = Arc::new(store);
            let digested = sources::digests(study, &store, settings.workers, progress)?;
            let (images, files) = digested.into_iter().unzip();
            let files = Arc::new(SourceWatch::new(files));
            let lookups = LookupBudget::default();
            Ok(Self { store, images, files, lookups, most_pixels: most_pixels(study) })
        };
        Some(settings.store.as_ref()?.open_for_run().and_then(opened))
    }

    /// The region with a digest, or a box of it.
    fn region(&self, digest: &[u8; 32], within: Option<PixelBox>) -> Result<Region, OperationError> {
        let failed = |error: &dyn std::fmt::Display| OperationError::new(error.to_string());
        let found = self.store.fetch(&[region_key(digest)]).map_err(|error| failed(&error))?;
        let product = found.into_iter().flatten().next();
        let bytes = product.ok_or_else(|| OperationError::new("the store has lost a region"))?.payload;
        let read = |within| region_reader::read(&self.store, &bytes, self.most_pixels, within);
        let read = match read(within) {
            // What has no pixels is given whole.
            Err(StoredPixelsError::NoPixels) => read(None),
            read => read,
        };
        read.map(|read| read.region).map_err(|error| failed(&error))
    }
}

fn most_pixels(study: &OpenStudy) -> u64 {
    let pixels: u64 = study.inputs.layout().parts.iter().map(|part| part.pixels).sum();
    pixels.saturating_mul(LARGER_THAN_PARTS)
}

impl PhaseProducts<'_> {
    /// The products of these rows at a part, for which lookups may take a share of the time that the rows take.
    fn look_up(&self, rows: &[usize], keys: Vec<ProductKey>) -> Result<Vec<Option<Product>>, ProductError> {
        let reader = &self.run.reader;
        reader.lookups.computed(self.seconds * rows.len() as f64);
        fetch_in_time(&reader.store, keys, &reader.lookups)
    }

    fn fetch(&self, part: usize, rows: &[usize]) -> Result<Vec<Option<Product>>, ProductError> {
        match self.keys.get(part).and_then(Option::as_ref) {
            Some(keys) => self.look_up(rows, rows.iter().map(|row| keys[*row]).collect()),
            None => Ok(vec![None; rows.len()]),
        }
    }

    /// Whether a row that was found is computed again.
    fn is_audited(&self, row: usize, part: usize) -> bool {
        let key = self.keys.get(part).and_then(Option::as_ref).map(|keys| &keys[row]);
        key.is_some_and(|key| self.run.audit.chooses(key))
    }

    /// Keeps what a row gave at a part for later runs. It has this number in the table of the run.
    pub(crate) fn publish(&self, row: usize, number: usize, part: usize, line: &JournalLine) {
        let key = self.keys.get(part).and_then(Option::as_ref).map(|keys| keys[row]);
        let JournalLine::Done { status, results, .. } = line else { return };
        // Where a row stands in its run is not part of its result.
        let line = JournalLine::Done { row: 0, part: 0, status: status.clone(), results: results.clone() };
        if let (Some(key), Ok(text)) = (key, line.to_text()) {
            let product = NewProduct { key, payload: text.into_bytes(), seconds: self.seconds };
            let (image, region) = (self.images[part], self.described.counts(part, number));
            self.run.publisher.add(PublishOrder::Row { product: NewRegion { product, region }, image });
        }
    }

    /// Keeps the measured outputs of a task for later runs, where there is memory until they are written.
    pub(crate) fn keep_outputs(&self, finished: &FinishedTask<'_>) {
        let (instance, seconds) = (finished.entry.instance, self.seconds);
        if matches!(finished.outcome, TaskOutcome::Failed { .. }) {
            return;
        }
        for (place, output) in self.places(finished.entry.task) {
            let Some(region) = finished.outputs.get(output) else { continue };
            let reserved = |budget: &Budget| budget.try_reserve(region.bytes());
            let Some(leases) = self.budgets.iter().map(reserved).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let (region, place) = (Arc::clone(region), (instance, place));
            let content = finished.digests.get(output).copied();
            self.run.publisher.add(PublishOrder::Region { place, region, content, seconds, leases });
        }
    }

    /// The outputs of an instance equal those of another.
    pub(crate) fn keep_same(&self, instance: Instance, same_as: Instance, task: usize) {
        for (place, _) in self.places(task) {
            let (place, as_place) = ((instance, place), (same_as, place));
            self.run.publisher.add(PublishOrder::Same { place, as_place });
        }
    }

    /// Keeps which outputs a row gave at a part.
    pub(crate) fn publish_outputs(&self, row: usize, number: usize, part: usize, status: Option<&str>) {
        let Some(outputs) = &self.outputs else { return };
        let Some(keys) = self.output_keys.get(part).and_then(Option::as_ref) else { return };
        for place in 0..outputs.regions.len() {
            let node = self.nodes[place][row];
            let given = match status {
                None => GivenOutput::Of((Instance { node, site: part }, place)),
                Some(status) if outputs.ends.iter().any(|end| end == status) => {
                    GivenOutput::Ended(status.to_owned())
                }
                Some(_) => continue,
            };
            let (key, seconds) = (keys[row * outputs.regions.len() + place], self.seconds);
            let (image, name) = (self.images[part], &outputs.regions[place].name);
            let region = self.described.output(part, number, name);
            self.run.publisher.add(PublishOrder::Output { key, given, seconds, image, region });
        }
    }

    /// The place of a measured output.
    fn place(&self, name: &str) -> Option<usize> {
        self.outputs.as_ref()?.regions.iter().position(|region| region.name == name)
    }

    /// The measured outputs of a task: their places, and which output of the task each is.
    fn places(&self, task: usize) -> impl Iterator<Item = (usize, usize)> {
        let regions = self.outputs.iter().flat_map(|outputs| outputs.regions.iter().enumerate());
        regions.filter(move |(_, region)| region.task == task).map(|(place, region)| (place, region.output))
    }
}

impl Drop for PhaseProducts<'_> {
    fn drop(&mut self) {
        self.run.publisher.add(PublishOrder::PhaseEnd);
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
                let Some(product) = product.filter(|_| !products.is_audited(row, part)) else { continue };
                if self.take(plan, row, part, &product.payload) {
                    known.note(row, part, KnownFrom::Products);
                    let (run, seconds) = (&product.maker.run, product.seconds);
                    self.earlier.note_row(TakenKind::Row, row, part, run, seconds);
                    served += 1;
                    if !makers.contains(&product.maker.run) {
                        makers.push(product.maker.run);
                    }
                }
            }
        }
        // The row that is proposed at the end of a run goes without words.
        if served > 0 && plan.rows() > MOST_PROPOSED {
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
