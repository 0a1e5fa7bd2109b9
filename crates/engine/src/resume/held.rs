//! What a folder holds: nothing, results of a study, or of an earlier form of it that rows can be taken over from.

use std::path::Path;

use onceflow_study::{Diagnostic, Edit, Study, StudyDifference};

use crate::open::compare::with_compare;
use crate::resume::journal::check_version;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// What a folder holds.
pub(super) enum FolderState {
    /// No results.
    Nothing,
    /// Results of this study, not all of them.
    Unfinished,
    /// All results of this study; its JSON object.
    Complete(String),
    /// Results of this study with other files of its programs; what that means, in lines.
    Outdated(Vec<String>),
    /// The list of its programs cannot be read.
    Damaged(Box<Diagnostic>),
    /// Results of an earlier form of this study; how it changed, and what becomes of the rows that are done.
    Earlier(String),
    /// Results of another study; how it differs.
    Another(Box<Diagnostic>),
}

/// The file that says which programs a run consists of.
pub(crate) const COMMANDS: &str = "commands.json";

/// What it holds: commands, and digests of their files.
pub(crate) fn commands_text(study: &OpenStudy) -> String {
    format!("{:#}\n", study.commands())
}

/// Whether there is anything to run: the same study is not run twice, another one is not replaced unless asked.
///
/// # Errors
/// When the folder holds the results of another study.
pub(crate) fn resume_decision(
    study: &OpenStudy,
    settings: &RunSettings,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<ResumeDecision, EngineError> {
    let state = folder_state(folder.path(), study);
    // A run until every verdict is decided may go on where a complete one ended: the looks say so.
    let grows = settings.until_decided.is_some();
    let continues =
        matches!(state, FolderState::Unfinished | FolderState::Outdated(_) | FolderState::Earlier(_))
            || grows && matches!(state, FolderState::Complete(_));
    if continues && !settings.force {
        check_version(folder.path())?;
    }
    match state {
        FolderState::Complete(_) | FolderState::Another(_) | FolderState::Damaged(_) if settings.force => {}
        FolderState::Complete(_) if grows => {}
        FolderState::Nothing | FolderState::Unfinished => {}
        FolderState::Outdated(lines) => lines.iter().for_each(|line| progress.note(line)),
        FolderState::Complete(json) => return Ok(ResumeDecision::Complete(json)),
        FolderState::Earlier(change) => {
            progress.note(&format!("study changed: {change}"));
        }
        FolderState::Another(refused) | FolderState::Damaged(refused) => {
            return Err(EngineError::BadInput(refused));
        }
    }
    Ok(ResumeDecision::Run)
}

impl OpenStudy {
    /// Whether a folder holds results of this study, all of them or some, with the programs as they are now.
    pub fn has_results_in(&self, folder: &Path) -> bool {
        matches!(folder_state(folder, self), FolderState::Complete(_) | FolderState::Unfinished)
    }
}

/// What follows from what a folder holds.
pub(crate) enum ResumeDecision {
    /// Something is to be run.
    Run,
    /// All of it is there; its JSON object.
    Complete(String),
}

/// Looks into a folder.
pub(super) fn folder_state(folder: &Path, study: &OpenStudy) -> FolderState {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let Some(text) = read("study.toml") else { return FolderState::Nothing };
    // A run that ended before it wrote the workflow left nothing else either.
    if read("workflow.json").is_some_and(|workflow| workflow != study.texts.workflow) {
        return FolderState::Another(another(folder, "its workflow changed").into());
    }
    let outdated = read(COMMANDS).filter(|commands| *commands != commands_text(study));
    let differences = differences(study, &text);
    match (differences.as_slice(), outdated) {
        ([], Some(commands)) => match serde_json::from_str(&commands) {
            Ok(commands) => FolderState::Outdated(study.changed_commands(&commands)),
            Err(error) => FolderState::Damaged(damaged(folder, &error).into()),
        },
        ([], None) => read("run.json").map_or(FolderState::Unfinished, FolderState::Complete),
        (found, _) => changed(folder, study, &text, found),
    }
}

/// How the study differs from its earlier text; a text that is no study any more says nothing of use.
fn differences(study: &OpenStudy, text: &str) -> Vec<StudyDifference> {
    if text == study.texts.study {
        return Vec::new();
    }
    let unreadable = || vec![StudyDifference::Rows("the study in the folder cannot be read any more".into())];
    study.earlier(text).map_or_else(unreadable, |earlier| study.study.change_from(&earlier))
}

/// What a folder holds whose study differs.
fn changed(folder: &Path, study: &OpenStudy, text: &str, found: &[StudyDifference]) -> FolderState {
    let words = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let compared = study.earlier(text).is_some_and(|earlier| is_compared_alike(study, &earlier));
    let is_added = |found: &StudyDifference| match found {
        StudyDifference::Metric(_, edit) => *edit == Edit::Added,
        found => found.keeps_rows(),
    };
    if found.iter().all(StudyDifference::keeps_rows) && compared {
        return FolderState::Earlier(format!("{words}; rows that are done are taken over"));
    }
    if found.iter().all(is_added) {
        return FolderState::Earlier(format!(
            "{words}; all rows are computed again, because the comparison needs more than was kept of them"
        ));
    }
    FolderState::Another(another(folder, &words).into())
}

/// Whether metrics of both forms are computed from the same counts, which are kept of each row.
fn is_compared_alike(study: &OpenStudy, earlier: &Study) -> bool {
    let [now, before] = [&study.study.metrics, &earlier.metrics]
        .map(|metrics| format!("{:?}", with_compare(&study.workflow, metrics)));
    now == before
}

fn damaged(folder: &Path, error: &serde_json::Error) -> Diagnostic {
    Diagnostic::error(format!("{} is damaged", folder.join(COMMANDS).display()))
        .expected_found("the programs of the run as JSON", format!("{error}"))
        .with_hint("choose another folder after -o, or add --force to replace the results")
}

fn another(folder: &Path, words: &str) -> Diagnostic {
    Diagnostic::error(format!("{} holds another study", folder.display()))
        .expected_found(
            "the results of this study, or none",
            format!("results of a study that differs: {words}"),
        )
        .with_hint("choose another folder after -o, or add --force to replace them")
}
