//! NumPy arrays from values in memory: without a copy where they are given up, read-only.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A read-only array that owns the values.
pub(crate) fn frozen<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array = PyArray1::from_vec(py, values);
    let array = if shape.len() == 1 { array.into_any() } else { array.reshape(shape.to_vec())?.into_any() };
    let flags = pyo3::types::PyDict::new(py);
    flags.set_item("write", false)?;
    array.call_method("setflags", (), Some(&flags))?;
    Ok(array)
}
