//! `onceflow run`: what it leaves in its folder and how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;
mod studies;

use shell::Shell;
use studies::{STUDY, broken_tile, changed, timeless, with};

const FILES: [&str; 12] = [
    "answer.txt",
    "best.json",
    "costs.jsonl",
    "indices.json",
    "metrics.csv",
    "provenance.json",
    "report.html",
    "ro-crate-metadata.json",
    "rows.csv",
    "run.json",
    "study.toml",
    "trace.json",
];

fn shell(study: &str) -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", study);
    shell
}

fn files(shell: &Shell, folder: &str) -> Vec<String> {
    let names = std::fs::read_dir(shell.path(folder)).unwrap();
    let mut names: Vec<String> =
        names.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_study_runs_to_its_answer() {
    let shell = shell(STUDY);
    insta::assert_snapshot!("answer", timeless(&shell.ok("run study.toml -o first")));
    let found = files(&shell, "first");
    assert!(FILES.iter().all(|name| found.contains(&(*name).to_owned())), "{found:?}");
    assert!(!found.iter().any(|name| name.starts_with('.')), "nothing temporary stays: {found:?}");
    assert_eq!(shell.read("first/study.toml"), STUDY);
    insta::assert_snapshot!("rows", shell.read("first/rows.csv"));
    insta::assert_snapshot!("metrics", shell.read("first/metrics.csv"));
}

#[test]
fn the_same_study_is_not_run_twice() {
    let shell = shell(STUDY);
    shell.ok("run study.toml -o first");
    let trace = shell.read("first/trace.json");
    insta::assert_snapshot!("again", shell.ok("run study.toml -o first"));
    assert_eq!(shell.read("first/trace.json"), trace, "nothing was computed");
    let json = shell.ok("run study.toml -o first --json");
    assert_eq!(json.stdout, shell.read("first/run.json"));
}

#[test]
fn another_study_is_not_replaced_unasked() {
    let shell = shell(STUDY);
    shell.ok("run study.toml -o first");
    let rows = shell.read("first/rows.csv");
    shell.write("other.toml", changed("seed = 3", "seed = 4"));
    let said = shell.run("run other.toml -o first");
    assert_eq!(said.exit, 2);
    insta::assert_snapshot!("another", said);
    assert_eq!(shell.read("first/rows.csv"), rows);
    shell.ok("run other.toml -o first --force");
    assert_ne!(shell.read("first/rows.csv"), rows);
    shell.ok("run study.toml -o first --force");
    assert_eq!(shell.read("first/rows.csv"), rows);
}

#[test]
fn a_dry_run_writes_nothing() {
    let shell = shell(STUDY);
    insta::assert_snapshot!("dry", timeless(&shell.ok("run study.toml -o first --dry-run")));
    shell.ok("run study.toml --dry-run");
    assert_eq!(shell.files(), ["study.toml"]);
}

#[test]
fn programs_get_one_object() {
    let shell = shell(STUDY);
    let said = shell.ok("run study.toml -o first --json");
    assert!(said.stderr.contains("Which parameters matter for dice?"), "{said}");
    let json = said.json();
    assert_eq!((json["rows"].as_u64(), json["instances"].as_u64()), (Some(17), Some(17)));
    let tasks = &json["tasks"];
    assert_eq!(tasks["asked"], 17 * 12);
    let by: u64 = tasks["by"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(by + tasks["computed"].as_u64().unwrap(), 17 * 12);
    assert_eq!(format!("{}\n", json), shell.read("first/run.json"));
}

#[test]
fn every_level_and_number_of_workers_leaves_the_same_bytes() {
    let shell = shell(STUDY);
    for (level, workers) in [("none", 1), ("stage", 3), ("task", 2), ("dataflow", 8)] {
        shell.ok(&format!("run study.toml -o {level} --reuse {level} --workers {workers}"));
        for name in ["rows.csv", "metrics.csv", "indices.json", "best.json"] {
            assert_eq!(
                shell.read(&format!("{level}/{name}")),
                shell.read(&format!("none/{name}")),
                "{level}"
            );
        }
    }
}

#[test]
fn an_image_smaller_than_a_part_works() {
    let shell = shell(&changed("synth:96x80?seed=3", "synth:20x17?seed=3"));
    shell.ok("run study.toml -o first");
}

#[test]
fn a_bound_of_memory_that_is_too_small_names_one_that_works() {
    let shell = shell(STUDY);
    let said = shell.run("run study.toml -o first --workers 1 --memory 1KiB");
    assert_eq!(said.exit, 4);
    insta::assert_snapshot!("memory", said);
    let (_, rest) = said.stderr.split_once("--memory '").unwrap();
    let least = rest.split('\'').next().unwrap();
    shell.ok(&format!("run study.toml -o first --workers 1 --memory '{least}'"));
}

#[test]
fn rows_may_fail() {
    let study = STUDY.replace("file = \"synth:96x80?seed=3\"", "file = \"b.tif\"");
    let study = study.replace("synth:96x80?seed=3", "synth:400x400?seed=5");
    let shell = shell(&study);
    broken_tile(&shell);
    // More workers may have begun more rows when the first one fails.
    let said = shell.run("run study.toml -o first --workers 1");
    assert_eq!(said.exit, 1);
    insta::assert_snapshot!("too-many-failed", timeless(&said));
    assert!(!shell.exists("first/run.json"));
    assert!(shell.read("first/rows.csv").contains(",failed,"));
    shell.write("study.toml", study.replace("resamples", "stop_above = 1.0\nresamples"));
    let said = shell.run("run study.toml -o second");
    assert_eq!(said.exit, 1);
    insta::assert_snapshot!("all-failed", timeless(&said));
    assert!(shell.read("second/rows.csv").lines().skip(1).all(|line| line.contains(",failed,")));
}

#[test]
fn parts_that_stand_alone() {
    let shell = shell(&with("[parts]\nsize = 32\nseams = \"independent\""));
    let json = shell.ok("run study.toml -o first --json").json();
    assert_eq!(json["instances"].as_u64(), Some(17 * 9));
}

#[test]
fn parts_that_see_around_themselves_say_so() {
    let shell = shell(&with("[parts]\nsize = 32"));
    let checked = shell.ok("check study.toml").stdout;
    let line = "owned: parts see 150 px around themselves";
    assert!(checked.contains(&format!("seams       {line}")), "{checked}");
    let planned = shell.ok("plan study.toml").stdout;
    assert!(planned.contains(&format!("seams      {line}")), "{planned}");
    shell.ok("run study.toml -o cut");
    let report = shell.read("cut/report.html");
    assert!(report.contains("Seams are owned: parts see 150 pixels around themselves"), "{report}");
    assert!(report.contains("owned seams and a halo of 150 px."), "{report}");
    shell.write("study.toml", STUDY);
    assert!(!shell.ok("plan study.toml").stdout.contains("seams"), "one part has no seams");
    shell.ok("run study.toml -o whole");
    assert_eq!(shell.read("cut/rows.csv"), shell.read("whole/rows.csv"), "each part sees the whole image");
}

#[test]
fn exact_seams_without_the_memory_for_them() {
    let shell = shell(&with("[parts]\nsize = 32\nseams = \"exact\""));
    let said = shell.run("run study.toml -o first --workers 1 --memory 100KiB");
    assert_eq!(said.exit, 4);
    insta::assert_snapshot!("exact-memory", said);
    assert_eq!(shell.ok("plan study.toml --json").json()["halo"], 0);
}

/// A study in whose best row a parameter without influence has another value than its default.
const BETTER: &str = r#"name = "better"
workflow = "nuclei"
seed = 3

[[image]]
name = "one"
file = "synth:200x160?seed=1"
truth = "synth:200x160?seed=1"

[parameters]
G1 = { from = 5, to = 80, step = 5 }
G2 = { from = 5, to = 45, step = 5 }
blue = { from = 210, to = 240, step = 10 }
maxSize = { from = 900, to = 1500, step = 50 }

[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "truth"

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 10

[run]
workers = 2
memory = "256 MiB"
resamples = 50
"#;

#[test]
fn what_has_no_influence_is_proposed_at_its_default_and_measured() {
    let shell = Shell::new();
    shell.write("study.toml", BETTER);
    let said = shell.ok("run study.toml -o first");
    assert!(
        said.stdout.contains("Best row so far: 35, dice 0.871 (default 0.741): G1 75, G2 15, blue 230"),
        "{said}"
    );
    assert!(said.stdout.contains("\nProposed: dice 0.871: G1 75, G2 15, maxSize 900\n"), "{said}");
    assert!(said.stdout.contains("  blue has no influence: back to its default\n"), "{said}");
    let best: serde_json::Value = serde_json::from_str(&shell.read("first/best.json")).unwrap();
    assert_eq!((&best["row"], &best["parameters"]["blue"]), (&35.into(), &220.into()));
    assert_eq!(best["best_row"]["parameters"]["blue"], 230);
    assert_eq!(best["value"], best["best_row"]["value"]);
    assert_eq!(best["without_influence"], serde_json::json!(["blue"]));
    assert_eq!(shell.read("first/rows.csv").lines().count(), 1 + 1 + 10 * 5, "it is in no table");
    let page = shell.read("first/report.html");
    assert!(page.contains("Proposed: blue at its default"), "{said}");
    assert!(page.contains("<figcaption><b>proposed values</b> dice 0.871"), "the proposed row is shown");
    let written = shell.read("first/best.json");
    std::fs::remove_file(shell.path("first/run.json")).unwrap();
    shell.ok("run study.toml -o first --pictures all");
    assert_eq!(shell.read("first/best.json"), written, "a resumed run proposes the same");
    let again = shell.read("first/report.html");
    assert!(
        marks(&page) == marks(&again),
        "what the run had at hand is what the row finds when it is computed again"
    );
}

/// The picture of the defaults, and that of the proposed row.
fn marks(page: &str) -> Vec<&str> {
    let images = page.split("<image id=\"marks-").skip(1).take(2);
    images.map(|image| image.split("href=").nth(1).and_then(|rest| rest.split('"').nth(1)).unwrap()).collect()
}
