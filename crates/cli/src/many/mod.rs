//! Several images in one command: processes each, and prints a table of the outcomes.

mod names;
mod summary;

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::{Map, Value};

use crate::file::{make_folder, refuse_foreign, write_bytes};
pub(crate) use names::{NamedImage, NamedImages, asked};
use summary::ImagesSummary;

/// Column names and values of one image.
pub(crate) type ImageFields = Map<String, Value>;

/// The outcome of an image.
pub(crate) struct ImageOutcome {
    image: String,
    result: Result<ImageFields, Vec<Diagnostic>>,
}

/// Processes the images one after the other; a failed image does not stop the others.
pub(crate) fn each(
    images: &[NamedImage],
    terminal: &Terminal,
    mut work: impl FnMut(&NamedImage) -> Result<ImageFields, Failure>,
) -> Vec<ImageOutcome> {
    let mut ended = Vec::new();
    for (at, named) in images.iter().enumerate() {
        terminal.say(&format!("{} of {}: {}", at + 1, images.len(), named.image));
        let result = work(named).map_err(|failure| {
            let messages = failure.into_messages();
            terminal.diagnostics(&messages);
            messages
        });
        ended.push(ImageOutcome { image: named.image.clone(), result });
    }
    ended
}

/// Writes and prints the table; the exit code is 1 when an image failed.
pub(crate) fn tell(
    ended: &[ImageOutcome],
    columns: &'static [&'static str],
    folder: Option<&Path>,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let summary = ImagesSummary { ended, columns };
    if let Some(folder) = folder {
        let path = folder.join(SUMMARY);
        write_bytes(&path, summary.to_csv().as_bytes())?;
        terminal.say(&format!("wrote {}", path.display()));
    }
    if json {
        terminal.json(&summary.to_json())?;
    } else {
        terminal.result(&summary.to_text())?;
    }
    let failed = ended.iter().any(|ended| ended.result.is_err());
    Ok(if failed { Exit::RowsFailed } else { Exit::Ok })
}

/// Refuses a summary that would replace a file of the user.
pub(crate) fn refuse_foreign_summary(folder: Option<&Path>, force: bool) -> Result<(), Failure> {
    folder.map_or(Ok(()), |folder| refuse_foreign(&folder.join(SUMMARY), force))
}

/// The table of all images, in the first folder of the outputs.
const SUMMARY: &str = "summary.csv";

/// A folder for files named after the images; created, unless nothing is written.
pub(crate) fn folder(path: Option<&Path>, dry_run: bool) -> Result<Option<&Path>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let is_file = path.extension().is_some() && !path.to_string_lossy().ends_with(['/', '\\']);
    if path == Path::new("-") || !path.is_dir() && (is_file || path.exists()) {
        let message = Diagnostic::error("several images need an output folder");
        let message = message.expected_found("a folder, such as results/", path.display().to_string());
        return Err(message.with_hint("end its name with /, or give one image").into());
    }
    if !dry_run {
        make_folder(path)?;
    }
    Ok(Some(path))
}

/// The file in a folder that is named after an image, with any extension.
pub(crate) fn named_after(folder: &str, name: &str) -> Result<String, Failure> {
    let file = |ending: &str| Path::new(folder).join(format!("{name}.{ending}"));
    match ["png", "tif", "tiff"].map(file).into_iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.display().to_string()),
        None => {
            let message = Diagnostic::error(format!("no file for the image {name} in {folder}"));
            let message = message.expected_found(format!("{name}.png or {name}.tif"), "neither");
            Err(message.with_hint("with several images, name the folder that has a file for each").into())
        }
    }
}

/// The path of an output file of an image.
pub(crate) fn file(folder: Option<&Path>, name: &str, ending: &str) -> Option<PathBuf> {
    folder.map(|folder| folder.join(format!("{name}.{ending}")))
}
