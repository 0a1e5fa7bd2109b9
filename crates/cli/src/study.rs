//! A study that can be run, with the texts it was read from, and whether a folder holds its results.

mod held;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_engine::{Prepared, Texts};
use onceflow_study::{Diagnostic, Severity, Source, Study, Workflow, counted};

use crate::document::{Content, open, reopen};
use crate::engine::engine_failure;
use crate::failure::Failure;
use crate::file::{Limit, read_text};
use crate::terminal::Terminal;
pub(crate) use held::{COMMANDS, Holds, commands_text, holds};

/// What the program itself has resident besides what tasks reserve: its code, its threads, the plan of a study of usual
/// size. `onceflow bench run` says whether it is enough.
pub(crate) const PROGRAM: u64 = 28 << 20;

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
        let prepared = Prepared::new(&self.study, &self.workflow, folder).map_err(engine_failure)?;
        Ok(prepared.setting_aside(PROGRAM))
    }

    /// An earlier form of it, as the text says that stood in the same place.
    fn earlier(&self, text: String) -> Option<Box<Study>> {
        let source = Arc::new(Source { name: self.text.name.clone(), text });
        match reopen(&self.path, &source).content? {
            Content::Study(study, _) => Some(study),
            _ => None,
        }
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
