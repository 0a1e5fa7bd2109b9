//! Performance data from a file.

use std::path::{Path, PathBuf};

use onceflow_costs::scaling::{
    EstimateOptions, PerformanceDatabase, PerformanceRecord, ScalingError, ScalingEstimator, TaskKey,
};
use onceflow_study::Diagnostic;

use crate::{EngineError, TextLimit, read_text, write_whole};

/// Which measurements are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceSource {
    /// A table of measurements: CSV, or JSON by its ending.
    pub file: PathBuf,
    /// The machine; the only one of the data when it is not given.
    pub machine: Option<String>,
    /// The device.
    pub device: String,
    /// What is known of tasks beside their measurements.
    pub options: EstimateOptions,
}

/// Measurements with what is asked of them.
#[derive(Clone, Debug)]
pub(super) struct Performance<'s> {
    pub(super) database: PerformanceDatabase,
    machine: String,
    source: &'s PerformanceSource,
}

impl PerformanceSource {
    pub(super) fn read(&self) -> Result<Performance<'_>, EngineError> {
        let database = read_database(&self.file)?;
        let machine = match &self.machine {
            Some(machine) => machine.clone(),
            None => only_machine(&self.file, &database)?,
        };
        Ok(Performance { database, machine, source: self })
    }
}

impl Performance<'_> {
    /// The machine.
    pub(super) fn machine(&self) -> &str {
        &self.machine
    }

    /// The estimator of a task type.
    pub(super) fn estimator(&self, task: &str) -> Result<ScalingEstimator, ScalingError> {
        let key = TaskKey {
            task: task.to_owned(),
            machine: self.machine.clone(),
            device: self.source.device.clone(),
        };
        self.database.estimator(&key, self.source.options)
    }

    /// The numbers of nodes at which a task type was measured.
    pub(super) fn measured(&self, task: &str) -> Vec<u64> {
        self.estimator(task).map(|estimator| estimator.nodes()).unwrap_or_default()
    }
}

/// Writes measurements, as CSV or as JSON by its ending.
pub(super) fn write_database(file: &Path, database: &PerformanceDatabase) -> Result<(), EngineError> {
    let text = if is_json(file) { format!("{:#}\n", database.to_json()) } else { database.to_csv() };
    let written = write_whole(file, text.as_bytes());
    written.map_err(|error| EngineError::Write { path: file.to_owned(), error })
}

/// Adds measurements to a table, which is made where there is none. What it has already is not added again.
pub(super) fn add_records(file: &Path, records: &[PerformanceRecord]) -> Result<(), EngineError> {
    let mut database = if file.exists() { read_database(file)? } else { PerformanceDatabase::default() };
    for record in records {
        if !database.records().contains(record) {
            database.add(record.clone()).map_err(|error| bad_data(file, &error))?;
        }
    }
    write_database(file, &database)
}

fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Reads measurements.
pub(super) fn read_database(file: &Path) -> Result<PerformanceDatabase, EngineError> {
    let source = read_text(file, TextLimit::Table)?;
    let read = if is_json(file) {
        PerformanceDatabase::from_json(&source.text)
    } else {
        PerformanceDatabase::from_csv(&source.text)
    };
    read.map_err(|error| bad_data(file, &error))
}

fn only_machine(file: &Path, database: &PerformanceDatabase) -> Result<String, EngineError> {
    let mut machines: Vec<&str> = database.records().iter().map(|record| record.machine.as_str()).collect();
    machines.sort_unstable();
    machines.dedup();
    match machines[..] {
        [machine] => Ok(machine.to_owned()),
        [] => {
            let task = "any task".to_owned();
            Err(bad_data(file, &ScalingError::Empty { task, proposed: "1, 2, 4 and 8".into() }))
        }
        _ => {
            let message =
                Diagnostic::error(format!("{} has measurements of several machines", file.display()));
            let message = message.expected_found("one machine", machines.join(", "));
            Err(EngineError::bad_input(message.with_hint("choose one with --machine")))
        }
    }
}

/// What is wrong with measurements, with what to do.
pub(super) fn bad_data(file: &Path, error: &ScalingError) -> EngineError {
    let message = Diagnostic::error(format!("cannot estimate from {}", file.display()));
    let message = match error {
        ScalingError::Line { line, expected, found } => {
            message.expected_found(format!("line {line}: {expected}"), found.clone())
        }
        other => message.with_why(other.to_string()),
    };
    EngineError::bad_input(message)
}
