//! Checks that the result may be written to its path.

use std::path::Path;

use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, unwritable};

use super::form::ConvertFormat;
use crate::args::ConvertArgs;
use crate::file::OutputTarget;

/// Refuses to replace the input, and without `--force` anything else.
pub(super) fn check(args: &ConvertArgs, form: &ConvertFormat) -> Result<(), Failure> {
    let (input, output) = (Path::new(&args.input), args.output.as_path());
    OutputTarget::new(Some(output)).refuse_inputs(&[input])?;
    refuse_around(input, output)?;
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(unwritable(output, &std::io::ErrorKind::NotFound.into()));
    }
    match output.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(_) if !args.force => Err(exists(output)),
        Ok(_) if form.is_folder() => refuse_other_folders(output),
        Ok(_) if output.is_dir() => Err(unwritable(output, &std::io::ErrorKind::IsADirectory.into())),
        Ok(_) => Ok(()),
    }
}

/// Refuses to replace a folder that contains the input.
fn refuse_around(input: &Path, output: &Path) -> Result<(), Failure> {
    let (Ok(input), Ok(output)) = (input.canonicalize(), output.canonicalize()) else { return Ok(()) };
    if !input.starts_with(&output) {
        return Ok(());
    }
    let message = Diagnostic::error(format!("the output {} contains the input", output.display()));
    let message = message.expected_found("a path outside the folder of the input", "the folder of the input");
    Err(message.with_hint("choose another name for the output").into())
}

/// Replaces OME-Zarr and empty folders only: another folder may hold data that exists nowhere else.
fn refuse_other_folders(output: &Path) -> Result<(), Failure> {
    let is_zarr = output.join("zarr.json").is_file() || output.join(".zattrs").is_file();
    let is_empty = output.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if is_zarr || is_empty {
        return Ok(());
    }
    let found = if output.is_dir() { "a folder with other files" } else { "a file" };
    let message = Diagnostic::error(format!("{} is not OME-Zarr, and is not replaced", output.display()));
    let message = message.expected_found("OME-Zarr or an empty folder", found);
    Err(message.with_hint("choose another name, or remove it yourself").into())
}

fn exists(path: &Path) -> Failure {
    let message = Diagnostic::error(format!("{} exists already", path.display()));
    let message = message.expected_found("the name of a new file or folder", "an existing one");
    Failure::bad_input(message.with_hint("choose another name, or add --force to replace it"))
}
