//! A search whose rows the user runs: it proposes some, and is told what they gave. All of it stands in one file, from
//! which the same search is made again.

use std::fs::File;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;
use onceflow_sensitivity::{TuneOutcome, Tuner, TunerOptions};
use onceflow_study::{Diagnostic, Space, TuneMethod, Value};
use serde::{Deserialize, Serialize};

use crate::{EngineError, TextLimit, read_text, write_whole};

/// What such a search is to do; one that goes on keeps what is not said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedOptions {
    /// How rows are proposed.
    pub method: Option<TuneMethod>,
    /// Seed of everything random.
    pub seed: Option<u64>,
    /// Names of what is improved, each with whether more is better.
    pub objectives: Vec<(String, bool)>,
}

/// A search whose rows the user runs.
#[derive(Debug)]
pub struct AskedSearch {
    path: PathBuf,
    file: SearchFile,
    tuner: Tuner,
    rows: Vec<AskedRow>,
    /// Held as long as the search is open.
    _lock: Option<File>,
}

/// A row of such a search.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedRow {
    /// One value per parameter.
    pub values: Vec<Value>,
    /// What it gave, once it was told.
    pub outcome: Option<TuneOutcome>,
    /// Whether the search proposed it; else it was told of.
    pub proposed: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SearchFile {
    version: u64,
    program: String,
    space: String,
    seed: u64,
    tuner: String,
    objectives: Vec<(String, bool)>,
    steps: Vec<SearchStep>,
}

/// What happened, in its order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SearchStep {
    /// Rows were asked for.
    Asked(usize),
    /// Rows were told, by their numbers; `None` for one that failed.
    Told(Vec<(u64, Option<Vec<f64>>)>),
    /// Rows that were run elsewhere were told of, by their values.
    Learned(Vec<(Vec<SearchValue>, Vec<f64>)>),
}

/// A value of a parameter in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SearchValue {
    Integer(i64),
    Real(f64),
    Text(String),
}

/// The file in its folder, and that which one process at a time holds.
const FILE: &str = "search.json";
const LOCK: &str = "search.lock";
const VERSION: u64 = 1;

impl AskedSearch {
    /// The search in a folder; a new one where there is none, which must be told what is improved.
    ///
    /// # Errors
    /// When the folder has another search, or another process uses it.
    pub fn open(folder: &Path, space: &Space, options: &AskedOptions) -> Result<Self, EngineError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| EngineError::Write { path: folder.to_path_buf(), error })?;
        let lock = lock(folder)?;
        let path = folder.join(FILE);
        let file =
            if path.is_file() { known(&path, space, options)? } else { new_file(folder, space, options)? };
        let tuner = tuner(space, &file)?;
        let mut search = Self { path, tuner, rows: Vec::new(), _lock: Some(lock), file };
        for step in search.file.steps.clone() {
            search.take(&step)?;
        }
        Ok(search)
    }

    /// Proposes rows; fewer where a method must know some before it chooses others.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn ask(&mut self, rows: usize) -> Result<(), EngineError> {
        self.step(SearchStep::Asked(rows))
    }

    /// Says what rows gave, by their numbers.
    ///
    /// # Errors
    /// When a row was not proposed or was told before, or the file cannot be written.
    pub fn tell(&mut self, rows: &[(u64, TuneOutcome)]) -> Result<(), EngineError> {
        let told = rows.iter().map(|(number, outcome)| (*number, given(outcome))).collect();
        self.step(SearchStep::Told(told))
    }

    /// Says what rows gave that were run elsewhere.
    ///
    /// # Errors
    /// When they have other objectives, or the file cannot be written.
    pub fn learn(&mut self, rows: &[(Vec<Value>, Vec<f64>)]) -> Result<(), EngineError> {
        let values = |values: &Vec<Value>| values.iter().map(SearchValue::of).collect();
        let learned = rows.iter().map(|(row, given)| (values(row), given.clone())).collect();
        self.step(SearchStep::Learned(learned))
    }

    /// All rows, in the order in which they were proposed or told of.
    pub fn rows(&self) -> &[AskedRow] {
        &self.rows
    }

    /// Names of what is improved, each with whether more is better.
    pub fn objectives(&self) -> &[(String, bool)] {
        &self.file.objectives
    }

    /// The first of the rows with the best value of the first objective.
    pub fn best(&self) -> Option<&AskedRow> {
        let more = self.file.objectives.first().is_none_or(|(_, more)| *more);
        let value = |row: &AskedRow| match &row.outcome {
            Some(TuneOutcome::Values(values)) => values.first().map(|x| if more { *x } else { -x }),
            _ => None,
        };
        self.rows.iter().fold(None, |best: Option<&AskedRow>, row| match (best.and_then(value), value(row)) {
            (_, None) => best,
            (Some(best_value), Some(value)) if value <= best_value => best,
            _ => Some(row),
        })
    }

    /// Takes a step, and writes it down.
    fn step(&mut self, step: SearchStep) -> Result<(), EngineError> {
        self.take(&step)?;
        self.file.steps.push(step);
        let text = serde_json::to_string_pretty(&self.file)
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        write_whole(&self.path, text.as_bytes())
            .map_err(|error| EngineError::Write { path: self.path.clone(), error })
    }

    fn take(&mut self, step: &SearchStep) -> Result<(), EngineError> {
        match step {
            SearchStep::Asked(rows) => {
                let asked = self.tuner.ask(*rows).into_iter();
                self.rows.extend(asked.map(|row| AskedRow {
                    values: row.values,
                    outcome: None,
                    proposed: Some(row.number),
                }));
            }
            SearchStep::Told(rows) => {
                rows.iter().try_for_each(|(number, given)| self.take_told(*number, given.as_ref()))?;
            }
            SearchStep::Learned(rows) => {
                for (values, given) in rows {
                    let values: Vec<Value> = values.iter().map(SearchValue::value).collect();
                    let outcome = TuneOutcome::Values(given.clone());
                    self.tuner.learn(&values, &outcome).map_err(|error| refused(&error))?;
                    self.rows.push(AskedRow { values, outcome: Some(outcome), proposed: None });
                }
            }
        }
        Ok(())
    }

    fn take_told(&mut self, number: u64, given: Option<&Vec<f64>>) -> Result<(), EngineError> {
        let outcome = given.map_or(TuneOutcome::Failed, |given| TuneOutcome::Values(given.clone()));
        self.tuner.tell(number, &outcome).map_err(|error| refused(&error))?;
        if let Some(row) = self.rows.iter_mut().find(|row| row.proposed == Some(number)) {
            row.outcome = Some(outcome);
        }
        Ok(())
    }
}

impl SearchValue {
    fn of(value: &Value) -> Self {
        match value {
            Value::Integer(i) => Self::Integer(*i),
            Value::Real(x) => Self::Real(*x),
            Value::Text(text) => Self::Text(text.clone()),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Integer(i) => Value::Integer(*i),
            Self::Real(x) => Value::Real(*x),
            Self::Text(text) => Value::Text(text.clone()),
        }
    }
}

/// Values that are not finite have no form in JSON: such a row has failed.
fn given(outcome: &TuneOutcome) -> Option<Vec<f64>> {
    match outcome {
        TuneOutcome::Values(values) if values.iter().all(|x| x.is_finite()) => Some(values.clone()),
        _ => None,
    }
}

fn new_file(folder: &Path, space: &Space, options: &AskedOptions) -> Result<SearchFile, EngineError> {
    if options.objectives.is_empty() {
        return Err(no_objective(folder));
    }
    Ok(SearchFile {
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").into(),
        space: digest(space),
        seed: options.seed.unwrap_or_default(),
        tuner: options.method.unwrap_or_default().word().into(),
        objectives: options.objectives.clone(),
        steps: Vec::new(),
    })
}

/// The file of a search, which must be of the same space, options and version.
fn known(path: &Path, space: &Space, options: &AskedOptions) -> Result<SearchFile, EngineError> {
    let source = read_text(path, TextLimit::Table)?;
    let file: SearchFile =
        serde_json::from_str(&source.text).map_err(|error| damaged(path, &error.to_string()))?;
    let differs = |what: &str, known: &str, found: &str| {
        let error = Diagnostic::error(format!("the search in {} has another {what}", path.display()));
        Err(error.expected_found(known, found).with_hint("choose another folder after -o").into())
    };
    let (seed, method) = (options.seed, options.method.map(TuneMethod::word));
    if file.version != VERSION || file.program != env!("CARGO_PKG_VERSION") {
        return differs("version", &file.program, env!("CARGO_PKG_VERSION"));
    }
    if file.space != digest(space) {
        return differs("problem", "its parameters, ranges and constraints", "others");
    }
    if let Some(seed) = seed.filter(|seed| *seed != file.seed) {
        return differs("seed", &file.seed.to_string(), &seed.to_string());
    }
    if let Some(method) = method.filter(|method| *method != file.tuner) {
        return differs("tuner", &file.tuner, method);
    }
    if !options.objectives.is_empty() && options.objectives != file.objectives {
        let [known, found] = [&file.objectives, &options.objectives].map(|o| objective_words(o));
        return differs("objective", &known, &found);
    }
    Ok(file)
}

fn objective_words(objectives: &[(String, bool)]) -> String {
    let word =
        |(name, more): &(String, bool)| format!("--{} {name}", if *more { "maximize" } else { "minimize" });
    objectives.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn tuner(space: &Space, file: &SearchFile) -> Result<Tuner, EngineError> {
    let options = TunerOptions {
        method: TuneMethod::from_word(&file.tuner).unwrap_or_default(),
        maximize: file.objectives.iter().map(|(_, more)| *more).collect(),
        ..TunerOptions::new(file.seed)
    };
    Ok(Tuner::new(space, &options)?)
}

fn digest(space: &Space) -> String {
    Digest::of_text("onceflow search space v1", &format!("{space:?}")).to_string()
}

fn lock(folder: &Path) -> Result<File, EngineError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|error| EngineError::Write { path, error })?;
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => {
            let error = Diagnostic::error(format!("another process uses the search in {}", folder.display()));
            let error = error.expected_found("a folder that no other process uses", "one that is in use");
            Err(EngineError::Environment(Box::new(error.with_hint("try again when it is over"))))
        }
        _ => Ok(file),
    }
}

fn refused(error: &onceflow_sensitivity::TellError) -> EngineError {
    Diagnostic::error(error.to_string()).into()
}

fn damaged(path: &Path, why: &str) -> EngineError {
    let error = Diagnostic::error(format!("cannot read the search in {}", path.display()));
    error
        .expected_found("what onceflow tune --ask wrote", why)
        .with_hint("choose another folder after -o")
        .into()
}

fn no_objective(folder: &Path) -> EngineError {
    let error =
        Diagnostic::error(format!("there is no search in {} yet, and nothing to improve", folder.display()));
    error
        .expected_found("the name of what is improved", "none")
        .with_hint("ask for rows with --ask N and --maximize NAME or --minimize NAME")
        .into()
}
