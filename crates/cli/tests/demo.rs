//! `onceflow demo`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

/// Small tissue, so that it takes seconds without optimisation.
const SMALL: &str = "demo --size 96";

#[test]
fn tissue_is_made_studied_and_answered() {
    let shell = Shell::new();
    let said = shell.ok(SMALL);
    assert!(said.stdout.contains("Which parameters matter for dice?"), "{said}");
    assert!(said.stdout.contains("screen        320 rows"), "{said}");
    assert!(said.stdout.contains("Best row so far") && said.stdout.contains("times less"), "{said}");
    assert!(said.stderr.starts_with("Tissue    onceflow-demo/tissue.png: synthetic, 96 x 96 px"), "{said}");
    assert!(
        said.stderr.contains("onceflow run onceflow-demo/study.toml -o onceflow-demo/again"),
        "what to do next: {said}"
    );
    for file in ["tissue.png", "truth.png", "study.toml", "rows.csv", "best.json", "report.html", "run.json"]
    {
        assert!(shell.exists(&format!("onceflow-demo/{file}")), "{file}");
    }
    assert_eq!(shell.files(), ["onceflow-demo"], "nothing is written beside the folder");
}

/// The study that the demo wrote gives the demo's rows, whatever is reused.
#[test]
fn its_study_runs_by_itself_and_a_second_demo_replaces_the_first() {
    let shell = Shell::new();
    let first = shell.ok(&format!("{SMALL} --json -o d")).json();
    assert_eq!((first["version"].as_u64(), first["failed"].as_u64()), (Some(1), Some(0)));
    let rows = shell.read("d/rows.csv");
    shell.ok("check d/study.toml");
    shell.ok("run d/study.toml -o d/again --reuse stage");
    assert_eq!(shell.read("d/again/rows.csv"), rows);

    let second = shell.ok(&format!("{SMALL} --seed 7 -o d"));
    assert!(second.stderr.starts_with("replacing the demo in d\n"), "{second}");
    assert_ne!(shell.read("d/rows.csv"), rows);
    assert!(shell.exists("d/again/rows.csv"), "what it did not write stays");
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let shell = Shell::new();
    let study = include_str!("../src/verb/demo/study.toml");
    shell.write("notes/mine.txt", "mine").write("file", "mine");
    shell.write("edited/study.toml", study.replace("trajectories = 20", "trajectories = 40"));
    shell.write("pictures/study.toml", study).write("pictures/tissue.png", "not the demo's");
    for (folder, kept) in [
        ("notes", "notes/mine.txt"),
        ("file", "file"),
        ("edited", "edited/study.toml"),
        ("pictures", "pictures/tissue.png"),
    ] {
        let before = shell.read(kept);
        let said = shell.run(&format!("{SMALL} -o {folder}"));
        assert_eq!((said.exit, shell.read(kept)), (2, before), "{said}");
        insta::assert_snapshot!(format!("refused-{folder}"), said);
    }
    assert!(!shell.exists("notes/study.toml"));
}

#[test]
fn the_answer_with_the_exact_values_beside() {
    insta::assert_snapshot!(Shell::new().run("demo --function rough-discrete"));
}

#[test]
fn a_function_needs_no_folder() {
    let shell = Shell::new();
    shell.ok("demo --function ishigami");
    assert_eq!(shell.files(), [""; 0]);
    assert_eq!(shell.run("demo --function ishigami -o d").exit, 2);
    assert_eq!(shell.run("demo --function ishigami --size 96").exit, 2);
    assert_eq!(shell.run("demo --size 10").exit, 2);
}

#[test]
fn every_function_is_answered_and_its_exact_totals_lie_near() {
    for function in ["ishigami", "sobol-g", "morris-20", "rough-discrete"] {
        let json = Shell::new().ok(&format!("demo --function {function} --json")).json();
        assert_eq!(json["version"], 1);
        let found = json["phases"][1]["outputs"][0]["parameters"].as_array().unwrap();
        let exact = json["exact"].as_array().unwrap();
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(exact) {
            assert_eq!(found["name"], exact["name"]);
            let (found, exact) = (found["st"].as_f64().unwrap(), exact["st"].as_f64().unwrap());
            assert!((found - exact).abs() < 0.05, "{function}: {found} for {exact}");
        }
    }
}

#[test]
fn the_seed_may_come_from_the_environment_and_the_command_line_wins() {
    let shell = Shell::new();
    let seed = |words: &str| shell.run_with(words, "", &[("ONCEFLOW_SEED", "5")]).json()["seed"].as_u64();
    assert_eq!(seed("demo --function ishigami --json"), Some(5));
    assert_eq!(seed("demo --function ishigami --json --seed 6"), Some(6));
}
