//! The store beside what it must do, and what it must do when files are changed, cut, lost or cannot be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use onceflow_region::store::{ListRegions, ReadRegion, ReadRegionPart, WriteRegion};
use onceflow_region::{Bounds, Column, Dense, Element, ObjectSet, Pixels, RegionQuery, Table};
use proptest::prelude::*;

use super::*;
use crate::conformance;
use crate::publish::{Fault, PublishStep};

fn open(path: &Path) -> ZarrStore {
    ZarrStore::open(path, Budget::new(1 << 30)).unwrap()
}

fn id(kind: RegionKind) -> RegionId {
    RegionId::new("image", "result", kind)
}

fn plane(width: usize, height: usize) -> Dense {
    let values = (0..width * height).map(|at| (at * 7 + at / 13) as u16).collect();
    Dense::new(width, height, 1, Pixels::U16(values)).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

#[test]
fn conforms() {
    let place = tempfile::tempdir().unwrap();
    let budget = Budget::new(1 << 20);
    let store = ZarrStore::open(&place.path().join("store"), budget.clone()).unwrap();
    conformance::check(&store);
    assert_eq!(budget.used(), 0);
    let names: Vec<PathBuf> = files(&place.path().join("store"));
    assert_eq!(names.len(), 1, "nothing is left but what says that it is a store: {names:?}");
}

#[test]
fn another_process_sees_the_same_regions() {
    let place = tempfile::tempdir().unwrap();
    let (first, second) = (open(place.path()), open(place.path()));
    let dense = id(RegionKind::Dense);
    first.write(&dense, Region::Dense(plane(30, 20))).unwrap();
    assert_eq!(second.read(&dense).unwrap().as_dense(), Some(&plane(30, 20)));
    second.write(&dense.clone().with_version(3), Region::Dense(plane(5, 5))).unwrap();
    first.write(&dense, Region::Dense(plane(7, 7))).unwrap();
    for store in [&first, &second, &open(place.path())] {
        let (id, held) = store.latest(&RegionQuery::named("image", "result")).unwrap();
        assert_eq!((id.version, held.as_dense()), (0, Some(&plane(7, 7))));
    }
    assert_eq!(first.remove_unmarked().unwrap(), 0, "replaced files are gone");
}

fn pixels(element: Element, bytes: &[u8]) -> Pixels {
    Pixels::from_bytes(element, bytes.to_vec(), onceflow_region::ByteOrder::Little)
}

const ELEMENTS: [Element; 10] = [
    Element::U8,
    Element::I8,
    Element::U16,
    Element::I16,
    Element::I32,
    Element::U32,
    Element::I64,
    Element::U64,
    Element::F32,
    Element::F64,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn planes_of_every_element_come_back_whole_and_in_parts(
        (element, channels, width, height) in (prop::sample::select(&ELEMENTS[..]), prop_oneof![Just(1usize), Just(3)], 0usize..40, 0usize..40),
        seed in any::<u64>(),
        packed in any::<bool>(),
        corner in (0usize..40, 0usize..40, 0usize..40, 0usize..40),
    ) {
        let place = tempfile::tempdir().unwrap();
        let compression = if packed { Compression::Zstd(3) } else { Compression::None };
        let store = ZarrStore::with(place.path(), Budget::new(1 << 30), compression, Publisher::hasty()).unwrap();
        let count = width * height * channels * element.bytes() as usize;
        let bytes: Vec<u8> = (0..count as u64).map(|at| (seed.wrapping_mul(at + 1) >> 40) as u8).collect();
        let dense = Dense::new(width, height, channels, pixels(element, &bytes)).unwrap();
        let id = id(RegionKind::Dense);
        store.write(&id, Region::Dense(dense.clone())).unwrap();
        let read = store.read(&id).unwrap();
        prop_assert_eq!(read.digest(), Region::Dense(dense.clone()).digest());
        let (x, y) = (corner.0.min(width), corner.1.min(height));
        let (wide, high) = (corner.2.min(width - x), corner.3.min(height - y));
        let bounds = Bounds::plane(x as i64, y as i64, wide as u64, high as u64).unwrap();
        let part = store.read_part(&id, bounds).unwrap();
        prop_assert_eq!(Region::Dense(part).digest(), Region::Dense(dense.crop(bounds).unwrap()).digest());
    }
}

/// Several shards with several chunks each, of which some are zeros.
fn large(width: usize, height: usize, channels: usize) -> Dense {
    let value = |x: usize, y: usize| if x > 1500 && y > 800 { 0 } else { (x * 31 + y * 17) as u8 };
    let values = (0..width * height * channels).map(|at| value(at / channels % width, at / channels / width));
    Dense::new(width, height, channels, Pixels::U8(values.collect())).unwrap()
}

#[test]
fn large_planes_come_back_over_shards_and_chunks() {
    // Chunks of whole rows, and squares for what is wider.
    for (width, height, channels) in [(2600, 2100, 1), (2500, 1100, 3), (4500, 1100, 3), (4097, 2100, 1)] {
        let large = large(width, height, channels);
        for compression in [Compression::None, Compression::default()] {
            let place = tempfile::tempdir().unwrap();
            let store =
                ZarrStore::with(place.path(), Budget::new(1 << 30), compression, Publisher::hasty()).unwrap();
            store.write(&id(RegionKind::Dense), Region::Dense(large.clone())).unwrap();
            assert!(store.read(&id(RegionKind::Dense)).unwrap().as_dense() == Some(&large));
            let (right, bottom) = (width as i64 - 1, height as i64 - 1);
            for (x, y, width, height) in [
                (0, 0, 1, 1),
                (500, 500, 30, 30),
                (2040, 1020, 20, 20),
                (right, bottom, 1, 1),
                (0, 1023, right as u64, 2),
            ] {
                let bounds = Bounds::plane(x, y, width, height).unwrap();
                assert!(
                    store.read_part(&id(RegionKind::Dense), bounds).unwrap() == large.crop(bounds).unwrap()
                );
            }
        }
    }
}

fn small_store(path: &Path) -> Vec<(RegionId, Region)> {
    let store = open(path);
    let labels = Dense::new(3, 2, 1, Pixels::U32(vec![1, 0, 2, 1, 0, 2])).unwrap();
    let mut objects = ObjectSet::from_labels(&labels).unwrap();
    objects.add_feature("area", Column::Real(vec![2.0, f64::NAN])).unwrap();
    let table = Table::new(vec![
        ("name".into(), Column::Text(vec!["a".into(), "b".into()])),
        ("count".into(), Column::Integer(vec![i64::MIN, i64::MAX])),
    ]);
    let regions = [
        Region::Dense(plane(5, 4)),
        Region::Objects(objects),
        Region::Table(table.unwrap()),
        Region::Nothing,
    ];
    let named = regions.map(|region| (id(region.kind()), region));
    named.iter().for_each(|(id, region)| store.write(id, region.clone()).unwrap());
    // Rows that are read to their places as they stand in the file.
    let plain = (RegionId::new("image", "plain", RegionKind::Dense), Region::Dense(plane(4, 5)));
    let store = ZarrStore::with(path, Budget::new(1 << 30), Compression::None, Publisher::new()).unwrap();
    store.write(&plain.0, plain.1.clone()).unwrap();
    named.into_iter().chain([plain]).collect()
}

/// Whether a file of a region is also its marker, under another name.
fn is_marker(file: &Path) -> bool {
    let folder = file.parent().unwrap().parent().unwrap();
    file.ends_with(METADATA) && folder.ends_with(CONTENT)
}

#[test]
fn every_flipped_byte_is_found_or_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let regions = small_store(place.path());
    let (mut found, mut same) = (0, 0);
    for file in files(place.path()) {
        let bytes = fs::read(&file).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&file, &changed).unwrap();
            let Ok(store) = ZarrStore::open(place.path(), Budget::new(1 << 30)) else {
                found += 1;
                continue;
            };
            for (id, region) in &regions {
                match store.read(id) {
                    Ok(read) => {
                        same += 1;
                        assert_eq!(read.digest(), region.digest(), "{} at byte {at}", file.display());
                    }
                    Err(error) => {
                        found += 1;
                        let text = error.to_string();
                        assert!(text.contains("expected") && text.contains("found"), "{text}");
                        // Metadata and marker are the same file.
                        let named = text.contains(file.file_name().unwrap().to_str().unwrap())
                            || is_marker(&file) && text.contains(&format!("/{REGIONS}/"));
                        assert!(named, "{text} does not name {}", file.display());
                    }
                }
            }
        }
        fs::write(&file, &bytes).unwrap();
    }
    let total: usize = files(place.path()).iter().map(|file| fs::read(file).unwrap().len()).sum();
    assert!(found >= total && same > 0, "{found} found of {total} bytes");
}

#[test]
fn what_is_cut_or_lost_is_said() {
    let place = tempfile::tempdir().unwrap();
    let regions = small_store(place.path());
    let store = open(place.path());
    let content = place.path().join(CONTENT);
    for file in files(&content) {
        let bytes = fs::read(&file).unwrap();
        for kept in [bytes.len() - 1, bytes.len() / 2, 0] {
            fs::write(&file, &bytes[..kept]).unwrap();
            assert!(
                regions.iter().any(|(id, _)| store.read(id).is_err()),
                "{} cut to {kept}",
                file.display()
            );
        }
        fs::write(&file, &bytes).unwrap();
        fs::remove_file(&file).unwrap();
        let errors: Vec<String> =
            regions.iter().filter_map(|(id, _)| store.read(id).err()).map(|e| e.to_string()).collect();
        match is_marker(&file) {
            true => assert!(errors.is_empty(), "its other name is enough: {errors:?}"),
            false => assert!(errors.len() == 1 && errors[0].contains("found no file"), "{errors:?}"),
        }
        fs::write(&file, &bytes).unwrap();
    }
    assert!(regions.iter().all(|(id, region)| store.read(id).unwrap().digest() == region.digest()));
}

#[test]
fn a_fault_before_any_step_leaves_the_old_region_or_the_new_one() {
    for (fault, todo) in [
        (Fault::Kill, "check the disk"),
        (Fault::Error(io::ErrorKind::StorageFull), "free some space"),
        (Fault::Error(io::ErrorKind::PermissionDenied), "ask for the right to write there"),
        (Fault::Error(io::ErrorKind::ReadOnlyFilesystem), "name a folder on a disk that may be written"),
    ] {
        for (step, times) in PublishStep::ALL.into_iter().flat_map(|step| [(step, 0), (step, 1)]) {
            let place = tempfile::tempdir().unwrap();
            let old = open(place.path());
            old.write(&id(RegionKind::Dense), Region::Dense(plane(5, 5))).unwrap();
            let seen = Mutex::new(0);
            let publisher = Publisher::new().with_faults(move |at| {
                let mut seen = seen.lock().unwrap();
                *seen += usize::from(at == step);
                (at == step && *seen == times + 1).then_some(fault)
            });
            let faulty =
                ZarrStore::with(place.path(), Budget::new(1 << 30), Compression::default(), publisher)
                    .unwrap();
            let written = faulty.write(&id(RegionKind::Dense), Region::Dense(plane(9, 9)));
            let now = open(place.path());
            let read = now.read(&id(RegionKind::Dense)).unwrap();
            let is = |plane: Dense| read.as_dense() == Some(&plane);
            assert!(
                if written.is_ok() { is(plane(9, 9)) } else { is(plane(5, 5)) || is(plane(9, 9)) },
                "{step:?}"
            );
            if let Err(error) = &written {
                assert!(error.to_string().contains(todo), "{error}");
            }
            now.remove_unmarked().unwrap();
            assert_eq!(now.list().unwrap().len(), 1);
            assert_eq!(fs::read_dir(place.path().join(CONTENT)).unwrap().count(), 1, "{step:?} {fault:?}");
        }
    }
}

#[test]
fn memory_comes_from_the_budget() {
    let place = tempfile::tempdir().unwrap();
    open(place.path()).write(&id(RegionKind::Dense), Region::Dense(plane(10, 10))).unwrap();
    let budget = Budget::new(300);
    let store = ZarrStore::open(place.path(), budget.clone()).unwrap();
    let held = store.read(&id(RegionKind::Dense)).unwrap();
    assert_eq!(budget.used(), 200);
    assert!(matches!(
        store.read(&id(RegionKind::Dense)),
        Err(StoreError::Full { bytes: 200, free: 100, .. })
    ));
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[test]
fn other_folders_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("thesis.txt"), "do not lose").unwrap();
    let error = ZarrStore::open(place.path(), Budget::new(1)).unwrap_err().to_string();
    assert!(error.contains("expected a store of regions, or nothing, found other files"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_lead_no_writer_out() {
    let place = tempfile::tempdir().unwrap();
    let (store, other) = (place.path().join("store"), place.path().join("other"));
    open(&store);
    fs::create_dir(&other).unwrap();
    fs::remove_dir(store.join(CONTENT)).unwrap();
    std::os::unix::fs::symlink(&other, store.join(CONTENT)).unwrap();
    assert!(ZarrStore::open(&store, Budget::new(1)).unwrap_err().to_string().contains("a link or nothing"));
}

fn noise(side: usize) -> Region {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u8
    };
    Region::Dense(Dense::new(side, side, 1, Pixels::U8((0..side * side).map(|_| next()).collect())).unwrap())
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_only_be_read_is_read_and_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    open(place.path()).write(&id(RegionKind::Dense), Region::Dense(plane(5, 5))).unwrap();
    let folders = [place.path().join(REGIONS), place.path().join(CONTENT), place.path().to_owned()];
    let allow =
        |mode| folders.iter().for_each(|f| fs::set_permissions(f, fs::Permissions::from_mode(mode)).unwrap());
    allow(0o555);
    // A superuser ignores permissions; only a read-only disk stops it.
    let privileged = fs::write(place.path().join("probe"), "").is_ok();
    if privileged && !run("mount", &["--bind", "-o", "ro"], &[place.path(), place.path()]) {
        println!("skipped: this user may write everywhere and mount nothing");
        return;
    }
    let result = std::panic::catch_unwind(|| {
        let store = open(place.path());
        assert_eq!(store.read(&id(RegionKind::Dense)).unwrap().as_dense(), Some(&plane(5, 5)));
        let error = store.write(&id(RegionKind::Dense), noise(3)).unwrap_err().to_string();
        let todo = if privileged { "name a folder on a disk" } else { "ask for the right to write there" };
        assert!(error.contains(todo), "{error}");
        assert_eq!(store.read(&id(RegionKind::Dense)).unwrap().as_dense(), Some(&plane(5, 5)));
    });
    assert!(!privileged || run("umount", &[], &[place.path()]));
    allow(0o755);
    result.unwrap();
}

#[cfg(unix)]
fn run(program: &str, options: &[&str], paths: &[&Path]) -> bool {
    let done = std::process::Command::new(program).args(options).args(paths).output();
    done.is_ok_and(|output| output.status.success())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_the_old_region_stays() {
    let place = tempfile::tempdir().unwrap();
    if !run("mount", &["-t", "tmpfs", "-o", "size=512k", "tmpfs"], &[place.path()]) {
        println!("skipped: this user cannot make a small disk");
        return;
    }
    let result = std::panic::catch_unwind(|| {
        let store = open(&place.path().join("store"));
        store.write(&id(RegionKind::Dense), noise(100)).unwrap();
        let error = store.write(&id(RegionKind::Dense), noise(1200)).unwrap_err().to_string();
        assert!(error.contains("free some space"), "{error}");
        assert!(store.read(&id(RegionKind::Dense)).unwrap().is_same(&noise(100)));
        assert_eq!(
            fs::read_dir(place.path().join("store").join(CONTENT)).unwrap().count(),
            1,
            "nothing is left behind"
        );
    });
    assert!(run("umount", &[], &[place.path()]));
    result.unwrap();
}
