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
    for verb in ["demo", "init", "check", "sample", "extend", "analyze", "bench", "completions"] {
        insta::assert_snapshot!(format!("help-{verb}"), Shell::new().run(&format!("{verb} --help")));
    }
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
        assert!(said.stdout.contains("second-order"), "{shell}");
    }
}
