//! A study whose results are kept in a store of its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use super::shell::{Said, Shell};

pub const STUDY: &str = r#"
name = "kept"
workflow = "nuclei"
images = ["synth:96x80?seed=3", "synth:96x80?seed=4"]
seed = 5

[parameters]
G1 = { from = 5, to = 80, step = 5 }
minSize = { from = 2, to = 40, step = 2 }

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 3
"#;

/// Two phases, of which the second compares with what the first found by defaults.
pub const FOUND: &str = r#"
name = "found"
workflow = "nuclei"
seed = 5

[[image]]
name = "a"
file = "synth:96x80?seed=3"
truth = "synth:96x80?seed=3"

[[image]]
name = "b"
file = "synth:120x80?seed=4"
truth = "synth:120x80?seed=4"

[parameters]
G1 = { from = 5, to = 80, step = 5 }
T1 = { from = 2.5, to = 7.5, step = 0.5 }
red = { from = 200, to = 240, step = 10 }
minSize = { from = 2, to = 40, step = 2 }

[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "truth"

[[phase]]
name = "screen"
method = "moat"
trajectories = 3

[[phase]]
name = "decompose"
method = "vbd"
base = 8
"#;

pub const ADDED: &str = r#"
[[metric]]
name = "number"
of = "nuclei"
measure = "objects"
"#;

pub fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell
}

/// Runs with a store of its own.
pub fn run(shell: &Shell, words: &str) -> Said {
    let said = shell.run(&format!("run {words} --store store --json"));
    assert_eq!(said.exit, 0, "{said}");
    said
}

pub fn number(said: &Said, path: &str) -> f64 {
    said.json().pointer(path).unwrap().as_f64().unwrap()
}

/// What `why` says of a row with a store, before a run.
pub fn stored(shell: &Shell, words: &str) -> serde_json::Value {
    shell.ok(&format!("why study.toml {words} --store store --json")).json()["stored"].clone()
}
