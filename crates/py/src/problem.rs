//! What is sampled and analysed: a problem of SALib, or a study.

use std::path::PathBuf;

use onceflow_engine::{DocumentContent, open_document};
use onceflow_sensitivity::{design_to_json, read_effects};
use onceflow_study::{Diagnostic, Domain, Keep, SourceText, Space, Study, parse_study, read_salib_problem};
use pyo3::prelude::*;

use crate::error::{Kind, engine, invalid, raise, raise_text};
use crate::waiting::unknown_word;

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

    /// The text of a study, whose workflow is not looked at.
    #[staticmethod]
    fn of_text(text: String, name: String) -> PyResult<Self> {
        let read = parse_study(&SourceText::new(name, text)).map_err(|messages| invalid(&messages))?;
        let (study, messages) = read.resolve(None, None);
        let study = study.ok_or_else(|| invalid(&messages))?;
        let problem = onceflow_study::Problem { design: None, ..study.problem() };
        Ok(Self { problem, study: Some(Box::new(study)) })
    }

    /// A phase of the study: what it varies, and its design as JSON. Indices of the phase that its rule looks at are JSON too.
    fn phase(&self, name: &str, after: Option<String>) -> PyResult<(Self, String)> {
        let study = self.study.as_ref().ok_or_else(|| {
            let error = Diagnostic::error("only a study has phases");
            raise(Kind::Study, &[error.expected_found("a study", "a problem of another tool")])
        })?;
        let phase = study.phase(name).ok_or_else(|| {
            let known: Vec<&str> = study.phases.iter().map(|phase| phase.name.as_str()).collect();
            raise(Kind::Study, &[unknown_word("phase", &known, name)])
        })?;
        let kept = match (&phase.keep, after) {
            (Some(Keep::Effects(rule)), Some(after)) => {
                let effects = read_effects(&SourceText::new("indices", after), rule.metric.as_deref());
                Some(rule.choose(&effects.map_err(|message| raise(Kind::Study, &[*message]))?))
            }
            _ => None,
        };
        let problem = study.phase_problem(phase, kept.as_deref());
        let problem = problem.map_err(|error| raise_text(Kind::Study, "cannot sample the phase", &error))?;
        let design = design_to_json(&problem.space, &phase.design);
        Ok((Self { problem, study: Some(study.clone()) }, design))
    }

    /// Names of the phases, each with its method.
    #[getter]
    fn phases(&self) -> Vec<(String, &'static str)> {
        let phases = self.study.iter().flat_map(|study| &study.phases);
        phases.map(|phase| (phase.name.clone(), phase.design.method.word())).collect()
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
                &[Diagnostic::error(format!("{} has nothing to sample", path.display()))
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
