//! The module `onceflow._core` of the Python package: thin wrappers around calls of the engine, one file per class.
//!
//! Python code in `python/onceflow` gives them their public names and forms.

mod analysis;
mod array;
mod command;
mod error;
mod problem;
mod sample;
mod waiting;

use onceflow_allocator::CountingAllocator;
use pyo3::prelude::*;

/// Memory of this library is counted, and its large blocks are kept, as in the program `onceflow`: NumPy's is its own.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The compiled part of the package.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<sample::Sample>()?;
    module.add_class::<analysis::Analysis>()?;
    Ok(())
}
