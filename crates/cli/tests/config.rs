//! `onceflow config show`, profiles and the order of layers: command line, environment, study, profile, default.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use serde_json::{Value, json};
use shell::{Said, Shell};
use studies::{STUDY, changed};

/// Every key, a value of the profile, a stronger one of the environment, and both as they are shown.
const KEYS: [(&str, &str, &str, [&str; 2]); 18] = [
    ("reuse", "\"stage\"", "task", ["stage", "task"]),
    ("workers", "5", "6", ["5", "6"]),
    ("memory", "\"3 GiB\"", "4 GiB", ["3 GiB", "4 GiB"]),
    ("pin", "true", "false", ["true", "false"]),
    ("scratch", "\"/fast\"", "/faster", ["/fast", "/faster"]),
    (
        "staging",
        "\"separated:writers=2\"",
        "co-located",
        ["separated:writers=2,group=1,batch=4,round-robin", "co-located"],
    ),
    ("costs", "\"costs.jsonl\"", "none", ["costs.jsonl", "none"]),
    ("store", "\"results\"", "none", ["results", "none"]),
    // Without a store it has no size, and no folder of results.
    ("store_size", "\"20 GiB\"", "5 GiB", ["20 GiB", "none"]),
    ("blobs", "\"shared\"", "other", ["shared", "none"]),
    ("audit", "\"1%\"", "0.5", ["1%", "50%"]),
    ("granularity", "\"split\"", "fused", ["split", "fused"]),
    ("policy", "\"fcfs\"", "rmsr:3", ["fcfs", "rmsr:3"]),
    ("events", "\"events.jsonl\"", "/dev/null", ["events.jsonl", "/dev/null"]),
    ("pictures", "\"none\"", "all", ["none", "all"]),
    ("allow_commands", "true", "0", ["true", "false"]),
    ("until", "\"decided\"", "decided", ["decided", "decided"]),
    ("at_most", "\"2h\"", "5000rows", ["2 h", "5000 rows"]),
];

/// The folder of a test without settings of any kind.
fn folder() -> Shell {
    let shell = Shell::new();
    shell
        .write("study.toml", STUDY)
        .write("plain.toml", changed("[run]\nworkers = 2\nmemory = \"64 MiB\"", "[run]"));
    shell
}

fn show(shell: &Shell, words: &str, environment: &[(&str, &str)]) -> Value {
    // The variable of the costs file is set for every test; here it is a setting like others.
    let costs = [("ONCEFLOW_COSTS", ""), ("ONCEFLOW_STORE", "")];
    let said = shell.run_with(&format!("config show {words} --json"), "", &[&costs, environment].concat());
    assert_eq!(said.exit, 0, "{said}");
    assert_eq!(said.json()["version"], 1);
    said.json()["settings"].clone()
}

fn setting(value: &str, origin: &str) -> Value {
    json!({ "value": value, "origin": origin })
}

fn refused(said: &Said) {
    assert_eq!(said.exit, 2, "{said}");
    assert_eq!(said.stdout, "", "{said}");
}

#[test]
fn stronger_layers_win() {
    let shell = folder();
    shell.write("config/onceflow/profile.toml", "workers = 5\n");
    let environment = [("ONCEFLOW_WORKERS", "3")];
    let workers =
        |words: &str, environment: &[(&str, &str)]| show(&shell, words, environment)["workers"].clone();
    assert_eq!(workers("study.toml --workers 4", &environment), setting("4", "command line"));
    assert_eq!(workers("study.toml", &environment), setting("3", "environment ONCEFLOW_WORKERS"));
    assert_eq!(workers("study.toml", &[]), setting("2", "study"));
    let profile = "profile [folder]/config/onceflow/profile.toml";
    assert_eq!(workers("plain.toml", &[]), setting("5", profile));
    assert_eq!(workers("", &[]), setting("5", profile));
    std::fs::remove_file(shell.path("config/onceflow/profile.toml")).unwrap();
    assert_eq!(workers("plain.toml", &[])["origin"], "default");
}

#[test]
fn every_key_stands_in_profile_and_environment() {
    let shell = folder();
    let lines: Vec<String> = KEYS.iter().map(|(key, value, ..)| format!("{key} = {value}\n")).collect();
    shell.write("lab.toml", lines.concat());
    let settings = show(&shell, "plain.toml --profile lab.toml", &[]);
    assert_eq!(settings.as_object().unwrap().len(), KEYS.len());
    for (key, _, _, [shown, _]) in KEYS {
        assert_eq!(settings[key], setting(shown, "profile lab.toml"), "{key}");
    }
    let variables: Vec<(String, &str)> =
        KEYS.iter().map(|(key, _, value, _)| (format!("ONCEFLOW_{}", key.to_uppercase()), *value)).collect();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let settings = show(&shell, "plain.toml --profile lab.toml", &variables);
    for ((key, _, _, [_, shown]), (name, _)) in KEYS.into_iter().zip(variables) {
        assert_eq!(settings[key], setting(shown, &format!("environment {name}")), "{key}");
    }
}

#[test]
fn the_command_line_wins_for_every_option() {
    let shell = folder();
    let words = "--reuse dataflow --workers 7 --memory '5 GiB' --pin --scratch /mine --staging co-located \
                 --costs mine.jsonl --granularity auto --until decided --at-most 90min";
    let settings = show(&shell, words, &[("ONCEFLOW_PIN", "false"), ("ONCEFLOW_SCRATCH", "/other")]);
    for (key, value) in [
        ("reuse", "dataflow"),
        ("workers", "7"),
        ("memory", "5 GiB"),
        ("pin", "true"),
        ("scratch", "/mine"),
        ("staging", "co-located"),
        ("costs", "mine.jsonl"),
        ("granularity", "auto"),
        ("until", "decided"),
        ("at_most", "1 h 30 min"),
    ] {
        assert_eq!(settings[key], setting(value, "command line"), "{key}");
    }
}

#[test]
fn a_study_sets_workers_memory_staging_and_granularity() {
    let shell = folder();
    let run = "[run]\nstaging = \"separated:writers=2\"\ngranularity = \"written\"\n";
    shell
        .write("study.toml", changed("[run]\n", run))
        .write("lab.toml", "granularity = \"fused\"\npin = true\n");
    let settings = show(&shell, "study.toml --profile lab.toml", &[]);
    assert_eq!(settings["workers"], setting("2", "study"));
    assert_eq!(settings["memory"], setting("64 MiB", "study"));
    assert_eq!(settings["staging"]["origin"], "study");
    assert_eq!(settings["granularity"], setting("written", "study"));
    assert_eq!(settings["pin"], setting("true", "profile lab.toml"));
}

#[test]
fn a_table_names_every_setting() {
    let shell = folder();
    shell.write("lab.toml", "workers = 5\nmemory = \"2 GiB\"\n");
    let said = shell.run("config show study.toml --profile lab.toml --reuse task");
    assert_eq!(said.exit, 0, "{said}");
    insta::assert_snapshot!("table", said);
}

#[test]
fn a_profile_is_found_by_name_path_or_variable() {
    let shell = folder();
    shell.write("config/onceflow/lab.toml", "workers = 5\n").write("here/lab.toml", "workers = 6\n");
    let named = setting("5", "profile [folder]/config/onceflow/lab.toml");
    assert_eq!(show(&shell, "--profile lab", &[])["workers"], named);
    assert_eq!(show(&shell, "", &[("ONCEFLOW_PROFILE", "lab")])["workers"], named);
    let by_path = setting("6", "profile here/lab.toml");
    assert_eq!(show(&shell, "--profile here/lab.toml", &[("ONCEFLOW_PROFILE", "lab")])["workers"], by_path);
    assert_eq!(
        show(&shell, "", &[])["workers"]["origin"],
        "default",
        "only profile.toml is used without a name"
    );
}

#[test]
fn a_run_uses_the_profile() {
    let shell = folder();
    shell.write("lab.toml", "reuse = \"none\"\nworkers = 1\n");
    let planned = |words: &str| {
        let said = shell.ok(&format!("plan plain.toml {words} --json"));
        said.json()["tasks"]["planned"].as_u64().unwrap()
    };
    assert_eq!(planned("--profile lab.toml"), planned("--reuse none"));
    assert!(planned("") < planned("--profile lab.toml"));
}

#[test]
fn bad_values_are_refused_with_place_expected_and_found() {
    let shell = folder();
    for (name, profile) in [
        ("workers", "# a laboratory\nworkers = \"many\"\n"),
        ("workers-zero", "workers = 0\n"),
        ("memory", "memory = \"lots\"\n"),
        ("key", "wokers = 8\n"),
        ("path", "scratch = [\"/fast\"]\n"),
        ("staging", "staging = \"together\"\n"),
        ("policy", "policy = \"lottery\"\n"),
        ("syntax", "workers = \n"),
    ] {
        let said = shell.write("lab.toml", profile).run("config show --profile lab.toml");
        refused(&said);
        insta::assert_snapshot!(format!("refused-profile-{name}"), said);
    }
    for (name, variable, value) in [
        ("workers", "ONCEFLOW_WORKERS", "many"),
        ("memory", "ONCEFLOW_MEMORY", "lots"),
        ("pin", "ONCEFLOW_PIN", "perhaps"),
        ("staging", "ONCEFLOW_STAGING", "together"),
        ("policy", "ONCEFLOW_POLICY", "lottery"),
    ] {
        let said = shell.run_with("config show", "", &[(variable, value)]);
        refused(&said);
        insta::assert_snapshot!(format!("refused-variable-{name}"), said);
        refused(&shell.run_with("plan study.toml", "", &[(variable, value)]));
    }
}

#[test]
fn other_refusals() {
    let shell = folder();
    shell.write("workflow.json", "{}").write("params.txt", "a 0 1\n");
    for (name, words) in [
        ("missing-profile", "config show --profile nowhere"),
        ("missing-study", "config show nowhere.toml"),
        ("not-a-study", "config show params.txt"),
        ("contradiction", "config show --reuse stage --merge rtma"),
    ] {
        let said = shell.run(words);
        refused(&said);
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
    let said = shell.run("config show --profile nowhere --json");
    assert_eq!(said.exit, 2, "{said}");
    assert_eq!(said.json()["ok"], false);
}

#[test]
fn empty_variables_are_no_settings() {
    let shell = folder();
    let settings = show(&shell, "study.toml", &[("ONCEFLOW_WORKERS", ""), ("ONCEFLOW_MEMORY", "")]);
    assert_eq!(settings["workers"], setting("2", "study"));
}

#[cfg(unix)]
#[test]
fn a_path_of_the_environment_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let shell = folder();
    let value = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let run = |name: &str, bytes| {
        let mut command = shell::command(&shell.path(""));
        command.args(["config", "show", "--json"]).env(name, value(bytes)).output().unwrap()
    };
    let output = run("ONCEFLOW_SCRATCH", b"/fast\xff");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["settings"]["scratch"]["origin"], "environment ONCEFLOW_SCRATCH");
    assert_eq!(run("ONCEFLOW_WORKERS", b"\xff").status.code(), Some(2));
}
