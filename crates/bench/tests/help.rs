//! The command line of the benchmarks: help, and refusals that say what is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod command;

use command::BenchFolder;

#[test]
fn help() {
    let output = BenchFolder::new().run("--help");
    insta::assert_snapshot!(format!("exit {}\n--- stdout\n{}", output.exit, output.stdout.trim_end()));
}

#[test]
fn a_bad_command_line_is_exit_2() {
    for words in ["", "nothing", "run --python python3 --no-peer", "seams --size many"] {
        let output = BenchFolder::new().run(words);
        assert_eq!(output.exit, 2, "{output:?}");
    }
    let usage = BenchFolder::new().run("").stderr;
    assert!(usage.contains("Usage: onceflow bench"), "named as users call it: {usage}");
}

#[test]
fn a_failure_is_json_too_when_json_was_asked_for() {
    let output = BenchFolder::new().run("seams --image missing.png --json");
    assert_eq!(output.exit, 2, "{output:?}");
    let object: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((object["version"].as_u64(), object["ok"].as_bool()), (Some(1), Some(false)));
    assert!(output.stderr.starts_with("error: "), "{output:?}");
}

#[test]
fn the_guide_names_every_option_and_variable() {
    let guide =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands/README.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let section = guide.split("\n## `onceflow bench`").nth(1).unwrap().split("\n## ").next().unwrap();
    let help = BenchFolder::new().run("--help").stdout;
    let options: Vec<&str> = help.lines().filter_map(|line| line.trim_start().strip_prefix("--")).collect();
    assert!(options.len() >= 6, "{help}");
    for option in options {
        let name = option.split([' ', '=']).next().unwrap();
        let place = if name == "progress" { guide.as_str() } else { section };
        assert!(
            place.contains(&format!("--{name}")),
            "docs/reference/commands/README.md does not say --{name} under `onceflow bench`"
        );
    }
    for variable in help.split("[env: ").skip(1).filter_map(|rest| rest.split([']', '=']).next()) {
        assert!(guide.contains(variable), "docs/reference/commands/README.md does not say {variable}");
    }
}
