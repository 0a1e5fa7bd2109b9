//! Indices with intervals and verdicts.

use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn};
use onceflow_engine::StopFlag;
use onceflow_sensitivity::{
    AnalysisOptions, Estimator, FailurePolicy, Narrowed, PlotKind, Technique, analysis_from_json,
    analysis_to_csv, analysis_to_json, analysis_to_salib, analyze, narrow, outputs_from_values, pairs_to_csv,
    plot, plot_kinds, render_text,
};
use pyo3::prelude::*;

use crate::error::{Kind, raise, raise_text};
use crate::problem::Problem;
use crate::sample::{Sample, table_error};
use crate::waiting::{interruptible, unknown_word};

/// The result of an analysis.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Analysis {
    analysis: onceflow_sensitivity::Analysis,
    /// Parameters that no row varies, so that they have no indices.
    #[pyo3(get)]
    constant: Vec<String>,
}

/// How to analyse; what is not said has the default of the technique, or of the study.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    technique: String,
    second_order: bool,
    estimator: Option<String>,
    confidence: Option<f64>,
    resamples: Option<usize>,
    seed: Option<u64>,
    failures: Option<String>,
    threshold: Option<f64>,
}

#[pymethods]
impl Analysis {
    /// Analyses columns of numbers: those of the rows named in `ids`, or one for each row.
    #[new]
    fn new(
        py: Python<'_>,
        problem: &Problem,
        sample: &Sample,
        names: Vec<String>,
        columns: Vec<PyReadonlyArrayDyn<'_, f64>>,
        ids: Option<PyReadonlyArray1<'_, u64>>,
        asked: Asked,
    ) -> PyResult<Self> {
        let columns = columns.iter().map(|column| column.as_array().iter().copied().collect()).collect();
        let ids: Option<Vec<u64>> = ids.map(|ids| ids.as_array().iter().copied().collect());
        let outputs = outputs_from_values(&sample.sample, ids.as_deref(), names, columns)
            .map_err(|error| table_error(&error))?;
        let options = options(problem, sample.bare, &asked)?;
        let narrowed = narrow(&sample.space, &sample.sample);
        let Narrowed { space, sample, constant } =
            narrowed.map_err(|error| raise_text(Kind::Sample, "cannot analyse", &error))?;
        let found =
            interruptible(py, &StopFlag::default(), move || analyze(&space, &sample, &outputs, &options))?;
        let analysis = found.map_err(|error| raise_text(Kind::Sample, "cannot analyse", &error))?;
        Ok(Self { analysis, constant })
    }

    /// An analysis from its JSON, as a run keeps it.
    #[staticmethod]
    fn of_json(json: &str) -> PyResult<Self> {
        let read = serde_json::from_str(json).map_err(|error| error.to_string());
        let analysis = read.and_then(|json| analysis_from_json(&json)).map_err(|part| {
            let error = onceflow_study::Diagnostic::error("these are no indices");
            raise(Kind::Study, &[error.expected_found("what onceflow writes into indices.json", part)])
        })?;
        Ok(Self { analysis, constant: Vec::new() })
    }

    /// The answer as text.
    fn text(&self) -> String {
        render_text(&self.analysis)
    }

    /// As JSON.
    fn json(&self) -> String {
        analysis_to_json(&self.analysis).to_string()
    }

    /// As the dictionary of SALib, in JSON.
    fn salib(&self) -> String {
        analysis_to_salib(&self.analysis).to_string()
    }

    /// As a tidy table, or that of its pairs.
    fn csv(&self, pairs: bool) -> String {
        if pairs { pairs_to_csv(&self.analysis) } else { analysis_to_csv(&self.analysis) }
    }

    /// The kinds of plot that an output has.
    fn plot_kinds(&self, output: usize) -> Vec<&'static str> {
        plot_kinds(&self.analysis, output).into_iter().map(PlotKind::word).collect()
    }

    /// A plot as SVG.
    fn plot(&self, output: usize, kind: &str) -> PyResult<String> {
        let kinds = plot_kinds(&self.analysis, output);
        let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
        let found = kinds.iter().find(|known| known.word() == kind);
        let svg = found.and_then(|kind| plot(&self.analysis, output, *kind));
        svg.ok_or_else(|| raise(Kind::Sample, &[unknown_word("kind", &words, kind)]))
    }
}

fn options(problem: &Problem, bare: bool, asked: &Asked) -> PyResult<AnalysisOptions> {
    let word = |keyword: &str, known: &[&str], found: &str| {
        raise(Kind::Sample, &[unknown_word(keyword, known, found)])
    };
    let technique = Technique::from_word(&asked.technique)
        .ok_or_else(|| word("method", &Technique::ALL.map(Technique::word), &asked.technique))?;
    let usual = match &problem.study {
        Some(study) => AnalysisOptions::of_study(study, technique),
        None => AnalysisOptions::new(technique),
    };
    let estimator = match &asked.estimator {
        Some(said) => Estimator::ALL
            .into_iter()
            .find(|known| known.word() == said)
            .ok_or_else(|| word("estimator", &Estimator::ALL.map(Estimator::word), said))?,
        // Rows without roles come from SALib: both then agree.
        None if bare => Estimator::Saltelli,
        None => usual.estimator,
    };
    let failures = match asked.failures.as_deref() {
        Some("drop") => FailurePolicy::Drop,
        Some("bounds") => FailurePolicy::Bounds,
        Some("stop") => FailurePolicy::Stop,
        Some(other) => return Err(word("failures", &["drop", "bounds", "stop"], other)),
        None => usual.failures,
    };
    Ok(AnalysisOptions {
        technique,
        estimator,
        second_order: asked.second_order,
        confidence: asked.confidence.unwrap_or(usual.confidence),
        resamples: asked.resamples.unwrap_or(usual.resamples),
        seed: asked.seed.unwrap_or(usual.seed),
        failures,
        threshold: asked.threshold.unwrap_or(usual.threshold),
    })
}
