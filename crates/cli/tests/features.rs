//! `onceflow features`: tables and outlines of the nuclei of one image, and what is said when there can be none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::grey_png;
use serde_json::Value;
use shell::Shell;

/// A shell with a small image of tissue and the nuclei found in it.
fn tissue() -> Shell {
    let shell = Shell::new();
    shell.ok("image synth --width 200 --height 150 --seed 7 -o tissue.png --truth truth.png");
    shell.ok("segment tissue.png -o mask.png --labels labels.png");
    shell
}

/// The lines of a table without its header, and the header's fields.
fn table(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (lines.next().unwrap(), lines.collect())
}

#[test]
fn nuclei_that_are_found_are_those_of_the_mask_and_of_the_labels() {
    let shell = tissue();
    let json = shell.ok("features tissue.png -o found.csv --json").json();
    shell.ok("features tissue.png --mask mask.png -o mask.csv --workers 1");
    shell.ok("features tissue.png --labels labels.png -o labels.csv --workers 3");
    let (header, rows) = table(&shell.read("found.csv"));
    assert_eq!(json["objects"], rows.len());
    assert_eq!((header.len(), &header[0..2]), (8 + 92, &["label".to_owned(), "status".to_owned()][..]));
    let names = json["features"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    assert!(names.eq(header[8..].iter()));
    assert!(rows.len() > 5 && rows.iter().all(|row| row.len() == header.len()));
    assert_eq!(shell.read("mask.csv"), shell.read("found.csv"));
    assert_eq!(shell.read("labels.csv"), shell.read("found.csv"));
    let foreground = shell.ok("segment tissue.png --json").json()["foreground"].as_f64();
    let area: f64 = rows.iter().map(|row| row[8].parse::<f64>().unwrap()).sum();
    assert_eq!(Some(area), foreground);
}

#[test]
fn colours_are_those_of_the_target_unless_asked_otherwise() {
    let shell = tissue();
    let reds = |words: &str| {
        let said = shell.ok(&format!("features tissue.png --mask mask.png -o - {words}"));
        let (header, rows) = table(&said.stdout);
        let column = header.iter().position(|name| name == "red_mean").unwrap();
        rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>()
    };
    assert_ne!(reds(""), reds("--no-normalize"));
}

#[test]
fn outlines_are_detections_with_measurements() {
    let shell = tissue();
    shell.ok("features tissue.png --labels labels.png -o nuclei.geojson");
    shell.ok("features tissue.png --labels labels.png -o nuclei.csv");
    let (header, rows) = table(&shell.read("nuclei.csv"));
    let collection: Value = serde_json::from_str(&shell.read("nuclei.geojson")).unwrap();
    assert_eq!(collection["type"], "FeatureCollection");
    let features = collection["features"].as_array().unwrap();
    assert_eq!(features.len(), rows.len());
    for (feature, row) in features.iter().zip(&rows) {
        let properties = &feature["properties"];
        assert_eq!((&feature["type"], &properties["objectType"]), (&"Feature".into(), &"detection".into()));
        assert_eq!(properties["classification"]["name"], "Nucleus");
        assert_eq!(properties["metadata"]["label"], row[0].as_str());
        let measurements = properties["measurements"].as_object().unwrap();
        for (name, field) in header.iter().zip(row).skip(8) {
            assert_eq!(measurements.get(name).map_or(String::new(), text), *field, "{name}");
        }
        assert_eq!(area(&feature["geometry"]), measurements["area"].as_f64().unwrap());
    }
}

/// A number as tables say it.
fn text(number: &Value) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The area of a geometry by the formula of the polygon: holes count as less.
fn area(geometry: &Value) -> f64 {
    let list = |value: &Value| value.as_array().unwrap().clone();
    let coordinates = list(&geometry["coordinates"]);
    let polygons = if geometry["type"] == "Polygon" {
        vec![coordinates]
    } else {
        coordinates.iter().map(list).collect()
    };
    let ring = |ring: &Value| {
        let points: Vec<[f64; 2]> = serde_json::from_value(ring.clone()).unwrap();
        let cross = points.iter().zip(&points[1..]).map(|(a, b)| a[0] * b[1] - b[0] * a[1]);
        cross.sum::<f64>() / 2.0
    };
    polygons.iter().flatten().map(ring).sum()
}

#[test]
fn objects_are_told_whole_or_at_the_border() {
    let shell = Shell::new();
    let mut values = [0; 30];
    (values[0], values[14], values[15]) = (3, 200, 200);
    shell.write("labels.png", grey_png(6, &values)).write("image.png", grey_png(6, &[90; 30]));
    let said = shell.ok("features image.png --labels labels.png --no-normalize -o -");
    let (_, rows) = table(&said.stdout);
    assert_eq!(rows[0][..9], ["3", "at_border", "0.5", "0.5", "0", "0", "1", "1", "1"]);
    assert_eq!(rows[1][..9], ["200", "whole", "3", "2.5", "2", "2", "2", "1", "2"]);
}

#[test]
fn nothing_found_is_a_table_without_lines() {
    let shell = Shell::new();
    let said = shell.ok("features synth:60x40?seed=7 -p G1=255 -o none.csv");
    insta::assert_snapshot!("nothing", said);
    assert_eq!(shell.read("none.csv").lines().count(), 1);
    shell.ok("features synth:60x40?seed=7 -p G1=255 -o none.geojson");
    let none: Value = serde_json::from_str(&shell.read("none.geojson")).unwrap();
    assert_eq!(none["features"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_done_is_said_before_the_work() {
    let shell = tissue();
    for (name, exit, words) in [
        ("ending", 2, "tissue.png -o nuclei.txt"),
        ("json-and-standard-output", 2, "tissue.png -o - --json"),
        ("input", 2, "tissue.png --mask labels.geojson -o labels.geojson"),
        ("no-folder", 3, "tissue.png -o nowhere/nuclei.csv"),
        ("both", 2, "tissue.png --mask mask.png --labels labels.png -o n.csv"),
        ("parameter-of-a-mask", 2, "tissue.png --mask mask.png -p G1=40 -o n.csv"),
        ("parameter", 2, "tissue.png -p g1=40 -o n.csv"),
        ("size", 2, "tissue.png --mask synth:20x20 -o n.csv"),
        ("colour", 2, "tissue.png --labels tissue.png -o n.csv"),
        ("missing", 2, "nothing.png -o n.csv"),
        ("memory", 4, "synth:100000x100000 --memory '16 MiB' -o n.csv"),
        ("tile", 4, "tissue.png --tile 4096 --memory '1 GiB' -o n.csv"),
    ] {
        shell.write("labels.geojson", "{}");
        let said = shell.run(&format!("features {words}"));
        assert_eq!(said.exit, exit, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
    insta::assert_snapshot!("dry-run", shell.ok("features tissue.png -o n.csv --dry-run --json"));
    assert!(!shell.exists("n.csv"));
}
