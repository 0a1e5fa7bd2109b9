//! How long tasks take: questions of a file, or of a table of measurements.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use onceflow_costs::scaling::{
    Outside, ScalingCurve, ScalingError, SizeCurve, limit, mean_error, quadratic_over_sizes,
};
use onceflow_study::Diagnostic;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::MoldAnswer;
use super::performance::{PerformanceSource, bad_data};
use crate::{EngineError, TextLimit, read_text};

/// What is estimated.
#[derive(Clone, Debug, PartialEq)]
pub enum EstimateRequest {
    /// The questions of a JSON file.
    Questions(PathBuf),
    /// A task of a table of measurements.
    Task {
        /// The measurements.
        performance: PerformanceSource,
        /// The task's type; the only one of the data when it is not given.
        task: Option<String>,
        /// The size of its input; the only one of the data when it is not given.
        size: Option<f64>,
        /// Numbers of nodes; those measured and all between them when none are given.
        nodes: Vec<u64>,
        /// What limits have above estimates.
        margin: f64,
    },
}

/// The file of questions.
#[derive(Debug, Deserialize)]
struct QuestionFile {
    questions: BTreeMap<String, Question>,
}

#[derive(Debug, Deserialize)]
struct Question {
    method: QuestionMethod,
    #[serde(default)]
    outside: OutsideWord,
    points: Option<BTreeMap<u64, f64>>,
    curves: Option<BTreeMap<u64, BTreeMap<u64, f64>>>,
    work: Option<f64>,
    queries: Vec<u64>,
    measured: Option<BTreeMap<u64, f64>>,
    margin: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum QuestionMethod {
    Linear,
    Quadratic,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutsideWord {
    #[default]
    Refuse,
    Extrapolate,
    Hold,
}

/// What limits have above estimates, where a question does not say it.
const MARGIN: f64 = 0.1;

/// Estimates durations.
///
/// # Errors
/// When a file cannot be read, or measurements do not reach.
pub fn mold_estimate(request: &EstimateRequest) -> Result<MoldAnswer, EngineError> {
    match request {
        EstimateRequest::Questions(file) => questions(file),
        EstimateRequest::Task { performance, task, size, nodes, margin } => {
            measured(performance, task.as_deref(), *size, nodes, *margin)
        }
    }
}

fn questions(file: &Path) -> Result<MoldAnswer, EngineError> {
    let source = read_text(file, TextLimit::Description)?;
    let read: QuestionFile = serde_json::from_str(&source.text).map_err(|error| {
        let message = Diagnostic::error(format!("{} has no questions about durations", file.display()));
        let message = message.expected_found(
            "{\"questions\": {NAME: {\"method\", \"points\", \"queries\"}}}",
            error.to_string(),
        );
        EngineError::bad_input(message.with_hint("or give a table of measurements that ends in .csv"))
    })?;
    let mut estimates = Map::new();
    let mut text = String::new();
    for (name, question) in &read.questions {
        let answer = answer(question).map_err(|error| {
            let message = Diagnostic::error(format!("question `{name}` of {} has no answer", file.display()));
            EngineError::bad_input(message.with_why(error.to_string()))
        })?;
        let _ = writeln!(text, "{name}");
        for (nodes, seconds) in answer["estimates"].as_object().into_iter().flatten() {
            let _ = writeln!(text, "  {nodes} nodes: {seconds} s, limit {} s", answer["limits"][nodes]);
        }
        estimates.insert(name.clone(), answer);
    }
    Ok(MoldAnswer { json: json!({ "version": 1, "estimates": estimates }), text, svg: None, html: None })
}

fn answer(question: &Question) -> Result<Value, ScalingError> {
    let curve = curve(question)?;
    let outside = match question.outside {
        OutsideWord::Refuse => Outside::Refuse,
        OutsideWord::Extrapolate => Outside::Extrapolate,
        OutsideWord::Hold => Outside::Hold,
    };
    let margin = question.margin.unwrap_or(MARGIN);
    let (mut estimates, mut limits) = (Map::new(), Map::new());
    for nodes in &question.queries {
        let seconds = curve.linear(*nodes, outside)?;
        estimates.insert(nodes.to_string(), json!(seconds));
        limits.insert(nodes.to_string(), json!(limit(seconds, margin)));
    }
    let mut answer = json!({ "estimates": estimates, "limits": limits });
    if let Some(measured) = &question.measured {
        let pairs: Result<Vec<(f64, f64)>, ScalingError> =
            measured.iter().map(|(nodes, seconds)| Ok((*seconds, curve.linear(*nodes, outside)?))).collect();
        let (error, under) = mean_error(pairs?);
        answer["mean_error"] = json!(error);
        answer["underestimated"] = json!(under);
    }
    Ok(answer)
}

fn curve(question: &Question) -> Result<ScalingCurve, ScalingError> {
    let empty =
        || ScalingError::Empty { task: "the question's task".into(), proposed: "1, 2, 4 and 8".into() };
    if question.method == QuestionMethod::Linear {
        return ScalingCurve::new(question.points.clone().ok_or_else(empty)?);
    }
    let curves = question.curves.as_ref().ok_or_else(empty)?;
    let size = |(work, points): (&u64, &BTreeMap<u64, f64>)| {
        Ok(SizeCurve { work: *work as f64, curve: ScalingCurve::new(points.clone())?, cut: None })
    };
    let sizes: Vec<SizeCurve> = curves.iter().map(size).collect::<Result<_, ScalingError>>()?;
    quadratic_over_sizes(&sizes, question.work.ok_or_else(empty)?)
}

fn measured(
    source: &PerformanceSource,
    task: Option<&str>,
    size: Option<f64>,
    nodes: &[u64],
    margin: f64,
) -> Result<MoldAnswer, EngineError> {
    let performance = source.read()?;
    let records = performance.database.records();
    let tasks = records.iter().map(|record| record.task.clone());
    let task = only(task.map(str::to_owned), tasks, &source.file, "task types", "--task")?;
    let sizes = records.iter().filter(|record| record.task == task).map(|record| record.size.to_string());
    let size = only(size.map(|size| size.to_string()), sizes, &source.file, "sizes", "--size")?;
    let size: f64 = size.parse().unwrap_or_default();
    let estimator = performance.estimator(&task).map_err(|error| bad_data(&source.file, &error))?;
    let known = performance.measured(&task);
    let all: Vec<u64> = match (known.first(), known.last()) {
        (Some(first), Some(last)) if nodes.is_empty() => (*first..=(*last).min(first + MOST_NODES)).collect(),
        _ => nodes.to_vec(),
    };
    let mut text =
        format!("{task}, size {size}: seconds by number of nodes, with the range of 8 in 10 tasks\n");
    let _ =
        writeln!(text, "{:>6} {:>12} {:>12} {:>12} {:>8}  from", "nodes", "seconds", "low", "high", "limit");
    let (mut estimates, mut limits, mut details) = (Map::new(), Map::new(), Map::new());
    for nodes in all {
        let found = estimator.estimate(size, nodes).map_err(|error| bad_data(&source.file, &error))?;
        let limit = found.limit(margin);
        let error = found.error.filter(|error| *error > 0.0);
        let error = error.map_or(String::new(), |error| format!(", mean error {:.1} %", 100.0 * error));
        let _ = writeln!(
            text,
            "{nodes:>6} {:>12.2} {:>12.2} {:>12.2} {limit:>8}  {}{error}",
            found.seconds, found.low, found.high, found.method
        );
        let key = nodes.to_string();
        estimates.insert(key.clone(), json!(found.seconds));
        limits.insert(key.clone(), json!(limit));
        let detail = json!({
            "low": found.low, "high": found.high, "upper": found.upper, "method": found.method, "error": found.error,
            "points": found.points,
        });
        details.insert(key, detail);
    }
    let answer = json!({ "estimates": estimates, "limits": limits, "details": details, "size": size });
    let json = json!({ "version": 1, "estimates": { task: answer } });
    Ok(MoldAnswer { json, text, svg: None, html: None })
}

/// Lines of a table when their number is not asked for.
const MOST_NODES: u64 = 1023;

/// What was asked for, else the only one there is.
fn only(
    asked: Option<String>,
    all: impl Iterator<Item = String>,
    file: &Path,
    what: &str,
    option: &str,
) -> Result<String, EngineError> {
    if let Some(asked) = asked {
        return Ok(asked);
    }
    let all: std::collections::BTreeSet<String> = all.collect();
    let mut names = all.iter();
    if let (Some(only), None) = (names.next(), names.next()) {
        return Ok(only.clone());
    }
    let found = all.into_iter().take(12).collect::<Vec<_>>().join(", ");
    let message = Diagnostic::error(format!("{} has several {what}", file.display()));
    Err(EngineError::bad_input(
        message.expected_found("one of them", found).with_hint(format!("choose it with {option}")),
    ))
}
