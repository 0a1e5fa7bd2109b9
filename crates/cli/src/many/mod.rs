//! Several images in one command: which they are, one after the other, and a table of how each ended.

mod names;
mod summary;

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{make_folder, write_bytes};
use crate::terminal::Terminal;
pub(crate) use names::{Asked, NamedImage, asked};
use summary::Summary;

/// What is said of one image.
pub(crate) type Said = Map<String, Value>;

/// How an image ended.
pub(crate) struct Ended {
    image: String,
    result: Result<Said, Vec<Diagnostic>>,
}

/// Works on one image after the other: what is wrong with one does not stop the others.
pub(crate) fn each(
    images: &[NamedImage],
    terminal: &Terminal,
    mut work: impl FnMut(&NamedImage) -> Result<Said, Failure>,
) -> Vec<Ended> {
    let mut ended = Vec::new();
    for (at, named) in images.iter().enumerate() {
        terminal.say(&format!("{} of {}: {}", at + 1, images.len(), named.image));
        let result = work(named).map_err(|failure| {
            let messages = failure.into_messages();
            terminal.diagnostics(&messages);
            messages
        });
        ended.push(Ended { image: named.image.clone(), result });
    }
    ended
}

/// Writes and prints the table; the exit code tells whether all went well.
pub(crate) fn tell(
    ended: &[Ended],
    columns: &'static [&'static str],
    folder: Option<&Path>,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let summary = Summary { ended, columns };
    if let Some(folder) = folder {
        let path = folder.join("summary.csv");
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

/// A folder for files named after the images; it is made, unless nothing is to be written.
pub(crate) fn folder(path: Option<&Path>, dry_run: bool) -> Result<Option<&Path>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let is_file = path.extension().is_some() && !path.to_string_lossy().ends_with(['/', '\\']);
    if path == Path::new("-") || !path.is_dir() && (is_file || path.exists()) {
        let message = Diagnostic::error("several images are written to a folder");
        let message = message.expected_found("a folder, such as results/", path.display().to_string());
        return Err(message.with_hint("end its name with /, or give one image").into());
    }
    if !dry_run {
        make_folder(path)?;
    }
    Ok(Some(path))
}

/// The file of a folder that is named after an image, whatever it ends with.
pub(crate) fn named_after(folder: &str, name: &str) -> Result<String, Failure> {
    let file = |ending: &str| Path::new(folder).join(format!("{name}.{ending}"));
    match ["png", "tif", "tiff"].map(file).into_iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.display().to_string()),
        None => {
            let message = Diagnostic::error(format!("{folder} has nothing for the image {name}"));
            let message = message.expected_found(format!("{name}.png or {name}.tif"), "neither");
            Err(message.with_hint("with several images, name the folder that has a file for each").into())
        }
    }
}

/// Where a file of an image goes.
pub(crate) fn file(folder: Option<&Path>, name: &str, ending: &str) -> Option<PathBuf> {
    folder.map(|folder| folder.join(format!("{name}.{ending}")))
}
