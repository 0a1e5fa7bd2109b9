//! What a folder holds: nothing, results of a study, or of an earlier form of it that rows can be taken over from.

use std::path::Path;

use onceflow_engine::Prepared;
use onceflow_study::{Diagnostic, Growth, StudyChange, with_commas};

use super::LoadedStudy;

/// What a folder holds.
pub(crate) enum Holds {
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
pub(crate) fn commands_text(prepared: &Prepared<'_>) -> String {
    format!("{:#}\n", prepared.commands())
}

/// Looks into a folder.
pub(crate) fn holds(folder: &Path, loaded: &LoadedStudy, prepared: &Prepared<'_>) -> Holds {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let Some(study) = read("study.toml") else { return Holds::Nothing };
    // A run that ended before it wrote the workflow left nothing else either.
    if read("workflow.json").is_some_and(|workflow| workflow != loaded.texts().workflow) {
        return Holds::Another(another(folder).into());
    }
    let outdated = read(COMMANDS).filter(|commands| *commands != commands_text(prepared));
    match (change(loaded, &study), outdated) {
        (StudyChange::Nothing, Some(commands)) => {
            Holds::Outdated(prepared.changed_commands(&serde_json::from_str(&commands).unwrap_or_default()))
        }
        (StudyChange::Nothing, None) => read("run.json").map_or(Holds::Unfinished, Holds::Complete),
        (StudyChange::Settings, _) => Holds::Earlier("its settings".into()),
        (StudyChange::Larger(growths), _) => {
            Holds::Earlier(growths.iter().map(growth).collect::<Vec<_>>().join(", "))
        }
        (StudyChange::Rows, _) => Holds::Another(difference(folder, loaded, &study).into()),
    }
}

/// A text that is no study any more says nothing of use.
fn change(loaded: &LoadedStudy, text: &str) -> StudyChange {
    if text == loaded.texts().study {
        return StudyChange::Nothing;
    }
    let earlier = loaded.earlier(text.to_owned());
    earlier.map_or(StudyChange::Rows, |earlier| loaded.study.change_from(&earlier))
}

/// `decompose base 256 -> 512`.
fn growth(growth: &Growth) -> String {
    let number = |n: u64| with_commas(n.into());
    format!("{} {} {} -> {}", growth.phase, growth.key, number(growth.from), number(growth.to))
}

fn another(folder: &Path) -> Diagnostic {
    Diagnostic::error(format!("{} holds another study", folder.display()))
        .expected_found("the results of this study, or none", "results of a study that differs")
        .with_hint("choose another folder after -o, or add --force to replace them")
}

/// The first lines that differ, where there are such lines.
fn difference(folder: &Path, loaded: &LoadedStudy, earlier: &str) -> Diagnostic {
    let (before, now) = (lines(earlier), lines(loaded.texts().study));
    let same = before.iter().zip(&now).take_while(|(a, b)| a.1 == b.1).count();
    let (Some(before), Some(now)) = (before.get(same), now.get(same)) else { return another(folder) };
    let there = folder.join("study.toml");
    another(folder).expected_found(
        format!("`{}` ({}:{})", before.1, there.display(), before.0),
        format!("`{}` ({}:{})", now.1, loaded.path.display(), now.0),
    )
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let numbered = text.lines().map(str::trim).enumerate().map(|(n, line)| (n + 1, line));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect()
}
