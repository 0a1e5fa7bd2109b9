//! Rows with their roles.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use onceflow_engine::StopFlag;
use onceflow_sensitivity::{
    Narrowed, SampleFormat, TableLayout, design_from_json, narrow, sample_from_values, warnings, widen,
    write_sample,
};
use onceflow_study::Space;
use pyo3::prelude::*;

use crate::array::frozen;
use crate::error::{Kind, raise, raise_text};
use crate::problem::Problem;
use crate::waiting::{interruptible, unknown_word};

/// A sample with the space that it was made from.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Sample {
    pub(crate) space: Space,
    pub(crate) sample: onceflow_sensitivity::Sample,
    /// Whether the rows came without their roles.
    #[pyo3(get)]
    pub(crate) bare: bool,
    /// What should be known of the design.
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl Sample {
    /// Makes the rows of a design, which is given as JSON: its method with all options, and its seed.
    #[staticmethod]
    fn make(py: Python<'_>, problem: &Problem, design: &str) -> PyResult<Self> {
        let space = problem.space().clone();
        let design = design_from_json(&space, design).map_err(|error| table_error(&error))?;
        let warnings = warnings(&space, &design);
        let made = interruptible(py, &StopFlag::default(), move || {
            onceflow_sensitivity::sample(&space, &design).map(|sample| (space, sample))
        })?;
        let (space, sample) = made.map_err(|error| raise_text(Kind::Sample, "cannot sample", &error))?;
        Ok(Self { space, sample, bare: false, warnings })
    }

    /// Rows of a matrix, with the roles that their layout gives them.
    #[staticmethod]
    fn of_values(problem: &Problem, values: PyReadonlyArray2<'_, f64>, layout: &str) -> PyResult<Self> {
        let space = problem.space().clone();
        let layout = match layout {
            "points" => TableLayout::Points,
            "morris" => TableLayout::Morris,
            "saltelli" => TableLayout::Saltelli { second_order: false },
            "saltelli-second-order" => TableLayout::Saltelli { second_order: true },
            other => return Err(raise(Kind::Sample, &[unknown_word("layout", &["points"], other)])),
        };
        let width = values.shape()[1];
        if width != space.parameters().len() {
            let error = onceflow_study::Diagnostic::error("the rows have the wrong width").expected_found(
                format!("{} columns, one for each parameter", space.parameters().len()),
                width.to_string(),
            );
            return Err(raise(Kind::Sample, &[error]));
        }
        let values = values.as_array().iter().copied().collect();
        let sample = sample_from_values(&space, values, layout).map_err(|error| table_error(&error))?;
        Ok(Self { space, sample, bare: true, warnings: Vec::new() })
    }

    /// The same rows with every parameter of a problem, those that do not vary at their defaults.
    fn widened(&self, problem: &Problem) -> PyResult<Self> {
        let space = problem.space().clone();
        let sample = widen(&space, &self.space, &self.sample);
        let sample = sample.map_err(|error| raise_text(Kind::Sample, "cannot sample", &error))?;
        Ok(Self { space, sample, bare: false, warnings: Vec::new() })
    }

    /// The larger sample that begins with this one.
    fn extend(&self, py: Python<'_>, n: u64) -> PyResult<Self> {
        let narrowed = narrow(&self.space, &self.sample);
        let Narrowed { space, sample, .. } =
            narrowed.map_err(|error| raise_text(Kind::Sample, "cannot extend", &error))?;
        let whole = self.space.clone();
        let made = interruptible(py, &StopFlag::default(), move || {
            onceflow_sensitivity::extend(&space, &sample, n).and_then(|after| widen(&whole, &space, &after))
        })?;
        let sample = made.map_err(|error| raise_text(Kind::Sample, "cannot extend", &error))?;
        Ok(Self { space: self.space.clone(), sample, bare: false, warnings: Vec::new() })
    }

    fn __len__(&self) -> usize {
        self.sample.len()
    }

    /// Names of the parameters, in the order of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.space.parameters().iter().map(|parameter| parameter.name.clone()).collect()
    }

    /// Rows and parameters; a word stands as its place.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        frozen(py, self.sample.values.clone(), &[self.sample.len(), self.sample.parameters])
    }

    /// Numbers of the rows.
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |row| row.id as i64)
    }

    /// Number of the base row, trajectory or star of each row.
    fn bases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |row| row.base as i64)
    }

    /// The first row with the same values, -1 for rows that repeat none.
    fn duplicates_of<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, |row| row.duplicate_of.map_or(-1, |id| id as i64))
    }

    /// The words for all roles there are, and the place of each row's role among them.
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
        let mut words: Vec<String> = Vec::new();
        let mut places = std::collections::HashMap::new();
        let codes = self.sample.rows.iter().map(|row| {
            *places.entry(row.role).or_insert_with(|| {
                words.push(row.role.text(&self.space));
                words.len() as i64 - 1
            })
        });
        let codes: Vec<i64> = codes.collect();
        let rows = codes.len();
        Ok((words, frozen(py, codes, &[rows])?))
    }

    /// The word for the method that made the rows.
    #[getter]
    fn method(&self) -> Option<&'static str> {
        self.sample.design.as_ref().map(|design| design.method.word())
    }

    /// The technique of analysis that the roles of the rows ask for.
    #[getter]
    fn technique(&self) -> Option<&'static str> {
        onceflow_sensitivity::Technique::of_sample(&self.sample).map(|technique| technique.word())
    }

    /// The sample as a table: CSV, or JSON with its design.
    fn text(&self, json: bool) -> PyResult<String> {
        let format = if json { SampleFormat::Json } else { SampleFormat::Csv };
        write_sample(&self.space, &self.sample, format).map_err(|error| table_error(&error))
    }

    fn __str__(&self) -> String {
        self.sample.to_string()
    }
}

impl Sample {
    fn column<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&onceflow_sensitivity::SampleRow) -> i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        frozen(py, self.sample.rows.iter().map(of).collect(), &[self.sample.len()])
    }
}

/// The exception for rows or results that do not fit.
pub(crate) fn table_error(error: &onceflow_sensitivity::TableError) -> PyErr {
    let message = onceflow_study::Diagnostic::error(error.message.clone());
    let message = message.expected_found(error.expected.clone(), error.found.clone());
    raise(
        Kind::Sample,
        &[match &error.hint {
            Some(hint) => message.with_hint(hint.clone()),
            None => message,
        }],
    )
}
