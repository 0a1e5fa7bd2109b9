//! A thread that keeps what blocks gave while the program goes on. What waits is known already.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use onceflow_products::{Maker, ProductKey, ProductStore};

use crate::{MemoEntry, MemoError, kept};

/// So many blocks wait at most; then the program waits for the disk.
const MOST_WAITING: usize = 64;

enum PublishBlock {
    Keep {
        key: ProductKey,
        entry: Arc<MemoEntry>,
        seconds: f64,
        maker: Maker,
    },
    /// All orders before are carried out.
    Flush(SyncSender<()>),
}

#[derive(Debug, Default)]
struct PublisherState {
    waiting: HashMap<ProductKey, Arc<MemoEntry>>,
    error: Option<MemoError>,
}

/// Keeps entries in the background.
#[derive(Debug)]
pub(super) struct BlockPublisher {
    orders: Option<SyncSender<PublishBlock>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<Mutex<PublisherState>>,
    maker: Maker,
}

impl BlockPublisher {
    pub(super) fn start(store: Arc<ProductStore>, program: &str) -> Self {
        let (orders, taken) = sync_channel(MOST_WAITING);
        let state = Arc::new(Mutex::new(PublisherState::default()));
        let of_thread = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("onceflow blocks".into())
            .spawn(move || carry_out(&store, &taken, &of_thread))
            .ok();
        let orders = thread.is_some().then_some(orders);
        Self { orders, thread, state, maker: Maker::new(format!("block of {program}")) }
    }

    /// Who makes the products of a block.
    pub(super) fn maker(&self, block: &str) -> Maker {
        Maker { run: format!("{}: {block}", self.maker.run), ..self.maker.clone() }
    }

    /// An entry that is not in the store yet.
    pub(super) fn waiting(&self, key: ProductKey) -> Option<Arc<MemoEntry>> {
        lock(&self.state).waiting.get(&key).cloned()
    }

    /// Keeps an entry soon; gives the error of an earlier one.
    pub(super) fn publish(
        &self,
        key: ProductKey,
        entry: MemoEntry,
        seconds: f64,
        maker: Maker,
    ) -> Result<(), MemoError> {
        let entry = Arc::new(entry);
        let error = {
            let mut state = lock(&self.state);
            state.waiting.insert(key, Arc::clone(&entry));
            state.error.take()
        };
        let order = PublishBlock::Keep { key, entry, seconds, maker };
        if self.orders.as_ref().is_none_or(|orders| orders.send(order).is_err()) {
            // Without its thread nothing is kept, which costs time only; nor does it stay in memory.
            lock(&self.state).waiting.remove(&key);
        }
        error.map_or(Ok(()), Err)
    }

    pub(super) fn flush(&self) -> Result<(), MemoError> {
        let (done, wait) = sync_channel(1);
        if let Some(orders) = &self.orders
            && orders.send(PublishBlock::Flush(done)).is_ok()
        {
            let _ = wait.recv();
        }
        lock(&self.state).error.take().map_or(Ok(()), Err)
    }
}

impl Drop for BlockPublisher {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn carry_out(store: &ProductStore, orders: &Receiver<PublishBlock>, state: &Mutex<PublisherState>) {
    for order in orders {
        match order {
            PublishBlock::Flush(done) => drop(done.send(())),
            PublishBlock::Keep { key, entry, seconds, maker } => {
                let kept = kept::publish(store, key, MemoEntry::clone(&entry), seconds, &maker);
                let mut state = lock(state);
                state.waiting.remove(&key);
                if let Err(error) = kept {
                    state.error = Some(error);
                }
            }
        }
    }
    // A store that is too large is looked after by the next run too.
    let _ = store.keep_limit();
}

fn lock(state: &Mutex<PublisherState>) -> MutexGuard<'_, PublisherState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
