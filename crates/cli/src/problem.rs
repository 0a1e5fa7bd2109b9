//! The problem to sample and analyse: a study or a problem of another tool.

use std::path::Path;

use onceflow_study::{Diagnostic, Diagnostics, Problem, Severity, Study, counted};

use onceflow_engine::{DocumentContent, open_document};
use onceflow_terminal::{Failure, Terminal, engine_failure};

/// A problem, with the study it comes from when it comes from one.
pub(crate) struct LoadedProblem {
    /// Parameters and outputs.
    pub(crate) problem: Problem,
    /// The study.
    pub(crate) study: Option<Study>,
}

impl LoadedProblem {
    /// The seed of the study.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.study.as_ref().map(|study| study.seed)
    }
}

/// Reads a problem. Warnings are only counted; `check` prints them.
pub(crate) fn load(path: &Path, terminal: &Terminal) -> Result<LoadedProblem, Failure> {
    let document = open_document(path).map_err(engine_failure)?;
    let Some(content) = document.content else {
        return Err(document.diagnostics.into());
    };
    tell_warnings(path, &document.diagnostics, terminal);
    match content {
        DocumentContent::Problem(problem) => Ok(LoadedProblem { problem: *problem, study: None }),
        DocumentContent::Study(study, _) => {
            // A phase's design is used with --phase only.
            let problem = Problem { design: None, ..study.problem() };
            Ok(LoadedProblem { problem, study: Some(*study) })
        }
        DocumentContent::Workflow(_) => Err(not_a_problem(path, document.kind.about())),
    }
}

/// Prints the number of warnings about a file, when there are any.
pub(crate) fn tell_warnings(path: &Path, diagnostics: &Diagnostics, terminal: &Terminal) {
    let warnings = diagnostics.count(Severity::Warning);
    if warnings > 0 {
        let (path, warnings) = (path.display(), counted(warnings, "warning"));
        terminal.say(&format!("note: {path} has {warnings}: onceflow check {path}"));
    }
}

fn not_a_problem(path: &Path, about: &str) -> Failure {
    let path = path.display();
    Failure::bad_input(
        Diagnostic::error(format!("cannot sample {path}"))
            .expected_found("a study, a SALib problem or a Dakota input", about)
            .with_hint(format!("onceflow init --workflow {path} -o study.toml writes a study of it")),
    )
}
