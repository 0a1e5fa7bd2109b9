//! Every image and parameter set of the golden sets, bit for bit: the one in this crate, and a larger one of real images
//! where it is found beside the repository.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::nuclei::{
    self, Candidates, Parameters, Reconstructed, Segmentation, SegmentationStatus,
};
use onceflow_kernels::{Connectivity, Plane, StructuringElement, open};
use serde_json::Value;

#[test]
fn synthetic_images() {
    assert_eq!(check_set(pictures::own()), 18);
}

#[test]
fn real_images() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/nuclei");
    if !shared.exists() {
        eprintln!("skipped: there are no real images at {}", shared.display());
        return;
    }
    assert!(check_set(&shared) > 0);
}

/// Checks every image of a set, and says how many parameter sets that were.
fn check_set(set: &Path) -> usize {
    folders(set).iter().map(|folder| check_image(folder)).sum()
}

fn folders(set: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(set).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.join("cases.json").exists()).collect()
}

fn check_image(folder: &Path) -> usize {
    let normalized = pictures::colour(&folder.join("normalized.png"));
    let text = fs::read_to_string(folder.join("cases.json")).expect("cases");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("a list of cases");
    check_normalization(folder, &normalized);
    check_steps(folder, &normalized, &parameters(&cases[0]["parameters"]));
    cases.iter().for_each(|case| check_case(folder, &normalized, case));
    cases.len()
}

fn check_case(folder: &Path, normalized: &Plane<[u8; 3]>, case: &Value) {
    let name = case["mask"].as_str().unwrap();
    let parameters = parameters(&case["parameters"]);
    let Segmentation { mask, status, objects } = nuclei::segment(normalized.view(), &parameters);
    let place = format!("{} {name}", folder.display());
    assert_eq!(status_name(status), case["status"].as_str().unwrap(), "{place}");
    assert_eq!(Some(objects as u64), case["objects8"].as_u64(), "{place}");
    let foreground = mask.pixels().iter().filter(|pixel| **pixel != 0).count();
    assert_eq!(Some(foreground as u64), case["foreground"].as_u64(), "{place}");
    check_same(&mask, &folder.join(name));
}

fn status_name(status: SegmentationStatus) -> &'static str {
    match status {
        SegmentationStatus::Ok => "ok",
        SegmentationStatus::Background => "background",
        SegmentationStatus::BackgroundLikely => "background_likely",
        SegmentationStatus::NoCandidates => "no_candidates",
    }
}

fn parameters(given: &Value) -> Parameters {
    let whole = |name: &str| given[name].as_i64().unwrap_or_else(|| panic!("{name} is no whole number"));
    let real = |name: &str| given[name].as_f64().unwrap_or_else(|| panic!("{name} is no number"));
    let connectivity = |name: &str| Connectivity::from_parameter(whole(name));
    Parameters {
        blue: whole("blue"),
        green: whole("green"),
        red: whole("red"),
        t1: real("T1"),
        t2: real("T2"),
        recon_connectivity: connectivity("reconConnectivity"),
        fill_holes_connectivity: connectivity("fillHolesConnectivity"),
        g1: whole("G1"),
        min_size: whole("minSize"),
        max_size: whole("maxSize"),
        g2: whole("G2"),
        min_size_pl: whole("minSizePl"),
        watershed_connectivity: connectivity("watershedConnectivity"),
        min_size_seg: whole("minSizeSeg"),
        max_size_seg: whole("maxSizeSeg"),
    }
}

/// Compares each step that the folder holds.
fn check_steps(folder: &Path, normalized: &Plane<[u8; 3]>, p: &Parameters) {
    let image = normalized.view();
    let rbc = nuclei::red_blood_cells(image, p.t1, p.t2);
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(image, p.recon_connectivity);
    let Candidates { diff, bw1 } =
        nuclei::candidates(rc.view(), rc_recon.view(), p.fill_holes_connectivity, p.g1);
    let bw1_t = nuclei::sized_candidates(bw1.view(), p.min_size, p.max_size);
    let seg_open = nuclei::grow(diff.view(), bw1_t.view(), rbc.view(), p.g2);
    let big = nuclei::clumps(seg_open.view(), p.min_size_pl);
    let apart = nuclei::split(image, big.view(), p.watershed_connectivity);
    let rc_open = open(rc.view(), StructuringElement::Disk19);
    let steps = [
        ("rbc", &rbc),
        ("rc_open", &rc_open),
        ("rc_recon", &rc_recon),
        ("diff", &diff),
        ("bw1", &bw1),
        ("bw1_t", &bw1_t),
        ("seg_open", &seg_open),
        ("big", &big),
        ("seg_nonoverlap", &apart),
    ];
    for (name, step) in steps {
        let path = folder.join(format!("step-{name}.png"));
        if path.exists() {
            check_same(step, &path);
        }
    }
    let markers = folder.join("step-markers.png");
    if markers.exists() {
        check_same_partition(
            &nuclei::markers(big.view(), p.watershed_connectivity),
            &pictures::deep(&markers),
        );
    }
}

fn check_same(found: &Plane<u8>, path: &Path) {
    let expected = pictures::grey(path);
    assert_eq!((found.width(), found.height()), (expected.width(), expected.height()), "{}", path.display());
    let differ =
        found.pixels().iter().zip(expected.pixels()).filter(|(found, expected)| found != expected).count();
    assert_eq!(differ, 0, "pixels differ from {}", path.display());
}

/// The same pixels have labels, and two pixels share one here if and only if they share one there.
fn check_same_partition(found: &Plane<u32>, expected: &Plane<u16>) {
    let (mut there, mut here) = (HashMap::from([(0, 0)]), HashMap::from([(0, 0)]));
    for (found, expected) in found.pixels().iter().zip(expected.pixels()) {
        assert_eq!(there.entry(*found).or_insert(*expected), expected);
        assert_eq!(here.entry(*expected).or_insert(*found), found);
    }
}

/// At most one grey level on at most 2 % of the values.
fn check_normalization(folder: &Path, normalized: &Plane<[u8; 3]>) {
    let path = folder.join("input.png");
    if !path.exists() {
        return;
    }
    let input = pictures::colour(&path);
    let mut statistics = ColourSums::new();
    statistics.add(input.view());
    let found = transfer(input.view(), &statistics.finish());
    let values = found.pixels().as_flattened().iter().zip(normalized.pixels().as_flattened());
    let differences: Vec<u8> = values.map(|(found, expected)| found.abs_diff(*expected)).collect();
    assert!(differences.iter().all(|difference| *difference <= 1), "{}", folder.display());
    let off = differences.iter().filter(|difference| **difference > 0).count();
    assert!(off * 50 <= differences.len(), "{off} values of {} differ", folder.display());
}
