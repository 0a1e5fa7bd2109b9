//! What one image may be worked on with: memory, a disk, threads, and somebody who hears how far it is.

use std::path::{Path, PathBuf};

use onceflow_kernels::Window;
use onceflow_region::{Budget, Lease};
use onceflow_study::{Diagnostic, Size};

use crate::segment::PROGRAM;
use crate::{EngineError, Tiling};

/// What one image may be worked on with.
pub struct Desk<'a> {
    /// All memory there is.
    pub budget: Budget,
    /// The tiles that the image is worked on in, with its pixels on a disk meanwhile; none when it is in memory.
    pub tiling: Option<Tiling>,
    /// Where pixels lie meanwhile, in files without a name.
    pub folder: PathBuf,
    /// Threads that measure; they change nothing in a result.
    pub workers: usize,
    /// Hears how far the work is.
    pub watch: &'a dyn Fn(Step),
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done now.
    pub task: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is to do.
    pub of: u64,
}

impl std::fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Desk({:?}, {:?}, {:?}, {})", self.budget, self.tiling, self.folder, self.workers)
    }
}

const MIB: u64 = 1 << 20;

impl Desk<'_> {
    /// Bytes that nobody has reserved.
    pub(crate) fn free(&self) -> u64 {
        self.budget.limit().saturating_sub(self.budget.used())
    }

    /// Reserves memory before it is used.
    pub(crate) fn reserve(&self, task: &str, bytes: u64) -> Result<Lease, EngineError> {
        self.budget.try_reserve(bytes).ok_or_else(|| too_small(&self.budget, task, bytes))
    }

    /// Hears of a step.
    pub(crate) fn at(&self, task: &'static str, done: u64, of: u64) {
        (self.watch)(Step { task, done, of });
    }

    /// Refuses a disk without space for so many bytes, before anything is computed.
    pub(crate) fn check_disk(&self, bytes: u64) -> Result<(), EngineError> {
        match free_space(&self.folder) {
            Some(free) if free < bytes => Err(no_space(&self.folder, bytes, free)),
            _ => Ok(()),
        }
    }

    /// Rows of an image that are looked at together, when each pixel takes so many bytes: what a quarter of the free
    /// memory holds, at least one.
    pub(crate) fn strip(&self, width: usize, bytes: u64) -> usize {
        let pixels = (self.free() / 4 / bytes).min(MOST);
        usize::try_from(pixels / (width as u64).max(1)).unwrap_or(usize::MAX).max(1)
    }
}

/// More pixels at once gain nothing.
const MOST: u64 = 1 << 22;

/// Changes a lease to so many bytes.
pub(crate) fn resize(lease: &mut Lease, budget: &Budget, task: &str, bytes: u64) -> Result<(), EngineError> {
    let more = bytes.saturating_sub(lease.bytes());
    if more > 0 && !lease.try_grow(more) {
        return Err(too_small(budget, task, more));
    }
    lease.shrink(bytes);
    Ok(())
}

/// The least bound that holds what is used and so much more, in whole mebibytes, which people can read.
fn too_small(budget: &Budget, task: &str, bytes: u64) -> EngineError {
    let needed = budget.used().saturating_add(bytes).div_ceil(MIB).saturating_mul(MIB);
    EngineError::Memory { task: task.into(), needed, limit: budget.limit() }
}

/// Memory of the program itself, which is nobody's else.
pub(crate) fn reserve_program(desk: &Desk<'_>) -> Result<Lease, EngineError> {
    desk.reserve("program", PROGRAM)
}

/// Windows of so many rows across the image.
pub(crate) fn strips(image: Window, rows: usize) -> impl Iterator<Item = Window> {
    let tops = (0..image.height).step_by(rows.max(1));
    tops.map(move |top| Window { top, height: rows.min(image.height - top), ..image })
}

/// Bytes that may still be written to a folder's disk; none where the system does not say.
#[cfg(unix)]
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
pub(crate) fn free_space(_folder: &Path) -> Option<u64> {
    None
}

fn no_space(folder: &Path, bytes: u64, free: u64) -> EngineError {
    let mebibytes = |bytes: u64| Size(bytes.div_ceil(MIB).saturating_mul(MIB)).to_string();
    let folder = folder.display();
    let message = Diagnostic::error(format!("{folder} has too little space for pixels in between"));
    let message = message
        .expected_found(format!("at least {} free", mebibytes(bytes)), Size(free / MIB * MIB).to_string());
    let hint =
        format!("free some space (df -h {folder}), name outputs on another disk, or give more --memory");
    EngineError::Environment(Box::new(message.with_hint(hint)))
}

/// What is said when pixels cannot be kept.
pub(crate) fn unkept(folder: &Path, error: &std::io::Error) -> EngineError {
    let folder = folder.display();
    let message = Diagnostic::error(format!("cannot keep pixels in {folder} while tiles are worked on"));
    let message = message.expected_found("ten bytes of free space for each pixel", error.to_string());
    let message = message.with_hint(format!("free some space (df -h {folder}), or choose another disk"));
    EngineError::Environment(Box::new(message))
}

/// Desks for tests.
#[cfg(test)]
pub(crate) mod test_desk {
    use super::*;

    /// One in memory.
    pub(crate) fn desk(memory: u64) -> Desk<'static> {
        let folder = std::env::temp_dir();
        Desk { budget: Budget::new(memory), tiling: None, folder, workers: 2, watch: &|_| () }
    }

    /// One with tiles on a disk.
    pub(crate) fn tiled(tile: u64, memory: u64) -> Desk<'static> {
        Desk { tiling: Some(Tiling::new(tile, memory).unwrap()), ..desk(memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_space_is_said_before_the_work() {
        let desk = test_desk::desk(1 << 30);
        assert!(desk.check_disk(1).is_ok());
        let refused = desk.check_disk(u64::MAX / 2).unwrap_err();
        assert!(matches!(refused, EngineError::Environment(_)) && refused.to_string().contains("df -h"));
    }

    #[test]
    fn a_bound_that_is_too_small_names_one_that_does() {
        let budget = Budget::new(10 * MIB);
        let mut lease = budget.try_reserve(4 * MIB).unwrap();
        resize(&mut lease, &budget, "t1", 9 * MIB).unwrap();
        let refused = resize(&mut lease, &budget, "t1", 12 * MIB + 1);
        assert!(matches!(refused, Err(EngineError::Memory { needed, .. }) if needed == 13 * MIB));
        resize(&mut lease, &budget, "t1", MIB).unwrap();
        assert_eq!((lease.bytes(), budget.used()), (MIB, MIB));
    }
}
