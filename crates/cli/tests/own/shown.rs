//! Pictures of what programs find: drawn from the results of the run, without starting a program again.

use crate::shell::Shell;
use crate::study::study;

/// A study whose program notes each start.
fn noting() -> Shell {
    let shell = study("");
    let starts = shell.path("starts").display().to_string();
    shell.write("keep.sh", format!("echo started >> {starts}\ncp \"$2\" \"$3\"\n"));
    shell
}

/// How often the program was started since it was asked last.
fn starts(shell: &Shell) -> usize {
    let count = if shell.exists("starts") { shell.read("starts").lines().count() } else { 0 };
    shell.write("starts", "");
    count
}

fn pictures(shell: &Shell, folder: &str) -> usize {
    shell.read(&format!("{folder}/report.html")).matches("<svg class=\"crop\"").count()
}

#[test]
fn pictures_start_no_program() {
    let shell = noting();
    shell.ok("run study.toml -o none --allow-commands --workers 1 --pictures none");
    let without = starts(&shell);
    let said = shell.ok("run study.toml -o auto --allow-commands --workers 1");
    assert_eq!(starts(&shell), without, "{said}");
    assert!(without > 0 && pictures(&shell, "none") == 0 && pictures(&shell, "auto") > 2);
}

#[test]
fn rows_of_an_earlier_run_are_drawn_when_it_is_asked_for_and_said_so() {
    let shell = noting();
    shell.ok("run study.toml -o run --allow-commands");
    let drawn = pictures(&shell, "run");
    starts(&shell);
    std::fs::remove_file(shell.path("run/run.json")).unwrap();
    let said = shell.ok("run study.toml -o run --allow-commands");
    assert!(said.stderr.contains("note: the report does not show "), "{said}");
    assert!(said.stderr.contains("--pictures all draws them"), "{said}");
    assert_eq!((starts(&shell), pictures(&shell, "run")), (0, 0));
    std::fs::remove_file(shell.path("run/run.json")).unwrap();
    let again = "run study.toml -o run --allow-commands --pictures all";
    let said = shell.run_with(again, "", &[("ONCEFLOW_PROGRESS", "auto")]);
    assert!(said.stderr.contains("pictures  computing "), "{said}");
    assert!(said.stderr.contains("this starts programs of the workflow"), "{said}");
    assert!(starts(&shell) > 0);
    assert_eq!(pictures(&shell, "run"), drawn);
}
