//! The module `onceflow._core` of the Python package: thin wrappers around calls of the engine, one file per class.
//!
//! Python code in `python/onceflow` gives them their public names and forms.

mod analysis;
mod array;
mod command;
mod error;
mod image;
mod memo;
mod nuclei;
mod opened;
mod operation;
mod pixels;
mod problem;
mod run;
mod sample;
mod search;
mod settings;
mod table;
mod verbs;
mod waiting;

use std::path::PathBuf;

use onceflow_allocator::CountingAllocator;
use pyo3::prelude::*;

/// Memory of this library is counted, and its large blocks are kept, as in the program `onceflow`: NumPy's is its own.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The compiled part of the package.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // An interpreter inside another program has none.
    let executable: Option<PathBuf> = module.py().import("sys")?.getattr("executable")?.extract()?;
    executable.filter(|path| path.is_file()).into_iter().for_each(onceflow_engine::use_python);
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<sample::Sample>()?;
    module.add_class::<analysis::Analysis>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<run::Running>()?;
    module.add_function(wrap_pyfunction!(run::is_running, module)?)?;
    module.add_class::<search::Search>()?;
    module.add_class::<opened::Opened>()?;
    module.add_class::<image::Image>()?;
    module.add_class::<memo::MemoStore>()?;
    module.add_class::<memo::MemoBlock>()?;
    module.add_function(wrap_pyfunction!(verbs::verb, module)?)?;
    module.add_function(wrap_pyfunction!(opened::draw_overlay, module)?)?;
    module.add_function(wrap_pyfunction!(pixels::png, module)?)?;
    module.add_function(wrap_pyfunction!(image::paint_tissue, module)?)?;
    module.add_function(wrap_pyfunction!(nuclei::segment_array, module)?)?;
    module.add_function(wrap_pyfunction!(nuclei::measure_array, module)?)?;
    module.add_function(wrap_pyfunction!(nuclei::compare_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(operation::operations, module)?)?;
    module.add_function(wrap_pyfunction!(operation::apply, module)?)?;
    Ok(())
}
