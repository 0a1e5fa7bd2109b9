//! A workflow with one program of the user's own, its script, and a study of them, to start from.

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::json;

use crate::args::InitArgs;
use crate::file::{OutputTarget, Overwrite, make_folder};

/// The files beside the study.
const BESIDE: [(&str, &str); 2] =
    [("workflow.json", include_str!("program/workflow.json")), ("step.sh", include_str!("program/step.sh"))];

/// Writes all files, or none when one exists.
pub(super) fn run(args: &InitArgs, study: Option<&Path>, terminal: &Terminal) -> Result<Exit, Failure> {
    let study = study.unwrap_or(Path::new("study.toml"));
    if study == Path::new("-") {
        let error = Diagnostic::error("standard output cannot hold three files");
        return Err(Failure::bad_input(error.expected_found("-o FILE, or no -o for study.toml", "-")));
    }
    let files: Vec<(PathBuf, &str)> =
        std::iter::once((study.to_path_buf(), include_str!("program/study.toml")))
            .chain(BESIDE.map(|(name, text)| (study.with_file_name(name), text)))
            .collect();
    if !args.dry_run {
        write(&files, args.force, terminal)?;
    }
    if args.json {
        let names: Vec<&PathBuf> = files.iter().map(|(path, _)| path).collect();
        terminal.json(&json!({ "version": 1, "file": study, "files": names, "written": !args.dry_run }))?;
    }
    let wrote = if args.dry_run { "would write" } else { "wrote" };
    files.iter().for_each(|(path, _)| terminal.say(&format!("{wrote} {}", path.display())));
    if !args.dry_run {
        let study = study.display();
        terminal.say(&format!(
            "next: onceflow check {study} && onceflow run {study} -o runs/first --allow-commands"
        ));
    }
    Ok(Exit::Ok)
}

fn write(files: &[(PathBuf, &str)], force: bool, terminal: &Terminal) -> Result<(), Failure> {
    if let Some((there, _)) = files.iter().find(|(path, _)| path.exists()).filter(|_| !force) {
        // It refuses, and says so.
        return OutputTarget::File(there.clone()).write("", Overwrite::Refuse, terminal);
    }
    let folder =
        files.first().and_then(|(study, _)| study.parent()).filter(|path| !path.as_os_str().is_empty());
    folder.map_or(Ok(()), make_folder)?;
    files.iter().try_for_each(|(path, text)| {
        OutputTarget::File(path.clone()).write(text, Overwrite::Replace, terminal)
    })
}
