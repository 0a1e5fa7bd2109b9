//! The folder of results that outlive runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onceflow_products::{ProductError, ProductStore, StoreOptions};

/// A folder of results of earlier runs, which need not be there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFolder {
    path: PathBuf,
    size: Option<u64>,
    blobs: Option<PathBuf>,
}

/// Opening a store waits no longer for other processes than lookups in it may take whatever they find.
pub(crate) const MOST_WAIT: Duration = Duration::from_secs(2);

impl StoreFolder {
    /// The folder at a path; `sqlite:` may stand before it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let plain = path.to_str().and_then(|text| text.strip_prefix("sqlite:")).map(PathBuf::from);
        Self { path: plain.unwrap_or(path), size: None, blobs: None }
    }

    /// The user's own: `onceflow/products` in `$XDG_CACHE_HOME`, else in `~/.cache`. `None` where there is no home folder.
    pub fn of_user() -> Option<Self> {
        let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::home_dir().filter(|home| home.is_absolute());
        let folder = set.or_else(|| Some(home()?.join(".cache")))?;
        Some(Self::new(folder.join("onceflow/products")))
    }

    /// The same folder, in which results may take so many bytes.
    #[must_use]
    pub fn with_size(self, size: Option<u64>) -> Self {
        Self { size, ..self }
    }

    /// The same folder, with the results themselves in another, which may be on a network file system.
    #[must_use]
    pub fn with_blobs(self, blobs: Option<PathBuf>) -> Self {
        Self { blobs, ..self }
    }

    /// The folder of the results themselves, where one was named.
    pub fn blobs(&self) -> Option<&Path> {
        self.blobs.as_deref()
    }

    /// Bytes that it may take; none: a tenth of the free disk, at most 50 GiB.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the store; the folder is made when it is not there.
    ///
    /// # Errors
    /// When it holds something else, is on a network file system, or cannot be written.
    pub fn open(&self) -> Result<ProductStore, ProductError> {
        self.open_within(None)
    }

    /// The same, for which other processes are waited for no longer than lookups may take: a run computes otherwise.
    pub(crate) fn open_for_run(&self) -> Result<ProductStore, ProductError> {
        self.open_within(Some(MOST_WAIT))
    }

    fn open_within(&self, wait: Option<Duration>) -> Result<ProductStore, ProductError> {
        let options =
            StoreOptions { limit: self.size, blobs: self.blobs.clone(), wait, ..StoreOptions::default() };
        ProductStore::open(&self.path, &options)
    }
}
