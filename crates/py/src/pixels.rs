//! Pixels between NumPy and the engine.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use onceflow_imageio::png_bytes;
use onceflow_region::{Bounds, Dense, Pixels};
use onceflow_study::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::frozen;
use crate::error::{Kind, bug, raise};

/// A box in pixels, as studies write it: left, upper, width, height.
pub(crate) type BoxWords = (i64, i64, u64, u64);

/// The box of four numbers.
pub(crate) fn bounds((x, y, width, height): BoxWords) -> PyResult<Bounds> {
    Bounds::plane(x, y, width, height).ok_or_else(|| {
        let error = Diagnostic::error("the box is empty");
        let found = format!("({x}, {y}, {width}, {height})");
        raise(Kind::Study, &[error.expected_found("(x, y, width, height) with pixels", found)])
    })
}

/// Pixels as a read-only array `[y, x]`, or `[y, x, channel]` with several channels, without a copy.
pub(crate) fn to_array(py: Python<'_>, dense: Dense) -> PyResult<Bound<'_, PyAny>> {
    let shape = [dense.height(), dense.width(), dense.channels()];
    let shape = if shape[2] == 1 { &shape[..2] } else { &shape[..] };
    match dense.into_pixels() {
        Pixels::U8(values) => frozen(py, values, shape),
        Pixels::I8(values) => frozen(py, values, shape),
        Pixels::U16(values) => frozen(py, values, shape),
        Pixels::I16(values) => frozen(py, values, shape),
        Pixels::I32(values) => frozen(py, values, shape),
        Pixels::U32(values) => frozen(py, values, shape),
        Pixels::I64(values) => frozen(py, values, shape),
        Pixels::U64(values) => frozen(py, values, shape),
        Pixels::F32(values) => frozen(py, values, shape),
        Pixels::F64(values) => frozen(py, values, shape),
    }
}

/// Pixels of an array `[y, x]` or `[y, x, channel]` of bytes, 32-bit labels or real numbers.
pub(crate) fn from_array(array: &Bound<'_, PyAny>) -> PyResult<Dense> {
    if let Ok(values) = array.cast::<PyArrayDyn<u8>>() {
        return dense(values.readonly(), Pixels::U8);
    }
    if let Ok(values) = array.cast::<PyArrayDyn<u32>>() {
        return dense(values.readonly(), Pixels::U32);
    }
    if let Ok(values) = array.cast::<PyArrayDyn<u16>>() {
        return dense(values.readonly(), Pixels::U16);
    }
    let values = array.cast::<PyArrayDyn<f64>>().map_err(|_| {
        let found = array.getattr("dtype").map_or_else(|_| "no array".to_owned(), |dtype| dtype.to_string());
        let error = Diagnostic::error("the pixels have a type that cannot be taken");
        raise(Kind::Study, &[error.expected_found("uint8, uint16, uint32 or float64", found)])
    })?;
    dense(values.readonly(), Pixels::F64)
}

fn dense<T: Element + Copy>(
    array: PyReadonlyArrayDyn<'_, T>,
    pixels: impl FnOnce(Vec<T>) -> Pixels,
) -> PyResult<Dense> {
    let (height, width, channels) = match *array.shape() {
        [height, width] => (height, width, 1),
        [height, width, channels @ (1 | 3)] => (height, width, channels),
        ref other => {
            let error = Diagnostic::error("the pixels have the wrong shape");
            let error = error.expected_found("(rows, columns) or (rows, columns, 3)", format!("{other:?}"));
            return Err(raise(Kind::Study, &[error]));
        }
    };
    // A slice of a column-major array would be its memory, not its rows.
    let rows = array.as_slice().ok().filter(|_| array.is_c_contiguous());
    let values = rows.map_or_else(|| array.as_array().iter().copied().collect(), <[T]>::to_vec);
    Dense::new(width, height, channels, pixels(values)).map_err(|error| bug(&error.to_string()))
}

/// Pixels as the bytes of a PNG file.
#[pyfunction]
pub(crate) fn png<'py>(py: Python<'py>, pixels: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let dense = from_array(pixels)?;
    let bytes = py.detach(|| png_bytes(&dense)).map_err(|error| bug(&error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}
