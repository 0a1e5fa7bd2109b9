//! The folder of a run: the study it is a run of, and what it kept.

use std::path::{Path, PathBuf};

use onceflow_engine::{KeptByRun, OpenStudy, TextLimit};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, Terminal};

use crate::args::SettingsArgs;
use crate::file::read_text;
use crate::settings::{open, with_granularity_of};

/// A study that was named, or that a named folder is a run of.
pub(crate) struct NamedStudy {
    /// The study, with the parameters that the run kept.
    pub(crate) study: OpenStudy,
    /// The folder of the run.
    pub(crate) run: Option<PathBuf>,
}

impl NamedStudy {
    /// Opens a study, or the study of a run; `run` is the folder of a run that was named beside the study.
    pub(crate) fn open(
        name: &Path,
        run: Option<&Path>,
        args: &SettingsArgs<'_>,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let run = if name.is_dir() { Some(name) } else { run };
        let path = if name.is_dir() { origin(name)? } else { name.to_path_buf() };
        let study = open(&path, args, terminal)?;
        let Some(run) = run else { return Ok(Self { study, run: None }) };
        let study = with_granularity_of(study, run)?.with_kept(kept(run)?);
        Ok(Self { study, run: Some(run.to_path_buf()) })
    }
}

/// The parameters that a run kept; nothing while it is not complete.
pub(crate) fn kept(run: &Path) -> Result<KeptByRun, Failure> {
    let path = run.join("indices.json");
    if !path.is_file() {
        return Ok(KeptByRun::default());
    }
    let text = read_text(&path, TextLimit::Table)?;
    let indices = serde_json::from_str(&text.text).map_err(|error| damaged(&path, &error))?;
    Ok(KeptByRun::read(&indices))
}

/// The path of the study of a run, to which the paths of its images are relative.
pub(crate) fn origin(folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("provenance.json");
    if !path.exists() {
        return Err(no_run(folder));
    }
    let text = read_text(&path, TextLimit::Description)?;
    let known: serde_json::Value =
        serde_json::from_str(&text.text).map_err(|error| damaged(&path, &error))?;
    let study = known["study"].as_str().map(PathBuf::from).ok_or_else(|| no_run(folder))?;
    if study.exists() {
        return Ok(study);
    }
    Err(Failure::bad_input(
        Diagnostic::error(format!("the study of {} has been moved or removed", folder.display()))
            .expected_found(study.display().to_string(), "no such file")
            .with_hint("put the study and its images back, or run it again"),
    ))
}

/// The message about a file of a run that was changed or cut.
pub(crate) fn damaged(path: &Path, error: &serde_json::Error) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} is damaged", path.display()))
            .expected_found("JSON as onceflow run wrote it", error.to_string())
            .with_hint("run the study again into another folder"),
    )
}

/// The message about a folder without results.
pub(crate) fn no_run(folder: &Path) -> Failure {
    let found = if folder.exists() { "a folder without results" } else { "no such folder" };
    Failure::bad_input(
        Diagnostic::error(format!("{} is not the folder of a finished run", folder.display()))
            .expected_found("answer.txt and run.json, which onceflow run writes at its end", found)
            .with_hint("onceflow run STUDY -o DIR makes one"),
    )
}
