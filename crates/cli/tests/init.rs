//! `onceflow init`: studies to start from, and problems in other forms.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;

use shell::Shell;

#[test]
fn what_init_writes_passes_the_check() {
    for words in
        ["init -o study.toml", "init study.toml --workflow nuclei-paper", "init --model -o study.toml"]
    {
        let shell = Shell::new();
        shell.ok(words);
        let said = shell.ok("check study.toml");
        assert!(!said.stdout.contains("error"), "{words}\n{said}");
        shell.ok("sample --problem study.toml --phase screen -o X.csv");
    }
    insta::assert_snapshot!("template", Shell::new().run("init"));
}

#[test]
fn an_own_workflow_is_named_relative_to_the_study() {
    let shell = Shell::new();
    shell.write("work/flow.json", include_str!("../../study/src/shipped/nuclei.json"));
    shell.ok("init --workflow work/flow.json -o work/study.toml");
    assert!(shell.read("work/study.toml").contains("\"flow.json\""), "{}", shell.read("work/study.toml"));
    shell.ok("check work/study.toml");
}

#[test]
fn nothing_is_replaced_without_force() {
    let shell = Shell::new();
    shell.write("study.toml", "mine");
    insta::assert_snapshot!("exists", shell.run("init -o study.toml"));
    assert_eq!(shell.read("study.toml"), "mine");
    shell.ok("init -o study.toml --force");
    assert_ne!(shell.read("study.toml"), "mine");
}

#[test]
fn problems_go_to_a_study_and_back() {
    let shell = Shell::new();
    shell.write("params.txt", "a 0 1 g unif\nb 2 3 g2 logunif\n");
    shell.ok("init --from params.txt -o study.toml");
    insta::assert_snapshot!("from-salib", shell.read("study.toml"));
    shell.ok("init --from study.toml --to salib -o problem.json");
    insta::assert_snapshot!("to-salib", shell.read("problem.json"));
    let sample = |problem: &str| {
        shell.ok(&format!("sample --problem {problem} --method saltelli --n 4 --seed 1")).stdout
    };
    assert_eq!(sample("params.txt"), sample("study.toml"));
    assert_eq!(sample("params.txt"), sample("problem.json"));
    shell.write("p.txt", "a 0 1\nb 2 3\n");
    shell.ok("init --from p.txt -o p.toml");
    shell.write(
        "p.toml",
        shell.read("p.toml") + "\n[[phase]]\nname = 's'\nmethod = 'moat'\ntrajectories = 4\n",
    );
    insta::assert_snapshot!("to-dakota", shell.run("init --from p.toml --to dakota"));
}

#[test]
fn what_another_tool_cannot_say_is_told() {
    let shell = Shell::new();
    shell.write(
        "study.toml",
        "name = 'a'\n[parameters]\nx = { from = 0, to = 10, step = 1 }\nmode = ['a', 'b']\n",
    );
    insta::assert_snapshot!("losses", shell.run("init --from study.toml --to salib"));
}

#[test]
fn senseless_wishes_are_refused() {
    let shell = Shell::new();
    shell.write("p.txt", "a 0 1\n");
    for (name, words) in [
        ("nothing-to-convert", "init --to salib"),
        ("no-such-workflow", "init --workflow nucleii"),
        ("no-workflow", "init --workflow p.txt"),
    ] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn an_account_of_what_is_written_is_json() {
    let shell = Shell::new();
    let planned = shell.ok("init --model -o a.toml --dry-run --json").json();
    assert_eq!((&planned["version"], &planned["written"]), (&1.into(), &false.into()));
    assert!(!shell.path("a.toml").exists());
    let written = shell.ok("init --model -o a.toml --json").json();
    assert_eq!(written["bytes"], shell.read("a.toml").len());
    assert_eq!(shell.run("init --model --json").exit, 2, "standard output cannot hold both");
}
