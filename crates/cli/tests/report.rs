//! `onceflow report`: the answer of a run, printed again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::STUDY;

#[test]
fn a_report_is_what_the_run_said() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let run = shell.ok("run study.toml -o first");
    let report = shell.ok("report first");
    assert_eq!(report.stdout, run.stdout);
    assert!(report.stderr.contains("first/report.html"), "{report}");
    assert_eq!(shell.ok("report first --json").stdout, shell.read("first/run.json"));
}

#[test]
fn a_folder_without_results_says_what_to_do() {
    let shell = Shell::new();
    shell.write("empty/note.txt", "").write("file", "");
    for (name, folder) in [("missing", "none"), ("empty", "empty"), ("file", "file")] {
        let said = shell.run(&format!("report {folder}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
        assert_eq!(shell.run(&format!("report {folder} --json")).exit, 2);
    }
}

/// Row 0 found what the overlay of the report shows, region by region; the same command writes the same bytes.
#[test]
fn a_row_is_made_again_region_by_region() {
    let shell = Shell::new();
    shell.write("deep/study.toml", STUDY.replace("[run]\n", "[run]\nkeep_regions = [\"nuclei\"]\n"));
    shell.ok("run deep/study.toml -o first");
    let said = shell.ok("report first --row 3 -o look");
    let files: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(files.first(), Some(&"look/01-image.png"));
    assert!(files.iter().any(|file| file.ends_with("-normalized.png")), "{said}");
    assert_eq!(&files[files.len() - 2..], ["look/overlay.png", "look/nuclei.geojson"]);
    assert!(files.iter().all(|file| shell.exists(file)), "{said}");
    let list = shell.read("first/regions/list.csv");
    let kept = list.lines().find(|line| line.starts_with("3,one,")).unwrap();
    let kept = format!("first/{}", kept.rsplit(',').next().unwrap());
    let made = files.iter().find(|file| file.ends_with("-nuclei.png")).unwrap();
    let read = |file: &str| std::fs::read(shell.path(file)).unwrap();
    assert_eq!(pixels(&read(made)), pixels(&read(&kept)), "what was kept is made again");
    let polygons: serde_json::Value = serde_json::from_str(&shell.read("look/nuclei.geojson")).unwrap();
    assert_eq!(polygons["type"], "FeatureCollection");
    shell.ok("report first --row 3 --image one --part 0 -o again");
    for file in &files {
        assert_eq!(read(file), read(&file.replace("look/", "again/")), "{file}");
    }
}

/// What the run had at hand is what its rows find when they are computed again.
#[test]
fn pictures_are_those_of_rows_computed_again() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    let drawn = drawings(&shell);
    assert!(drawn.len() > 4, "an image, the defaults, the best row, and a gallery: {}", drawn.len());
    std::fs::remove_file(shell.path("first/run.json")).unwrap();
    let said = shell.run_with("run study.toml -o first --pictures all", "", &[("ONCEFLOW_PROGRESS", "auto")]);
    assert!(said.stderr.contains("pictures  computing "), "{said}");
    assert!(drawings(&shell) == drawn, "other pictures");
    let said = shell.ok("run study.toml -o second --pictures none");
    assert!(!said.stderr.contains("pictures"), "{said}");
    assert!(!shell.read("second/report.html").contains("data:image/png"));
    let said = shell.run("run study.toml -o third --pictures some");
    assert!(said.exit == 2 && said.stderr.contains("expected auto, all or none"), "{said}");
}

/// The PNG files in a report.
fn drawings(shell: &Shell) -> Vec<String> {
    let page = shell.read("first/report.html");
    let after = page.split("data:image/png;base64,").skip(1);
    after.map(|text| text.split('"').next().unwrap().to_owned()).collect()
}

/// Whether each pixel of a PNG file is of an object.
fn pixels(file: &[u8]) -> Vec<bool> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels.iter().map(|pixel| *pixel != 0).collect()
}

#[test]
fn a_row_that_cannot_be_made_again_says_why() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    for (words, said) in [
        ("report first --row 99 -o look", "no row 99"),
        ("report first --row 1 --image two -o look", "the study has no image `two`"),
        ("report first --row 1 --part 7 -o look", "the image has no such part"),
        ("report none --row 1 -o look", "none is not the folder of a finished run"),
        ("report first --row 1", "-o <FOLDER>"),
    ] {
        let refused = shell.run(words);
        assert_eq!(refused.exit, 2, "{refused}");
        assert!(refused.stderr.contains(said), "{refused}");
    }
    shell.write("study.toml", STUDY.replace("seed = 3", "seed = 4"));
    let said = shell.run("report first --row 1 -o look");
    assert!(said.exit == 2 && said.to_string().contains("has changed since"), "{said}");
    assert!(!shell.exists("look"));
}

/// What archives read: every file that it names lies in the folder, and every reference is described.
#[test]
fn the_folder_describes_itself() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    let described: serde_json::Value =
        serde_json::from_str(&shell.read("first/ro-crate-metadata.json")).unwrap();
    let graph = described["@graph"].as_array().unwrap();
    for file in graph.iter().filter(|entity| entity["@type"] == "File") {
        let name = file["@id"].as_str().unwrap();
        assert!(shell.exists(&format!("first/{name}")), "{name}");
    }
    let known: serde_json::Value = serde_json::from_str(&shell.read("first/provenance.json")).unwrap();
    assert!(known["command"].as_str().unwrap().ends_with("run study.toml -o first"));
    assert!(known["files"].as_array().unwrap().iter().all(|f| f["blake3"].as_str().unwrap().len() == 64));
}
