//! `onceflow bench kernels` measures every operation, on tissue and on files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

const OPERATIONS: [&str; 11] = [
    "opening",
    "reconstruction",
    "fill holes",
    "label",
    "label and filter by area",
    "distance",
    "h-maxima",
    "regional maxima",
    "watershed",
    "normalization",
    "segmentation",
];

#[test]
fn a_small_tile_without_peers_prints_all_figures() {
    let printed = Shell::new().ok("bench kernels --size 256 --no-peer --json").json();
    let figures = printed["figures"].as_array().unwrap();
    let named = |name: &str| figures.iter().filter(|f| f["name"].as_str().unwrap().starts_with(name)).count();
    let exactly = |name: &str| figures.iter().filter(|f| f["name"] == name).count();
    for operation in OPERATIONS {
        let found = (exactly(operation), named(&format!("{operation}: floor")));
        assert_eq!(found, (1, 1), "{operation}");
    }
    for operation in
        ["reconstruction", "fill holes", "label", "label and filter by area", "distance", "watershed"]
    {
        for shape in ["spiral", "comb", "checkerboard", "full"] {
            assert_eq!(named(&format!("{operation}: {shape}")), 1, "{operation} {shape}");
        }
    }
    assert!(figures.iter().all(|f| f["value"].as_f64().unwrap() > 0.0), "{figures:?}");
}

#[test]
fn one_operation_alone() {
    let printed = Shell::new().ok("bench kernels --size 256 --only fill --json").json();
    let named = |name: &str| {
        let figures = printed["figures"].as_array().unwrap();
        figures.iter().any(|f| f["name"].as_str().unwrap().starts_with(name))
    };
    assert!(named("fill holes") && !named("label") && !named("fill holes: spiral"));
}

#[test]
fn a_tile_that_is_none_is_refused() {
    let shell = Shell::new();
    assert_eq!(shell.run("bench kernels --no-peer --image missing.png").exit, 2);
    assert_eq!(shell.run("bench kernels --no-peer --size 1").exit, 2);
    shell.ok("image synth --width 64 --height 64 -o whole.png");
    let whole = std::fs::read(shell.path("whole.png")).unwrap();
    shell.write("cut.png", &whole[..whole.len() / 2]);
    assert_eq!(shell.run("bench kernels --no-peer --image cut.png").exit, 2);
}
