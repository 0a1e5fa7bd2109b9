//! What is sampled and analysed: a study or a problem of another tool.

use std::path::Path;

use onceflow_study::{Diagnostic, Problem, Severity, Study, counted};

use crate::document::{Content, open};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// A problem, with the study it comes from when it comes from one.
pub(crate) struct Loaded {
    /// What varies, what comes out.
    pub(crate) problem: Problem,
    /// The study.
    pub(crate) study: Option<Study>,
}

impl Loaded {
    /// The seed of the study.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.study.as_ref().map(|study| study.seed)
    }
}

/// Reads a problem. What `check` would warn of is counted, not repeated with every verb.
pub(crate) fn load(path: &Path, terminal: &Terminal) -> Result<Loaded, Failure> {
    let document = open(path)?;
    let Some(content) = document.content else {
        return Err(document.diagnostics.into());
    };
    let warnings = document.diagnostics.count(Severity::Warning);
    if warnings > 0 {
        let (path, warnings) = (path.display(), counted(warnings, "warning"));
        terminal.say(&format!("note: {path} has {warnings}: onceflow check {path}"));
    }
    match content {
        Content::Problem(problem) => Ok(Loaded { problem: *problem, study: None }),
        Content::Study(study, _) => {
            // Which phase's design counts is said by --phase; a study alone does not choose one.
            let problem = Problem { design: None, ..study.problem() };
            Ok(Loaded { problem, study: Some(*study) })
        }
        Content::Workflow(_) => Err(not_a_problem(path, document.kind.about())),
    }
}

fn not_a_problem(path: &Path, about: &str) -> Failure {
    let path = path.display();
    Failure::bad_input(
        Diagnostic::error(format!("{path} says nothing to sample"))
            .expected_found("a study, a SALib problem or a Dakota input", about)
            .with_hint(format!("onceflow init --workflow {path} -o study.toml writes a study of it")),
    )
}
