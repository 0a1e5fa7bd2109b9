//! The resources for work on one image: memory, a disk, threads, and a callback for progress.

mod tiling;

use std::path::{Path, PathBuf};

use onceflow_kernels::Window;
use onceflow_region::{Budget, Lease};
use onceflow_study::{Diagnostic, Size};

use crate::NucleiError;

pub use tiling::Tiling;

/// The resources for work on one image.
pub struct Workspace<'a> {
    /// The memory.
    pub budget: Budget,
    /// Tiles with their pixels on a disk; none if the whole image is in memory.
    pub tiling: Option<Tiling>,
    /// The folder of temporary pixel files, which have no name.
    pub folder: PathBuf,
    /// Threads that measure; results do not depend on their number.
    pub workers: usize,
    /// Called with the progress of the work.
    pub watch: &'a dyn Fn(StepProgress),
}

/// The progress of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepProgress {
    /// The current task.
    pub task: &'static str,
    /// Units done.
    pub done: u64,
    /// Units to do.
    pub of: u64,
}

impl std::fmt::Debug for Workspace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({:?}, {:?}, {:?}, {})", self.budget, self.tiling, self.folder, self.workers)
    }
}

const MIB: u64 = 1 << 20;

/// Bytes of the program and of buffers that do not grow with the image.
pub const PROGRAM_BYTES: u64 = 16 << 20;

impl Workspace<'_> {
    /// Bytes that are not reserved.
    pub(crate) fn free(&self) -> u64 {
        self.budget.limit().saturating_sub(self.budget.used())
    }

    /// Reserves memory before it is used.
    pub(crate) fn reserve(&self, task: &str, bytes: u64) -> Result<Lease, NucleiError> {
        self.budget.try_reserve(bytes).ok_or_else(|| too_small(&self.budget, task, bytes))
    }

    /// Reports progress.
    pub(crate) fn at(&self, task: &'static str, done: u64, of: u64) {
        (self.watch)(StepProgress { task, done, of });
    }

    /// Refuses a disk with too little free space, before anything is computed.
    pub(crate) fn check_disk(&self, bytes: u64) -> Result<(), NucleiError> {
        match free_space(&self.folder) {
            Some(free) if free < bytes => Err(no_space(&self.folder, bytes, free)),
            _ => Ok(()),
        }
    }

    /// Rows per strip of an image whose pixels take `bytes` each: a quarter of the free memory, at least one row.
    pub(crate) fn strip(&self, width: usize, bytes: u64) -> usize {
        let pixels = (self.free() / 4 / bytes).min(MOST);
        usize::try_from(pixels / (width as u64).max(1)).unwrap_or(usize::MAX).max(1)
    }
}

/// The most pixels of a strip: more gain nothing.
const MOST: u64 = 1 << 22;

/// Changes the size of a lease.
pub(crate) fn resize(lease: &mut Lease, budget: &Budget, task: &str, bytes: u64) -> Result<(), NucleiError> {
    let more = bytes.saturating_sub(lease.bytes());
    if more > 0 && !lease.try_grow(more) {
        return Err(too_small(budget, task, more));
    }
    lease.shrink(bytes);
    Ok(())
}

/// The error with the smallest bound that holds the used and the requested bytes, in whole mebibytes.
fn too_small(budget: &Budget, task: &str, bytes: u64) -> NucleiError {
    let needed = budget.used().saturating_add(bytes).div_ceil(MIB).saturating_mul(MIB);
    NucleiError::Memory { task: task.into(), needed, limit: budget.limit() }
}

/// Reserves the memory of the program itself.
pub(crate) fn reserve_program(workspace: &Workspace<'_>) -> Result<Lease, NucleiError> {
    workspace.reserve("program", PROGRAM_BYTES)
}

/// The strips of an image, of `rows` rows each.
pub(crate) fn strips(image: Window, rows: usize) -> impl Iterator<Item = Window> {
    let tops = (0..image.height).step_by(rows.max(1));
    tops.map(move |top| Window { top, height: rows.min(image.height - top), ..image })
}

/// Free bytes of a folder's disk; none where the system does not report them.
#[cfg(unix)]
pub fn free_space(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
pub fn free_space(_folder: &Path) -> Option<u64> {
    None
}

fn no_space(folder: &Path, bytes: u64, free: u64) -> NucleiError {
    let mebibytes = |bytes: u64| Size(bytes.div_ceil(MIB).saturating_mul(MIB)).to_string();
    let folder = folder.display();
    let message = Diagnostic::error(format!("{folder} has too little space for temporary pixels"));
    let message = message
        .expected_found(format!("at least {} free", mebibytes(bytes)), Size(free / MIB * MIB).to_string());
    let hint =
        format!("free some space (df -h {folder}), name outputs on another disk, or give more --memory");
    NucleiError::Environment(Box::new(message.with_hint(hint)))
}

/// The error of temporary pixel files.
pub(crate) fn unkept(folder: &Path, error: &std::io::Error) -> NucleiError {
    let folder = folder.display();
    let message = Diagnostic::error(format!("cannot store temporary pixels in {folder}"));
    let message = message.expected_found("ten bytes of free space for each pixel", error.to_string());
    let message = message.with_hint(format!("free some space (df -h {folder}), or choose another disk"));
    NucleiError::Environment(Box::new(message))
}

/// Workspaces for tests.
#[cfg(test)]
pub(crate) mod test_workspace {
    use super::*;

    /// A workspace in memory.
    pub(crate) fn workspace(memory: u64) -> Workspace<'static> {
        let folder = std::env::temp_dir();
        Workspace { budget: Budget::new(memory), tiling: None, folder, workers: 2, watch: &|_| () }
    }

    /// A workspace with tiles on a disk.
    pub(crate) fn tiled(tile: u64, memory: u64) -> Workspace<'static> {
        Workspace { tiling: Some(Tiling::new(tile, memory).unwrap()), ..workspace(memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_space_is_said_before_the_work() {
        let workspace = test_workspace::workspace(1 << 30);
        assert!(workspace.check_disk(1).is_ok());
        let refused = workspace.check_disk(u64::MAX / 2).unwrap_err();
        assert!(matches!(refused, NucleiError::Environment(_)) && refused.to_string().contains("df -h"));
    }

    #[test]
    fn a_bound_that_is_too_small_names_one_that_does() {
        let budget = Budget::new(10 * MIB);
        let mut lease = budget.try_reserve(4 * MIB).unwrap();
        resize(&mut lease, &budget, "t1", 9 * MIB).unwrap();
        let refused = resize(&mut lease, &budget, "t1", 12 * MIB + 1);
        assert!(matches!(refused, Err(NucleiError::Memory { needed, .. }) if needed == 13 * MIB));
        resize(&mut lease, &budget, "t1", MIB).unwrap();
        assert_eq!((lease.bytes(), budget.used()), (MIB, MIB));
    }
}
