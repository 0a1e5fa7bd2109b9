//! The folder of one task: the files that the program declares, what it takes, and room for what it makes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::{Digest, Region};
use onceflow_study::OpRegion;

use super::form;
use super::own::{FILE, OwnFile, OwnTask};

/// Files up to this size are copied for each task; larger ones, such as the weights of a network, are linked.
const MOST_COPIED: u64 = 16 << 20;

/// Copies the files of a task as they were when its key was made, so that a change while a run goes on does no harm.
///
/// # Errors
/// When a file cannot be copied, or is another one by now.
pub(super) fn stage(task: &OwnTask, into: &Path, writable: bool) -> io::Result<()> {
    task.files.iter().try_for_each(|file| stage_file(file, &into.join(&file.name), writable))
}

fn stage_file(file: &OwnFile, to: &Path, writable: bool) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(&file.path, to)?;
    let digest = fs::File::open(to).and_then(|copy| Digest::of_reader(FILE, copy))?;
    if digest != file.digest {
        return Err(io::Error::other(format!("{} has changed since the run began; run it again", file.name)));
    }
    let mut permissions = to.metadata()?.permissions();
    if !writable {
        permissions.set_readonly(true);
    }
    fs::set_permissions(to, permissions)
}

/// Puts the staged files of a task into a folder of its own.
pub(super) fn lay_out(task: &OwnTask, staged: &Path, into: &Path) -> io::Result<()> {
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
pub(super) struct RegionFiles<'a> {
    pub(super) task: &'a OwnTask,
    /// Where `inputs` and `outputs` are.
    pub(super) folder: &'a Path,
}

impl RegionFiles<'_> {
    /// Writes what the program takes, and makes room for what it makes.
    pub(super) fn write(&self, inputs: &[Arc<Region>]) -> io::Result<()> {
        for folder in [INPUTS, OUTPUTS] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        // A region that goes into two inputs is one file.
        let mut written: Vec<&str> = Vec::new();
        for (region, wanted) in inputs.iter().zip(&self.task.spec.inputs) {
            if !written.contains(&wanted.name.as_str()) {
                form::write(&self.folder.join(input(wanted)), region, wanted.kind)?;
                written.push(&wanted.name);
            }
        }
        Ok(())
    }

    /// Reads what the program made, for a part of so many columns and rows.
    pub(super) fn read(&self, size: (u64, u64)) -> Result<Vec<Region>, String> {
        let read = |wanted: &OpRegion| {
            let file = output(wanted);
            form::read(&self.folder.join(&file), wanted.kind, size)
                .map_err(|why| format!("{}: {why}", file.display()))
        };
        self.task.spec.outputs.iter().map(read).collect()
    }
}

const INPUTS: &str = "inputs";
const OUTPUTS: &str = "outputs";

/// The file of a region that the program takes, seen from its folder.
pub(super) fn input(region: &OpRegion) -> PathBuf {
    file(INPUTS, region)
}

/// The file of a region that the program makes, seen from its folder.
pub(super) fn output(region: &OpRegion) -> PathBuf {
    file(OUTPUTS, region)
}

fn file(folder: &str, region: &OpRegion) -> PathBuf {
    Path::new(folder).join(format!("{}.{}", region.name, form::ending(region.kind)))
}
