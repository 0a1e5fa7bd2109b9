//! What workers must know before they open the study of a run.

use std::fs;
use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::{EngineError, RunFolder};

use super::phase_folder::whole;

/// The folder of buckets in the folder of a run.
pub const WORK_FOLDER: &str = "work";

const FILE: &str = "job.json";

/// A run that hands out buckets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkJob {
    /// The form of this value.
    pub version: u32,
    /// The version of the program.
    pub program: String,
    /// The study, as it can be found from everywhere.
    pub study: PathBuf,
    /// The digest of the study, its workflow and its images.
    pub identity: String,
    /// The level of reuse, in the word of the command line.
    pub reuse: String,
    /// Seconds of silence after which a worker is lost.
    pub lease_s: f64,
}

impl WorkJob {
    /// The form that this version writes and reads.
    pub const VERSION: u32 = 1;

    /// That of the run in a folder.
    ///
    /// # Errors
    /// When the folder is not here, holds no work, or the work of another version.
    pub fn read(folder: &RunFolder) -> Result<Self, EngineError> {
        let path = folder.path().join(WORK_FOLDER).join(FILE);
        let Ok(text) = fs::read_to_string(&path) else { return Err(no_work(folder.path()).into()) };
        let program = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).ok()?;
            Some(value["program"].as_str()?.to_owned())
        };
        if let Some(other) = program(&text).filter(|program| program != env!("CARGO_PKG_VERSION")) {
            return Err(EngineError::environment(other_version(folder.path(), &other)));
        }
        serde_json::from_str(&text).map_err(|error| {
            let error = Diagnostic::error(format!("{} is damaged", path.display()))
                .expected_found("a job as onceflow run --on wrote it", error.to_string());
            error.with_hint("give the same onceflow run again, which writes it again").into()
        })
    }

    /// Writes it into the folder of the run.
    pub(crate) fn write(&self, folder: &RunFolder) -> Result<(), EngineError> {
        let path = folder.path().join(WORK_FOLDER).join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(|e| EngineError::Internal(e.to_string()))?;
        whole(&path, text.as_bytes()).map_err(|error| EngineError::Write { path, error })
    }
}

fn no_work(folder: &Path) -> Diagnostic {
    let (found, hint) = if folder.is_dir() {
        ("a folder without work", "start the run with onceflow run STUDY -o DIR --on folder first")
    } else {
        (
            "no such folder on this machine",
            "name the folder after -o of onceflow run, on a disk that this machine shares with it",
        )
    };
    Diagnostic::error(format!("{} has no buckets to compute", folder.display()))
        .expected_found("the folder of a run that was started with --on", found)
        .with_hint(hint)
}

fn other_version(folder: &Path, other: &str) -> Diagnostic {
    let own = env!("CARGO_PKG_VERSION");
    Diagnostic::error(format!("the run in {} belongs to another version of onceflow", folder.display()))
        .expected_found(format!("onceflow {other}, which started the run"), format!("onceflow {own} here"))
        .with_hint(format!(
            "install onceflow {other} on this machine, or give onceflow run again with onceflow {own}"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> WorkJob {
        WorkJob {
            version: WorkJob::VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            study: "/lab/study.toml".into(),
            identity: "ab".into(),
            reuse: "object".into(),
            lease_s: 30.0,
        }
    }

    #[test]
    fn a_job_comes_back_and_anything_else_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        let refused = |words: &[&str]| {
            let error = WorkJob::read(&folder).unwrap_err();
            let text: String = error.into_diagnostics().iter().map(|d| format!("{d:?}")).collect();
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        };
        refused(&["has no buckets", "--on folder"]);
        fs::create_dir(place.path().join(WORK_FOLDER)).unwrap();
        job().write(&folder).unwrap();
        assert_eq!(WorkJob::read(&folder).unwrap(), job());
        WorkJob { program: "9.8.7".into(), ..job() }.write(&folder).unwrap();
        refused(&["another version", "9.8.7", env!("CARGO_PKG_VERSION")]);
        fs::write(place.path().join("work/job.json"), "{").unwrap();
        refused(&["is damaged"]);
        let gone = RunFolder::new(place.path().join("gone"));
        let error = WorkJob::read(&gone).unwrap_err().into_diagnostics();
        assert!(format!("{error:?}").contains("shares with it"));
    }
}
