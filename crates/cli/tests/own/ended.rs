//! Runs that are killed: nothing stays behind, and the same command goes on.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::shell;
use crate::study::study;
#[cfg(target_os = "linux")]
use crate::study::{SCRIPT, run};

/// Waits for something, not for ever.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
fn lives(id: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_no_process_and_goes_on() {
    let shell = study("");
    // The third row hangs until it is allowed to go on, with a child and a grandchild that left the group.
    let folder = shell.path("").display().to_string();
    shell.write(
        "keep.sh",
        format!(
            "if [ \"$1\" != 3 ] && [ ! -e {folder}/go ]; then\n  sleep 300 & echo $! > {folder}/child\n  \
             setsid sleep 300 & echo $! > {folder}/grandchild\n  echo $$ > {folder}/pid; sleep 300\nfi\n{SCRIPT}"
        ),
    );
    let mut command = shell::command(&shell.path(""));
    command.args("run study.toml -o run --allow-commands --workers 1".split(' '));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("the program did not start", || shell.exists("pid"));
    let ids = ["pid", "child", "grandchild"].map(|name| shell.read(name));
    assert!(ids.iter().all(|id| lives(id)), "{ids:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    wait("a process stayed behind", || !ids.iter().any(|id| lives(id)));
    shell.write("go", "");
    let said = run(&shell);
    assert!(said.exit == 0, "{said}");
    let other = study(&shell.read("keep.sh"));
    assert_eq!(run(&other).exit, 0);
    assert_eq!(shell.read("run/rows.csv"), other.read("run/rows.csv"));
}

#[test]
fn two_interrupts_leave_no_process() {
    let shell = study("");
    let folder = shell.path("").display().to_string();
    shell.write("keep.sh", format!("echo $$ > {folder}/pid; sleep 300\n"));
    let mut command = shell::command(&shell.path(""));
    command.args("run study.toml -o run --allow-commands --workers 1".split(' '));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait("the program did not start", || shell.exists("pid") && !shell.read("pid").is_empty());
    let id = shell.read("pid");
    for _ in 0..2 {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        std::thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let gone =
        || !Command::new("kill").args(["-0", id.trim()]).stderr(Stdio::null()).status().unwrap().success();
    wait("a process stayed behind", gone);
}
