//! Python functions as tasks: given regions in shared memory, bounded, checked, and known by their source.

use std::process::Command;

use crate::shell::{Said, Shell};
use crate::study::{SCRIPT, changed, run, study};

const COMMAND: &str = r#"{ "command": ["sh", "keep.sh", "{level}", "{bw}", "{kept}"], "files": ["keep.sh"], "memory": "200 MiB", "time": "20 s" },
        "in": ["bw"], "reads": ["level"]"#;

/// The head of a file of functions.
const HEAD: &str = "import numpy as np\nimport onceflow as of\n\n";

/// The function that hands on the mask.
const KEEP: &str = "@of.task\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return bw\n";

/// Whether there is a Python that can run functions.
fn lacks_python() -> bool {
    let script = "import sys, numpy; sys.exit(sys.version_info < (3, 11))";
    let found = Command::new("python3").args(["-c", script]).output();
    let lacks = !found.is_ok_and(|output| output.status.success());
    if lacks {
        eprintln!("skipped: Python functions, since there is no python3 of 3.11 or later with NumPy");
    }
    lacks
}

/// The study with a function instead of a command, in a file with this text.
fn with_function(text: &str) -> Shell {
    let shell = changed("", COMMAND, r#"{ "python": "steps.py:keep" }"#);
    shell.write("steps.py", format!("{HEAD}{text}"));
    shell
}

fn rows(shell: &Shell) -> String {
    shell.read("run/rows.csv")
}

/// The lines of the table of failures, and what the command said.
fn failures(shell: &Shell) -> (String, Said) {
    let said = run(shell);
    (said.stderr.clone() + &shell.read("run/failures.csv"), said)
}

#[test]
fn a_function_gives_what_a_program_gives() {
    if lacks_python() {
        return;
    }
    let (one, other) = (with_function(KEEP), study(SCRIPT));
    let checked = one.ok("check study.toml");
    assert!(checked.stdout.ends_with("ok\n"), "{checked}");
    for shell in [&one, &other] {
        let said = run(shell);
        assert_eq!(said.exit, 0, "{said}");
    }
    assert_eq!(rows(&one), rows(&other));
}

#[test]
fn a_function_needs_permission_and_nothing_of_its_file_is_run_before() {
    if lacks_python() {
        return;
    }
    let shell = with_function(&format!("open('made', 'w')\n{KEEP}"));
    let said = shell.run("run study.toml -o run");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("keep `python3 steps.py:keep`"), "{said}");
    shell.ok("check study.toml");
    shell.ok("plan study.toml");
    assert_eq!(run(&shell).exit, 0);
    assert!(!shell.exists("made") && !shell.exists("run/made"));
}
