//! `segment` and `features` of several images: paths, patterns, lists.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::read;
use serde_json::json;
use shell::Shell;

/// Three images of tissue, of which one is none.
fn tissue() -> Shell {
    let shell = Shell::new();
    shell.write("in/broken.png", "words");
    for (name, seed) in [("one", 7), ("two", 8)] {
        shell.ok(&format!(
            "image synth --width 160 --height 120 --seed {seed} -o in/{name}.png --truth in/{name}.labels.png"
        ));
    }
    shell
}

#[test]
fn what_is_wrong_with_one_image_does_not_stop_the_others() {
    let shell = tissue();
    let said = shell
        .run("segment in/one.png in/broken.png in/two.png -o masks/ --labels masks/ --polygons outlines/");
    assert_eq!(said.exit, 1, "{said}");
    insta::assert_snapshot!("segment", said);
    insta::assert_snapshot!("segment-summary", shell.read("masks/summary.csv"));
    for name in ["one", "two"] {
        shell.ok(&format!("segment in/{name}.png -o alone.png --labels alone.tif --polygons alone.geojson"));
        assert_eq!(read(&shell.path(&format!("masks/{name}.mask.png"))), read(&shell.path("alone.png")));
        assert_eq!(read(&shell.path(&format!("masks/{name}.labels.tif"))), read(&shell.path("alone.tif")));
        assert_eq!(shell.read(&format!("outlines/{name}.geojson")), shell.read("alone.geojson"));
    }
    assert!(!shell.exists("masks/broken.mask.png"));
    let said = shell.run("segment in/one.png in/broken.png in/two.png --json");
    assert_eq!(said.exit, 1);
    let json = said.json();
    assert_eq!((&json["version"], &json["failed"]), (&json!(1), &json!(1)));
    let one = &json["images"][0];
    assert_eq!(
        (&one["image"], &one["status"], &one["width"]),
        (&json!("in/one.png"), &json!("ok"), &json!(160))
    );
    assert_eq!(json["images"][1]["status"], "failed");
    assert!(json["images"][1]["diagnostics"][0]["message"].as_str().unwrap().contains("in/broken.png"));
}

#[test]
fn patterns_and_lists_name_images() {
    let shell = tissue();
    shell.write("lists/slides.txt", "# mine\n\n../in/one.png\n../in/t*.png\n");
    let names = |words: &str| -> Vec<String> {
        let json = shell.run(&format!("segment {words} --json")).json();
        json["images"]
            .as_array()
            .unwrap()
            .iter()
            .map(|image| image["image"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("in/*e.png"), ["in/one.png"], "a pattern is several, however many it finds");
    assert_eq!(
        names("@lists/slides.txt"),
        ["lists/../in/one.png", "lists/../in/two.labels.png", "lists/../in/two.png"]
    );
    assert_eq!(names("synth:60x40?seed=1 synth:60x40?seed=2"), ["synth:60x40?seed=1", "synth:60x40?seed=2"]);
    for (name, words) in [
        ("nothing", "in/*.svs"),
        ("pattern", "in/[.png"),
        ("list", "@none.txt"),
        ("file", "in/one.png in/two.png -o masks.png"),
        ("standard-output", "in/one.png in/two.png -o -"),
        ("parameter", "in/one.png in/two.png -p G9=3"),
    ] {
        let said = shell.run(&format!("segment {words}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn features_of_several_images() {
    let shell = tissue();
    shell.ok("segment in/one.png in/two.png --labels labels/");
    let said = shell.ok("features in/one.png in/two.png --labels labels -o tables/");
    insta::assert_snapshot!("features", said);
    for name in ["one", "two"] {
        shell.ok(&format!("features in/{name}.png --labels labels/{name}.tif -o alone.csv"));
        assert_eq!(shell.read(&format!("tables/{name}.csv")), shell.read("alone.csv"));
    }
    let json = shell.ok("features 'in/o*e.png' -o found/ --format geojson --json").json();
    assert_eq!(json["images"][0]["file"], "found/one.geojson");
    assert!(shell.read("found/summary.csv").starts_with("image,status,objects,file,error\nin/one.png,ok,"));
    let said = shell.run("features in/one.png in/two.png --mask labels/none -o tables/ --json");
    assert_eq!((said.exit, said.json()["failed"].as_u64()), (1, Some(2)));
    assert_eq!(shell.run("features in/one.png -o a.csv --format csv").exit, 2);
    assert_eq!(shell.run("features in/one.png in/two.png -o a.csv").exit, 2);
}

#[test]
fn a_dry_run_of_several_images_writes_nothing() {
    let shell = tissue();
    let before = shell.files();
    insta::assert_snapshot!("dry-run", shell.ok("segment in/one.png in/two.png -o masks/ --dry-run"));
    insta::assert_snapshot!(
        "dry-run-features",
        shell.ok("features in/one.png in/two.png -o tables/ --dry-run")
    );
    assert_eq!(shell.files(), before);
}
