//! A table in Arrow's memory, which any reader of Arrow takes as it is.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, StringArray, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, ffi::FFI_ArrowSchema};
use onceflow_study::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::array::frozen;
use crate::error::{Kind, bug, raise};

/// Columns of equal length with their names.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Table {
    batch: RecordBatch,
}

/// The values of one column of Python, by their type.
#[derive(FromPyObject)]
enum Given {
    Flags(Vec<Option<bool>>),
    Integers(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

#[pymethods]
impl Table {
    /// Columns with their values; `None` is a missing value.
    #[staticmethod]
    fn of_columns(names: Vec<String>, columns: Vec<Given>) -> PyResult<Self> {
        let arrays = columns.into_iter().map(|column| -> ArrayRef {
            match column {
                Given::Flags(values) => Arc::new(BooleanArray::from(values)),
                Given::Integers(values) => Arc::new(Int64Array::from(values)),
                Given::Reals(values) => Arc::new(Float64Array::from(values)),
                Given::Texts(values) => Arc::new(StringArray::from(values)),
            }
        });
        Self::new(names, arrays.collect())
    }

    /// A table with a line of names, as a run writes them. An empty field is a missing value. Columns whose names are said are
    /// texts even where they look like numbers.
    #[staticmethod]
    #[pyo3(signature = (text, texts=Vec::new()))]
    fn of_csv(text: &str, texts: Vec<String>) -> PyResult<Self> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let unreadable = |error: csv::Error| {
            let error =
                Diagnostic::error("the table cannot be read").expected_found("CSV", error.to_string());
            raise(Kind::Study, &[error])
        };
        let names: Vec<String> = reader.headers().map_err(unreadable)?.iter().map(str::to_owned).collect();
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            cells.iter_mut().zip(&record).for_each(|(column, cell)| column.push(cell.to_owned()));
        }
        let columns = names.iter().zip(&cells);
        let arrays =
            columns.map(|(name, cells)| if texts.contains(name) { words(cells) } else { typed(cells) });
        let arrays = arrays.collect();
        Self::new(names, arrays)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The type of each column: `bool`, `int64`, `float64` or `str`.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let word = |data: &DataType| match data {
            DataType::Boolean => "bool",
            DataType::Int64 => "int64",
            DataType::Float64 => "float64",
            _ => "str",
        };
        self.batch.schema().fields().iter().map(|field| word(field.data_type())).collect()
    }

    /// A column: an array of numbers, in which a missing value is NaN, or a list.
    fn column<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let column = self.batch.columns().get(place).ok_or_else(|| bug("no such column"))?;
        let rows = [column.len()];
        match column.data_type() {
            DataType::Float64 => {
                let values = column.as_primitive::<Float64Type>().iter();
                frozen(py, values.map(|value| value.unwrap_or(f64::NAN)).collect(), &rows)
            }
            DataType::Int64 if column.null_count() == 0 => {
                frozen(py, column.as_primitive::<Int64Type>().values().to_vec(), &rows)
            }
            DataType::Int64 => {
                let values = column.as_primitive::<Int64Type>().iter();
                frozen(py, values.map(|value| value.map_or(f64::NAN, |n| n as f64)).collect(), &rows)
            }
            DataType::Boolean => Ok(PyList::new(py, column.as_boolean().iter())?.into_any()),
            _ => Ok(PyList::new(py, column.as_string::<i32>().iter())?.into_any()),
        }
    }

    /// One cell as Python's own type.
    fn cell<'py>(&self, py: Python<'py>, row: usize, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let column = self.batch.columns().get(place).filter(|column| row < column.len());
        let column = column.ok_or_else(|| bug("no such cell"))?;
        if column.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match column.data_type() {
            DataType::Float64 => {
                column.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any()
            }
            DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any(),
            DataType::Boolean => column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
            _ => column.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        })
    }

    /// The rows at these places, in this order.
    fn take(&self, places: Vec<usize>) -> PyResult<Self> {
        let arrays = self.batch.columns().iter().map(|column| chosen(column, &places)).collect();
        Self::new(self.names(), arrays)
    }

    /// The schema in Arrow's C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The whole table as one array of structures.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A reader that wants other types converts them itself.
        drop(requested_schema);
        let whole = StructArray::from(self.batch.clone());
        let (array, schema): (FFI_ArrowArray, FFI_ArrowSchema) = to_ffi(&whole.to_data()).map_err(failed)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }

    /// The table as a stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = std::iter::once(Ok(self.batch.clone()));
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

impl Table {
    fn new(names: Vec<String>, columns: Vec<ArrayRef>) -> PyResult<Self> {
        let fields = names.into_iter().zip(&columns);
        let fields: Vec<Field> =
            fields.map(|(name, column)| Field::new(name, column.data_type().clone(), true)).collect();
        let rows = columns.first().map_or(0, |column| column.len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options);
        batch.map(|batch| Self { batch }).map_err(failed)
    }
}

/// Texts as the narrowest type that all of them have.
fn typed(cells: &[String]) -> ArrayRef {
    fn all<T>(cells: &[String], read: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
        cells.iter().map(|cell| if cell.is_empty() { Some(None) } else { read(cell).map(Some) }).collect()
    }
    let is_empty = cells.iter().all(String::is_empty);
    if let Some(values) = all(cells, |cell| cell.parse::<i64>().ok()).filter(|_| !is_empty) {
        return Arc::new(Int64Array::from(values));
    }
    if let Some(values) = all(cells, |cell| cell.parse::<f64>().ok()).filter(|_| !is_empty) {
        return Arc::new(Float64Array::from(values));
    }
    if let Some(values) = all(cells, |cell| cell.parse::<bool>().ok()).filter(|_| !is_empty) {
        return Arc::new(BooleanArray::from(values));
    }
    words(cells)
}

fn words(cells: &[String]) -> ArrayRef {
    let texts = cells.iter().map(|cell| (!cell.is_empty()).then_some(cell.as_str()));
    Arc::new(texts.collect::<StringArray>())
}

fn chosen(column: &ArrayRef, places: &[usize]) -> ArrayRef {
    let at = |place: &usize| *place;
    match column.data_type() {
        DataType::Float64 => {
            let column = column.as_primitive::<Float64Type>();
            let value = |place: usize| column.is_valid(place).then(|| column.value(place));
            Arc::new(places.iter().map(at).map(value).collect::<Float64Array>())
        }
        DataType::Int64 => {
            let column = column.as_primitive::<Int64Type>();
            let value = |place: usize| column.is_valid(place).then(|| column.value(place));
            Arc::new(places.iter().map(at).map(value).collect::<Int64Array>())
        }
        DataType::Boolean => {
            let column = column.as_boolean();
            let value = |place: usize| column.is_valid(place).then(|| column.value(place));
            Arc::new(places.iter().map(at).map(value).collect::<BooleanArray>())
        }
        _ => {
            let column = column.as_string::<i32>();
            let value = |place: usize| column.is_valid(place).then(|| column.value(place));
            Arc::new(places.iter().map(at).map(value).collect::<StringArray>())
        }
    }
}

fn failed(error: ArrowError) -> PyErr {
    bug(&error.to_string())
}
