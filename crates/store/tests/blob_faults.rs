//! A store of blobs on a disk under everything that can befall it: kills, full and forbidden disks, flipped and lost
//! bytes, things that are no blobs. Nothing half written is seen, and each fault has an error of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;
use onceflow_store::blob::{BlobError, BlobStore, CHUNK, DiskBlobs};
use onceflow_store::publish::{Fault, PublishStep, Publisher, is_temporary};

/// Bytes that differ from place to place.
fn texture(length: usize) -> Vec<u8> {
    (0..length).map(|i| ((i * 7 + i / 13) % 251) as u8).collect()
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn temporaries(folder: &Path) -> usize {
    files(folder).iter().filter(|path| is_temporary(path.file_name().unwrap())).count()
}

fn path_of(root: &Path, digest: &Digest) -> PathBuf {
    root.join(&digest.to_string()[..2]).join(digest.to_string())
}

fn one_blob(bytes: &[u8]) -> (tempfile::TempDir, DiskBlobs, Digest, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let blobs = DiskBlobs::open_with(place.path(), Publisher::hasty()).unwrap();
    let digest = blobs.put(bytes).unwrap();
    let path = path_of(place.path(), &digest);
    (place, blobs, digest, path)
}

#[test]
fn every_flipped_byte_is_found_and_never_served() {
    let content = texture(300);
    let (_place, blobs, digest, path) = one_blob(&content);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for bit in [1, 0x80] {
            let mut flipped = whole.clone();
            flipped[at] ^= bit;
            fs::write(&path, &flipped).unwrap();
            let error = match at % 2 {
                0 => blobs.get(&digest).unwrap_err(),
                _ => blobs.get_range(&digest, 0..300).unwrap_err(),
            };
            let BlobError::Damaged { path: named, aside, .. } = &error else { panic!("byte {at}: {error}") };
            assert_eq!((named, aside), (&path, &Some(path.with_extension("damaged"))));
            assert!(!path.exists() && fs::read(path.with_extension("damaged")).unwrap() == flipped);
            assert!(matches!(blobs.get(&digest), Err(BlobError::Missing { .. })));
            assert!(blobs.list().unwrap().is_empty());
        }
    }
    // What was lost is put again.
    blobs.put(&content).unwrap();
    assert_eq!(&blobs.get(&digest).unwrap()[..], content);
}

#[test]
fn every_byte_of_the_folders_own_file_counts() {
    let (place, ..) = one_blob(b"content");
    let format = place.path().join("format");
    let whole = fs::read(&format).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&format, flipped).unwrap();
        assert!(matches!(DiskBlobs::open(place.path()), Err(BlobError::Format { .. })), "byte {at}");
    }
}

#[test]
fn a_cut_or_longer_file_is_found() {
    let (_place, blobs, digest, path) = one_blob(&texture(200));
    let whole = fs::read(&path).unwrap();
    let longer = [&whole[..], &[0]].concat();
    for cut in (0..whole.len()).map(|length| &whole[..length]).chain([&longer[..]]) {
        fs::write(&path, cut).unwrap();
        let error = blobs.get(&digest).unwrap_err();
        assert!(matches!(error, BlobError::Damaged { .. }), "{} bytes: {error}", cut.len());
    }
}

#[test]
fn chunks_are_judged_one_by_one() {
    let content = texture(2 * CHUNK + 500);
    let (_place, blobs, digest, path) = one_blob(&content);
    let mut bytes = fs::read(&path).unwrap();
    bytes[16 + CHUNK + 3] ^= 4;
    fs::write(&path, bytes).unwrap();
    let end = content.len() as u64;
    assert!(blobs.get_range(&digest, 0..CHUNK as u64).unwrap() == content[..CHUNK]);
    assert!(blobs.get_range(&digest, end - 600..end - 1).is_err() == (end - 600 < 2 * CHUNK as u64));
    let error = blobs.get_range(&digest, CHUNK as u64 + 9..CHUNK as u64 + 10);
    assert!(matches!(error, Err(BlobError::Damaged { .. } | BlobError::Missing { .. })));
}

#[test]
fn an_absurd_length_allocates_nothing() {
    let (_place, blobs, digest, path) = one_blob(&texture(10));
    for length in [u64::MAX, 1 << 62, 1 << 40] {
        let mut bytes = b"ofblob01".to_vec();
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&[0; 64]);
        fs::write(&path, bytes).unwrap();
        assert!(matches!(blobs.get(&digest), Err(BlobError::Damaged { .. })));
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused() {
    let (place, blobs, digest, path) = one_blob(b"content");
    let elsewhere = place.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    let said = blobs.get(&digest).unwrap_err().to_string();
    assert_eq!(said, format!("{}: expected a plain file, found a link; remove it", path.display()));
    assert!(matches!(blobs.put(b"content"), Err(BlobError::Foreign { .. })));
    assert!(matches!(blobs.remove(&digest), Err(BlobError::Foreign { .. })));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(blobs.get(&digest), Err(BlobError::Foreign { found: "a folder", .. })));
    fs::remove_dir(&path).unwrap();
    // A read of a pipe without a writer would block for ever.
    if std::process::Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()) {
        assert!(matches!(blobs.get(&digest), Err(BlobError::Foreign { .. })));
        fs::remove_file(&path).unwrap();
    }
    blobs.put(b"content").unwrap();
    assert_eq!(&blobs.get(&digest).unwrap()[..], b"content");
}

#[test]
fn a_folder_of_other_things_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("thesis.docx"), "years of work").unwrap();
    let said = DiskBlobs::open(place.path()).unwrap_err().to_string();
    assert!(said.contains("expected a folder of blobs (onceflow blobs 1), found thesis.docx"), "{said}");
    assert_eq!(files(place.path()).len(), 1);
}

#[test]
fn a_fault_at_any_step_leaves_no_half_of_a_blob() {
    let content = texture(CHUNK + 9);
    for step in [
        PublishStep::Create,
        PublishStep::Write,
        PublishStep::Sync,
        PublishStep::Rename,
        PublishStep::SyncFolder,
    ] {
        for fault in
            [Fault::Kill, Fault::Error(ErrorKind::StorageFull), Fault::Error(ErrorKind::PermissionDenied)]
        {
            let place = tempfile::tempdir().unwrap();
            drop(DiskBlobs::open(place.path()).unwrap());
            let faulty = Publisher::new().with_faults(move |at| (at == step).then_some(fault));
            let error = DiskBlobs::open_with(place.path(), faulty).unwrap().put(&content).unwrap_err();
            let BlobError::Disk { kind, reason, .. } = &error else { panic!("{error}") };
            match fault {
                Fault::Kill => assert!(reason.contains("killed"), "{error}"),
                Fault::Error(expected) => assert_eq!(*kind, expected),
            }
            assert!(error.to_string().contains(&place.path().display().to_string()), "{error}");
            // The next process finds all of it or nothing, and goes on.
            let again = DiskBlobs::open(place.path()).unwrap();
            assert_eq!(temporaries(place.path()), 0);
            assert_eq!(again.list().unwrap().len(), usize::from(step == PublishStep::SyncFolder), "{step:?}");
            let digest = again.put(&content).unwrap();
            assert!(again.get(&digest).unwrap()[..] == content);
        }
    }
}

#[test]
fn full_and_forbidden_disks_have_words_of_their_own() {
    for (kind, words) in [
        (ErrorKind::StorageFull, "the disk is full: free space or name another folder"),
        (ErrorKind::PermissionDenied, "permission denied: change its owner or name another folder"),
        (ErrorKind::ReadOnlyFilesystem, "the disk is read-only: name another folder"),
    ] {
        let place = tempfile::tempdir().unwrap();
        drop(DiskBlobs::open(place.path()).unwrap());
        let faulty =
            Publisher::new().with_faults(move |at| (at == PublishStep::Sync).then_some(Fault::Error(kind)));
        let error = DiskBlobs::open_with(place.path(), faulty).unwrap().put(b"content").unwrap_err();
        assert!(error.to_string().ends_with(words), "{error}");
    }
}

#[test]
fn two_writers_of_one_blob_do_not_disturb_each_other() {
    let place = tempfile::tempdir().unwrap();
    let content = texture(3 * CHUNK / 2);
    let work = || {
        let blobs = DiskBlobs::open_with(place.path(), Publisher::hasty()).unwrap();
        for _ in 0..20 {
            let digest = blobs.put(&content).unwrap();
            match blobs.get(&digest) {
                Ok(found) => assert!(found[..] == content),
                Err(error) => {
                    assert!(matches!(error, BlobError::Missing { .. } | BlobError::Disk { .. }), "{error}")
                }
            }
            // The second thread finds it gone.
            drop(blobs.remove(&digest));
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    assert_eq!(temporaries(place.path()), 0);
    assert!(!files(place.path()).iter().any(|path| path.extension().is_some()), "nothing was called damaged");
}

const CHILD: &str = "ONCEFLOW_TEST_BLOBS";
const COUNT: &str = "ONCEFLOW_TEST_COUNT";

/// A process that puts blobs into a folder.
fn child(root: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child_that_puts_blobs"]).env(CHILD, root).stdout(std::process::Stdio::null());
    command
}

/// Puts blobs until it is killed or has put enough, when another test has started it for that.
#[test]
fn child_that_puts_blobs() {
    let Some(root) = std::env::var_os(CHILD) else { return };
    let blobs = DiskBlobs::open(PathBuf::from(root)).unwrap();
    let count = std::env::var(COUNT).map_or(usize::MAX, |count| count.parse().unwrap());
    for number in 0..count {
        let mut content = texture(1000 + number * 70_001 % (2 * CHUNK));
        content[..8].copy_from_slice(&number.to_le_bytes());
        blobs.put(&content).unwrap();
    }
}

#[test]
fn processes_that_write_the_same_blobs_do_not_disturb_each_other() {
    let place = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..3).map(|_| child(place.path()).env(COUNT, "25").spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let blobs = DiskBlobs::open(place.path()).unwrap();
    assert_eq!((blobs.list().unwrap().len(), temporaries(place.path())), (25, 0));
    for digest in blobs.list().unwrap() {
        blobs.get(&digest).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn killed_processes_leave_whole_blobs() {
    let place = tempfile::tempdir().unwrap();
    let mut left = 0;
    for round in 0u64..30 {
        let mut child = child(place.path()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10 + round * 7919 % 50));
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        left += temporaries(place.path());
        let blobs = DiskBlobs::open(place.path()).unwrap();
        assert_eq!(temporaries(place.path()), 0, "round {round}");
        for digest in blobs.list().unwrap() {
            blobs.get(&digest).unwrap();
        }
        if round % 10 == 9 {
            assert!(!blobs.list().unwrap().is_empty());
            blobs.clear().unwrap();
        }
    }
    eprintln!("{left} temporary files were left by 30 kills");
}

/// A disk of one MiB, when this process may mount one.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(options: &str) -> Option<SmallDisk> {
        let place = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(place.path());
        let mounted =
            command.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: this process may not mount a small disk");
        }
        mounted.then(|| SmallDisk(place))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(std::process::Command::new("umount").arg(self.0.path()).status());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_keeps_what_it_has() {
    let Some(disk) = SmallDisk::mount("size=1m") else { return };
    let blobs = DiskBlobs::open(disk.0.path()).unwrap();
    let small = blobs.put(&texture(300_000)).unwrap();
    let error = blobs.put(&texture(900_000)).unwrap_err();
    assert!(matches!(error, BlobError::Disk { kind: ErrorKind::StorageFull, .. }), "{error}");
    assert_eq!(temporaries(disk.0.path()), 0);
    assert_eq!(blobs.get(&small).unwrap().len(), 300_000);
    blobs.remove(&small).unwrap();
    blobs.put(&texture(900_000)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_is_named() {
    let Some(disk) = SmallDisk::mount("size=1m,ro") else { return };
    let error = DiskBlobs::open(disk.0.path().join("blobs")).unwrap_err();
    assert!(matches!(error, BlobError::Disk { kind: ErrorKind::ReadOnlyFilesystem, .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_forbidden_folder_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    use std::os::unix::process::CommandExt as _;

    let place = tempfile::tempdir().unwrap();
    let locked = place.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    if fs::write(locked.join("try"), "").is_err() {
        return kept_out_of(&locked);
    }
    fs::remove_file(locked.join("try")).unwrap();
    // A superuser is not kept out, so a child process without rights tries.
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_is_kept_out"]).env(KEPT_OUT, &locked).gid(NOBODY).uid(NOBODY);
    match child.output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
        Err(error) => eprintln!("skipped: no other user may start the test: {error}"),
    }
}

/// The user and the group that own nothing, and where the folder is named.
#[cfg(unix)]
const NOBODY: u32 = 65534;
#[cfg(unix)]
const KEPT_OUT: &str = "ONCEFLOW_TEST_KEPT_OUT";

#[cfg(unix)]
fn kept_out_of(folder: &Path) {
    let error = DiskBlobs::open(folder).and_then(|blobs| blobs.put(&texture(10))).unwrap_err();
    assert!(matches!(error, BlobError::Disk { kind: ErrorKind::PermissionDenied, .. }), "{error}");
    assert!(error.to_string().ends_with("change its owner or name another folder"), "{error}");
}

#[cfg(unix)]
#[test]
fn child_that_is_kept_out() {
    if let Some(folder) = std::env::var_os(KEPT_OUT) {
        kept_out_of(Path::new(&folder));
    }
}
