//! One instance with a picture of every region, and the folders of its programs.

use std::path::Path;

use onceflow_engine::{InstanceRequest, OpenStudy, instance};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::file::{make_folder, refuse_foreign, write_bytes};

/// Computes an instance and writes its pictures into a folder.
pub(crate) fn show(
    study: &OpenStudy,
    asked: &InstanceRequest<'_>,
    (into, force): (&Path, bool),
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let made = instance(study, asked).map_err(engine_failure)?;
    made.files.iter().try_for_each(|(name, _)| refuse_foreign(&into.join(name), force))?;
    make_folder(into)?;
    for (name, bytes) in &made.files {
        write_bytes(&into.join(name), bytes)?;
    }
    let files = made.files.iter().map(|(name, _)| into.join(name).display().to_string());
    let folder = |path: &std::path::PathBuf| {
        let name = path.file_name().map_or(path.as_path(), Path::new);
        format!("{}/", into.join(name).display())
    };
    let names: Vec<String> = files.chain(made.folders.iter().map(folder)).collect();
    terminal.result(&format!("{}\n", names.join("\n")))?;
    if let Some(folder) = made.folders.iter().map(folder).next_back() {
        terminal.say(&format!(
            "{folder} holds files, inputs, outputs and log.txt of a task; {folder}command.sh repeats it"
        ));
    }
    if !made.without.is_empty() {
        terminal.say(&format!("note: no pictures of {}, which are tables", made.without.join(", ")));
    }
    match &made.failure {
        Some((task, message)) => {
            terminal.say(&format!("{task} failed: {message}; what comes after it is empty"));
            Ok(Exit::RowsFailed)
        }
        None => Ok(Exit::Ok),
    }
}
