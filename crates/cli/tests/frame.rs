//! What every verb shares: help, versions, exit codes, files that cannot be read or written, broken pipes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

#[test]
fn help_of_the_command() {
    insta::assert_snapshot!(Shell::new().run("--help"));
}

#[test]
fn help_of_each_verb() {
    for verb in [
        "demo",
        "init",
        "check",
        "sample",
        "extend",
        "analyze",
        "plan",
        "why",
        "run",
        "status",
        "report",
        "segment",
        "features",
        "compare",
        "image",
        "image info",
        "image parts",
        "image convert",
        "image synth",
        "config",
        "config show",
        "completions",
    ] {
        insta::assert_snapshot!(
            format!("help-{}", verb.replace(' ', "-")),
            Shell::new().run(&format!("{verb} --help"))
        );
    }
}

#[test]
fn help_of_run_begins_with_the_options_that_most_people_need() {
    let help = Shell::new().ok("run --help").stdout;
    let group = help.split("\nOptions:\n").nth(1).unwrap().split("\n\n").map(str::trim_start);
    let names = group.take_while(|option| option.starts_with('-'));
    let names: Vec<&str> = names.map(|option| option.split([' ', '\n']).next().unwrap()).collect();
    assert_eq!(names[..5], ["-o", "--workers", "--memory", "--dry-run", "--json"], "{help}");
    assert!(help.find("Length of the run:").unwrap() < help.find("--until").unwrap(), "{help}");
}

#[test]
fn the_version_stands_alone() {
    let said = Shell::new().ok("--version");
    assert_eq!(said.stdout, format!("onceflow {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_bad_command_line_is_exit_2_and_suggests() {
    for (name, words) in [
        ("no-verb", ""),
        ("verb", "analyse"),
        ("option", "sample --problem p --metod lhs"),
        ("value", "sample --problem p --method latin"),
        ("number", "sample --problem p --method lhs --n many"),
    ] {
        let said = Shell::new().run(words);
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("bad-{name}"), said);
    }
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = Shell::new().ok(&format!("completions {shell}"));
        // Options of a verb, and of a verb of a verb.
        assert!(["second-order", "older-than"].iter().all(|option| said.stdout.contains(option)), "{shell}");
    }
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let shell = Shell::new();
    shell.write("study.toml", "name = 'a'\n").write("latin1.toml", b"name = '\xe9'\n").write("empty.txt", "");
    for (name, words) in [
        ("missing", "check stduy.toml"),
        ("missing-folder", "check nowhere/study.toml"),
        ("folder", "check ."),
        ("not-utf8", "check latin1.toml"),
        ("empty", "check empty.txt"),
    ] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("unreadable-{name}"), said);
    }
}

#[test]
fn a_file_too_large_to_be_meant_is_not_read() {
    let shell = Shell::new();
    let file = std::fs::File::create(shell.path("huge.toml")).unwrap();
    file.set_len(1 << 40).unwrap();
    let said = shell.run("check huge.toml");
    assert_eq!(said.exit, 2, "{said}");
    insta::assert_snapshot!("unreadable-huge", said);
}

const PROBLEM: &str = "a 0 1\nb 0 1\n";

#[test]
fn files_that_cannot_be_written_are_the_environments_fault() {
    let shell = Shell::new();
    shell.write("p.txt", PROBLEM).write("folder/x", "");
    let mut targets = vec![("no-folder", "nowhere/X.csv"), ("folder", "folder")];
    if std::path::Path::new("/dev/full").exists() {
        targets.push(("full", "/dev/full"));
    }
    for (name, target) in targets {
        let said = shell.run(&format!("sample --problem p.txt --method mc --n 2 -o {target}"));
        assert_eq!(said.exit, 3, "{said}");
        insta::assert_snapshot!(format!("unwritable-{name}"), said);
    }
    assert_eq!(shell.files(), ["folder", "p.txt"], "nothing is left behind");
}

#[test]
fn an_input_is_never_replaced() {
    let shell = Shell::new();
    shell.write("p.txt", PROBLEM);
    let said = shell.run("sample --problem p.txt --method mc --n 2 -o ./p.txt");
    assert_eq!((said.exit, shell.read("p.txt")), (2, PROBLEM.into()), "{said}");
}

#[test]
fn an_output_is_replaced_whole_and_a_link_stays_a_link() {
    let shell = Shell::new();
    shell.write("p.txt", PROBLEM).write("real.csv", "old");
    #[cfg(unix)]
    std::os::unix::fs::symlink("real.csv", shell.path("X.csv")).unwrap();
    shell.ok("sample --problem p.txt --method mc --n 2 -o X.csv --force");
    assert!(shell.read("X.csv").starts_with("row,role"));
    #[cfg(unix)]
    assert!(shell.path("X.csv").is_symlink() && shell.read("real.csv").starts_with("row,role"));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let shell = Shell::new();
    let plain = shell.run("check nothing.toml");
    let forced = shell.run_with("check nothing.toml", "", &[("CLICOLOR_FORCE", "1")]);
    let never = shell.run_with("check nothing.toml", "", &[("NO_COLOR", "1")]);
    assert!(!plain.stderr.contains('\u{1b}') && forced.stderr.contains('\u{1b}'));
    assert_eq!(plain.stderr, never.stderr);
}

#[test]
fn a_failure_is_json_too_when_json_was_asked_for() {
    let said = Shell::new().run("check nothing.toml --json");
    assert_eq!(
        (said.exit, said.json()["version"].as_u64(), said.json()["ok"].as_bool()),
        (2, Some(1), Some(false))
    );
    assert_eq!(said.json()["diagnostics"][0]["message"], "cannot read nothing.toml");
    assert!(said.stderr.starts_with("error: cannot read nothing.toml"));
}

#[test]
fn standard_input_is_a_file_called_minus() {
    let shell = Shell::new();
    let said = shell.run_with("check -", PROBLEM, &[]);
    assert_eq!(said.exit, 0, "{said}");
}

/// The reader of a pipe has seen enough: neither a message nor a failure.
#[cfg(unix)]
#[test]
fn a_broken_pipe_is_quiet() {
    use std::process::Stdio;
    let shell = Shell::new();
    shell.write("p.txt", PROBLEM);
    let mut command = shell::command(&shell.path(""));
    command.args(["sample", "--problem", "p.txt", "--method", "mc", "--n", "200000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
