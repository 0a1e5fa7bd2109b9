//! `run --until decided`: the last phase doubles until every verdict is decided, within a bound, and goes on where it ended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::changed;

const SAME: [&str; 2] = ["rows.csv", "metrics.csv"];

fn vbd(base: u32) -> String {
    changed("method = \"moat\"\ntrajectories = 4", &format!("method = \"vbd\"\nbase = {base}"))
}

/// A folder with a study of 8 base rows: 1 + 8 x 5 rows.
fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", vbd(8));
    shell
}

fn rows(shell: &Shell, folder: &str) -> usize {
    shell.read(&format!("{folder}/rows.csv")).lines().count() - 1
}

/// The base rows that a run ended with, as its note says.
fn base(text: &str) -> u32 {
    let said = text.split("grew to base ").nth(1).expect(text);
    said.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn the_sample_doubles_until_every_verdict_is_decided() {
    let shell = shell();
    let said = shell.ok("run study.toml -o grown --until decided --at-most 20000rows");
    let base = base(&said.stdout);
    assert!(said.stdout.contains("every verdict about dice was decided"), "{said}");
    assert!(base > 8 && base.is_power_of_two(), "{said}");
    assert!(said.stderr.contains("undecided at base 8: on to base 16"), "{said}");
    assert!(!said.stderr.contains("the report has no pictures"), "{said}");
    assert_eq!(rows(&shell, "grown"), 1 + base as usize * 5);
    assert!(!shell.read("grown/answer.txt").lines().any(|line| line.contains("undecided:")), "{said}");
    // The rows are those of a study that had asked for so many at once.
    shell.write("study.toml", vbd(base));
    shell.ok("run study.toml -o fresh");
    for name in SAME {
        assert_eq!(shell.read(&format!("grown/{name}")), shell.read(&format!("fresh/{name}")), "{name}");
    }
    // Its intervals are wider: they hold however often the sample was looked at.
    let confidence = |folder: &str| {
        let indices = shell.read(&format!("{folder}/indices.json"));
        let text = indices.split("\"confidence\":").nth(1).unwrap().trim_start();
        text.split([',', '\n', '}']).next().unwrap().parse::<f64>().unwrap()
    };
    let looks = f64::from((base / 8).ilog2() + 1);
    assert_eq!(confidence("fresh"), 0.95);
    assert!((confidence("grown") - (1.0 - 0.05 / (looks * (looks + 1.0)))).abs() < 1e-12);
}

#[test]
fn a_bound_ends_it_and_a_larger_one_goes_on_where_it_ended() {
    let shell = shell();
    let said = shell.ok("run study.toml -o grown --until decided --at-most '100 rows'");
    assert_eq!((rows(&shell, "grown"), base(&said.stdout)), (81, 16));
    assert!(said.stdout.contains("the bound of 100 rows allowed no more"), "{said}");
    let said = shell.ok("run study.toml -o grown --until decided --at-most 200rows");
    assert!(said.stderr.contains("going on: 81 of 161 instances are done"), "{said}");
    assert_eq!((rows(&shell, "grown"), base(&said.stdout)), (161, 32));
    shell.ok("run study.toml -o whole --until decided --at-most 200rows");
    for name in ["rows.csv", "metrics.csv", "indices.json"] {
        assert_eq!(shell.read(&format!("grown/{name}")), shell.read(&format!("whole/{name}")), "{name}");
    }
    assert!(shell.ok("run study.toml -o grown").stderr.contains("complete: nothing to compute"));
}

#[test]
fn a_complete_run_grows_and_one_that_was_killed_ends_with_the_same_bytes() {
    let shell = shell();
    let command = "run study.toml -o grown --until decided --at-most 100rows";
    shell.ok("run study.toml -o grown");
    assert_eq!(rows(&shell, "grown"), 41);
    shell.ok(command);
    let whole: Vec<String> = SAME.iter().map(|name| shell.read(&format!("grown/{name}"))).collect();
    let indices = shell.read("grown/indices.json");
    let journal = shell.read("grown/journal.jsonl");
    let cut = journal.len() * 3 / 4;
    shell.write("grown/journal.jsonl", &journal[..cut]);
    std::fs::remove_file(shell.path("grown/run.json")).unwrap();
    let said = shell.ok(command);
    assert!(said.stderr.contains("going on: "), "{said}");
    assert_eq!(SAME.map(|name| shell.read(&format!("grown/{name}"))).to_vec(), whole);
    assert_eq!(shell.read("grown/indices.json"), indices);
}

#[test]
fn a_run_that_cannot_grow_or_has_no_bound_is_refused() {
    let shell = shell();
    for (arguments, expected) in [
        ("--until decided", "a run until every verdict is decided needs a bound"),
        ("--at-most 2h", "at_most bounds a run until every verdict is decided"),
        ("--until decided --at-most 5000", "a number of rows such as \"5000 rows\""),
        ("--until decided --at-most 2weeks", "a time such as \"2 h\""),
    ] {
        let said = shell.run(&format!("run study.toml -o refused {arguments}"));
        assert_eq!(said.exit, 2, "{said}");
        assert!(said.stderr.contains(expected), "{said}");
    }
    let optimised = "method = \"moat\"\ntrajectories = 4\nkind = \"optimised\"";
    shell.write("study.toml", changed("method = \"moat\"\ntrajectories = 4", optimised));
    let said = shell.run("run study.toml -o refused --until decided --at-most 2h");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("phase `screen` cannot grow until every verdict is decided"), "{said}");
    assert!(!shell.exists("refused"), "nothing is written");
}

#[test]
fn a_study_may_ask_for_it_and_a_plan_says_what_each_look_takes() {
    let shell = Shell::new();
    let study = vbd(8).replace("[run]", "[run]\nuntil = \"decided\"\nat_most = \"200 rows\"");
    shell.write("study.toml", study);
    let plan = shell.ok("plan study.toml").stdout;
    let looks: Vec<&str> = plan.lines().filter(|line| line.contains("decided at look")).collect();
    assert_eq!(looks.len(), 3, "{plan}");
    assert!(looks[0].starts_with("until") && looks[0].contains("base 8, 41 rows at most"), "{plan}");
    assert!(looks[2].contains("base 32, 161 rows") && looks[2].ends_with("intervals at 99.58 %"), "{plan}");
    let json = shell.ok("plan study.toml --json --at-most 100rows").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["looks"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(json["looks"][1]["rows"], 81);
    let said = shell.ok("run study.toml -o grown --at-most 100rows");
    assert_eq!((rows(&shell, "grown"), base(&said.stdout)), (81, 16));
}
