//! A thread that publishes rows while others compute.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use onceflow_products::{Conflict, Maker, NewProduct, ProductStore};

/// Products that are published together, and how long the first of them waits: each time the disk is waited for.
const BATCH: usize = 1024;
const WAIT: Duration = Duration::from_millis(500);

/// Takes products from a run and publishes them.
#[derive(Debug)]
pub(super) struct RowPublisher {
    sender: Option<Sender<NewProduct>>,
    thread: Option<JoinHandle<PublisherReport>>,
}

/// What happened to the products of a run.
#[derive(Debug, Default)]
struct PublisherReport {
    conflicts: Vec<Conflict>,
    error: Option<String>,
}

impl RowPublisher {
    /// Begins to publish into a store for a run.
    pub(super) fn start(store: Arc<ProductStore>, run: &str) -> Self {
        let (sender, receiver) = channel();
        let maker = Maker::new(run);
        let thread = std::thread::spawn(move || publish_all(&store, &maker, &receiver));
        Self { sender: Some(sender), thread: Some(thread) }
    }

    /// Publishes a product soon.
    pub(super) fn add(&self, product: NewProduct) {
        if let Some(sender) = &self.sender {
            // A thread that ended after an error takes no more.
            let _ = sender.send(product);
        }
    }

    /// Waits until all products are published, and gives what is to be said of it.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.sender = None;
        let report = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let error =
            report.error.map(|error| format!("Not all results could be kept for later runs: {error}."));
        conflict_words(&report.conflicts).into_iter().chain(error).collect()
    }
}

impl Drop for RowPublisher {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // A run that ends with an error keeps what it has computed.
            let _ = thread.join();
        }
    }
}

fn publish_all(store: &ProductStore, maker: &Maker, products: &Receiver<NewProduct>) -> PublisherReport {
    let mut report = PublisherReport::default();
    while let Some(batch) = next_batch(products) {
        match store.publish(&batch, maker) {
            Ok(published) => report.conflicts.extend(published.conflicts),
            Err(error) => {
                report.error = Some(error.to_string());
                break;
            }
        }
    }
    report
}

/// The next products that are published together; none when there are no more.
fn next_batch(products: &Receiver<NewProduct>) -> Option<Vec<NewProduct>> {
    let mut batch = vec![products.recv().ok()?];
    let end = Instant::now() + WAIT;
    while batch.len() < BATCH {
        match products.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(product) => batch.push(product),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    Some(batch)
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
