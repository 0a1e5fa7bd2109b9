//! `onceflow bench seams` measures how far parts differ from the whole image.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod command;

use command::BenchFolder;

#[test]
fn parts_differ_less_with_a_wider_halo() {
    let printed = BenchFolder::new().json("seams --image synth:600x500?seed=4 --json");
    let figures = printed["figures"].as_array().unwrap();
    let named = |word: &str| figures.iter().filter(|f| f["name"].as_str().unwrap().contains(word)).count();
    assert_eq!(
        named("halo") - named(", only "),
        3 * 4 * 2,
        "three sets of parameters, four halos, pixels and objects; no parts of 1024"
    );
    assert_eq!(named(", only "), 10, "then one operation at a time");
    let value = |name: &str| figures.iter().find(|f| f["name"] == name).unwrap()["value"].as_f64().unwrap();
    assert!(value("defaults; parts 256, halo 0: pixels that differ") > 1.0);
    assert_eq!(
        value("defaults; parts 256, halo 256: pixels that differ"),
        0.0,
        "every part sees almost everything"
    );
    assert_eq!(value("defaults; parts 256, halo 150: objects without a partner"), 0.0);
}
