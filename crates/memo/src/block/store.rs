//! The store of a program's blocks, with its histories and what is computed now.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_products::{ProductKey, ProductStore, StoreOptions};

use super::Block;
use super::computing::ComputedBlocks;
use super::history::Histories;
use super::publisher::BlockPublisher;
use crate::{MemoEntry, MemoError, kept};

/// When this is set, blocks that are known are computed all the same, and compared.
const AUDIT: &str = "ONCEFLOW_MEMO_AUDIT";

/// A store of the blocks of one program.
#[derive(Debug)]
pub struct BlockStore {
    pub(super) store: Arc<ProductStore>,
    pub(super) program: String,
    pub(super) version: String,
    pub(super) histories: Mutex<Histories>,
    pub(super) computing: ComputedBlocks,
    pub(super) publisher: BlockPublisher,
    pub(super) audit: bool,
}

impl BlockStore {
    /// Opens the store in a folder for a program. Blocks of another program, or of another version of it, are others.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub fn open(
        folder: impl AsRef<Path>,
        program: impl Into<String>,
        version: impl Into<String>,
    ) -> Result<Self, MemoError> {
        Self::open_with(folder, program, version, &StoreOptions::default())
    }

    /// Opens the store in a folder with options, such as the size that it may grow to.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub fn open_with(
        folder: impl AsRef<Path>,
        program: impl Into<String>,
        version: impl Into<String>,
        options: &StoreOptions,
    ) -> Result<Self, MemoError> {
        let store = Arc::new(ProductStore::open(folder, options)?);
        let audit = std::env::var_os(AUDIT).is_some_and(|value| !value.is_empty() && value != "0");
        let (program, version) = (program.into(), version.into());
        let publisher = BlockPublisher::start(Arc::clone(&store), &program);
        let (histories, computing) = (Mutex::default(), ComputedBlocks::default());
        Ok(Self { store, program, version, histories, computing, publisher, audit })
    }

    /// The folder of results that programs of this user share: that of `ONCEFLOW_STORE`, else `onceflow/products` in the cache folder.
    pub fn folder_of_user() -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache = || variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let home = || std::env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".cache"));
        variable("ONCEFLOW_STORE").or_else(|| Some(cache().or_else(home)?.join("onceflow/products")))
    }

    /// Whether blocks that are known are computed and compared: `ONCEFLOW_MEMO_AUDIT` is set, or this was called.
    #[must_use]
    pub fn with_audit(self, audit: bool) -> Self {
        Self { audit, ..self }
    }

    /// Adds a value to the history of a variable that a branch decides, or a loop carries. A block that records values while it
    /// is computed is not kept: when it is known, they would be missing.
    pub fn record(&self, variable: &str, value: &[u8]) {
        self.computing.note_history(variable);
        self.histories().record(variable, value);
    }

    /// Forgets the history of a variable: its loop begins again.
    pub fn forget(&self, variable: &str) {
        self.computing.note_history(variable);
        self.histories().forget(variable);
    }

    /// Begins a block.
    pub fn begin(&self, name: impl Into<String>) -> Block<'_> {
        Block::new(self, name.into())
    }

    /// Waits until all that ended is kept.
    ///
    /// # Errors
    /// When the store refused something since the last call, or an audit found other bytes.
    pub fn flush(&self) -> Result<(), MemoError> {
        self.publisher.flush()
    }

    pub(super) fn histories(&self) -> MutexGuard<'_, Histories> {
        self.histories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, key: ProductKey) -> Result<Option<Arc<MemoEntry>>, MemoError> {
        if let Some(entry) = self.publisher.waiting(key) {
            return Ok(Some(entry));
        }
        Ok(kept::fetch_noted(&self.store, key)?.map(|(entry, _)| Arc::new(entry)))
    }
}
