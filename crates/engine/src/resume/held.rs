//! What a folder holds: nothing, results of a study, or of an earlier form of it that rows can be taken over from.

use std::path::Path;

use onceflow_study::{Diagnostic, PhaseGrowth, StudyChange, with_commas};

use crate::resume::journal::check_version;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// What a folder holds.
enum FolderState {
    /// No results.
    Nothing,
    /// Results of this study, not all of them.
    Unfinished,
    /// All results of this study; its JSON object.
    Complete(String),
    /// Results of this study with other files of its programs; what that means, in lines.
    Outdated(Vec<String>),
    /// Results of an earlier form of this study, whose rows are of use; how it changed.
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
        FolderState::Complete(_) | FolderState::Another(_) if settings.force => {}
        FolderState::Complete(_) if grows => {}
        FolderState::Nothing | FolderState::Unfinished => {}
        FolderState::Outdated(lines) => lines.iter().for_each(|line| progress.note(line)),
        FolderState::Complete(json) => return Ok(ResumeDecision::Complete(json)),
        FolderState::Earlier(change) => {
            progress.note(&format!("study changed: {change}; rows that are done are taken over"));
        }
        FolderState::Another(difference) => return Err(EngineError::BadInput(difference)),
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
fn folder_state(folder: &Path, study: &OpenStudy) -> FolderState {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let Some(text) = read("study.toml") else { return FolderState::Nothing };
    // A run that ended before it wrote the workflow left nothing else either.
    if read("workflow.json").is_some_and(|workflow| workflow != study.texts.workflow) {
        return FolderState::Another(another(folder).into());
    }
    let outdated = read(COMMANDS).filter(|commands| *commands != commands_text(study));
    match (change(study, &text), outdated) {
        (StudyChange::Nothing, Some(commands)) => FolderState::Outdated(
            study.changed_commands(&serde_json::from_str(&commands).unwrap_or_default()),
        ),
        (StudyChange::Nothing, None) => {
            read("run.json").map_or(FolderState::Unfinished, FolderState::Complete)
        }
        (StudyChange::Settings, _) => FolderState::Earlier("its settings".into()),
        (StudyChange::Larger(growths), _) => {
            FolderState::Earlier(growths.iter().map(growth).collect::<Vec<_>>().join(", "))
        }
        (StudyChange::Rows, _) => FolderState::Another(difference(folder, study, &text).into()),
    }
}

/// A text that is no study any more says nothing of use.
fn change(study: &OpenStudy, text: &str) -> StudyChange {
    if text == study.texts.study {
        return StudyChange::Nothing;
    }
    let earlier = study.earlier(text);
    earlier.map_or(StudyChange::Rows, |earlier| study.study.change_from(&earlier))
}

/// `decompose base 256 -> 512`.
fn growth(growth: &PhaseGrowth) -> String {
    let number = |n: u64| with_commas(n.into());
    format!("{} {} {} -> {}", growth.phase, growth.key, number(growth.from), number(growth.to))
}

fn another(folder: &Path) -> Diagnostic {
    Diagnostic::error(format!("{} holds another study", folder.display()))
        .expected_found("the results of this study, or none", "results of a study that differs")
        .with_hint("choose another folder after -o, or add --force to replace them")
}

/// The first lines that differ, where there are such lines.
fn difference(folder: &Path, study: &OpenStudy, earlier: &str) -> Diagnostic {
    let (before, now) = (lines(earlier), lines(&study.texts.study));
    let same = before.iter().zip(&now).take_while(|(a, b)| a.1 == b.1).count();
    let (Some(before), Some(now)) = (before.get(same), now.get(same)) else { return another(folder) };
    let there = folder.join("study.toml");
    another(folder).expected_found(
        format!("`{}` ({}:{})", before.1, there.display(), before.0),
        format!("`{}` ({}:{})", now.1, study.texts.path.display(), now.0),
    )
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let numbered = text.lines().map(str::trim).enumerate().map(|(n, line)| (n + 1, line));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect()
}
