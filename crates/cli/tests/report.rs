//! `onceflow report`: the answer of a run, printed again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::STUDY;

#[test]
fn a_report_is_what_the_run_said() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let run = shell.ok("run study.toml -o first");
    let report = shell.ok("report first");
    assert_eq!(report.stdout, run.stdout);
    assert!(report.stderr.contains("first/report.html"), "{report}");
    assert_eq!(shell.ok("report first --json").stdout, shell.read("first/run.json"));
}

#[test]
fn a_folder_without_results_says_what_to_do() {
    let shell = Shell::new();
    shell.write("empty/note.txt", "").write("file", "");
    for (name, folder) in [("missing", "none"), ("empty", "empty"), ("file", "file")] {
        let said = shell.run(&format!("report {folder}"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
        assert_eq!(shell.run(&format!("report {folder} --json")).exit, 2);
    }
}
