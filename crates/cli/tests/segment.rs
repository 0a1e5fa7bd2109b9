//! `onceflow segment`: the nuclei of one image, and what is said when there can be none.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;
mod studies;

use onceflow_region::Dense;
use pictures::{read, shared};
use shell::Shell;

/// A shell with a small image of tissue.
fn tissue() -> Shell {
    let shell = Shell::new();
    shell.ok("image synth --width 200 --height 150 --seed 7 -o tissue.png --truth truth.png");
    shell
}

#[test]
fn nuclei_are_found_and_written() {
    let shell = tissue();
    let said =
        shell.ok("segment tissue.png -o mask.png --labels labels.png --overlay look.png --truth truth.png");
    insta::assert_snapshot!("written", said);
    let (mask, labels) = (read(&shell.path("mask.png")), read(&shell.path("labels.png")));
    let (mask, labels) = (mask.as_u8().unwrap().to_vec(), labels.as_u16().unwrap().to_vec());
    assert!(mask.iter().zip(&labels).all(|(mask, label)| (*label > 0) == (*mask == 255)));
    let look = read(&shell.path("look.png"));
    assert_eq!((look.width(), look.height(), look.channels()), (200, 150, 3));
    let json = shell.ok("segment tissue.png --json").json();
    assert_eq!(json["objects"], u64::from(*labels.iter().max().unwrap()));
    assert_eq!(json["foreground"], mask.iter().filter(|pixel| **pixel != 0).count());
    assert_eq!((&json["version"], &json["status"], &json["width"]), (&1.into(), &"ok".into(), &200.into()));
    assert_eq!((&json["parameters"]["G1"], &json["parameters"]["T1"]), (&80.into(), &5.0.into()));
    assert_eq!(shell.ok("segment synth:200x150?seed=7 --json").json(), json, "a name stands for the file");
}

#[test]
fn parameters_come_from_a_file_and_from_words() {
    let shell = tissue();
    shell.write("p.json", r#"{"G1": 40, "reconConnectivity": 4, "T1": 5.5}"#);
    let json = |words: &str| shell.ok(&format!("segment tissue.png --json {words}")).json();
    let from_file = json("--params p.json");
    let from_words = json("-p G1=40.9 -p reconConnectivity=6 -p T1=5.5");
    let found = |json: &serde_json::Value| (json["objects"].as_u64(), json["foreground"].as_u64());
    assert_eq!(found(&from_file), found(&from_words), "values that a kind cannot tell apart are one");
    assert_ne!(from_file["foreground"], json("")["foreground"]);
    let over = json("--params p.json -p G1=60 -p G1=70");
    assert_eq!((&over["parameters"]["G1"], &over["parameters"]["T1"]), (&70.into(), &5.5.into()));
}

#[test]
fn the_best_row_of_a_run_is_taken_with_its_resolution() {
    let shell = tissue();
    shell.write("study.toml", studies::STUDY);
    shell.ok("run study.toml -o runs/first");
    let best: serde_json::Value = serde_json::from_str(&shell.read("runs/first/best.json")).unwrap();
    assert_eq!((&best["workflow"], &best["um_per_pixel"]), (&"nuclei 1".into(), &0.25.into()));
    let words = |names: &serde_json::Value| -> String {
        names.as_object().unwrap().iter().map(|(name, value)| format!(" -p {name}={value}")).collect()
    };
    let known = "segment synth:200x150?seed=7 --json";
    let of_run = shell.ok(&format!("{known} --params runs/first/best.json"));
    assert_eq!(of_run.json(), shell.ok(&format!("{known}{}", words(&best["parameters"]))).json());
    assert_eq!(of_run.stderr, "", "the image has the resolution of the values");
    shell.write("again.json", &of_run.stdout);
    assert_eq!(shell.ok(&format!("{known} --params again.json")).json(), of_run.json());
    shell.ok("features synth:200x150?seed=7 --params runs/first/best.json -o nuclei.csv");
    let said = shell.ok("segment tissue.png --params runs/first/best.json -p G1=40 -o mask.png");
    insta::assert_snapshot!("best-silent", said);
    // Without a best row there is nothing to take, and the values of another workflow are not for this one.
    shell.write("none.json", r#"{"version": 1, "workflow": "nuclei 1", "row": null}"#);
    shell.write("other.json", r#"{"version": 1, "workflow": "mine 2", "parameters": {"a": 1}}"#);
    for name in ["none", "other"] {
        let said = shell.run(&format!("segment tissue.png --params {name}.json"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("best-{name}"), said);
    }
}

#[test]
fn another_resolution_is_said_or_worked_at() {
    let shell = Shell::new();
    shell.write("best.json", r#"{"version": 1, "um_per_pixel": 0.5, "parameters": {"G1": 60}}"#);
    let known = "segment synth:200x150?seed=7 --params best.json";
    insta::assert_snapshot!("resolution-differs", shell.ok(known));
    let words = "--um-per-pixel 0.5 -o half.png --labels half.tif --polygons whole.geojson";
    insta::assert_snapshot!("resolution-asked", shell.ok(&format!("{known} {words}")));
    let half = read(&shell.path("half.png"));
    assert_eq!((half.width(), half.height()), (100, 75));
    // Outlines have the pixels of the file: they fit the image, and are twice as far apart.
    let outlines: serde_json::Value = serde_json::from_str(&shell.read("whole.geojson")).unwrap();
    let places = |feature: &serde_json::Value| -> Vec<f64> {
        let rings = &feature["geometry"]["coordinates"][0];
        rings.as_array().unwrap().iter().map(|place| place[0].as_f64().unwrap()).collect()
    };
    let all: Vec<f64> = outlines["features"].as_array().unwrap().iter().flat_map(places).collect();
    assert!(all.iter().all(|x| *x <= 200.0 && x % 2.0 == 0.0) && all.iter().any(|x| *x > 100.0));
    // Labels of either size serve, and truth over the whole image is taken at the resolution of the work.
    for labels in ["half.tif", "synth:200x150?seed=7"] {
        let words = format!("--um-per-pixel 0.5 --labels {labels} -o nuclei.csv");
        shell.ok(&format!("features synth:200x150?seed=7 {words}"));
    }
    shell.ok(&format!("{known} --um-per-pixel 0.5 --overlay o.png --truth synth:200x150?seed=7"));
    // A file that says no resolution is taken at its word.
    shell.ok("image synth --width 60 --height 40 --seed 7 -o silent.png");
    let said = shell.ok("segment silent.png --params best.json --um-per-pixel 0.25");
    insta::assert_snapshot!("resolution-assumed", said);
    assert_eq!(shell.run("segment silent.png --um-per-pixel 0").exit, 2);
}

#[test]
fn what_is_taken_of_an_image_is_said() {
    let shell = Shell::new();
    let page = pictures::tiff(12, 10, 1, 8, 1, &[200; 120]);
    shell.write("grey.tif", &page).write("pages.tif", two_pages(&page));
    shell.write("deep.png", pictures::deep_colour_png(12, 10));
    for (name, said) in [
        ("grey.tif", "note: grey.tif is grey; red, green and blue get the same values\n"),
        ("deep.png", "note: deep.png has 16 bits per channel; the upper 8 of each are taken\n"),
        ("pages.tif", "note: pages.tif holds 2 images; the first is taken\n"),
    ] {
        for command in ["segment", "features -o nuclei.csv"] {
            let found = shell.ok(&format!("{command} {name}"));
            assert!(found.stderr.contains(said), "{found}");
        }
    }
}

/// A TIFF file whose only image is followed by itself.
fn two_pages(file: &[u8]) -> Vec<u8> {
    let count = u16::from_le_bytes([file[8], file[9]]) as usize;
    let (next, mut file) = (10 + 12 * count, file.to_vec());
    let directory = file[8..next].to_vec();
    let at = file.len() as u32;
    file[next..next + 4].copy_from_slice(&at.to_le_bytes());
    file.extend(directory);
    file.extend([0; 4]);
    file
}

#[test]
fn wrong_parameters_are_said_at_their_place() {
    let shell = tissue();
    shell.write("names.json", "{\n  \"G1\": 40,\n  \"g2\": 18,\n  \"colour\": 1\n}\n");
    shell.write("values.json", "{\"G1\": \"high\", \"T1\": [5], \"T2\": null}");
    shell
        .write("list.json", "[1, 2]")
        .write("broken.json", "{\"G1\": 40,,}")
        .write("twice.json", "{\"G1\": 1, \"G1\": 2}");
    for (name, words) in [
        ("names", "--params names.json"),
        ("values", "--params values.json"),
        ("list", "--params list.json"),
        ("broken", "--params broken.json"),
        ("twice", "--params twice.json"),
        ("missing", "--params nothing.json"),
        ("word", "-p minsize=3 -p G1=high -p G2"),
        ("range", "-p G1=800 -p red=-2 -p T1=-1 -p T2=1e9 -p minSize=-5 -p maxSizeSeg=nan"),
    ] {
        let said = shell.run(&format!("segment tissue.png -o mask.png {words}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("parameters-{name}"), said);
    }
    assert!(!shell.exists("mask.png"));
}

#[test]
fn images_that_cannot_be_segmented_say_why() {
    let shell = tissue();
    let whole = std::fs::read(shell.path("tissue.png")).unwrap();
    shell
        .write("text.png", "not a picture")
        .write("cut.png", &whole[..whole.len() / 2])
        .write("empty.png", "");
    for (name, words) in [
        ("missing", "nothing.png"),
        ("text", "text.png"),
        ("cut", "cut.png"),
        ("empty", "empty.png"),
        ("folder", "."),
        ("synthetic", "synth:200"),
        ("no-tissue", "synth:0x10"),
        ("beyond-numbers", "synth:18446744073709551615x2"),
        ("product", "synth:4294967296x4294967296"),
        ("truth-size", "tissue.png --overlay o.png --truth synth:20x20"),
        ("truth-colour", "tissue.png --overlay o.png --truth tissue.png"),
    ] {
        let said = shell.run(&format!("segment {words} -o mask.png"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn nothing_found_is_a_result_with_a_reason() {
    let shell = Shell::new();
    for (name, words) in [("background", "-p red=-1 -p green=-1 -p blue=-1"), ("no-candidates", "-p G1=255")]
    {
        let said = shell.ok(&format!("segment synth:60x40?seed=7 -o mask.png {words}"));
        insta::assert_snapshot!(format!("nothing-{name}"), said);
        assert!(read(&shell.path("mask.png")).as_u8().unwrap().iter().all(|pixel| *pixel == 0));
    }
}

#[test]
fn outputs_are_checked_before_the_work() {
    let shell = tissue();
    shell.write("p.json", "{}");
    for (name, exit, words) in [
        ("input", 2, "-o ./tissue.png"),
        ("parameters", 2, "--params p.json -o p.json"),
        ("twice", 2, "-o a.png --labels a.png"),
        ("no-folder", 3, "-o nowhere/mask.png"),
        ("is-a-folder", 3, "-o ."),
        ("json-and-standard-output", 2, "-o - --json"),
        ("ending", 2, "-o mask.jpg"),
        ("ending-of-polygons", 2, "--polygons nuclei.png"),
        ("scale-alone", 2, "--overlay-scale 4"),
    ] {
        let said = shell.run(&format!("segment tissue.png {words}"));
        assert_eq!(said.exit, exit, "{said}");
        insta::assert_snapshot!(format!("output-{name}"), said);
    }
    assert_eq!(shell.files(), ["p.json", "tissue.png", "truth.png"], "nothing is left behind");
}

#[test]
fn a_mask_goes_through_a_pipe() {
    let shell = tissue();
    shell.ok("segment tissue.png -o mask.png");
    let mut command = shell::command(&shell.path(""));
    let output = command.args(["segment", "tissue.png", "-o", "-"]).output().unwrap();
    assert_eq!(output.stdout, std::fs::read(shell.path("mask.png")).unwrap());
    assert!(String::from_utf8_lossy(&output.stderr).contains("status      ok"));
}

#[test]
fn a_dry_run_computes_nothing() {
    let shell = tissue();
    insta::assert_snapshot!(
        "dry-run",
        shell.ok("segment tissue.png -o mask.png --labels l.png --dry-run --json")
    );
    assert_eq!(shell.files(), ["tissue.png", "truth.png"]);
}

#[test]
fn masks_are_those_of_the_reference_program() {
    let Some(folder) = shared("golden/nuclei") else { return };
    let shell = Shell::new();
    for tile in ["breast", "lgg", "dsb"] {
        let folder = folder.join(tile);
        let cases = std::fs::read_to_string(folder.join("cases.json")).unwrap();
        let cases: serde_json::Value = serde_json::from_str(&cases).unwrap();
        for case in cases.as_array().unwrap().iter().step_by(3) {
            shell.write("p.json", case["parameters"].to_string());
            let image = folder.join("normalized.png");
            let words = format!("segment {} --no-normalize --params p.json --json", image.display());
            let json = shell.ok(&format!("{words} -o mask.png")).json();
            shell.ok(&format!("{words} -o tiles.png --tile 150"));
            let name = case["mask"].as_str().unwrap();
            assert_eq!(json["status"], case["status"], "{tile} {name}");
            assert_eq!(json["foreground"], case["foreground"], "{tile} {name}");
            assert_eq!(json["objects"], case["objects8"], "{tile} {name}");
            let same = |a: Dense, b: Dense| a.as_u8().unwrap() == b.as_u8().unwrap();
            for mask in ["mask.png", "tiles.png"] {
                assert!(same(read(&shell.path(mask)), read(&folder.join(name))), "{tile} {name}");
            }
        }
    }
}

#[test]
fn nuclei_of_real_tiles_agree_with_their_truth_as_known() {
    let Some(folder) = shared("data/histology-nuclei") else { return };
    let shell = Shell::new();
    // As a second program finds it, which is made of operations of OpenCV, SciPy and scikit-image.
    for (image, truth, expected) in [
        ("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG.png", "-mask.png", 0.847),
        ("monuseg/TCGA-21-5784-01Z-00-DX1.tif", ".labels.png", 0.631),
        ("monuseg/TCGA-A7-A13E-01Z-00-DX1.tif", ".labels.png", 0.575),
        ("monuseg/TCGA-B0-5698-01Z-00-DX1.tif", ".labels.png", 0.542),
        ("monuseg/TCGA-CH-5767-01Z-00-DX1.tif", ".labels.png", 0.481),
    ] {
        let image = folder.join(image).display().to_string();
        let truth = format!("{}{truth}", image.rsplit_once('.').unwrap().0);
        shell.ok(&format!("segment {image} -o mask.png"));
        let dice = shell.ok(&format!("compare mask.png {truth} --json")).json()["dice"].as_f64().unwrap();
        assert!((dice - expected).abs() < 0.0005, "{image}: expected {expected}, found {dice}");
    }
}
