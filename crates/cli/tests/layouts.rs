//! Images and their truth as people keep them: `init`, `segment --truth` and `compare` find the same pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::{grey_png, read, shared};
use serde_json::Value;
use shell::Shell;

/// Tissue with its labels.
fn tissue(shell: &Shell, seed: u64, image: &str, truth: &str) {
    for file in [image, truth] {
        std::fs::create_dir_all(shell.path(file).parent().unwrap()).unwrap();
    }
    shell.ok(&format!("image synth --width 120 --height 90 --seed {seed} -o '{image}' --truth '{truth}'"));
}

/// Outlines of the truth in a file.
fn outlines(shell: &Shell, seed: u64, file: &str) {
    std::fs::create_dir_all(shell.path(file).parent().unwrap()).unwrap();
    shell.ok(&format!("segment synth:120x90?seed={seed} --polygons '{file}'"));
}

/// What `init` found: pairs of names of files, and files that are left out.
fn pairs(shell: &Shell, words: &str) -> (Vec<(String, String)>, Vec<String>) {
    let json = shell.ok(&format!("init {words} -o study.toml --force --json")).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |pair: &Value| (text(&pair["image"]), text(&pair["truth"]));
    let left_out = json["left_out"].as_array().unwrap().iter().map(|left| text(&left["file"]));
    (json["pairs"].as_array().unwrap().iter().map(pair).collect(), left_out.collect())
}

/// What is written is a study without a warning.
fn check(shell: &Shell) {
    let said = shell.ok("check study.toml");
    assert!(said.stdout.contains("\nok") && !said.to_string().contains("warning"), "{said}");
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(image, truth)| ((*image).to_owned(), (*truth).to_owned())).collect()
}

#[test]
fn images_and_truth_side_by_side() {
    let shell = Shell::new();
    for (seed, name, truth) in
        [(1, "a", "a.labels"), (2, "b", "b_mask"), (3, "c", "c.binary"), (4, "d", "d-mask")]
    {
        tissue(&shell, seed, &format!("data/{name}.png"), &format!("data/{truth}.png"));
    }
    outlines(&shell, 4, "data/d.geojson");
    tissue(&shell, 5, "data/e.png", "data/gone_mask.png");
    shell.write("data/README.txt", "mine").write("data/settings.json", "{}");
    let (found, left_out) = pairs(&shell, "data");
    let expected = [
        ("data/a.png", "data/a.labels.png"),
        ("data/b.png", "data/b_mask.png"),
        ("data/c.png", "data/c.binary.png"),
        ("data/d.png", "data/d.geojson"),
    ];
    assert_eq!(found, owned(&expected));
    assert_eq!(left_out, ["data/gone_mask.png", "data/d-mask.png"]);
    check(&shell);
    insta::assert_snapshot!("side-by-side", shell.ok("init data -o study.toml --force"));
    assert_eq!(
        pairs(&shell, "'data/*.png'").0,
        owned(&expected[..3])
            .into_iter()
            .chain(owned(&[("data/d.png", "data/d-mask.png")]))
            .collect::<Vec<_>>()
    );
}

#[test]
fn truth_in_folders_of_its_own() {
    let shell = Shell::new();
    // As MoNuSeg is published, with folders that are neither.
    tissue(&shell, 1, "set/Tissue Images/a.png", "set/Color_masks/a.png");
    tissue(&shell, 2, "set/Tissue Images/b.png", "set/Binary_masks/b.png");
    outlines(&shell, 1, "set/Annotations/a.geojson");
    let (found, left_out) = pairs(&shell, "set");
    let expected = [
        ("set/Tissue Images/a.png", "set/Annotations/a.geojson"),
        ("set/Tissue Images/b.png", "set/Binary_masks/b.png"),
    ];
    assert_eq!((found, left_out), (owned(&expected), vec!["set/Color_masks".to_owned()]));
    check(&shell);
    // Truth that is named, of images that are named.
    let (found, _) = pairs(&shell, "'set/Tissue Images' --truth set/Binary_masks");
    assert_eq!(found, owned(&expected[1..]));
    // Truth below the images.
    tissue(&shell, 3, "own/c.png", "own/truth/c.png");
    assert_eq!(pairs(&shell, "own").0, owned(&[("own/c.png", "own/truth/c.png")]));
    check(&shell);
}

#[test]
fn a_folder_for_each_image_with_a_mask_for_each_nucleus() {
    let shell = Shell::new();
    for (seed, id) in [(1, "00ae65"), (2, "0121d6")] {
        tissue(&shell, seed, &format!("stage1/{id}/images/{id}.png"), "labels.png");
        let labels = read(&shell.path("labels.png"));
        let labels = labels.as_u16().unwrap();
        for label in 1..=*labels.iter().max().unwrap() {
            let mask: Vec<u8> = labels.iter().map(|found| if *found == label { 255 } else { 0 }).collect();
            shell.write(&format!("stage1/{id}/masks/{label:03}.png"), grey_png(120, &mask));
        }
    }
    let (found, left_out) = pairs(&shell, "stage1");
    let expected = [
        ("stage1/00ae65/images/00ae65.png", "stage1/00ae65/masks"),
        ("stage1/0121d6/images/0121d6.png", "stage1/0121d6/masks"),
    ];
    assert_eq!((found, left_out), (owned(&expected), Vec::new()));
    check(&shell);
    // The masks are the labels they were made of.
    let json = shell.ok("compare stage1/0121d6/masks labels.png --json").json();
    assert_eq!((&json["dice"], &json["object_f1"]), (&1.0.into(), &1.0.into()));
    let json = shell.ok("segment stage1 -o masks/ --truth stage1 --json").json();
    assert_eq!(json["images"].as_array().unwrap().len(), 2);
    let alone = shell.ok("compare masks/0121d6.png stage1/0121d6/masks --json").json();
    assert_eq!(json["images"][1]["dice"], alone["dice"]);
    assert_eq!(json["images"][1]["reference_objects"], alone["reference_objects"]);
}

#[test]
fn a_project_of_qupath_with_exported_annotations() {
    let shell = Shell::new();
    tissue(&shell, 1, "slides/a b.png", "x/a.png");
    tissue(&shell, 2, "slides/c.png", "x/c.png");
    outlines(&shell, 1, "project/annotations/a b.png.geojson");
    let project = r#"{"images": [
        {"imageName": "a b", "serverBuilder": {"uri": "../slides/a%20b.png"}},
        {"imageName": "c", "serverBuilder": {"uri": "../slides/c.png"}}]}"#;
    shell.write("project/project.qpproj", project).write("project/data/1/data.qpdata", "");
    let (found, _) = pairs(&shell, "project");
    let pair = ("project/../slides/a b.png", "project/annotations/a b.png.geojson");
    assert_eq!(found, owned(&[pair]));
    check(&shell);
    std::fs::remove_dir_all(shell.path("project/annotations")).unwrap();
    insta::assert_snapshot!("qupath", shell.ok("init project/project.qpproj -o study.toml --force"));
    check(&shell);
}

#[test]
fn folders_are_compared_pair_by_pair_and_together() {
    let shell = Shell::new();
    for (seed, name) in [(1, "a"), (2, "b"), (3, "c")] {
        tissue(&shell, seed, &format!("data/{name}.png"), &format!("data/{name}.labels.png"));
    }
    std::fs::remove_file(shell.path("data/c.labels.png")).unwrap();
    let segmented = shell.ok("segment data -o masks/ --truth data");
    insta::assert_snapshot!("segment", segmented);
    insta::assert_snapshot!("summary", shell.read("masks/summary.csv"));
    let compared = shell.ok("compare masks data");
    insta::assert_snapshot!("compare", compared);
    let json = shell.ok("compare masks data --json").json();
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let alone = shell.ok(&format!("compare masks/{name}.png data/{name}.labels.png --json")).json();
        for key in ["dice", "object_f1", "panoptic_quality", "objects", "reference_objects", "matched"] {
            assert_eq!(json["images"][at][key], alone[key], "{name} {key}");
        }
    }
    let sum =
        |key: &str| json["images"].as_array().unwrap().iter().map(|i| i[key].as_u64().unwrap()).sum::<u64>();
    for key in ["objects", "reference_objects", "matched"] {
        assert_eq!(json["overall"][key], sum(key));
    }
    let f1 = 2.0 * sum("matched") as f64 / (sum("objects") + sum("reference_objects")) as f64;
    assert!((json["overall"]["object_f1"].as_f64().unwrap() - f1).abs() < 1e-12);
    let one = shell.ok("segment data/a.png --truth data --json").json();
    assert_eq!(one["dice"], json["images"][0]["dice"]);
    // Nothing in common is an error, and a pair that cannot be compared is one of its own.
    shell.write("other/z.png", grey_png(2, &[0, 255]));
    let said = shell.run("compare masks other");
    assert_eq!(said.exit, 2, "{said}");
    insta::assert_snapshot!("nothing-in-common", said);
    shell.write("sizes/a.png", grey_png(2, &[0, 255]));
    assert_eq!(shell.run("compare masks sizes").exit, 1);
}

#[test]
fn real_layouts_are_paired() {
    let Some(folder) = shared("data/histology-nuclei") else { return };
    let shell = Shell::new();
    for (name, images, truths) in [("monuseg", 4, 4), ("dsb2018", 6, 6), ("tcga-glioma", 2, 1)] {
        let folder = folder.join(name).display().to_string();
        let said = shell.ok(&format!("init {folder} -o study.toml --force --json"));
        let json = said.json();
        assert_eq!(
            (json["images"].as_u64(), json["with_truth"].as_u64()),
            (Some(images), Some(truths)),
            "{said}"
        );
        assert!(!said.stderr.contains("warning"), "{said}");
        check(&shell);
    }
}
