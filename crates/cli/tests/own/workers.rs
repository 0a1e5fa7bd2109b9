//! Programs in workers: what kills its worker fails, and commands run only where they are allowed.

use std::process::Stdio;
use std::time::Duration;

use crate::shell;
use crate::study::{SCRIPT, study};

const QUIET: &str = "--store none --costs none --pictures none";

#[test]
fn a_bucket_that_kills_its_worker_three_times_fails_and_the_rest_goes_on() {
    let shell = study(SCRIPT);
    let kills = shell.path("kills").display().to_string();
    let kill = format!("if [ \"$1\" = 6 ]; then echo x >> {kills}; kill -9 $PPID; fi\n");
    shell.write("keep.sh", kill + SCRIPT);
    let said = shell.run(&format!("run study.toml -o run --allow-commands {QUIET} --on local:2 --lease 5"));
    assert_eq!(said.exit, 1, "{said}");
    let rows = shell.read("run/rows.csv");
    let failed: Vec<&str> = rows.lines().filter(|row| row.contains(",failed,")).collect();
    let has_level = |row: &&str| row.split(',').nth(6) == Some("6");
    assert!(failed.len() == 2 && failed.iter().all(has_level), "these rows alone: {rows}");
    let journal = shell.read("run/journal.jsonl");
    assert!(journal.contains("its worker ended 3 times while it computed this row"), "{journal}");
    assert!(journal.contains("it was ended by signal 9"), "{journal}");
    let count = shell.read("kills").lines().count();
    assert!((3..=12).contains(&count), "{count} kills for two rows");
    assert!(said.stderr.contains("is computed again"), "{said}");
}

#[test]
fn a_worker_runs_no_commands_unless_it_is_told_so() {
    let shell = study(SCRIPT);
    let mut command = shell::command(&shell.path(""));
    let words = format!("run study.toml -o run --allow-commands {QUIET} --on folder");
    command.args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut manager = command.spawn().unwrap();
    while !shell.exists("run/work/now") {
        assert!(manager.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(10));
    }
    let said = shell.run("work run --store none --costs none");
    assert!(said.exit == 2 && said.stderr.contains("--allow-commands"), "{said}");
    let said = shell.ok("work run --store none --costs none --allow-commands");
    assert!(said.stderr.contains("computed"), "{said}");
    assert!(manager.wait().unwrap().success());
    shell.ok(&format!("run study.toml -o threads --allow-commands {QUIET}"));
    assert_eq!(shell.read("run/rows.csv"), shell.read("threads/rows.csv"));
}
