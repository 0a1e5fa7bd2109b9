//! What is sampled and analysed: a problem of SALib, or a study.

use std::path::PathBuf;

use onceflow_engine::{DocumentContent, open_document};
use onceflow_study::{Domain, SourceText, Space, Study, read_salib_problem};
use pyo3::prelude::*;

use crate::error::{Kind, engine, invalid, raise};

/// Parameters and outputs.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Problem {
    pub(crate) problem: onceflow_study::Problem,
    pub(crate) study: Option<Box<Study>>,
}

#[pymethods]
impl Problem {
    /// A problem of SALib as JSON.
    #[staticmethod]
    fn of_salib(json: String) -> PyResult<Self> {
        let source = SourceText::new("problem", json);
        let (problem, _) = read_salib_problem(&source).map_err(|messages| invalid(&messages))?;
        Ok(Self { problem, study: None })
    }

    /// A file: a study, or a problem of another tool.
    #[staticmethod]
    fn of_file(path: PathBuf) -> PyResult<Self> {
        let document = open_document(&path).map_err(engine)?;
        match document.content {
            Some(DocumentContent::Study(study, _)) => {
                let problem = onceflow_study::Problem { design: None, ..study.problem() };
                Ok(Self { problem, study: Some(study) })
            }
            Some(DocumentContent::Problem(problem)) => Ok(Self { problem: *problem, study: None }),
            Some(DocumentContent::Workflow(_)) => Err(raise(
                Kind::Study,
                &[onceflow_study::Diagnostic::error(format!("{} has nothing to sample", path.display()))
                    .expected_found("a study or a problem", "a workflow")],
            )),
            None => Err(invalid(&document.diagnostics)),
        }
    }

    /// Names of the parameters.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.space().parameters().iter().map(|parameter| parameter.name.clone()).collect()
    }

    /// Names of the outputs, where the problem says them.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        self.problem.outputs.clone()
    }

    /// Whether each parameter takes whole numbers only.
    #[getter]
    fn integers(&self) -> Vec<bool> {
        let whole = |domain: &Domain| matches!(domain, Domain::Integers { .. });
        self.space().parameters().iter().map(|parameter| whole(&parameter.domain)).collect()
    }

    /// The words of each parameter that takes words.
    #[getter]
    fn words(&self) -> Vec<Option<Vec<String>>> {
        let words = |domain: &Domain| match domain {
            Domain::Categories(words) => Some(words.clone()),
            _ => None,
        };
        self.space().parameters().iter().map(|parameter| words(&parameter.domain)).collect()
    }
}

impl Problem {
    pub(crate) fn space(&self) -> &Space {
        &self.problem.space
    }
}
