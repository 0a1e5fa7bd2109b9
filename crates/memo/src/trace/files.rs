//! Files that were read and written, and which of them were not declared.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::paths::place;

/// Files of the system, which belong to the machine rather than to the command.
const SYSTEM: [&str; 16] = [
    "/bin/",
    "/dev/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/nix/store/",
    "/proc/",
    "/run/",
    "/sbin/",
    "/sys/",
    "/usr/bin/",
    "/usr/include/",
    "/usr/lib",
    "/usr/libexec/",
    "/usr/sbin/",
    "/usr/share/",
];

/// Settings of the system that the C library reads for every program.
const SETTINGS: [&str; 8] = [
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/timezone",
];

/// Files that a command read and wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedFiles {
    /// Files that were read before they were written.
    pub reads: BTreeSet<PathBuf>,
    /// Files that were written.
    pub writes: BTreeSet<PathBuf>,
}

impl TracedFiles {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) fn read(&mut self, path: PathBuf) {
        if !self.writes.contains(&path) && !is_system(&path) {
            self.reads.insert(path);
        }
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) fn write(&mut self, path: PathBuf) {
        if !is_system(&path) {
            self.writes.insert(path);
        }
    }

    /// The files that are not among the declared ones, nor inside a declared folder. Files that the command removed again, and
    /// folders, say nothing.
    pub(crate) fn undeclared(&self, reads: &[PathBuf], writes: &[PathBuf]) -> Self {
        let places = |paths: &[PathBuf]| paths.iter().map(|path| place(path)).collect::<Vec<_>>();
        let (reads, writes) = (places(reads), places(writes));
        let is_in = |declared: &[PathBuf], path: &Path| declared.iter().any(|known| path.starts_with(known));
        let program = |path: &Path| !is_in(&reads, path) && !is_in(&writes, path);
        Self {
            reads: self.reads.iter().filter(|path| path.is_file() && program(path)).cloned().collect(),
            writes: self
                .writes
                .iter()
                .filter(|path| path.is_file() && !is_in(&writes, path))
                .cloned()
                .collect(),
        }
    }
}

fn is_system(path: &Path) -> bool {
    let Some(path) = path.to_str() else { return false };
    SYSTEM.iter().any(|folder| path.starts_with(folder)) || SETTINGS.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_and_declared_ones_are_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("data")).unwrap();
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::write(&path, b"x").unwrap();
            path
        };
        let (one, inner, other, out) = (file("one"), file("data/inner"), file("other"), file("out"));
        let mut traced = TracedFiles::default();
        for path in [&one, &inner, &other, &PathBuf::from("/usr/lib/libc.so"), &PathBuf::from("/etc/passwd")]
        {
            traced.read(path.clone());
        }
        traced.write(out.clone());
        // What it wrote itself is no input.
        traced.read(out.clone());
        traced.write(folder.join("removed"));
        let undeclared = traced.undeclared(&[one, folder.join("data")], &[]);
        assert_eq!(undeclared.reads.into_iter().collect::<Vec<_>>(), [other]);
        assert_eq!(undeclared.writes.into_iter().collect::<Vec<_>>(), [out]);
    }
}
