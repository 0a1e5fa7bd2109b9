//! A study whose last task is a shell script that hands on a mask, changed in one place at a time.

use crate::shell::{Said, Shell};

const WORKFLOW: &str = r#"{ "workflow": "own", "version": 1,
  "parameters": {
    "recon": { "type": "connectivity", "default": 8 },
    "holes": { "type": "connectivity", "default": 4 },
    "G1": { "type": "integer", "default": 20 },
    "level": { "type": "integer", "default": 3 } },
  "regions": { "image": "rgb8", "rc": "u8", "rc_recon": "u8", "diff": "u8", "bw": "mask", "kept": "mask" },
  "stages": [
    { "stage": "find", "in": ["image"], "out": ["bw"], "tasks": [
      { "task": "reconstruct", "op": "nuclei.reconstruct", "in": ["image"], "reads": { "reconConnectivity": "recon" }, "out": ["rc", "rc_recon"] },
      { "task": "threshold", "op": "nuclei.candidates", "in": ["rc", "rc_recon"], "reads": { "fillHolesConnectivity": "holes", "G1": "G1" }, "out": ["diff", "bw"] } ] },
    { "stage": "own", "in": ["bw"], "out": ["kept"], "ended": { "kept": "empty" }, "tasks": [
      { "task": "keep", "op": { "command": ["sh", "keep.sh", "{level}", "{bw}", "{kept}"], "files": ["keep.sh"], "memory": "200 MiB", "time": "20 s" },
        "in": ["bw"], "reads": ["level"], "out": ["kept"] } ] } ],
  "outputs": ["kept"] }
"#;

const STUDY: &str = r#"name = "own"
workflow = "workflow.json"
seed = 1

[[image]]
name = "one"
file = "synth:96x80?seed=3"

[parameters]
G1 = { from = 5, to = 80, step = 25 }
level = { from = 1, to = 6, step = 1 }

[[metric]]
name = "change"
of = "kept"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "screen"
method = "moat"
trajectories = 2

[run]
workers = 2
memory = "1 GiB"
resamples = 50
stop_above = 1
"#;

/// Hands on the mask.
pub(crate) const SCRIPT: &str = "echo \"level $1\"\ncp \"$2\" \"$3\"\n";

/// Where the pixels of a mask begin in the files that programs are given.
pub(crate) const HEAD: usize = 146;

/// A folder with the study and this script.
pub(crate) fn study(script: &str) -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY).write("workflow.json", WORKFLOW).write("keep.sh", script);
    shell
}

/// The same with a text of the workflow replaced, which must be there.
pub(crate) fn changed(script: &str, from: &str, to: &str) -> Shell {
    assert!(WORKFLOW.contains(from), "{from} is not in the workflow");
    let shell = study(script);
    shell.write("workflow.json", WORKFLOW.replace(from, to));
    shell
}

/// Runs the study into `run`.
pub(crate) fn run(shell: &Shell) -> Said {
    shell.run("run study.toml -o run --allow-commands")
}

/// What is said of the first row that failed.
pub(crate) fn failure(shell: &Shell) -> String {
    let said = run(shell);
    assert_eq!(said.exit, 1, "{said}");
    let first = said.stderr.lines().find(|line| line.starts_with("  first "));
    first.unwrap_or_else(|| panic!("{said}")).to_owned()
}
