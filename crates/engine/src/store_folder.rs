//! The folder of results that outlive runs.

use std::path::{Path, PathBuf};

use onceflow_products::{ProductError, ProductStore, StoreOptions};

/// A folder of results of earlier runs, which need not be there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreFolder {
    path: PathBuf,
}

impl StoreFolder {
    /// The folder at a path; `sqlite:` may stand before it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let plain = path.to_str().and_then(|text| text.strip_prefix("sqlite:")).map(PathBuf::from);
        Self { path: plain.unwrap_or(path) }
    }

    /// The user's own: `onceflow/products` in `$XDG_CACHE_HOME`, else in `~/.cache`. `None` where there is no home folder.
    pub fn of_user() -> Option<Self> {
        let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::home_dir().filter(|home| home.is_absolute());
        let folder = set.or_else(|| Some(home()?.join(".cache")))?;
        Some(Self::new(folder.join("onceflow/products")))
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
        ProductStore::open(&self.path, &StoreOptions::default())
    }
}
