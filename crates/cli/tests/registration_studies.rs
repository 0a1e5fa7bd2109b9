//! Studies over pairs of volumes: how many levels are run, with which bytes, and what later runs take of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;

use serde_json::Value;
use shell::Shell;

const HEAD: &str = r#"name = "pairs"
seed = 5
images = "pairs.csv"

[[metric]]
name = "dice"
of = "metrics"
measure = "dice"

[[metric]]
name = "error"
of = "metrics"
measure = "landmark_mean"

[[metric]]
name = "folding"
of = "metrics"
measure = "folding"

[[metric]]
name = "iterations"
of = "metrics"
measure = "iterations"
"#;

const SHEET: &str = "name,fixed,moving,fixed_labels,moving_labels,fixed_landmarks,moving_landmarks\n\
    one,pair/fixed.nii.gz,pair/moving.nii.gz,pair/fixed-labels.nii.gz,pair/moving-labels.nii.gz,pair/fixed.txt,pair/moving.txt\n";

/// A folder with a pair and its sheet.
fn folder(size: u32) -> Shell {
    let shell = Shell::new();
    shell.ok(&format!("image pair --size {size} -o pair"));
    shell.write("pairs.csv", SHEET);
    shell
}

fn study(workflow: &str, parameters: &str, phase: &str) -> String {
    format!(
        "workflow = \"{workflow}\"\n{HEAD}\n[parameters]\n{parameters}\n[[phase]]\nname = \"all\"\n{phase}\n"
    )
}

/// All fifteen parameters of the five levels, with few iterations.
fn fifteen() -> String {
    let level = |level: u32| {
        format!(
            "bending_{level} = [0.01, 0.02, 0.1, 0.2]\nstep_{level} = {{ from = 0.25, to = 2, step = 0.25 }}\niterations_{level} = {{ from = 2, to = 5, step = 1, default = 5 }}\n"
        )
    };
    (1..=5).map(level).collect()
}

/// Instances of the tasks of the levels that are left of those asked for.
fn planned(shell: &Shell) -> Vec<u64> {
    let said = shell.ok("plan study.toml --tasks --json").json();
    let tasks = said["by_task"].as_array().unwrap();
    let left = |level: u32| {
        let name = format!("level_{level}");
        let task = tasks.iter().find(|task| task["task"] == name.as_str());
        task.and_then(|task| task["left"]["dataflow"].as_u64()).unwrap_or_else(|| panic!("no {name}: {said}"))
    };
    (1..=5).map(left).collect()
}

#[test]
fn trajectories_of_sixteen_rows_run_four_seven_ten_thirteen_and_sixteen_levels_each() {
    let shell = folder(16);
    shell.write("study.toml", study("registration", &fifteen(), "method = \"moat\"\ntrajectories = 2"));
    // The reference row, which has the defaults, is one more.
    assert_eq!(planned(&shell), [4, 7, 10, 13, 16].map(|of_one| 2 * of_one + 1));
}

#[test]
fn the_grid_of_the_paper_runs_three_nine_nine_and_twentyseven_levels() {
    let shell = folder(16);
    let grid = "p1 = [0.01, 0.05, 0.2]\np2 = [0.01, 0.05, 0.2]\np3 = [0.01, 0.05, 0.2]";
    shell.write("study.toml", study("registration-paper", grid, "method = \"grid\""));
    // The reference row is one of the grid's.
    assert_eq!(planned(&shell), [3, 9, 9, 27, 27]);
}

fn run(shell: &Shell, words: &str) -> Value {
    shell.ok(&format!("run study.toml {words} --json")).json()
}

#[test]
fn reuse_and_workers_change_no_byte_of_a_study() {
    let shell = folder(16);
    shell.write("study.toml", study("registration", &fifteen(), "method = \"moat\"\ntrajectories = 2"));
    run(&shell, "-o none --reuse none --workers 2");
    let rows = shell.read("none/rows.csv");
    assert!(rows.lines().count() >= 17 && !rows.contains("failed"), "{rows}");
    for (number, way) in [
        "--reuse stage",
        "--reuse dataflow --workers 2",
        "--reuse object --workers 1",
        "--reuse object --workers 2",
    ]
    .iter()
    .enumerate()
    {
        run(&shell, &format!("-o way-{number} {way}"));
        assert_eq!(shell.read(&format!("way-{number}/rows.csv")), rows, "{way}");
    }
}

#[test]
fn numbers_of_iterations_are_served_by_the_longest() {
    let shell = folder(16);
    let counts = "iterations_5 = { from = 5, to = 40, step = 5 }";
    shell
        .write("study.toml", study("registration", &format!("{counts}\ntolerance = 0"), "method = \"grid\""));
    run(&shell, "-o none --reuse none --workers 1");
    let found = run(&shell, "-o object --reuse object --workers 1");
    assert_eq!(shell.read("object/rows.csv"), shell.read("none/rows.csv"));
    // Rows whose iterations another row did computed nothing.
    assert!(found["tasks"]["by"]["object"].as_u64().unwrap() > 0, "{found}");
}

#[test]
fn the_same_study_again_is_taken_from_the_store_and_so_are_levels_of_another() {
    let shell = folder(16);
    let two = "bending_5 = [0.02, 0.1]";
    shell.write("study.toml", study("registration", two, "method = \"grid\""));
    run(&shell, "-o first --store store");
    let again = run(&shell, "-o again --store store");
    assert_eq!(shell.read("again/rows.csv"), shell.read("first/rows.csv"));
    assert_eq!(again["tasks"]["computed"], 0, "{again}");
    assert!(again["tasks"]["by"]["products"].as_u64().unwrap() > 0, "{again}");
    // Other labels judge the same transforms anew.
    let without = run(&shell, "-o levels --store store --reuse-levels 5");
    assert_eq!(shell.read("levels/rows.csv"), shell.read("first/rows.csv"));
    assert!(without["tasks"]["computed"].as_u64().unwrap() > 0, "{without}");
}

#[test]
fn a_study_stops_after_a_level_with_the_metrics_of_that_level() {
    let shell = folder(16);
    shell.write("study.toml", study("registration", "bending_1 = [0.02, 0.1]", "method = \"grid\""));
    run(&shell, "-o whole --store store");
    run(&shell, "-o coarse --store store --stop-after 2");
    let (whole, coarse) = (shell.read("whole/rows.csv"), shell.read("coarse/rows.csv"));
    assert_eq!(whole.lines().count(), coarse.lines().count());
    assert_ne!(whole, coarse);
    // A folder holds the rows of one of them.
    let other = shell.run("run study.toml -o coarse --store store");
    assert!(other.exit == 2 && shell.read("coarse/rows.csv") == coarse, "{other}");
    let refused = shell.run("run study.toml -o none --stop-after 9");
    assert_eq!(refused.exit, 2, "{refused}");
    assert!(refused.stderr.contains("a level from 1 to 5"), "{refused}");
}

#[test]
fn levels_are_known_by_a_chain_of_few_bytes() {
    let shell = folder(16);
    shell.write("study.toml", study("registration", "bending_5 = [0.02, 0.1]", "method = \"grid\""));
    let said = shell.ok("plan study.toml --attributes --json").json();
    let graphs = said["graphs"].as_array().unwrap();
    let level = |number: u32| {
        let name = format!("level_{number}");
        graphs
            .iter()
            .find(|graph| graph["target"][0] == name.as_str())
            .unwrap_or_else(|| panic!("no {name}: {said}"))
    };
    let bytes = |number: u32| level(number)["passes"][0]["least"]["bytes"].as_u64().unwrap();
    // Two digests and the six numbers of `prepare`, and three numbers for each level.
    for number in 1..=5u32 {
        assert!(
            bytes(number) <= 64 + 48 + 24 * u64::from(number),
            "level {number}: {} {said}",
            bytes(number)
        );
    }
}

#[test]
fn pairs_that_do_not_fit_are_refused_before_anything_runs() {
    let shell = folder(16);
    shell.ok("image pair --size 20 -o other");
    shell.write("study.toml", study("registration", "bending_5 = [0.02, 0.1]", "method = \"grid\""));
    shell.write("pairs.csv", SHEET.replace("pair/fixed-labels", "other/fixed-labels"));
    let said = shell.run("run study.toml -o out");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("20 x 20 x 20 voxels"), "{said}");
    shell.write("pairs.csv", SHEET.replace("moving.txt\n", "nothing.txt\n"));
    let said = shell.run("run study.toml -o out");
    assert!(said.exit == 2 && said.stderr.contains("nothing.txt"), "{said}");
    shell.write("pairs.csv", SHEET);
    let nuclei = "workflow = \"nuclei\"\nname = \"n\"\nimages = \"pairs.csv\"\n[parameters]\nG1 = [5, 10]\n[[metric]]\nname = \"o\"\nof = \"nuclei\"\nmeasure = \"objects\"\n[[phase]]\nname = \"all\"\nmethod = \"grid\"\n";
    shell.write("study.toml", nuclei);
    let said = shell.run("run study.toml -o out");
    assert!(said.exit == 2 && said.stderr.contains("a pair of volumes"), "{said}");
    let unknown = study("registration", "bending_5 = [0.02, 0.1]", "method = \"grid\"")
        .replace("\"landmark_mean\"", "\"landmark_men\"");
    shell.write("study.toml", unknown);
    let said = shell.run("run study.toml -o out");
    assert!(said.exit == 2 && said.stderr.contains("did you mean `landmark_mean`?"), "{said}");
}
