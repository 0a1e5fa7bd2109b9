//! A thread that publishes rows and their outputs while others compute.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use onceflow_products::{
    Conflict, Maker, NewProduct, NewRegion, ProductError, ProductKey, ProductRegion, ProductStore,
};
use onceflow_region::{Lease, Region};
use onceflow_reuse::ContentDigest;
use onceflow_runtime::Instance;

use super::outputs::{RowOutput, region_key};
use super::region_bytes::{EncodedRegion, encoded};
use super::watch::{DependsOn, SourceWatch};

/// Products that are published together, their bytes, and how long the first of them waits: each time the disk is waited
/// for.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 16 << 20;
const WAIT: Duration = Duration::from_millis(500);

/// How long nothing is looked for after all orders were taken: to wake this thread for each order would cost those that
/// compute.
const PAUSE: Duration = Duration::from_millis(20);

/// Digests of regions that are known to be in the store; more are forgotten.
const MOST_KNOWN: usize = 1 << 16;

/// What a run hands over.
#[derive(Debug)]
pub(super) enum PublishOrder {
    /// A row at a part of an image.
    Row { product: NewRegion, image: usize },
    /// An output of a task.
    Region {
        place: OutputPlace,
        region: Arc<Region>,
        content: Option<ContentDigest>,
        seconds: f64,
        leases: Vec<Lease>,
    },
    /// An output equals another.
    Same { place: OutputPlace, as_place: OutputPlace },
    /// What a row gave for an output at a part of an image.
    Output { key: ProductKey, given: GivenOutput, seconds: f64, image: usize, region: Option<ProductRegion> },
    /// What a task gave.
    Task {
        keys: Vec<ProductKey>,
        outputs: Vec<Arc<Region>>,
        seconds: f64,
        region: Option<ProductRegion>,
        leases: Vec<Lease>,
    },
    /// A phase is over: its outputs will not be named any more.
    PhaseEnd,
}

/// What a row gave.
#[derive(Debug)]
pub(super) enum GivenOutput {
    /// The region of an instance.
    Of(OutputPlace),
    /// Nothing, with this status.
    Ended(String),
}

/// An output of an instance: its place among the measured outputs.
pub(super) type OutputPlace = (Instance, usize);

/// Takes products from a run and publishes them.
#[derive(Debug)]
pub(super) struct Publisher {
    sender: Option<Sender<PublishOrder>>,
    thread: Option<JoinHandle<PublisherReport>>,
}

/// What happened to the products of a run.
#[derive(Debug, Default)]
struct PublisherReport {
    conflicts: Vec<Conflict>,
    error: Option<String>,
}

impl Publisher {
    /// Begins to publish into a store for a run that reads these files.
    pub(super) fn start(store: Arc<ProductStore>, run: &str, files: Arc<SourceWatch>) -> Self {
        let (sender, receiver) = channel();
        let maker = Maker::new(run);
        let thread = std::thread::spawn(move || publish_all(&store, &maker, &files, &receiver));
        Self { sender: Some(sender), thread: Some(thread) }
    }

    /// Publishes something soon.
    pub(super) fn add(&self, order: PublishOrder) {
        if let Some(sender) = &self.sender {
            // A thread that ended after an error takes no more.
            let _ = sender.send(order);
        }
    }

    /// Says that no more comes.
    fn end(&mut self) -> Option<JoinHandle<PublisherReport>> {
        self.sender = None;
        let thread = self.thread.take()?;
        thread.thread().unpark();
        Some(thread)
    }

    /// Waits until all products are published, and gives what is to be said of it.
    pub(super) fn finish(mut self) -> Vec<String> {
        let report = match self.end().map(JoinHandle::join) {
            Some(Ok(report)) => report,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => PublisherReport::default(),
        };
        let error =
            report.error.map(|error| format!("Not all results could be kept for later runs: {error}."));
        conflict_words(&report.conflicts).into_iter().chain(error).collect()
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        if let Some(thread) = self.end() {
            // A run that ends with an error keeps what it has computed.
            let _ = thread.join();
        }
    }
}

fn publish_all(
    store: &ProductStore,
    maker: &Maker,
    files: &SourceWatch,
    orders: &Receiver<PublishOrder>,
) -> PublisherReport {
    let mut report = PublisherReport::default();
    let mut batch = Batch::new(store);
    while batch.fill(orders) {
        if batch.products.is_empty() {
            batch.leases.clear();
            continue;
        }
        // All of the batch was computed until now: a file that is unchanged now had one content.
        files.look();
        let products = batch.drain(files);
        match store.publish_regions(&products, maker) {
            Ok(published) => report.conflicts.extend(published.conflicts),
            Err(error) => {
                report.error = Some(error.to_string());
                break;
            }
        }
        batch.leases.clear();
    }
    report
}

/// Products that are published together, and the outputs that rows may still name.
struct Batch<'a> {
    store: &'a ProductStore,
    products: Vec<NewRegion>,
    /// What each of them depends on.
    depends: Vec<DependsOn>,
    bytes: usize,
    /// The memory of the regions in it.
    leases: Vec<Lease>,
    /// The digests of outputs that rows of the phase may name.
    outputs: HashMap<OutputPlace, [u8; 32]>,
    /// The digests of outputs by their contents as the run tells them apart: these take less time than to encode them.
    contents: HashMap<ContentDigest, [u8; 32]>,
    /// Regions that are in the store.
    known: HashSet<[u8; 32]>,
}

impl<'a> Batch<'a> {
    fn new(store: &'a ProductStore) -> Self {
        let (products, depends, leases) = (Vec::new(), Vec::new(), Vec::new());
        let (outputs, contents, known) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { store, products, depends, bytes: 0, leases, outputs, contents, known }
    }

    /// Takes orders until there is enough to publish; says whether more may come.
    fn fill(&mut self, orders: &Receiver<PublishOrder>) -> bool {
        let Ok(first) = orders.recv() else { return false };
        self.take(first);
        let end = Instant::now() + WAIT;
        while self.products.len() < BATCH && self.bytes < BATCH_BYTES {
            match orders.try_recv() {
                Ok(order) => self.take(order),
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) if Instant::now() >= end => break,
                Err(TryRecvError::Empty) => std::thread::park_timeout(PAUSE),
            }
        }
        true
    }

    /// The products that may be published; their memory is given back later.
    fn drain(&mut self, files: &SourceWatch) -> Vec<NewRegion> {
        self.bytes = 0;
        let allowed = files.allowed(&std::mem::take(&mut self.depends));
        let products = std::mem::take(&mut self.products).into_iter().zip(allowed);
        products.filter(|(_, allowed)| *allowed).map(|(product, _)| product).collect()
    }

    fn take(&mut self, order: PublishOrder) {
        match order {
            PublishOrder::Row { product, image } => self.push(product, DependsOn::Image(image)),
            PublishOrder::Region { place, region, content, seconds, leases } => {
                let known = content.and_then(|content| self.contents.get(&content).copied());
                if let Some(digest) = known.or_else(|| self.add_region(&region, seconds, leases)) {
                    self.outputs.insert(place, digest);
                    self.note_content(content, digest);
                }
            }
            PublishOrder::Same { place, as_place } => {
                if let Some(digest) = self.outputs.get(&as_place).copied() {
                    self.outputs.insert(place, digest);
                }
            }
            PublishOrder::Output { key, given, seconds, image, region } => {
                if let Some(output) = self.given(given) {
                    let product = NewProduct { key, payload: output.to_bytes(), seconds };
                    self.push(NewRegion { product, region }, DependsOn::Image(image));
                }
            }
            PublishOrder::Task { keys, outputs, seconds, region, leases } => {
                self.add_task(&keys, &outputs, seconds, region.as_ref());
                self.leases.extend(leases);
            }
            PublishOrder::PhaseEnd => self.outputs.clear(),
        }
    }

    fn push(&mut self, product: NewRegion, depends: DependsOn) {
        self.bytes += product.product.payload.len();
        self.depends.push(depends);
        self.products.push(product);
    }

    /// Adds a region unless the store has it; gives its digest.
    fn add_region(&mut self, region: &Region, seconds: f64, leases: Vec<Lease>) -> Option<[u8; 32]> {
        let EncodedRegion { digest, pieces } = encoded(region)?;
        for (payload, digest) in pieces {
            let key = region_key(&digest);
            if !self.known.contains(&digest) && !is_there(self.store.has(&[key])) {
                let product = NewProduct { key, payload, seconds };
                // Equal bytes may be regions of several rows: what these gave says which.
                self.push(NewRegion { product, region: None }, DependsOn::Bytes);
            }
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(digest);
        }
        self.leases.extend(leases);
        Some(digest)
    }

    fn note_content(&mut self, content: Option<ContentDigest>, digest: [u8; 32]) {
        if self.contents.len() >= MOST_KNOWN {
            self.contents.clear();
        }
        self.contents.extend(content.map(|content| (content, digest)));
    }

    /// Adds what a task gave, under all of its keys; nothing where an output has no bytes.
    fn add_task(
        &mut self,
        keys: &[ProductKey],
        outputs: &[Arc<Region>],
        seconds: f64,
        region: Option<&ProductRegion>,
    ) {
        let digests = outputs.iter().map(|output| self.add_region(output, seconds, Vec::new()));
        let Some(digests) = digests.collect::<Option<Vec<_>>>() else { return };
        for key in keys {
            let product = NewProduct { key: *key, payload: digests.concat(), seconds };
            self.push(NewRegion { product, region: region.cloned() }, DependsOn::Study);
        }
    }

    /// What a row gave; none where there was no memory for its region.
    fn given(&self, given: GivenOutput) -> Option<RowOutput> {
        match given {
            GivenOutput::Ended(status) => Some(RowOutput::Ended(status)),
            GivenOutput::Of(place) => self.outputs.get(&place).copied().map(RowOutput::Region),
        }
    }
}

/// A store that does not answer is asked again when it takes the product.
fn is_there(found: Result<Vec<bool>, ProductError>) -> bool {
    found.is_ok_and(|found| found == [true])
}

fn conflict_words(conflicts: &[Conflict]) -> Option<String> {
    let Conflict { first, second, .. } = conflicts.first()?;
    let runs: BTreeSet<&str> = conflicts.iter().map(|conflict| conflict.first.run.as_str()).collect();
    Some(format!(
        "{} results differ from those of {} ({}), though nothing they depend on differs: the first is from {} by {}, the second \
         from {} by {}. A task of the workflow does not give the same bytes every time.",
        conflicts.len(),
        onceflow_study::counted(runs.len(), "earlier run"),
        runs.into_iter().collect::<Vec<_>>().join(", "),
        first.program,
        first.user,
        second.program,
        second.user
    ))
}
