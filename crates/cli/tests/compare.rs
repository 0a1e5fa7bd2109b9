//! `onceflow compare`: how far two masks or label images agree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::{deep_colour_png, grey_png};
use shell::Shell;

/// Two objects of four pixels, of which one is found whole and one by half; then one that is not there.
const FOUND: [u8; 24] =
    [255, 255, 0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0];
const TRUTH: [u8; 24] = [1, 1, 0, 0, 2, 2, 1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("found.png", grey_png(6, &FOUND)).write("truth.png", grey_png(6, &TRUTH));
    shell
}

#[test]
fn every_measure_is_told() {
    insta::assert_snapshot!("text", shell().ok("compare found.png truth.png --um-per-pixel 0.25"));
}

#[test]
fn json_has_every_measure() {
    let json = shell().ok("compare found.png truth.png --json").json();
    // Six pixels in common, seven found, eight true; two of three objects match, one whole and one by half.
    let expect = |name: &str, value: f64| {
        let found = json[name].as_f64().unwrap_or(f64::NAN);
        assert!((found - value).abs() < 1e-12, "{name}: expected {value}, found {found}");
    };
    expect("dice", 12.0 / 15.0);
    expect("jaccard", 6.0 / 9.0);
    expect("object_f1", 4.0 / 5.0);
    expect("panoptic_quality", 2.0 * 1.5 / 5.0);
    expect("mean_object_area", 7.0 / 3.0);
    expect("area_fraction", 7.0 / 24.0);
    for (name, value) in [("version", 1), ("pixel_difference", 3), ("objects", 3), ("foreground", 7)] {
        assert_eq!(json[name], value, "{name}");
    }
    assert_eq!((&json["reference_objects"], &json["matched"]), (&2.into(), &2.into()));
    assert!(json["objects_per_mm2"].is_null() && json["um_per_pixel"].is_null());
    assert!(json["hausdorff_distance"].as_f64().unwrap() > 1.0);
}

#[test]
fn the_same_agrees_and_an_empty_mask_has_no_distance() {
    let shell = shell();
    shell.write("empty.png", grey_png(6, &[0; 24]));
    let json = |words: &str| shell.ok(&format!("compare {words} --json")).json();
    let same = json("truth.png truth.png");
    assert_eq!((same["dice"].as_f64(), same["panoptic_quality"].as_f64()), (Some(1.0), Some(1.0)));
    assert_eq!(json("empty.png empty.png")["dice"].as_f64(), Some(1.0));
    let nothing = json("empty.png truth.png");
    assert_eq!(nothing["dice"].as_f64(), Some(0.0));
    assert!(nothing["hausdorff_distance"].is_null() && nothing["mean_object_area"].is_null());
    insta::assert_snapshot!("empty", shell.ok("compare empty.png truth.png"));
}

#[test]
fn synthetic_tissue_brings_its_truth_and_resolution() {
    let shell = Shell::new();
    shell.ok("image synth --width 90 --height 70 --seed 5 -o tissue.png --truth truth.png");
    let json = shell.ok("compare truth.png synth:90x70?seed=5 --json").json();
    assert_eq!((json["dice"].as_f64(), json["object_f1"].as_f64()), (Some(1.0), Some(1.0)));
    assert_eq!(json["um_per_pixel"].as_f64(), Some(0.25));
}

#[test]
fn what_cannot_be_compared_says_why() {
    let shell = shell();
    shell
        .write("small.png", grey_png(3, &[0; 6]))
        .write("text.png", "words")
        .write("deep.png", deep_colour_png(6, 4));
    shell.ok("image synth --width 6 --height 4 --seed 1 -o colour.png");
    for (name, words) in [
        ("sizes", "found.png small.png"),
        ("missing", "found.png nothing.png"),
        ("text", "text.png truth.png"),
        ("colour", "colour.png truth.png"),
        ("deep", "deep.png truth.png"),
        ("resolution", "found.png truth.png --um-per-pixel 0"),
        ("one", "found.png"),
    ] {
        let said = shell.run(&format!("compare {words}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
    let said = shell.run("compare synth:99999x99999 synth:99999x99999 --memory 1GiB --json");
    assert_eq!((said.exit, said.json()["ok"].as_bool()), (4, Some(false)), "{said}");
}
