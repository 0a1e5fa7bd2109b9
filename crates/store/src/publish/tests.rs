//! Every fault before every step: a reader sees the old content or the new, and a kill leaves only temporary names.

use std::path::PathBuf;

use super::*;

/// What a reader finds in a folder, by name; temporary names are counted apart.
fn visible(folder: &Path) -> (Vec<String>, usize) {
    let names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let (temporary, seen): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| is_temporary(name));
    (seen.into_iter().map(|name| name.into_string().unwrap()).collect(), temporary.len())
}

fn failing(at: PublishStep, fault: Fault) -> Publisher {
    Publisher::new().with_faults(move |step| (step == at).then_some(fault))
}

fn faults() -> impl Iterator<Item = (PublishStep, Fault)> {
    let kinds = [Fault::Kill, Fault::Error(io::ErrorKind::StorageFull)];
    PublishStep::ALL.into_iter().flat_map(move |step| kinds.map(|fault| (step, fault)))
}

/// Publishes the given number under a path, as a file or as a folder.
type Publish = fn(&Publisher, &Path, u8) -> io::Result<()>;

fn file(publisher: &Publisher, path: &Path, number: u8) -> io::Result<()> {
    publisher.write_file(path, |file| file.write_all(&[number; 5000]))
}

fn folder(publisher: &Publisher, path: &Path, number: u8) -> io::Result<()> {
    publisher.publish_folder(path, |temporary| {
        fs::create_dir(temporary.join("inner"))?;
        fs::write(temporary.join("inner/content"), [number; 5000])?;
        fs::write(temporary.join("content"), [number; 5000])
    })
}

/// The number under a path; `None` when nothing is there. Half of a publication fails the test.
fn number(path: &Path) -> Option<u8> {
    let files: Vec<PathBuf> = match path.is_dir() {
        true => vec![path.join("content"), path.join("inner/content")],
        false => vec![path.to_path_buf()],
    };
    let contents: Vec<_> = files.iter().filter_map(|file| fs::read(file).ok()).collect();
    let first = *contents.first()?.first().unwrap();
    assert!(contents.len() == files.len() && contents.iter().all(|content| *content == [first; 5000]));
    Some(first)
}

#[test]
fn a_fault_leaves_the_old_or_the_new() {
    for publish in [file as Publish, folder] {
        for old in [None, Some(1)] {
            for (step, fault) in faults() {
                let place = tempfile::tempdir().unwrap();
                let path = place.path().join("thing");
                old.into_iter().for_each(|old| publish(&Publisher::new(), &path, old).unwrap());
                let result = publish(&failing(step, fault), &path, 2);
                let (expected, fails) = match step {
                    PublishStep::Create | PublishStep::Write | PublishStep::Sync | PublishStep::Rename => {
                        (old, true)
                    }
                    PublishStep::SyncFolder => (Some(2), true),
                    PublishStep::Mark => (Some(2), false),
                };
                assert_eq!((number(&path), result.is_err()), (expected, fails), "{step:?} {fault:?}");
                let (_, temporary) = visible(place.path());
                let left = fault == Fault::Kill
                    && matches!(step, PublishStep::Write | PublishStep::Sync | PublishStep::Rename);
                assert_eq!(temporary, usize::from(left), "{step:?} {fault:?}");
                assert_eq!(remove_abandoned(place.path()).unwrap(), temporary);
                publish(&Publisher::hasty(), &path, 3).unwrap();
                assert_eq!((number(&path), visible(place.path())), (Some(3), (vec!["thing".into()], 0)));
            }
        }
    }
}

#[test]
fn a_fault_keeps_its_kind() {
    let place = tempfile::tempdir().unwrap();
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied] {
        let error =
            file(&failing(PublishStep::Sync, Fault::Error(kind)), &place.path().join("a"), 1).unwrap_err();
        assert_eq!(error.kind(), kind);
    }
    let error = file(&failing(PublishStep::Rename, Fault::Kill), &place.path().join("a"), 1).unwrap_err();
    assert_eq!(error.to_string(), "killed before step Rename");
}

#[test]
fn a_writer_that_fails_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let broken = || io::Error::other("the image is broken");
    let error = write_file(&place.path().join("a"), |file| file.write_all(b"half").and(Err(broken())));
    assert_eq!(error.unwrap_err().to_string(), "the image is broken");
    let error =
        publish_folder(&place.path().join("b"), |to| fs::write(to.join("half"), "half").and(Err(broken())));
    assert_eq!(error.unwrap_err().to_string(), "the image is broken");
    assert_eq!(visible(place.path()), (vec![], 0));
}

#[test]
fn what_lives_is_not_tidied_away() {
    let place = tempfile::tempdir().unwrap();
    write_file(&place.path().join("a"), |file| {
        assert_eq!(remove_abandoned(place.path())?, 0);
        file.write_all(b"whole")
    })
    .unwrap();
    publish_folder(&place.path().join("b"), |to| {
        assert_eq!(remove_abandoned(place.path())?, 0);
        fs::write(to.join("c"), "whole")
    })
    .unwrap();
    assert_eq!(fs::read(place.path().join("a")).unwrap(), b"whole");
    assert_eq!(fs::read(place.path().join("b/c")).unwrap(), b"whole");
}

#[test]
fn a_marker_comes_last() {
    let place = tempfile::tempdir().unwrap();
    let marker = place.path().join("complete");
    assert!(failing(PublishStep::Mark, Fault::Kill).mark(place.path(), "complete", b"1").is_err());
    assert!(failing(PublishStep::Rename, Fault::Kill).mark(place.path(), "complete", b"1").is_err());
    assert!(!marker.exists());
    Publisher::new().mark(place.path(), "complete", b"1").unwrap();
    assert_eq!(fs::read(marker).unwrap(), b"1");
}

#[test]
fn a_file_is_its_own_marker_until_another_replaces_it() {
    let place = tempfile::tempdir().unwrap();
    let [first, second, marker] = ["first", "second", "marker"].map(|name| place.path().join(name));
    fs::write(&first, "1").unwrap();
    fs::write(&second, "2").unwrap();
    assert!(failing(PublishStep::Mark, Fault::Kill).mark_with(&marker, &first).is_err());
    assert!(!marker.exists());
    Publisher::new().mark_with(&marker, &first).unwrap();
    for (step, fault) in faults() {
        let result = failing(step, fault).mark_with(&marker, &second);
        let replaced = step == PublishStep::SyncFolder;
        assert!(result.is_err(), "{step:?}");
        assert_eq!(fs::read(&marker).unwrap(), if replaced { b"2" } else { b"1" }, "{step:?}");
        Publisher::new().mark_with(&marker, &first).unwrap();
    }
    Publisher::new().mark_with(&marker, &second).unwrap();
    assert_eq!([&first, &second, &marker].map(|path| fs::read(path).unwrap()), [b"1", b"2", b"2"]);
}

#[test]
fn kinds_that_do_not_fit_are_refused() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("folder")).unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    let error = write_whole(&place.path().join("folder"), b"").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    let error = publish_folder(&place.path().join("file"), |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    let error = write_whole(&place.path().join("none/file"), b"").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let place = tempfile::tempdir().unwrap();
    let (target, link) = (place.path().join("target"), place.path().join("link"));
    write_whole(&target, b"old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&target, &link).unwrap();
    write_whole(&link, b"new").unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    write_whole(Path::new("/dev/null"), b"gone").unwrap();
}
