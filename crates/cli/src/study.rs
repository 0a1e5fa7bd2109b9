//! A study that can be run, with the texts it was read from, and whether a folder holds its results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_engine::{Prepared, Texts};
use onceflow_study::{Diagnostic, Severity, Source, Study, Workflow, counted};

use crate::document::{Content, open};
use crate::engine::engine_failure;
use crate::failure::Failure;
use crate::file::{Limit, read_text};
use crate::terminal::Terminal;

/// A study with its workflow.
pub(crate) struct LoadedStudy {
    study: Box<Study>,
    workflow: Box<Workflow>,
    text: Arc<Source>,
    path: PathBuf,
}

impl LoadedStudy {
    /// Reads a study that has a workflow.
    pub(crate) fn open(path: &Path, terminal: &Terminal) -> Result<Self, Failure> {
        let document = open(path)?;
        let warnings = document.diagnostics.count(Severity::Warning);
        let Some(content) = document.content else { return Err(document.diagnostics.into()) };
        if warnings > 0 {
            let (path, warnings) = (path.display(), counted(warnings, "warning"));
            terminal.say(&format!("note: {path} has {warnings}: onceflow check {path}"));
        }
        match content {
            Content::Study(study, Some(workflow)) => {
                let text = read_text(path, Limit::Description)?;
                Ok(Self { study, workflow, text, path: path.into() })
            }
            _ => Err(no_workflow(path)),
        }
    }

    /// Opens its images.
    pub(crate) fn prepare(&self) -> Result<Prepared<'_>, Failure> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        Prepared::new(&self.study, &self.workflow, folder).map_err(engine_failure)
    }

    /// Its file, as it was named.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its file, as it can be found from everywhere.
    pub(crate) fn origin(&self) -> String {
        std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone()).display().to_string()
    }

    /// What it was read from.
    pub(crate) fn texts(&self) -> Texts<'_> {
        let workflow = self.workflow.source.as_ref().map_or("", |source| source.text.as_str());
        Texts { study: &self.text.text, workflow }
    }
}

fn no_workflow(path: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} names no workflow, so there is nothing to run", path.display()))
            .expected_found("a study with workflow = \"nuclei\" or a descriptor", "none")
            .with_hint("onceflow sample and onceflow analyze serve a model of your own"),
    )
}

/// What a folder holds.
pub(crate) enum Holds {
    /// No results.
    Nothing,
    /// Results of this study, not all of them.
    Unfinished,
    /// All results of this study; its JSON object.
    Complete(String),
    /// Results of this study with other files of its programs.
    Outdated,
    /// Results of another study.
    Another,
}

/// The file that says which programs a run consists of.
pub(crate) const COMMANDS: &str = "commands.json";

/// What it holds: commands, and digests of their files.
pub(crate) fn commands_text(prepared: &Prepared<'_>) -> String {
    format!("{:#}\n", prepared.commands())
}

/// Looks into a folder.
pub(crate) fn holds(folder: &Path, loaded: &LoadedStudy, prepared: &Prepared<'_>) -> Holds {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let texts = loaded.texts();
    match (read("study.toml"), read("workflow.json"), read("run.json")) {
        (None, _, _) => Holds::Nothing,
        // A run that ended before it wrote the workflow left nothing else either.
        (Some(study), workflow, _)
            if study != texts.study || workflow.as_ref().is_some_and(|w| w != texts.workflow) =>
        {
            Holds::Another
        }
        _ if read(COMMANDS).is_some_and(|commands| commands != commands_text(prepared)) => Holds::Outdated,
        (_, _, Some(json)) => Holds::Complete(json),
        _ => Holds::Unfinished,
    }
}
