//! `onceflow image`: what files hold, how images are cut, and tissue that is made up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::{deep_colour_png, read, shared};
use serde_json::json;
use shell::Shell;

#[test]
fn info_says_what_is_in_a_file() {
    let shell = Shell::new();
    shell.write("deep.png", deep_colour_png(3, 2));
    insta::assert_snapshot!("info", shell.ok("image info deep.png"));
    let found = shell.ok("image info deep.png --json").json();
    let scales = json!([{ "width": 3, "height": 2, "downsample": 1.0, "tile": null }]);
    let expected = json!({
        "version": 1, "format": "png", "width": 3, "height": 2, "scales": scales, "um_per_pixel": null,
        "channels": 3, "element": "u16", "vendor": null, "objective_power": null, "tile": null,
        "compression": "deflate", "library": null
    });
    assert_eq!(found, expected);
    insta::assert_snapshot!("info-synthetic", shell.ok("image info synth:100000x90000?seed=3"));
}

#[test]
fn info_of_what_is_no_image() {
    let shell = Shell::new();
    shell.write("text.png", "words\n").write("folder/a.txt", "");
    for (name, words) in
        [("missing", "tissue.png"), ("text", "text.png"), ("folder", "folder"), ("nothing", "")]
    {
        let said = shell.run(&format!("image info {words}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("info-{name}"), said);
    }
}

#[test]
fn info_of_real_tiles() {
    let Some(folder) = shared("data/histology-nuclei/monuseg") else { return };
    let tile = folder.join("TCGA-A7-A13E-01Z-00-DX1.tif");
    let json = Shell::new().ok(&format!("image info {} --json", tile.display())).json();
    assert_eq!(
        (&json["format"], &json["width"], &json["channels"]),
        (&"tiff".into(), &1000.into(), &3.into())
    );
}

/// The fixed form, of a slide that our own reader reads and of one that needs OpenSlide.
#[test]
fn info_of_real_slides() {
    let Some(folder) = shared("data/wsi") else { return };
    let shell = Shell::new();
    let words = |name: &str| format!("image info {}", folder.join(name).display());
    let json = shell.ok(&format!("{} --json", words("CMU-1-Small-Region.svs"))).json();
    assert_eq!(
        json,
        json!({
            "version": 1, "format": "svs", "width": 2220, "height": 2967,
            "scales": [{ "width": 2220, "height": 2967, "downsample": 1.0, "tile": { "width": 240, "height": 240 } }],
            "um_per_pixel": 0.499, "channels": 3,
            "element": "u8", "vendor": "aperio", "objective_power": 20.0, "tile": { "width": 240, "height": 240 },
            "compression": "JPEG", "library": null
        })
    );
    insta::assert_snapshot!("info-slide", shell.ok(&words("CMU-1-Small-Region.svs")));
    let said = shell.run(&words("TCGA-CR-7395-01A-01-TS1.svs"));
    if said.exit == 0 {
        assert!(said.to_string().contains("scale       2,221 x 1,783, 1/2.0005 of it\n"), "{said}");
    } else {
        assert!(said.to_string().contains("install OpenSlide (Debian and Ubuntu: libopenslide0"), "{said}");
    }
}

#[test]
fn info_of_volumes() {
    let shell = Shell::new();
    let head = "NDims = 3\nDimSize = 2 1 3\nElementSpacing = 0.5 0.5 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
    shell.write("a.mha", format!("{head}abcdef")).write("short.mha", format!("{head}abc"));
    insta::assert_snapshot!("info-volume", shell.ok("image info a.mha"));
    let json = shell.ok("image info a.mha --json").json();
    assert_eq!((&json["depth"], &json["um_per_pixel"]), (&json!(3), &json!(500.0)));
    let said = shell.run("image info short.mha");
    assert_eq!(said.exit, 2, "{said}");
    insta::assert_snapshot!("info-volume-short", said);
    assert_eq!(shell.run("image info none.nii").exit, 2);
}

#[test]
fn parts_cover_the_image_once() {
    let shell = Shell::new();
    insta::assert_snapshot!("parts", shell.ok("image parts synth:600x400 --size 256 --halo 16"));
    let json = shell.ok("image parts synth:600x400 --size 100 --halo 7 --json").json();
    let parts = json["parts"].as_array().unwrap();
    let area = |part: &serde_json::Value| part["width"].as_u64().unwrap() * part["height"].as_u64().unwrap();
    assert_eq!((parts.len(), parts.iter().map(area).sum::<u64>()), (24, 600 * 400));
    assert_eq!(
        parts[7],
        json!({
            "index": 7, "x": 100, "y": 100, "width": 100, "height": 100,
            "read": { "x": 93, "y": 93, "width": 114, "height": 114 }
        })
    );
    for (name, words) in
        [("none", "--size 0"), ("many", "--size 1"), ("halo", "--size 9000 --halo 18446744073709551615")]
    {
        let said = shell.run(&format!("image parts synth:90000x90000 {words}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("parts-{name}"), said);
    }
}

#[test]
fn tissue_is_made_with_its_truth() {
    let shell = Shell::new();
    insta::assert_snapshot!(
        "synth",
        shell.ok("image synth --width 120 --height 300 --seed 7 -o a.png --truth t.png")
    );
    let truth = read(&shell.path("t.png"));
    let numbers: std::collections::BTreeSet<u16> = truth.as_u16().unwrap().iter().copied().collect();
    let nuclei = numbers.len() as u16 - 1;
    assert_eq!(numbers, (0..=nuclei).collect(), "numbered without gaps");
    let json = shell.ok("image synth --width 120 --height 300 --seed 7 -o b.png --truth t.png --json").json();
    assert_eq!((&json["nuclei"], &json["file"]), (&nuclei.into(), &"b.png".into()));
    let bytes = |name: &str| std::fs::read(shell.path(name)).unwrap();
    assert_eq!(bytes("a.png"), bytes("b.png"));
    shell.ok("image synth --width 120 --height 300 --seed 8 -o b.png");
    assert_ne!(bytes("a.png"), bytes("b.png"));
}

#[test]
fn tissue_that_cannot_be_says_why() {
    let shell = Shell::new();
    for (name, exit, words) in [
        ("empty", 2, "--width 0 --height 5 -o a.png"),
        ("absurd", 2, "--width 99999999999 --height 5 -o a.png"),
        ("memory", 4, "--width 90000 --height 90000 -o a.png --memory '1 GiB'"),
        ("no-output", 2, "--width 9 --height 9"),
        ("no-folder", 3, "--width 9 --height 9 -o nowhere/a.png"),
        ("one-file", 2, "--width 9 --height 9 -o a.png --truth a.png"),
        ("json", 2, "--width 9 --height 9 -o - --json"),
    ] {
        let said = shell.run(&format!("image synth {words}"));
        assert_eq!(said.exit, exit, "{said}");
        insta::assert_snapshot!(format!("synth-{name}"), said);
    }
    let said = shell.ok("image synth --width 30000 --height 30 -o a.png --dry-run --json");
    assert_eq!((said.json()["dry_run"].as_bool(), said.stderr.trim()), (Some(true), "would write a.png"));
    assert!(shell.files().is_empty());
}

#[test]
fn parts_of_a_quad_tree_are_smaller_where_tissue_is() {
    let shell = Shell::new();
    let parts = |words: &str| {
        let found = shell.ok(&format!("image parts synth:1000x700?seed=5 {words} --json")).json();
        found["parts"].as_array().unwrap().clone()
    };
    let area = |parts: &[serde_json::Value]| -> u64 {
        parts.iter().map(|part| part["width"].as_u64().unwrap() * part["height"].as_u64().unwrap()).sum()
    };
    let quad = parts("--count 20 --by quad");
    assert!((18..=20).contains(&quad.len()) && area(&quad) == 1000 * 700);
    let kept = parts("--size 50 --skip-background");
    assert!(kept.len() <= 280 && area(&kept) <= 1000 * 700);
    assert!(kept.iter().enumerate().all(|(index, part)| part["index"].as_u64() == Some(index as u64)));
    for wrong in ["--count 4 --by grid", "--size 50 --by kd", "--size 50 --by quad", "--count 4 --by oct"] {
        assert_eq!(shell.run(&format!("image parts synth:300x200 {wrong}")).exit, 2, "{wrong}");
    }
}

#[test]
fn parts_of_equal_cost_cover_the_image() {
    let shell = Shell::new();
    let found = shell.ok("image parts synth:1000x700?seed=5 --count 9 --halo 8 --json").json();
    let parts = found["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 9);
    let number = |part: &serde_json::Value, key: &str| part[key].as_u64().unwrap();
    let area: u64 = parts.iter().map(|part| number(part, "width") * number(part, "height")).sum();
    assert_eq!(area, 1000 * 700);
    assert!(parts.iter().all(|part| (part["cost"].as_f64().unwrap() - 1.0).abs() < 0.1), "{parts:?}");
    assert!(shell.ok("image parts synth:300x200 --count 2").stdout.contains("cost"));
    for wrong in ["--count 0", "--count 2 --size 5", "", "--count 1000000"] {
        assert_eq!(shell.run(&format!("image parts synth:300x200 {wrong}")).exit, 2, "{wrong}");
    }
    let Some(slide) = shared("data/wsi/CMU-1-Small-Region.svs") else { return };
    let found = shell.ok(&format!("image parts {} --count 16 --json", slide.display())).json();
    let parts = found["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| (part["cost"].as_f64().unwrap() - 1.0).abs() < 0.1), "{parts:?}");
}
