//! A thread that keeps what blocks gave while the program goes on. Blocks that end while it writes are written together
//! afterwards: the disk is waited for once, not once for each. What waits is known already.

use std::sync::Arc;
use std::thread::JoinHandle;

use onceflow_products::{Maker, ProductKey, ProductStore};

use super::waiting::{EndedBlock, WaitingBlocks};
use crate::{MemoEntry, MemoError, kept};

/// Keeps entries in the background.
#[derive(Debug)]
pub(super) struct BlockPublisher {
    waiting: Arc<WaitingBlocks>,
    thread: Option<JoinHandle<()>>,
    maker: Maker,
}

impl BlockPublisher {
    pub(super) fn start(store: Arc<ProductStore>, program: &str) -> Self {
        let waiting = Arc::new(WaitingBlocks::default());
        let stopping = StoppingAtEnd(Arc::clone(&waiting));
        // Where no thread can be started, the closure is dropped with what stops the waiting.
        let thread = std::thread::Builder::new()
            .name("onceflow blocks".into())
            .spawn(move || keep_all(&store, &stopping.0))
            .ok();
        Self { waiting, thread, maker: Maker::new(format!("block of {program}")) }
    }

    /// Who makes the products of a block.
    pub(super) fn maker(&self, block: &str) -> Maker {
        Maker { run: format!("{}: {block}", self.maker.run), ..self.maker.clone() }
    }

    /// An entry that is not in the store yet.
    pub(super) fn waiting(&self, key: ProductKey) -> Option<Arc<MemoEntry>> {
        self.waiting.entry(key)
    }

    /// Keeps an entry soon; gives the error of an earlier one.
    pub(super) fn publish(
        &self,
        key: ProductKey,
        entry: MemoEntry,
        seconds: f64,
        maker: Maker,
    ) -> Result<(), MemoError> {
        self.waiting.add(EndedBlock { key, entry: Arc::new(entry), seconds, maker }).map_or(Ok(()), Err)
    }

    pub(super) fn flush(&self) -> Result<(), MemoError> {
        self.waiting.finish().map_or(Ok(()), Err)
    }
}

impl Drop for BlockPublisher {
    fn drop(&mut self) {
        self.waiting.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Lets no program wait for the thread once it has ended, however it ended.
struct StoppingAtEnd(Arc<WaitingBlocks>);

impl Drop for StoppingAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn keep_all(store: &ProductStore, waiting: &WaitingBlocks) {
    loop {
        let mut blocks = waiting.take();
        if blocks.is_empty() {
            break;
        }
        // Products that are published together have one maker.
        blocks.sort_by(|one, other| one.maker.run.cmp(&other.maker.run));
        let groups = blocks.chunk_by(|one, other| one.maker == other.maker);
        let errors: Vec<MemoError> = groups.filter_map(|group| keep(store, group).err()).collect();
        waiting.done(&blocks, errors.into_iter().next());
    }
    // A store that is too large is looked after by the next run too.
    let _ = store.keep_limit();
}

/// Keeps blocks of one maker: together, and one by one where that fails, so that one that cannot be kept costs no other.
fn keep(store: &ProductStore, blocks: &[EndedBlock]) -> Result<(), MemoError> {
    let Err(error) = publish(store, blocks) else { return Ok(()) };
    if blocks.len() == 1 {
        return Err(error);
    }
    let errors: Vec<MemoError> = blocks.chunks(1).filter_map(|block| publish(store, block).err()).collect();
    errors.into_iter().next().map_or(Ok(()), Err)
}

fn publish(store: &ProductStore, blocks: &[EndedBlock]) -> Result<(), MemoError> {
    let Some(EndedBlock { maker, .. }) = blocks.first() else { return Ok(()) };
    let product = |block: &EndedBlock| kept::product(store, block.key, &block.entry, block.seconds, maker);
    let products = blocks.iter().map(product).collect::<Result<Vec<_>, _>>()?;
    store.publish(&products, maker)?;
    Ok(())
}
