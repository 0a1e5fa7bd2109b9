//! `onceflow bench kernels` measures every operation, on tissue and on files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod command;

use command::BenchFolder;

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
    let printed = BenchFolder::new().json("kernels --size 256 --no-peer --json");
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
    let printed = BenchFolder::new().json("kernels --size 256 --only fill --json");
    let named = |name: &str| {
        let figures = printed["figures"].as_array().unwrap();
        figures.iter().any(|f| f["name"].as_str().unwrap().starts_with(name))
    };
    assert!(named("fill holes") && !named("label") && !named("fill holes: spiral"));
}

#[test]
fn a_tile_that_cannot_be_read_is_refused() {
    let folder = BenchFolder::new();
    assert_eq!(folder.run("kernels --no-peer --image missing.png").exit, 2);
    assert_eq!(folder.run("kernels --no-peer --size 1").exit, 2);
    let whole = noise_png(64);
    std::fs::write(folder.path("whole.png"), &whole).unwrap();
    std::fs::write(folder.path("cut.png"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(folder.run("kernels --no-peer --only label --image whole.png").exit, 0);
    assert_eq!(folder.run("kernels --no-peer --image cut.png").exit, 2);
}

/// A square PNG file of noise, which does not compress.
fn noise_png(side: u32) -> Vec<u8> {
    let pixels: Vec<u8> = (0..side * side * 3).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    file
}
