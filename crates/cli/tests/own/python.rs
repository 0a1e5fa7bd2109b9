//! Python functions as tasks: given regions in shared memory, bounded, checked, and known by their source.

use std::process::Command;

use crate::shell::Shell;
use crate::study::{SCRIPT, changed, run, study};

const COMMAND: &str = r#"{ "command": ["sh", "keep.sh", "{level}", "{bw}", "{kept}"], "files": ["keep.sh"], "memory": "200 MiB", "time": "20 s" },
        "in": ["bw"], "reads": ["level"]"#;

/// The head of a file of functions.
const HEAD: &str = "import numpy as np\nimport onceflow as of\n\n";

/// The function that hands on the mask.
const KEEP: &str = "@of.task\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return bw\n";

/// Whether there is a Python that can run functions.
pub(crate) fn lacks_python() -> bool {
    let script = "import sys, numpy; sys.exit(sys.version_info < (3, 11))";
    let found = Command::new("python3").args(["-c", script]).output();
    let lacks = !found.is_ok_and(|output| output.status.success());
    if lacks {
        eprintln!("skipped: Python functions, since there is no python3 of 3.11 or later with NumPy");
    }
    lacks
}

/// The study with a function instead of a command, in a file with this text.
pub(crate) fn with_function(text: &str) -> Shell {
    let shell = changed("", COMMAND, r#"{ "python": "steps.py:keep" }"#);
    shell.write("steps.py", format!("{HEAD}{text}"));
    shell
}

fn rows(shell: &Shell) -> String {
    shell.read("run/rows.csv")
}

#[test]
fn a_function_gives_what_a_program_gives() {
    if lacks_python() {
        return;
    }
    let (one, other) = (with_function(KEEP), study(SCRIPT));
    let checked = one.ok("check study.toml");
    assert!(checked.stdout.contains("\nok"), "{checked}");
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

#[test]
fn a_comment_changes_nothing_and_code_is_told() {
    if lacks_python() {
        return;
    }
    let text = "def helper(bw):\n    return bw\n\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return helper(bw)\n";
    let shell = with_function(text);
    assert_eq!(run(&shell).exit, 0);
    let before = rows(&shell);
    shell.write(
        "steps.py",
        format!("# so much\n{HEAD}{}", text.replace("    return bw", "    # and more\n    return bw")),
    );
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    assert!(said.stderr.contains("complete: nothing to compute"), "{said}");
    shell.write(
        "steps.py",
        format!("{HEAD}{}", text.replace("return bw", "return bw & (np.arange(96) < 40)")),
    );
    let said = run(&shell);
    assert_eq!(said.exit, 0, "{said}");
    assert!(said.stderr.contains("task keep has changed since the last run: the source of helper"), "{said}");
    assert_ne!(rows(&shell), before);
}

#[test]
fn objects_and_tiles_give_what_the_whole_gives() {
    if lacks_python() {
        return;
    }
    let text = |declared: &str| {
        format!(
            "@of.task({declared})\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    \
             inside = np.pad(bw, 1)\n    return bw & inside[2:, 2:] & (level > 0)\n"
        )
    };
    let whole = with_function(&text("halo=2"));
    assert_eq!(run(&whole).exit, 0);
    for declared in ["halo=2, per_tile=32", "halo=2, per_object='bw'"] {
        let shell = with_function(&text(declared));
        let said = run(&shell);
        assert_eq!(said.exit, 0, "{declared}: {said}");
        assert_eq!(rows(&shell), rows(&whole), "{declared}");
    }
    let wrong = "@of.task(per_tile=32)\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return bw | (bw.size < 96 * 80)\n";
    let wrong = with_function(wrong);
    let said = run(&wrong);
    assert!(said.stderr.contains("is declared \"per_tile\", but gives other results"), "{said}");
}

#[test]
fn what_is_loaded_once_files_and_random_numbers() {
    if lacks_python() {
        return;
    }
    let text = "def load():\n    print('loaded')\n    return int(of.file('model.txt').read_text())\n\n\
                @of.task(setup=load, files=['model.txt'])\ndef keep(bw: of.Mask, *, setup, level: int = 3, out) -> of.Mask:\n    \
                out[...] = bw & (of.here().rng.random(bw.shape) * 10 > setup)\n    print(of.here().image, of.here().box)\n";
    let shell = with_function(text);
    shell.write("model.txt", "3");
    assert_eq!(run(&shell).exit, 0, "{}", run(&shell));
    let first = rows(&shell);
    let logs = std::fs::read_dir(shell.path("run/logs/keep")).unwrap();
    let logs: String = logs.map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap()).collect();
    assert!(logs.contains("one (0, 0, 96, 80)"), "{logs}");
    // Numbers follow from the inputs: they are the same in another run, and others with another file.
    let other = with_function(text);
    other.write("model.txt", "3");
    assert_eq!(run(&other).exit, 0);
    assert_eq!(rows(&other), first);
    other.write("model.txt", "4");
    let said = run(&other);
    assert!(said.stderr.contains("task keep has changed since the last run: model.txt"), "{said}");
}

#[test]
fn tasks_and_their_programs_read_nothing_of_the_run() {
    if lacks_python() {
        return;
    }
    let text = "import subprocess\nimport sys\n\n@of.task\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    subprocess.run(['cat'], check=True)\n    return bw & (sys.stdin.read() == '')\n";
    let (one, other) = (with_function(text), with_function(KEEP));
    for shell in [&one, &other] {
        let said = run(shell);
        assert_eq!(said.exit, 0, "{said}");
    }
    assert_eq!(rows(&one), rows(&other));
}

#[test]
fn another_python_may_be_named() {
    let shell = with_function(KEEP);
    let said = shell.run_with("check study.toml", "", &[("ONCEFLOW_PYTHON", "no-such-python")]);
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("expected python3 on the PATH, 3.11 or later, found none"), "{said}");
    let said = shell.run_with("check study.toml", "", &[("ONCEFLOW_PYTHON", "false")]);
    assert_eq!(said.exit, 2, "{said}");
}

#[test]
fn results_are_taken_over_when_only_comments_differ() {
    if lacks_python() {
        return;
    }
    let text = "import time\n\ndef helper(bw):\n    time.sleep(0.03)\n    return bw\n\n\
                def keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return helper(bw)\n";
    let first = with_function(text);
    let store = first.path("store").display().to_string();
    let computed = |text: &str| {
        let shell = with_function(text);
        shell.ok(&format!("run study.toml -o run --allow-commands --store {store}"));
        let trace: serde_json::Value = serde_json::from_str(&shell.read("run/trace.json")).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        events.iter().filter(|event| event["ph"] == "X" && event["name"] == "keep").count()
    };
    assert!(computed(text) > 0);
    assert_eq!(
        computed(&format!("# moved\n\n{}", text.replace("    return bw", "    # so\n    return  bw"))),
        0
    );
    assert!(computed(&text.replace("return bw", "return ~bw")) > 0);
}
