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
fn another_study_is_refused_by_the_line_that_differs() {
    let shell = after_a_run();
    let before = shell.read("first/rows.csv");
    for (from, to) in
        [("to = 80", "to = 90"), ("seed = 3\n\n", "seed = 4\n\n"), ("trajectories = 4", "trajectories = 3")]
    {
        shell.write("study.toml", changed(from, to));
        let said = shell.run("run study.toml -o first");
        assert_eq!(said.exit, 2, "{said}");
        assert!(said.stderr.contains("first holds another study"), "{said}");
        assert!(said.stderr.contains(from.trim()) && said.stderr.contains(to.trim()), "{said}");
        assert!(said.stderr.contains("first/study.toml:"), "{said}");
    }
    assert_eq!(shell.read("first/rows.csv"), before);
    shell.ok("run study.toml -o first --force");
    assert_ne!(shell.read("first/rows.csv"), before);
}
