//! `onceflow bench` starts the program of the benchmarks beside it, or says how to build it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// A program that repeats what it was given, and ends with an exit code of its own.
const PROGRAM: &str = "#!/bin/sh
printf '%s\\n' \"$@\" \"progress $ONCEFLOW_PROGRESS\"
exit 7
";

/// One test, since a process that another test starts could hold the script open while it is written.
#[test]
fn bench_is_the_program_beside_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let onceflow = folder.path().join("onceflow");
    let built = Path::new(env!("CARGO_BIN_EXE_onceflow"));
    std::fs::hard_link(built, &onceflow).or_else(|_| std::fs::copy(built, &onceflow).map(drop)).unwrap();
    is_missing(&onceflow);
    let program = folder.path().join("onceflow-bench");
    std::fs::write(&program, PROGRAM).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    is_started(&onceflow);
}

fn is_missing(onceflow: &Path) {
    let output = run(onceflow, &["bench", "run", "--json"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("to do      cargo build --release -p onceflow-bench\n"), "{stderr}");
    let object: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(object["diagnostics"][0]["hint"], "cargo build --release -p onceflow-bench");
}

/// All arguments are passed on, also those that the command knows itself, and the exit code comes back.
fn is_started(onceflow: &Path) {
    for (words, printed) in [
        (&["bench", "run", "--only", "levels", "--json"][..], "run\n--only\nlevels\n--json\nprogress auto\n"),
        (&["bench", "--help"], "--help\nprogress auto\n"),
        (&["bench", "-h"], "-h\nprogress auto\n"),
        (&["bench", "--json", "plan"], "--json\nplan\nprogress auto\n"),
        (&["bench", "plan", "--progress", "never"], "plan\n--progress\nnever\nprogress auto\n"),
        (&["--progress", "never", "bench", "plan"], "plan\nprogress never\n"),
        (&["bench"], "progress auto\n"),
    ] {
        let output = run(onceflow, words);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(7), printed), "{words:?}");
    }
}

fn run(onceflow: &Path, words: &[&str]) -> Output {
    Command::new(onceflow).args(words).env_remove("ONCEFLOW_PROGRESS").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
