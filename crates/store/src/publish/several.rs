//! Several files written together: each whole or not at all, and the disk is waited for once rather than twice for each file.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::thread;

use super::{PublishStep, Publisher, Unpublished, parent};

/// Threads that wait for the disk: a file system brings files to the disk together that are asked for at the same time.
const WAITING: usize = 8;

/// Writes several files. Each of them holds all its bytes or what it held before, also when the power fails; there may be
/// some that are new and some that are not.
///
/// # Errors
/// When a file cannot be written, with its path.
pub fn write_files(files: &[(PathBuf, Vec<u8>)]) -> Result<(), (PathBuf, io::Error)> {
    Publisher::new().write_files(files)
}

impl Publisher {
    /// [`write_files`] with these choices.
    ///
    /// # Errors
    /// When a file cannot be written, with its path.
    pub fn write_files(&self, files: &[(PathBuf, Vec<u8>)]) -> Result<(), (PathBuf, io::Error)> {
        let mut written = Vec::new();
        for (path, bytes) in files {
            let (_, temporary) = self
                .write_temporary(path, |file| file.write_all(bytes))
                .map_err(|error| (path.clone(), error))?;
            written.extend(temporary);
        }
        self.sync(&mut written)?;
        let mut folders = BTreeSet::new();
        for file in written {
            let path = file.path.clone();
            let path = self.rename(file).map_err(|error| (path, error))?;
            folders.insert(parent(&path).to_path_buf());
        }
        folders.into_iter().try_for_each(|folder| self.finish(&folder).map_err(|error| (folder, error)))
    }

    fn sync(&self, files: &mut [Unpublished]) -> Result<(), (PathBuf, io::Error)> {
        for file in &mut *files {
            let met = self.meet(PublishStep::Sync, Some(&mut file.temporary));
            met.map_err(|error| (file.path.clone(), error))?;
        }
        if self.hasty {
            return Ok(());
        }
        let share = files.len().div_ceil(WAITING).max(1);
        thread::scope(|scope| {
            let waiting: Vec<_> =
                files.chunks(share).map(|files| scope.spawn(move || sync_all(files))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            waiting.into_iter().try_for_each(join)
        })
    }
}

fn sync_all(files: &[Unpublished]) -> Result<(), (PathBuf, io::Error)> {
    files.iter().try_for_each(|file| file.file.sync_all().map_err(|error| (file.path.clone(), error)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::publish::{Fault, remove_abandoned};

    fn files(folder: &Path, content: u8) -> Vec<(PathBuf, Vec<u8>)> {
        (0..20).map(|number| (folder.join(format!("file-{number}")), vec![content; 5000])).collect()
    }

    /// What the files hold, of which each is old, new, or not there.
    fn found(files: &[(PathBuf, Vec<u8>)]) -> Vec<Option<u8>> {
        let content = |(path, _): &(PathBuf, Vec<u8>)| {
            let bytes = fs::read(path).ok()?;
            assert_eq!(bytes, [bytes[0]; 5000], "half of a file");
            Some(bytes[0])
        };
        files.iter().map(content).collect()
    }

    #[test]
    fn all_files_are_written_and_nothing_is_left() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("inner")).unwrap();
        let mut all = files(place.path(), 1);
        all.extend(files(&place.path().join("inner"), 1));
        for content in [1, 2] {
            all.iter_mut().for_each(|(_, bytes)| bytes.fill(content));
            write_files(&all).unwrap();
            assert_eq!(found(&all), vec![Some(content); 40]);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 21);
        write_files(&[]).unwrap();
    }

    #[test]
    fn a_fault_at_any_step_of_any_file_leaves_the_old_or_the_new() {
        for old in [None, Some(1)] {
            for step in PublishStep::ALL.into_iter().take(5) {
                for (fault, at) in
                    [(Fault::Kill, 0), (Fault::Kill, 13), (Fault::Error(io::ErrorKind::StorageFull), 13)]
                {
                    let place = tempfile::tempdir().unwrap();
                    let all = files(place.path(), 2);
                    old.into_iter().for_each(|old| write_files(&files(place.path(), old)).unwrap());
                    let met = std::sync::atomic::AtomicUsize::new(0);
                    let at = if step == PublishStep::SyncFolder { 0 } else { at };
                    let publisher = Publisher::new().with_faults(move |here| {
                        let is_here =
                            here == step && met.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == at;
                        is_here.then_some(fault)
                    });
                    publisher.write_files(&all).unwrap_err();
                    let new = match step {
                        PublishStep::Rename => at,
                        PublishStep::SyncFolder => 20,
                        _ => 0,
                    };
                    let expected: Vec<_> =
                        (0..20).map(|number| if number < new { Some(2) } else { old }).collect();
                    assert_eq!(found(&all), expected, "{step:?} {fault:?}");
                    remove_abandoned(place.path()).unwrap();
                    let left = fs::read_dir(place.path()).unwrap().count();
                    assert_eq!(left, expected.iter().flatten().count(), "{step:?} {fault:?}");
                }
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let place = tempfile::tempdir().unwrap();
        let mut all = files(place.path(), 1);
        fs::create_dir(place.path().join("file-7")).unwrap();
        let (path, error) = write_files(&all).unwrap_err();
        assert_eq!((path, error.kind()), (place.path().join("file-7"), io::ErrorKind::IsADirectory));
        all.remove(7);
        assert_eq!(found(&all), vec![None; 19], "none was published");
    }
}
