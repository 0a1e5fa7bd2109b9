//! Pairs of volumes: registered and warped by hand, stopped and continued, refused with a reason.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use shell::{Shell, command};

const ALL: &str = "register pair/fixed.nii.gz pair/moving.nii.gz --labels pair/fixed-labels.nii.gz pair/moving-labels.nii.gz --landmarks pair/fixed.txt pair/moving.txt";

fn with_pair(size: u32) -> Shell {
    let shell = Shell::new();
    shell.ok(&format!("image pair --size {size} -o pair"));
    shell
}

/// The content of each file of a folder.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), std::fs::read(file.path()).unwrap()))
        .collect()
}

#[test]
fn a_registration_finds_the_field_of_a_synthetic_pair_with_the_same_bytes_on_any_number_of_threads() {
    let shell = with_pair(32);
    let said = shell.ok(&format!("{ALL} -o one --workers 1 --json"));
    let found = said.json();
    let metric = |name: &str| found["metrics"][name].as_f64().unwrap_or_else(|| panic!("no {name}: {said}"));
    assert!(metric("landmark_mean") < 0.5 * metric("landmark_before"), "{said}");
    assert!(metric("dice") > metric("dice_before") + 0.05, "{said}");
    assert!(metric("nmi") > metric("nmi_before") && metric("ssd") < metric("ssd_before"), "{said}");
    assert_eq!(metric("folding"), 0.0, "{said}");
    assert_eq!(found["levels"].as_array().unwrap().len(), 5);
    let one = content(&shell.path("one"));
    let names: Vec<&str> = one.keys().map(String::as_str).collect();
    let expected = [
        "displacement.nii.gz",
        "jacobian.nii.gz",
        "labels.nii.gz",
        "landmarks.txt",
        "register.json",
        "report.html",
        "trace.csv",
        "transform.json",
        "transform.raw",
        "transform.txt",
        "warped.nii.gz",
    ];
    assert_eq!(names, expected);
    for workers in [2, 16] {
        shell.ok(&format!("{ALL} -o other-{workers} --workers {workers}"));
        assert_eq!(content(&shell.path(&format!("other-{workers}"))), one, "{workers} threads");
    }
}

#[test]
fn a_transform_takes_other_files_along() {
    let shell = with_pair(24);
    shell.ok(&format!("{ALL} -o out -p iterations=10"));
    let made = content(&shell.path("out"));
    shell.ok("warp out/transform.json pair/moving.nii.gz -o again.nii.gz");
    shell.ok("warp out/transform.json pair/moving-labels.nii.gz --labels -o again-labels.nii.gz");
    shell.ok("warp out/transform.json pair/fixed.txt -o again.txt");
    for (again, first) in [
        ("again.nii.gz", "warped.nii.gz"),
        ("again-labels.nii.gz", "labels.nii.gz"),
        ("again.txt", "landmarks.txt"),
    ] {
        assert_eq!(std::fs::read(shell.path(again)).unwrap(), made[first], "{again}");
    }
    let dry = shell.ok("warp out/transform.json pair/moving.nii.gz -o dry.mha --dry-run");
    assert!(dry.stderr.contains("would write dry.mha: 24 x 24 x 24 voxels"), "{dry}");
    assert!(!shell.exists("dry.mha"));
    shell.write("mine.nii.gz", "my own");
    let refused = shell.run("warp out/transform.json pair/moving.nii.gz -o mine.nii.gz");
    assert_eq!((refused.exit, shell.read("mine.nii.gz").as_str()), (2, "my own"), "{refused}");
}

#[test]
fn files_that_are_there_are_not_replaced_unasked_and_a_dry_run_writes_nothing() {
    let shell = with_pair(16);
    let words = "register pair/fixed.nii.gz pair/moving.nii.gz -o out -p iterations=3";
    let dry = shell.ok(&format!("{words} --dry-run"));
    assert!(dry.stderr.contains("would register onto 16 x 16 x 16 voxels"), "{dry}");
    assert!(!shell.exists("out"));
    shell.ok(words);
    let first = content(&shell.path("out"));
    let refused = shell.run(words);
    assert_eq!(refused.exit, 2, "{refused}");
    assert!(refused.stderr.contains("exists already") && refused.stderr.contains("--force"), "{refused}");
    shell.ok(&format!("{words} --force"));
    assert_eq!(content(&shell.path("out")), first);
}

/// A process that is killed leaves a state behind, from which the next goes on to the same bytes.
#[test]
fn a_killed_registration_goes_on_to_the_same_bytes() {
    let shell = with_pair(40);
    let words =
        "register pair/fixed.nii.gz pair/moving.nii.gz -p iterations=60 -p tolerance=0 --workers 1 -o";
    shell.ok(&format!("{words} whole"));
    let mut command = command(&shell.path(""));
    command
        .args(words.split(' '))
        .arg("killed")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    // A state is saved after each level; the kill comes somewhere in a later one.
    while !shell.exists("killed/unfinished.state") && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!shell.exists("killed/register.json"), "it was over before it was killed");
    let said = shell.ok(&format!("{words} killed --json"));
    assert!(said.json()["resumed_iterations"].as_u64().unwrap() > 0, "{said}");
    assert_eq!(content(&shell.path("killed")), content(&shell.path("whole")));
}

#[test]
fn what_cannot_be_registered_is_named_and_nothing_is_written() {
    let shell = with_pair(24);
    shell.ok("image pair --size 20 -o small");
    shell.write("three.txt", "point\n3\n1 2 3\n4 5 6\n7 8 9\n");
    shell.write("words.txt", "these are words\n");
    shell.write("bad.nii.gz", "no volume");
    let cases = [
        ("pair/nothing.nii.gz pair/moving.nii.gz", "nothing of that name"),
        ("bad.nii.gz pair/moving.nii.gz", "bad.nii.gz"),
        (
            "pair/fixed.nii.gz pair/moving.nii.gz --labels small/fixed-labels.nii.gz pair/moving-labels.nii.gz",
            "20 x 20 x 20 voxels",
        ),
        ("pair/fixed.nii.gz pair/moving.nii.gz --masks small/fixed-labels.nii.gz -", "the mask"),
        ("pair/fixed.nii.gz pair/moving.nii.gz --landmarks pair/fixed.txt three.txt", "12 places in both"),
        ("pair/fixed.nii.gz pair/moving.nii.gz --landmarks words.txt three.txt", "`point` or `index`"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p bending_2=-1", "bending_2"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p step=0", "`step`"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p spacing=-4", "`spacing`"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p spacing=0.001", "a larger `spacing`"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p bendin=1", "did you mean `bending"),
        ("pair/fixed.nii.gz pair/moving.nii.gz --window 9 3", "a window of two finite numbers"),
        ("pair/fixed.nii.gz pair/moving.nii.gz --window 900 901", "differ"),
        ("pair/fixed.nii.gz pair/moving.nii.gz --time 1", "a time from 0 to 0"),
        ("pair/fixed.nii.gz pair/moving.nii.gz -p initial=nowhere.txt", "nowhere.txt"),
    ];
    for (words, expected) in cases {
        let said = shell.run(&format!("register {words} -o out"));
        assert_eq!(said.exit, 2, "{words}\n{said}");
        assert!(said.stderr.contains(expected), "{words}: {expected} is not in\n{said}");
        assert!(!shell.exists("out"), "{words}");
    }
    let said = shell.run("register pair/fixed.nii.gz pair/moving.nii.gz -o out --memory '64 KiB'");
    assert_eq!(said.exit, 4, "{said}");
}

#[test]
fn volumes_that_lie_apart_are_told_and_brought_together_by_their_centres() {
    let shell = with_pair(24);
    // An affine start that moves everything away says the same as volumes that lie apart.
    shell.write("away.txt", "1 0 0 500\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let said = shell.run("register pair/fixed.nii.gz pair/moving.nii.gz -o out -p initial=away.txt");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("do not overlap") && said.stderr.contains("mm apart"), "{said}");
    assert!(!shell.exists("out/register.json"));
    shell.ok("register pair/fixed.nii.gz pair/moving.nii.gz -o out -p initial=centres -p iterations=2");
}

/// What is written opens in SimpleITK and says the same there. Needs a Python with SimpleITK, named by `ONCEFLOW_SIMPLEITK`.
#[test]
fn simpleitk_agrees_with_what_is_written() {
    let Ok(python) = std::env::var("ONCEFLOW_SIMPLEITK") else {
        eprintln!("skipped: ONCEFLOW_SIMPLEITK names no Python with SimpleITK");
        return;
    };
    let shell = with_pair(32);
    shell.write("start.txt", "1.02 0.01 0 1\n-0.01 0.99 0 0.5\n0 0.02 1 -0.5\n0 0 0 1\n");
    for (form, start) in [("nii.gz", "identity"), ("mha", "start.txt")] {
        shell.ok(&format!("{ALL} -o {form} --form {form} -p initial={start} -p iterations=15"));
        let script = format!(
            "import SimpleITK as s, numpy as n\n\
             a = s.GetArrayFromImage\n\
             f, m, t = s.ReadImage('pair/fixed.nii.gz'), s.ReadImage('pair/moving.nii.gz'), s.ReadTransform('{form}/transform.txt')\n\
             low = float(a(m).min())\n\
             w = a(s.Resample(s.Cast(m, s.sitkFloat64), f, t, s.sitkLinear, low))\n\
             u = s.ReadImage('{form}/displacement.{form}', s.sitkVectorFloat64)\n\
             z, y, x = n.indices(a(f).shape)\n\
             q = (n.stack([x, y, z], -1) * 2.0 + a(u)) / 2.0\n\
             inside = ((q > 1e-3) & (q < n.array(m.GetSize()) - 1.001)).all(-1)\n\
             print('warped', n.abs(n.clip(n.rint(w), 0, 255) - a(s.ReadImage('{form}/warped.{form}')))[inside].max())\n\
             l = a(s.Resample(s.ReadImage('pair/moving-labels.nii.gz'), f, t, s.sitkNearestNeighbor, 0))\n\
             print('labels', (l != a(s.ReadImage('{form}/labels.{form}')))[inside].mean())\n\
             d = s.TransformToDisplacementField(t, s.sitkVectorFloat64, f.GetSize(), f.GetOrigin(), f.GetSpacing(), f.GetDirection())\n\
             print('displacement', n.abs(a(d) - a(u)).max())\n\
             j = a(s.DisplacementFieldJacobianDeterminant(u))\n\
             print('jacobian', n.abs(j - a(s.ReadImage('{form}/jacobian.{form}')))[2:-2, 2:-2, 2:-2].max())\n\
             print('grid', n.abs(n.array(u.GetOrigin()) - n.array(f.GetOrigin())).max())"
        );
        let done =
            std::process::Command::new(&python).args(["-c", &script]).current_dir(shell.path("")).output();
        let done = done.unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let said = String::from_utf8(done.stdout).unwrap();
        for line in said.lines() {
            let (name, value) = line.split_once(' ').unwrap();
            // Ties of rounding fall either way; the Jacobian of ITK is by differences of the field.
            let most = match name {
                "warped" => 1.0,
                "labels" => 2e-3,
                "jacobian" => 0.1,
                _ => 1e-4,
            };
            assert!(value.parse::<f64>().unwrap() <= most, "{form}: {said}");
        }
    }
}
