//! A study that was changed after it was run: what is done is taken over where rows are what they were.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::{STUDY, changed};

/// A folder in which the small study was run.
fn after_a_run() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    shell
}

#[test]
fn more_trajectories_take_over_the_rows_there_are() {
    let shell = after_a_run();
    shell.write("study.toml", changed("trajectories = 4", "trajectories = 6"));
    let said = shell.ok("run study.toml -o first").stderr;
    assert!(said.contains("study changed: screen trajectories 4 -> 6"), "{said}");
    assert!(said.contains("going on: 17 of 25 instances are done"), "{said}");
    shell.ok("run study.toml -o fresh");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("first/{name}")), shell.read(&format!("fresh/{name}")), "{name}");
    }
}

#[test]
fn a_larger_base_takes_over_the_rows_there_are() {
    let vbd = |base: u32| {
        changed("method = \"moat\"\ntrajectories = 4", &format!("method = \"vbd\"\nbase = {base}"))
    };
    let shell = Shell::new();
    shell.write("study.toml", vbd(8));
    shell.ok("run study.toml -o first");
    shell.write("study.toml", vbd(16));
    let said = shell.ok("run study.toml -o first").stderr;
    assert!(said.contains("study changed: screen base 8 -> 16"), "{said}");
    assert!(said.contains("going on: 41 of 81 instances are done"), "{said}");
    shell.ok("run study.toml -o fresh");
    assert_eq!(shell.read("first/indices.json"), shell.read("fresh/indices.json"));
}

#[test]
fn settings_are_no_other_study() {
    let shell = after_a_run();
    shell.write("study.toml", format!("# Which of them matter?\n{STUDY}"));
    assert!(shell.ok("run study.toml -o first").stderr.contains("complete: nothing to compute"));
    shell.write("study.toml", changed("workers = 2", "workers = 1"));
    let said = shell.ok("run study.toml -o first").stderr;
    assert!(said.contains("study changed: its settings"), "{said}");
    assert!(said.contains("going on: 17 of 17 instances are done"), "{said}");
}

#[test]
fn another_study_is_refused_and_what_differs_is_named() {
    let shell = after_a_run();
    let before = shell.read("first/rows.csv");
    for (from, to, words) in [
        ("to = 80", "to = 90", "parameter `G1` changed"),
        ("seed = 3\n\n", "seed = 4\n\n", "seed 3 -> 4"),
        ("file = \"synth:96x80?seed=3\"", "file = \"synth:96x80?seed=4\"", "image `one` changed"),
        ("against = \"default\"", "against = \"truth\"", "metric `change` changed"),
        ("trajectories = 4", "trajectories = 3", "screen trajectories 4 -> 3"),
    ] {
        shell.write("study.toml", changed(from, to));
        for command in ["run study.toml -o first", "run study.toml -o first --dry-run"] {
            let said = shell.run(command);
            assert_eq!(said.exit, 2, "{said}");
            assert!(said.stderr.contains("first holds another study"), "{said}");
            assert!(said.stderr.contains(words), "{said}");
        }
    }
    assert_eq!(shell.read("first/rows.csv"), before);
    shell.ok("run study.toml -o first --force");
    assert_ne!(shell.read("first/rows.csv"), before);
}

const SECOND: &str =
    "[[image]]\nname = \"two\"\nfile = \"synth:70x60?seed=9\"\ntruth = \"synth:70x60?seed=9\"\n";

/// Runs a changed study in the folder of the first and in a new one: the bytes are the same.
fn continues(shell: &Shell, study: &str) -> String {
    shell.write("study.toml", study);
    let said = shell.ok("run study.toml -o first --reuse dataflow --granularity written");
    shell.ok("run study.toml -o fresh --reuse dataflow --granularity written");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("first/{name}")), shell.read(&format!("fresh/{name}")), "{name}");
    }
    said.stderr
}

/// The tasks that the last run in a folder computed.
fn computed(shell: &Shell, folder: &str) -> usize {
    let trace: serde_json::Value =
        serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
    trace["traceEvents"].as_array().unwrap().len()
}

#[test]
fn an_added_image_is_all_that_is_computed() {
    for place in ["[parameters]", "[[image]]\nname = \"one\""] {
        let shell = after_a_run();
        let study = changed(place, &format!("{SECOND}\n{place}"));
        shell.write("study.toml", &study);
        let left = shell.ok("run study.toml -o first --dry-run").stdout;
        assert!(left.contains("changed    image `two` added; rows that are done are taken over"), "{left}");
        assert!(left.contains("left       screen: 17 of 34 instances"), "{left}");
        let said = continues(&shell, &study);
        assert!(
            said.contains("study changed: image `two` added; rows that are done are taken over"),
            "{said}"
        );
        assert!(said.contains("going on: 17 of 34 instances are done"), "{said}");
        let alone = changed(
            "[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\ntruth = \"synth:96x80?seed=3\"\n",
            SECOND,
        );
        shell.write("alone.toml", alone);
        shell.ok("run alone.toml -o alone --reuse dataflow --granularity written");
        assert_eq!(computed(&shell, "first"), computed(&shell, "alone"), "{place}");
        assert!(shell.ok("run study.toml -o first").stderr.contains("complete: nothing to compute"));
        let left = shell.ok("run study.toml -o first --dry-run").stdout;
        assert!(left.contains("left       screen: 0 of 34 instances"), "{left}");
    }
}

#[test]
fn an_added_image_and_rows_are_the_difference_together() {
    let shell = after_a_run();
    let study = changed("trajectories = 4", "trajectories = 6")
        .replace("[parameters]", &format!("{SECOND}\n[parameters]"));
    let said = continues(&shell, &study);
    assert!(said.contains("study changed: image `two` added, screen trajectories 4 -> 6"), "{said}");
    assert!(said.contains("going on: 17 of 50 instances are done"), "{said}");
}

#[test]
fn an_added_metric_of_what_is_kept_computes_nothing_and_another_says_what_is_computed_again() {
    let shell = after_a_run();
    let metric = |measure: &str| {
        format!(
            "[[metric]]\nname = \"more\"\nof = \"nuclei\"\nmeasure = \"{measure}\"\nagainst = \"truth\"\n"
        )
    };
    let with_metric = |measure: &str| changed("[[phase]]", &format!("{}\n[[phase]]", metric(measure)));
    let said = continues(&shell, &with_metric("jaccard"));
    assert!(said.contains("study changed: metric `more` added; rows that are done are taken over"), "{said}");
    assert!(said.contains("going on: 17 of 17 instances are done"), "{said}");
    assert_eq!(computed(&shell, "first"), 0);
    let shell = after_a_run();
    let said = continues(&shell, &with_metric("hausdorff_distance"));
    assert!(said.contains("metric `more` added; all rows are computed again"), "{said}");
    assert_eq!(computed(&shell, "first"), computed(&shell, "fresh"));
}

#[test]
fn a_dry_run_says_what_is_left() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    assert!(!shell.ok("run study.toml -o first --dry-run").stdout.contains("left "));
    shell.ok("run study.toml -o first");
    let json = shell.ok("run study.toml -o first --dry-run --json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["left"]["phases"][0], serde_json::json!({ "phase": "screen", "instances": 0, "of": 17 }));
    let before = shell.read("first/journal.jsonl");
    shell.write("study.toml", changed("trajectories = 4", "trajectories = 6"));
    let left = shell.ok("run study.toml -o first --dry-run").stdout;
    assert!(left.contains("left       screen: 8 of 25 instances"), "{left}");
    assert_eq!(shell.read("first/journal.jsonl"), before, "nothing is written");
}
