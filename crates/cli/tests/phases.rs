//! A study from its first phase to its last, with a model of one's own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod model;
mod shell;

use model::{answer, number};
use shell::Shell;

const STUDY: &str = r#"name = "own"
seed = 3

[parameters]
a = { from = 0, to = 10, step = 1, default = 5 }
b = { from = 0, to = 10, step = 1, default = 25 }
c = { from = 0, to = 10, step = 1, default = 5 }
mode = { values = ["slow", "fast"], default = "fast" }

[[metric]]
name = "score"

[[phase]]
name = "screen"
method = "moat"
trajectories = 8

[[phase]]
name = "decompose"
method = "vbd"
base = 64
second_order = true
keep = { phase = "screen", metric = "score", share = 0.10 }
"#;

fn score(row: &std::collections::HashMap<&str, &str>) -> f64 {
    let speed = if row["mode"] == "fast" { 10.0 } else { 0.0 };
    number(row, "a") * 2.0 + speed * number(row, "a") / 10.0 + 0.001 * number(row, "b")
}

#[test]
fn screen_then_decompose_what_was_kept() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("sample --problem study.toml --phase screen --reference -o screen.csv");
    shell.write("screen-y.csv", answer(&shell.read("screen.csv"), "score", score));
    shell.ok(
        "analyze --problem study.toml --phase screen -X screen.csv -Y screen-y.csv --json -o screen.json",
    );
    insta::assert_snapshot!(
        "kept",
        shell
            .run("sample --problem study.toml --phase decompose --after screen.json -o decompose.csv --json")
    );
    let sample = shell.read("decompose.csv");
    assert!(
        sample.lines().skip(1).all(|line| line.split(',').nth(6) == Some("25")),
        "b stands at its default"
    );
    shell.write("decompose-y.csv", answer(&sample, "score", score));
    insta::assert_snapshot!(
        "decomposed",
        shell.run("analyze --problem study.toml --phase decompose -X decompose.csv -Y decompose-y.csv")
    );
    shell.ok("extend --problem study.toml -X decompose.csv --n 128 -o more.csv");
    assert!(shell.read("more.csv").starts_with(&sample));
}

#[test]
fn a_phase_that_keeps_needs_the_indices_it_keeps_by() {
    let shell = Shell::new();
    shell
        .write("study.toml", STUDY)
        .write("other.json", r#"{"version":1,"outputs":[{"name":"scores","parameters":[]}]}"#);
    let sample = |words: &str| shell.run(&format!("sample --problem study.toml --phase decompose {words}"));
    insta::assert_snapshot!("without-indices", sample(""));
    insta::assert_snapshot!("indices-of-another-output", sample("--after other.json"));
    insta::assert_snapshot!("no-indices-at-all", sample("--after study.toml"));
}
