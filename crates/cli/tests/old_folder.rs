//! Folders of runs by version 0.1.0 (`folders/0.1.0`, without pages and costs): what they hold is shown, and a run that is
//! unfinished is not continued.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use std::path::Path;

use shell::Shell;

/// A run that came to its end, and one that was killed, of a study that is still where it was.
fn shell() -> Shell {
    let shell = Shell::new();
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/folders/0.1.0");
    for folder in ["complete", "stopped"] {
        for file in std::fs::read_dir(folders.join(folder)).unwrap() {
            let file = file.unwrap();
            let name = format!("{folder}/{}", file.file_name().to_string_lossy());
            shell.write(&name, std::fs::read(file.path()).unwrap());
        }
    }
    let folder = shell.path("").display().to_string();
    let provenance = shell.read("complete/provenance.json").replace("/home/user/", &folder);
    shell.write("complete/provenance.json", provenance);
    shell.write("study.toml", shell.read("complete/study.toml"));
    shell
}

#[test]
fn the_report_is_printed_again() {
    let shell = shell();
    let said = shell.ok("report complete");
    assert!(said.stdout.contains("G1 ") && said.stdout.contains("153 tasks asked"), "{said}");
    assert_eq!(shell.ok("report complete --json").stdout, shell.read("complete/run.json"));
    let rows = shell.ok("report complete --row 3 -o look");
    assert!(shell.exists("look/overlay.png"), "{rows}");
}

#[test]
fn the_status_is_told() {
    let shell = shell();
    let said = shell.ok("status complete").stdout;
    assert!(said.contains("complete") && said.contains("17 of 17 instances"), "{said}");
    let stopped = shell.run("status stopped");
    assert!(stopped.to_string().contains("of 41 instances"), "{stopped}");
    assert!(!stopped.stdout.starts_with("stopped  running"), "its process is gone: {stopped}");
}

#[test]
fn a_row_is_explained() {
    let shell = shell();
    let said = shell.ok("why complete --row 3");
    assert!(said.stdout.contains("row 3"), "{said}");
    let of_run = shell.ok("why study.toml --row 3 --run complete");
    assert!(of_run.stdout.contains("row 3"), "{of_run}");
}

#[test]
fn a_complete_run_is_not_run_again() {
    let shell = shell();
    let rows = shell.read("complete/rows.csv");
    let said = shell.ok("run study.toml -o complete --json");
    assert_eq!(said.json()["tasks"]["asked"], 153, "{said}");
    assert_eq!(shell.read("complete/rows.csv"), rows);
}

#[test]
fn an_unfinished_run_is_refused_naming_both_versions() {
    let shell = shell();
    let journal = shell.read("stopped/journal.jsonl");
    let said = shell.run("run stopped/study.toml -o stopped");
    assert_eq!(said.exit, 2, "{said}");
    let now = concat!("onceflow ", env!("CARGO_PKG_VERSION"));
    assert!(said.stderr.contains("onceflow 0.1.0") && said.stderr.contains(now), "{said}");
    assert_eq!(shell.read("stopped/journal.jsonl"), journal, "nothing was touched");
    shell.ok("run stopped/study.toml -o stopped --force");
    assert!(shell.exists("stopped/report.html"));
}
