//! Ctrl-C and worse: rows that are done stay, and the same command goes on to the same end.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use shell::Shell;
use studies::changed;

/// Rows enough for seconds when nothing is reused.
fn study() -> String {
    changed("trajectories = 4", "trajectories = 24").replace("96x80", "1000x800")
}

const COMMAND: &str = "run study.toml -o first --reuse none";

fn start(shell: &Shell) -> Child {
    let mut command = shell::command(&shell.path(""));
    command.env("ONCEFLOW_PROGRESS", "auto").args(COMMAND.split(' '));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Whether a line such as `screen  12 of 97 rows  …` tells of rows that are done.
fn has_rows(line: &str) -> bool {
    let done = line.split_once(" of ").and_then(|(before, _)| before.rsplit(' ').next()?.parse::<u32>().ok());
    done.is_some_and(|rows| rows > 0)
}

fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Runs the study without a disturbance, and compares.
fn undisturbed(shell: &Shell, folder: &str) {
    shell.ok("run study.toml -o undisturbed");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("{folder}/{name}")), shell.read(&format!("undisturbed/{name}")));
    }
}

#[test]
fn an_interrupted_run_keeps_its_rows_and_is_run_again_to_the_same_bytes() {
    let shell = Shell::new();
    shell.write("study.toml", study());
    let mut child = start(&shell);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut heard = String::new();
    while !has_rows(&heard) {
        heard.clear();
        assert!(stderr.read_line(&mut heard).unwrap() > 0, "it ended before it said how far it is");
    }
    let asked = Instant::now();
    interrupt(&child);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
    assert!(rest.contains("stopped: the rows that were done are in first/rows.csv"), "{rest}");
    assert!(!shell.exists("first/run.json") && !shell.exists("first/indices.json"));
    let rows = shell.read("first/rows.csv");
    let done = rows.lines().count() - 1;
    assert!((1..97).contains(&done), "{done} rows");
    assert_eq!(shell.read("first/metrics.csv").lines().count() - 1, done);
    let report = shell.ok("report first");
    assert!(report.stderr.contains("stopped: the same onceflow run goes on with it"), "{report}");
    assert!(!report.stdout.contains("Proposed:"), "{report}");
    let best: serde_json::Value = serde_json::from_str(&shell.read("first/best.json")).unwrap();
    let warned = best["warnings"][0].as_str().is_some_and(|text| text.contains("did not come to its end"));
    assert!(warned || best["row"].is_null(), "{best}");
    let again = shell.ok(COMMAND).stderr;
    assert!(again.contains("going on: ") && again.contains(" of 97 instances are done"), "{again}");
    undisturbed(&shell, "first");
    let whole = shell.read("undisturbed/rows.csv");
    let whole: std::collections::HashSet<&str> = whole.lines().collect();
    assert!(rows.lines().all(|line| whole.contains(line)), "a row that was done says what it always says");
}

/// Kills a run at ever other moments until one gets through. `ONCEFLOW_KILLS` says how many kills there must be at least.
#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let least: u64 = std::env::var("ONCEFLOW_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let shell = Shell::new();
    shell.write("study.toml", changed("trajectories = 4", "trajectories = 12").replace("96x80", "500x400"));
    let (mut kills, mut folder) = (0, 0);
    while kills < least {
        folder += 1;
        // With a table of objects and without one: it is gone with the run, and what it knew is found again.
        let level = ["none", "object"][folder % 2];
        let command = format!("run study.toml -o killed-{folder} --reuse {level} --memory '64 MiB'");
        kills += killed(&shell, (&format!("killed-{folder}"), level), 3 + 11 * kills % 97);
        let again = shell.ok(&command);
        let left = std::fs::read_dir(shell.path(&format!("killed-{folder}"))).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            left.iter().all(|name| !name.to_string_lossy().starts_with('.')),
            "{left:?} {}",
            again.stderr
        );
        undisturbed(&shell, &format!("killed-{folder}"));
    }
}

/// Starts a run and kills it with nothing said, a little later each time; says how often.
fn killed(shell: &Shell, (folder, level): (&str, &str), step: u64) -> u64 {
    for kills in 0..40 {
        let mut command = shell::command(&shell.path(""));
        command.args(["run", "study.toml", "-o", folder, "--reuse", level, "--memory", "64 MiB"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(step * (kills + 1)));
        if child.try_wait().unwrap().is_some() {
            return kills;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    40
}
