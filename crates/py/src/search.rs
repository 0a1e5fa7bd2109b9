//! A search for the best values whose rows the caller runs.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use onceflow_engine::{AskedOptions, AskedRow, AskedSearch};
use onceflow_sensitivity::TuneOutcome;
use onceflow_study::{Space, TuneMethod, Value};
use pyo3::prelude::*;

use crate::error::{Kind, engine, raise};
use crate::problem::Problem;
use crate::waiting::unknown_word;

/// A search in a folder.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Search {
    search: Mutex<AskedSearch>,
    space: Space,
}

/// A value of a row in Python.
#[derive(IntoPyObject)]
enum Given {
    Integer(i64),
    Real(f64),
    Text(String),
}

/// What a row gave.
#[derive(IntoPyObject)]
enum Told {
    /// Numbers.
    Values(Vec<f64>),
    /// False: it failed.
    Failed(bool),
}

/// A row: its number where it was proposed, its values by name, and what it gave, once it was told.
type RowWords = (Option<u64>, Vec<(String, Given)>, Option<Told>);

#[pymethods]
impl Search {
    /// The search in a folder; a new one where there is none.
    #[new]
    fn new(
        problem: &Problem,
        folder: PathBuf,
        tuner: Option<String>,
        seed: Option<u64>,
        objectives: Vec<(String, bool)>,
    ) -> PyResult<Self> {
        let method = tuner.map(|word| {
            TuneMethod::from_word(&word).ok_or_else(|| {
                let known = TuneMethod::WORDS.map(|(word, _)| word);
                raise(Kind::Study, &[unknown_word("tuner", &known, &word)])
            })
        });
        let options = AskedOptions { method: method.transpose()?, seed, objectives };
        let space = problem.space().clone();
        let search = AskedSearch::open(&folder, &space, &options).map_err(engine)?;
        Ok(Self { search: Mutex::new(search), space })
    }

    /// Proposes rows; fewer where a method must know some before it chooses others.
    fn ask(&self, py: Python<'_>, rows: usize) -> PyResult<Vec<RowWords>> {
        let found = py.detach(|| {
            let mut search = self.search();
            let before = search.rows().len();
            search.ask(rows).map(|()| search.rows()[before..].to_vec())
        });
        Ok(found.map_err(engine)?.iter().map(|row| self.words(row)).collect())
    }

    /// Says what a row gave; nothing where it failed.
    fn tell(&self, py: Python<'_>, number: u64, given: Option<Vec<f64>>) -> PyResult<()> {
        let outcome = given.map_or(TuneOutcome::Failed, TuneOutcome::Values);
        py.detach(|| self.search().tell(&[(number, outcome)])).map_err(engine)
    }

    /// Rows that were proposed and are not told, at most so many.
    fn waiting(&self, py: Python<'_>, rows: usize) -> Vec<RowWords> {
        let found: Vec<AskedRow> = py.detach(|| {
            let search = self.search();
            let waiting = search.rows().iter().filter(|row| row.outcome.is_none() && row.proposed.is_some());
            waiting.take(rows).cloned().collect()
        });
        found.iter().map(|row| self.words(row)).collect()
    }

    /// All rows.
    fn rows(&self, py: Python<'_>) -> Vec<RowWords> {
        py.detach(|| self.search().rows().to_vec()).iter().map(|row| self.words(row)).collect()
    }

    /// The row with the best value of the first objective.
    fn best(&self, py: Python<'_>) -> Option<RowWords> {
        py.detach(|| self.search().best().cloned()).map(|row| self.words(&row))
    }

    /// What is improved, each with whether more is better.
    #[getter]
    fn objectives(&self) -> Vec<(String, bool)> {
        self.search().objectives().to_vec()
    }
}

impl Search {
    fn search(&self) -> MutexGuard<'_, AskedSearch> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn words(&self, row: &AskedRow) -> RowWords {
        let value = |value: &Value| match value {
            Value::Integer(number) => Given::Integer(*number),
            Value::Real(number) => Given::Real(*number),
            Value::Text(text) => Given::Text(text.clone()),
        };
        let names = self.space.parameters().iter().map(|parameter| parameter.name.clone());
        let values = names.zip(row.values.iter().map(value)).collect();
        let outcome = row.outcome.as_ref().map(|outcome| match outcome {
            TuneOutcome::Values(values) => Told::Values(values.clone()),
            TuneOutcome::Failed => Told::Failed(false),
        });
        (row.proposed, values, outcome)
    }
}
