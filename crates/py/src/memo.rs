//! Blocks of a Python program whose results are kept, by the blocks of the crate `memo`.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use onceflow_memo::{Block, BlockStore, MemoError};
use onceflow_study::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{Kind, bug, raise};

/// The store of one program: it stays until the process ends, as blocks point into it.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct MemoStore {
    store: &'static BlockStore,
}

/// A block that has begun.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct MemoBlock {
    block: Mutex<Option<Block<'static>>>,
}

#[pymethods]
impl MemoStore {
    /// Opens the store in a folder, or that of this user.
    #[new]
    fn new(py: Python<'_>, folder: Option<PathBuf>, program: String, version: String) -> PyResult<Self> {
        let folder = folder.or_else(BlockStore::folder_of_user);
        let folder = folder.ok_or_else(|| refused(&"no folder for results: name one by store="))?;
        let store = py.detach(|| BlockStore::open(folder, program, version));
        Ok(Self { store: Box::leak(Box::new(store.map_err(|error| refused(&error))?)) })
    }

    /// Begins a block with attributes, each a name and its bytes, and files whose content identifies too.
    fn begin(
        &self,
        py: Python<'_>,
        name: String,
        attributes: Vec<(String, Vec<u8>)>,
        files: Vec<PathBuf>,
    ) -> PyResult<MemoBlock> {
        let begun = py.detach(|| {
            let mut block = self.store.begin(name);
            for (name, value) in &attributes {
                block.attribute(name, value);
            }
            for file in &files {
                block.attribute_file(file)?;
            }
            Ok::<_, MemoError>(block)
        });
        Ok(MemoBlock { block: Mutex::new(Some(begun.map_err(|error| refused(&error))?)) })
    }

    /// Waits until everything that ended is kept.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.store.flush()).map_err(|error| refused(&error))
    }
}

#[pymethods]
impl MemoBlock {
    /// Whether its products are kept.
    fn known(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, Block::known)
    }

    /// The bytes of a product, where the block is known.
    fn product<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let bytes = self.with(py, |block| block.product(name))?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Adds a product that was computed.
    fn give(&self, py: Python<'_>, name: &str, bytes: Vec<u8>) -> PyResult<()> {
        self.with(py, |block| block.give(name, &bytes))
    }

    /// Ends it; what was given is kept.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        match self.taken() {
            Some(block) => py.detach(|| block.end()).map_err(|error| refused(&error)),
            None => Ok(()),
        }
    }

    /// Drops it; nothing is kept.
    fn abandon(&self) {
        drop(self.taken());
    }
}

impl MemoBlock {
    fn taken(&self) -> Option<Block<'static>> {
        self.block.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Block<'static>) -> Result<T, MemoError> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
            block.as_mut().map(work)
        })
        .ok_or_else(|| bug("a block that has ended"))?
        .map_err(|error| refused(&error))
    }
}

fn refused(error: &dyn std::fmt::Display) -> PyErr {
    raise(Kind::Study, &[Diagnostic::error(error.to_string())])
}
