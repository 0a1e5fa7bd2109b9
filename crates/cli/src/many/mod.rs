//! Several images in one command: processes each, and prints a table of the outcomes.

mod names;
mod summary;

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::{Map, Value};

use crate::file::{make_folder, refuse_foreign, write_bytes};
use crate::pairs::DrawnFiles;
pub(crate) use names::{NamedImage, NamedImages, asked, is_folder};
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

/// Writes and prints the table, with what is known of all images together; the exit code is 1 when an image failed.
pub(crate) fn tell(
    ended: &[ImageOutcome],
    (columns, overall): (&'static [&'static str], Option<ImageFields>),
    folder: Option<&Path>,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let summary = ImagesSummary { ended, columns, overall };
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

/// The fields of an image, from the object that says what was found on it.
pub(crate) fn fields(told: serde_json::Value) -> Result<ImageFields, Failure> {
    match told {
        serde_json::Value::Object(fields) => Ok(fields),
        other => Err(Failure::internal(format!("an image was told of as {other}"))),
    }
}

/// What was drawn on images, in a folder with a file named after each.
pub(crate) struct DrawnFolder {
    folder: String,
    files: DrawnFiles,
}

impl DrawnFolder {
    /// Looks into a folder.
    pub(crate) fn of(folder: &str) -> Result<Self, Failure> {
        Ok(Self { folder: folder.to_owned(), files: DrawnFiles::of_folder(Path::new(folder), &[])? })
    }

    /// The same; a folder that is not there has a file for no image.
    pub(crate) fn or_empty(folder: &str) -> Self {
        let files = DrawnFiles::of_folder(Path::new(folder), &[]).unwrap_or_default();
        Self { folder: folder.to_owned(), files }
    }

    /// What was drawn on an image.
    pub(crate) fn named_after(&self, image: &NamedImage) -> Result<String, Failure> {
        let NamedImage { image, name } = image;
        match self.files.clone().take(Path::new(image), name) {
            Some(path) => Ok(path.display().to_string()),
            None => {
                let message = Diagnostic::error(format!("no file for the image {name} in {}", self.folder));
                let message =
                    message.expected_found(format!("{name}.png, {name}.tif or {name}.geojson"), "none");
                Err(message.with_hint("with several images, name the folder that has a file for each").into())
            }
        }
    }
}

/// The path of an output file of an image.
pub(crate) fn file(folder: Option<&Path>, name: &str, ending: &str) -> Option<PathBuf> {
    folder.map(|folder| folder.join(format!("{name}.{ending}")))
}
