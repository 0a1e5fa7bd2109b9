//! Features against a second program (`features/make.py` says which column against what), against objects whose
//! features are known, and against what must not change them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod pictures;

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};
use std::path::{Path, PathBuf};

use onceflow_kernels::features::{FeatureTable, features, names};
use onceflow_kernels::{Connectivity, Plane, View, label};
use proptest::prelude::*;
use serde_json::Value;

fn own(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/features")).join(name)
}

#[test]
fn as_another_program_computes_them() {
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(own("expected.json")).unwrap()).unwrap();
    let image = pictures::colour(&pictures::own().join("dense/normalized.png"));
    let nuclei =
        label(pictures::grey(&pictures::own().join("dense/mask-00.png")).view(), Connectivity::Eight);
    let shapes = pictures::grey(&own("shapes.png"));
    let shapes = shapes.pixels().iter().map(|label| u32::from(*label)).collect();
    let shapes = Plane::from_vec(shapes, image.width(), image.height()).unwrap();
    for (case, labels) in cases.iter().zip([&nuclei.plane, &shapes]) {
        check_case(case, &features(image.view(), labels.view()).unwrap());
    }
}

fn check_case(case: &Value, found: &FeatureTable) {
    let list = |value: &Value| value.as_array().unwrap().clone();
    assert_eq!(list(&case["names"]).iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), names());
    assert_eq!(list(&case["objects"]).len(), found.objects.len());
    for (row, (expected, object)) in list(&case["objects"]).iter().zip(&found.objects).enumerate() {
        let extent = object.extent;
        let place = format!("{} {}", case["image"], extent.label);
        assert_eq!(expected["label"], extent.label, "{place}");
        let corners = [extent.left, extent.top, extent.right, extent.bottom];
        assert_eq!(expected["box"], serde_json::json!(corners), "{place}");
        for (axis, value) in list(&expected["centroid"]).iter().enumerate() {
            check(&format!("{place} centroid"), value, object.centroid[axis]);
        }
        for ((name, column), value) in names().iter().zip(&found.columns).zip(&list(&expected["values"])) {
            check(&format!("{place} {name}"), value, column[row]);
        }
    }
}

/// Equal to nine digits; what is 0 but for rounding counts as it.
fn check(place: &str, expected: &Value, found: f64) {
    match expected.as_f64() {
        None => assert!(found.is_nan(), "{place}: expected nothing, found {found}"),
        Some(expected) => {
            let near = (found - expected).abs() <= 1e-9 * expected.abs() + 1e-12;
            assert!(near, "{place}: expected {expected}, found {found}");
        }
    }
}

/// One object on a plain image, and what its features are called.
fn of_mask(width: usize, height: usize, inside: impl Fn(i32, i32) -> bool) -> impl Fn(&str) -> f64 {
    let pixels = (0..width * height).map(|i| u32::from(inside((i % width) as i32, (i / width) as i32)));
    let labels = Plane::from_vec(pixels.collect(), width, height).unwrap();
    let image = Plane::filled([200, 120, 180], width, height);
    let found = features(image.view(), labels.view()).unwrap();
    move |name| found.columns[found.names.iter().position(|n| n == name).unwrap()][0]
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "expected {expected}, found {found}");
}

#[test]
fn a_rectangle() {
    let of = of_mask(40, 30, |x, y| (5..25).contains(&x) && (7..15).contains(&y));
    near(of("area"), 160.0);
    near(of("perimeter"), 2.0 * (19.0 + 7.0) + 2.0 * SQRT_2);
    // A rectangle's own moments, sides included: side² / 12.
    near(of("major_axis"), 20.0 * 4.0 / 12f64.sqrt());
    near(of("minor_axis"), 8.0 * 4.0 / 12f64.sqrt());
    near(of("eccentricity"), (1.0 - 0.4f64 * 0.4).sqrt());
    near(of("extent"), 1.0);
    near(of("convex_area"), 160.0);
    near(of("solidity"), 1.0);
    near(of("equivalent_diameter"), 2.0 * (160.0 / PI).sqrt());
    near(of("orientation"), 0.0);
    near(of("euler_number"), 1.0);
    near(of("red_mean"), 200.0);
    near(of("red_entropy"), 0.0);
    near(of("haematoxylin_gradient_mean"), 0.0);
    near(of("haematoxylin_edge_pixels"), 0.0);
    near(of("texture_energy"), 1.0);
    near(of("texture_correlation"), 1.0);
}

#[test]
fn an_upright_one_and_slanted_ones() {
    near(of_mask(30, 40, |x, y| x == 15 && (5..30).contains(&y))("orientation"), FRAC_PI_2);
    near(of_mask(30, 30, |x, y| x == y)("orientation"), PI / 4.0);
    near(of_mask(30, 30, |x, y| x + y == 29)("orientation"), -PI / 4.0);
    near(of_mask(30, 30, |x, y| x == y)("convex_area"), 30.0);
}

#[test]
fn discs_and_rings() {
    let disc = |x: i32, y: i32, r: i32| (x - 50) * (x - 50) + (y - 50) * (y - 50) <= r * r;
    let of = of_mask(101, 101, |x, y| disc(x, y, 40));
    assert!((of("area") / (PI * 1600.0) - 1.0).abs() < 0.01);
    assert!((of("major_axis") / 80.0 - 1.0).abs() < 0.01);
    near(of("minor_axis"), of("major_axis"));
    near(of("eccentricity"), 0.0);
    assert!((of("circularity") - 1.0).abs() < 0.15, "{}", of("circularity"));
    assert!(of("solidity") > 0.98);
    let of = of_mask(101, 101, |x, y| disc(x, y, 40) && !disc(x, y, 20));
    near(of("euler_number"), 0.0);
    assert!((0.72..0.76).contains(&of("solidity")), "{}", of("solidity"));
}

#[test]
fn one_pixel_and_no_ring() {
    let of = of_mask(9, 9, |x, y| x == 4 && y == 4);
    near(of("perimeter"), 2.0 * SQRT_2);
    near(of("major_axis"), 4.0 / 12f64.sqrt());
    near(of("convex_area"), 1.0);
    assert!(of("texture_contrast").is_nan());
    let full = of_mask(9, 9, |_, _| true);
    assert!(full("cytoplasm_eosin_mean").is_nan() && full("cytoplasm_eosin_edge_pixels").is_nan());
    near(full("perimeter"), 4.0 * 8.0 + 2.0 * SQRT_2);
}

#[test]
fn images_of_two_sizes_have_no_features() {
    assert_eq!(features(Plane::filled([0; 3], 4, 4).view(), Plane::filled(1, 4, 5).view()), None);
    let found = features(Plane::default().view(), Plane::default().view()).unwrap();
    assert!(found.objects.is_empty() && found.columns.iter().all(Vec::is_empty));
}

/// A picture and one object in it, with room around for all that is looked at.
const SIDE: usize = 44;
const ROOM: usize = 16;

fn scene() -> impl Strategy<Value = (Vec<[u8; 3]>, Vec<bool>)> {
    let colours = proptest::collection::vec(any::<[u8; 3]>(), SIDE * SIDE);
    let inside = SIDE - 2 * ROOM;
    (colours, proptest::collection::vec(proptest::bool::weighted(0.6), inside * inside))
}

/// The values of the object when pixels are taken from where `from` says.
fn measured(scene: &(Vec<[u8; 3]>, Vec<bool>), from: impl Fn(i32, i32) -> (i32, i32)) -> Option<Vec<f64>> {
    let inside = (SIDE - 2 * ROOM) as i32;
    let at = |i: usize| from((i % SIDE) as i32, (i / SIDE) as i32);
    let side = SIDE as i32;
    let wrapped = |(x, y): (i32, i32)| (y.rem_euclid(side) * side + x.rem_euclid(side)) as usize;
    let image: Vec<[u8; 3]> = (0..SIDE * SIDE).map(|i| scene.0[wrapped(at(i))]).collect();
    let label = |i: usize| {
        let (x, y) = at(i);
        let (x, y) = (x - ROOM as i32, y - ROOM as i32);
        let within = (0..inside).contains(&x) && (0..inside).contains(&y);
        u32::from(within && scene.1[(y * inside + x) as usize])
    };
    let labels: Vec<u32> = (0..SIDE * SIDE).map(label).collect();
    let found =
        features(View::new(&image, SIDE, SIDE).unwrap(), View::new(&labels, SIDE, SIDE).unwrap()).unwrap();
    (!found.objects.is_empty()).then(|| found.columns.iter().map(|column| column[0]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_changes_when_all_moves(scene in scene(), dx in -3..=3, dy in -3..=3) {
        let (here, there) = (measured(&scene, |x, y| (x, y)), measured(&scene, |x, y| (x + dx, y + dy)));
        let bits = |values: Option<Vec<f64>>| values.map(|v| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
        prop_assert_eq!(bits(here), bits(there));
    }

    #[test]
    fn a_quarter_turn_changes_the_orientation_alone(scene in scene()) {
        let last = SIDE as i32 - 1;
        let (here, there) = (measured(&scene, |x, y| (x, y)), measured(&scene, |x, y| (y, last - x)));
        let (Some(here), Some(there)) = (here, there) else { return Ok(()) };
        for ((name, a), b) in names().iter().zip(here).zip(there) {
            if name == "orientation" {
                let turned = (a - b).abs();
                let equal = (turned - FRAC_PI_2).abs() < 1e-9 || turned < 1e-9;
                prop_assert!(equal, "{name}: {a} {b}");
            } else if !name.contains("edge") {
                // Of two equal neighbours along a row or column, Canny's edges take the first: they may differ.
                let equal = a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * a.abs().max(1.0);
                prop_assert!(equal, "{name}: {a} {b}");
            }
        }
    }
}
