//! What workers must know before they open the study of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onceflow_region::Digest;
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
    /// Tells this folder from another of the same name on a machine that does not share it.
    pub token: String,
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
    pub const VERSION: u32 = 2;

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

    /// The token of the run in a folder; a new one where it has none.
    pub(crate) fn token_of(folder: &RunFolder) -> String {
        Self::read(folder).map_or_else(|_| new_token(), |job| job.token)
    }

    /// Refuses a folder that has the name of that of the run, and is another.
    ///
    /// # Errors
    /// When the token of a worker's command is not that of the folder.
    pub fn check_token(&self, folder: &RunFolder, token: Option<&str>) -> Result<(), EngineError> {
        match token {
            Some(token) if token != self.token => {
                Err(EngineError::environment(not_shared(folder.path(), token, &self.token)))
            }
            _ => Ok(()),
        }
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

/// No two runs that began at different times or in different processes have the same.
fn new_token() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let text = format!("{} {}", now.as_nanos(), std::process::id());
    Digest::of_text("onceflow token of a run v1", &text).to_string()[..16].to_owned()
}

fn not_shared(folder: &Path, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "the folder {} of this machine is not the one that the run was started in",
        folder.display()
    ))
    .expected_found(format!("the run with the token {expected}"), format!("a run with the token {found}"))
    .with_hint("choose a folder after -o that all machines share")
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
            token: "0123".into(),
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
        assert_eq!(WorkJob::token_of(&folder), "0123", "a run keeps its token");
        assert!(job().check_token(&folder, None).is_ok() && job().check_token(&folder, Some("0123")).is_ok());
        let other = job().check_token(&folder, Some("4567")).unwrap_err().into_diagnostics();
        let other = format!("{other:?}");
        assert!(
            ["is not the one", "4567", "0123", "share"].iter().all(|word| other.contains(word)),
            "{other}"
        );
        WorkJob { program: "9.8.7".into(), ..job() }.write(&folder).unwrap();
        refused(&["another version", "9.8.7", env!("CARGO_PKG_VERSION")]);
        fs::write(place.path().join("work/job.json"), "{").unwrap();
        refused(&["is damaged"]);
        let gone = RunFolder::new(place.path().join("gone"));
        let error = WorkJob::read(&gone).unwrap_err().into_diagnostics();
        assert!(format!("{error:?}").contains("shares with it"));
    }
}
