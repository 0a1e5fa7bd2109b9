//! The folder of one task: the files that the program declares, its inputs and its outputs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::{Digest, Region};
use onceflow_study::OpRegion;

use crate::declared::{FILE_DIGEST, ProgramFile};
use crate::files;
use crate::task::ProgramTask;

/// Files up to this size are copied for each task; larger ones, such as the weights of a network, are linked.
const MOST_COPIED: u64 = 16 << 20;

/// Copies the files of a task, so that changes during a run have no effect.
///
/// # Errors
/// When a file cannot be copied, or has changed since its key was made.
pub(crate) fn stage(task: &ProgramTask, into: &Path, writable: bool) -> io::Result<()> {
    task.files.iter().try_for_each(|file| stage_file(file, &into.join(&file.name), writable))
}

fn stage_file(file: &ProgramFile, to: &Path, writable: bool) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(&file.path, to)?;
    let digest = fs::File::open(to).and_then(|copy| Digest::of_reader(FILE_DIGEST, copy))?;
    if digest != file.digest {
        return Err(io::Error::other(format!("{} has changed since the run began; run it again", file.name)));
    }
    let mut permissions = to.metadata()?.permissions();
    if !writable {
        permissions.set_readonly(true);
    }
    fs::set_permissions(to, permissions)
}

/// Puts the staged files of a task into a new folder.
pub(crate) fn lay_out(task: &ProgramTask, staged: &Path, into: &Path) -> io::Result<()> {
    fs::create_dir_all(into)?;
    for file in &task.files {
        let (from, to) = (staged.join(&file.name), into.join(&file.name));
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        let linked = from.metadata()?.len() > MOST_COPIED && fs::hard_link(&from, &to).is_ok();
        if !linked {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Files of regions under a folder.
pub(crate) struct RegionFiles<'a> {
    pub(crate) task: &'a ProgramTask,
    /// The folder of `inputs` and `outputs`.
    pub(crate) folder: &'a Path,
}

impl RegionFiles<'_> {
    /// Writes the inputs, and makes the folder of the outputs.
    pub(crate) fn write(&self, inputs: &[Arc<Region>]) -> io::Result<()> {
        for folder in [INPUTS, OUTPUTS] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        // A region that is two inputs is one file.
        let mut written: Vec<&str> = Vec::new();
        for (region, wanted) in inputs.iter().zip(&self.task.spec.inputs) {
            if !written.contains(&wanted.name.as_str()) {
                files::write(&self.folder.join(input(wanted)), region, wanted.kind)?;
                written.push(&wanted.name);
            }
        }
        Ok(())
    }

    /// Reads the outputs, for a part of so many columns and rows.
    pub(crate) fn read(&self, size: (u64, u64)) -> Result<Vec<Region>, String> {
        let read = |wanted: &OpRegion| {
            let file = output(wanted);
            files::read(&self.folder.join(&file), wanted.kind, size)
                .map_err(|why| format!("{}: {why}", file.display()))
        };
        self.task.spec.outputs.iter().map(read).collect()
    }
}

const INPUTS: &str = "inputs";
const OUTPUTS: &str = "outputs";

/// The file of an input, seen from the program's folder.
pub(crate) fn input(region: &OpRegion) -> PathBuf {
    file(INPUTS, region)
}

/// The file of an output, seen from the program's folder.
pub(crate) fn output(region: &OpRegion) -> PathBuf {
    file(OUTPUTS, region)
}

fn file(folder: &str, region: &OpRegion) -> PathBuf {
    Path::new(folder).join(format!("{}.{}", region.name, files::extension(region.kind)))
}
