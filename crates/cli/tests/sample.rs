//! `onceflow sample` and `onceflow extend`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod model;
mod shell;

use model::ISHIGAMI;
use shell::Shell;

const STUDY: &str = r#"name = "words"
seed = 11
constraints = ["low < high"]

[parameters]
low  = { from = 0, to = 4, type = "integer", default = 1 }
high = { from = 5, to = 9, type = "integer", default = 20 }
mode = { values = ["fast", "good"], default = "good" }
gain = { from = 0.5, to = 2.0, step = 0.5, default = 1.0 }

[[phase]]
name = "screen"
method = "moat"
trajectories = 2

[[phase]]
name = "few"
method = "lhs"
rows = 4
kind = "centred"
keep = ["gain", "mode"]
"#;

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("p.txt", ISHIGAMI).write("study.toml", STUDY);
    shell
}

#[test]
fn every_method_makes_its_rows() {
    for (method, options, rows) in [
        ("mc", "--n 5", 5),
        ("lhs", "--n 5", 5),
        ("lhs", "--n 5 --kind centred", 5),
        ("lhs", "--n 5 --kind maximin", 5),
        ("lhs", "--n 4 --kind nested", 4),
        ("halton", "--n 5", 5),
        ("halton", "--n 5 --no-scramble", 5),
        ("hammersley", "--n 5", 5),
        ("sobol", "--n 8", 8),
        ("grid", "--values 3", 27),
        ("grid", "--values 3 --fraction 3", 9),
        ("morris", "--n 4", 16),
        ("moat", "--n 4 --kind radial", 16),
        ("morris", "--n 4 --kind optimised --candidates 20 --values 6", 16),
        ("saltelli", "--n 8", 40),
        ("vbd", "--n 8 --second-order --replicates 2", 64),
    ] {
        let shell = shell();
        let words = format!("sample --problem p.txt --method {method} {options} --seed 3");
        let said = shell.ok(&format!("{words} -o X.csv"));
        assert_eq!(shell.read("X.csv").lines().count(), rows + 1, "{words}\n{said}");
        assert_eq!(shell.ok(&words).stdout, shell.read("X.csv"), "standard output holds the same");
        let counted = shell.ok(&format!("{words} --dry-run --json")).json();
        assert_eq!(counted["rows"], rows);
        assert_eq!(shell.files(), ["X.csv", "X.csv.design.json", "p.txt", "study.toml"]);
    }
}

#[test]
fn a_sample_and_its_account() {
    let shell = shell();
    insta::assert_snapshot!(
        "account",
        shell.run("sample --problem study.toml --method morris --n 2 --seed 2026 -o X.csv --json")
    );
    insta::assert_snapshot!("table", shell.read("X.csv"));
    insta::assert_snapshot!("design", shell.read("X.csv.design.json"));
    for format in ["json", "salib", "dakota"] {
        let words =
            format!("sample --problem study.toml --method saltelli --n 2 --replicates 1 --format {format}");
        insta::assert_snapshot!(format!("format-{format}"), shell.run(&words));
    }
}

#[test]
fn the_study_gives_method_size_and_seed_and_the_command_line_wins() {
    let shell = shell();
    let account =
        |words: &str| shell.ok(&format!("sample --problem study.toml {words} --dry-run --json")).json();
    let facts = |words: &str| {
        let json = account(words);
        (
            json["method"].as_str().unwrap().to_owned(),
            json["n"].as_u64().unwrap(),
            json["seed"].as_u64().unwrap(),
        )
    };
    assert_eq!(facts("--phase screen"), ("morris".into(), 2, 11));
    assert_eq!(facts("--phase screen --n 3 --seed 5"), ("morris".into(), 3, 5));
    assert_eq!(facts("--phase screen --method mc --n 7"), ("mc".into(), 7, 11));
    assert_eq!(facts("--method sobol --n 8"), ("sobol".into(), 8, 11));
    let said = shell.run_with(
        "sample --problem study.toml --phase screen --dry-run --json",
        "",
        &[("ONCEFLOW_SEED", "8")],
    );
    assert_eq!(said.json()["seed"], 8, "the environment wins over the study");
}

#[test]
fn what_a_phase_does_not_vary_stands_at_its_default_in_every_row() {
    let shell = shell();
    insta::assert_snapshot!(shell.run("sample --problem study.toml --phase few --reference"));
}

#[test]
fn dakota_inputs_bring_their_design() {
    let shell = shell();
    let text = "method\n  psuade_moat samples = 12 partitions = 3 seed = 500\nvariables\n  continuous_design = 2\n    lower_bounds 0 0\n    upper_bounds 1 2\n    descriptors 'a' 'b'\nresponses\n  response_functions = 1\n  no_gradients no_hessians\n";
    shell.write("moat.in", text);
    let json = shell.ok("sample --problem moat.in --dry-run --json").json();
    assert_eq!(
        (json["method"].as_str(), json["rows"].as_u64(), json["seed"].as_u64()),
        (Some("morris"), Some(12), Some(500))
    );
}

#[test]
fn senseless_samples_are_refused() {
    for (name, words) in [
        ("no-method", "sample --problem p.txt --n 4"),
        ("no-size", "sample --problem p.txt --method morris"),
        ("zero", "sample --problem p.txt --method mc --n 0"),
        ("huge", "sample --problem p.txt --method mc --n 99999999999999"),
        ("idle-option", "sample --problem p.txt --method mc --n 4 --second-order"),
        ("idle-size", "sample --problem p.txt --method grid --n 4"),
        ("wrong-kind", "sample --problem p.txt --method morris --n 4 --kind maximin"),
        ("candidates", "sample --problem p.txt --method morris --n 4 --kind plain --candidates 9"),
        ("no-phases", "sample --problem p.txt --phase screen"),
        ("phase", "sample --problem study.toml --phase scren"),
        ("after-without-rule", "sample --problem study.toml --phase few --after p.txt"),
        ("two-results", "sample --problem p.txt --method mc --n 4 --json"),
        ("reference", "sample --problem study.toml --phase few --reference --format salib"),
        ("no-default", "sample --problem p.txt --method mc --n 4 --reference"),
        ("workflow", "sample --problem w.json --method mc --n 4"),
    ] {
        let shell = shell();
        shell.write("w.json", include_str!("../../study/src/shipped/nuclei.json"));
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{words}\n{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
}

#[test]
fn a_larger_sample_begins_with_the_smaller_one() {
    for (method, options, from, to) in [
        ("mc", "", 5, 9),
        ("lhs", "--kind nested", 4, 16),
        ("halton", "", 5, 6),
        ("sobol", "--no-scramble", 8, 16),
        ("morris", "", 3, 5),
        ("morris", "--kind radial", 3, 5),
        ("saltelli", "--second-order --replicates 2", 4, 8),
    ] {
        let shell = shell();
        let sample = |n: u64, file: &str| {
            shell.ok(&format!(
                "sample --problem study.toml --reference --method {method} {options} --n {n} -o {file}"
            ))
        };
        sample(from, "X.csv");
        shell.ok(&format!("extend --problem study.toml -X X.csv --n {to} -o X2.csv"));
        shell.ok(&format!("extend --problem study.toml -X X.csv --n {to} --new-only -o new.csv"));
        sample(to, "once.csv");
        let (small, large, new) = (shell.read("X.csv"), shell.read("X2.csv"), shell.read("new.csv"));
        assert_eq!(large, shell.read("once.csv"), "{method}: extended is as made at once");
        assert!(large.starts_with(&small), "{method}");
        let header = small.lines().next().unwrap();
        assert_eq!(
            new,
            format!("{header}\n{}", &large[small.len()..]),
            "{method}: the new rows are the rest"
        );
        assert!(!shell.exists("new.csv.design.json"), "a part is no sample");
    }
}

#[test]
fn a_phase_that_varies_little_is_extended_too() {
    let shell = shell();
    shell.ok("sample --problem study.toml --phase few --method sobol --n 4 -o X.csv");
    shell.ok("extend --problem study.toml -X X.csv --n 8 -o X2.csv --json");
    assert!(shell.read("X2.csv").starts_with(&shell.read("X.csv")));
    assert_eq!(shell.read("X2.csv").lines().count(), 9);
}

#[test]
fn senseless_extensions_are_refused() {
    let shell = shell();
    shell.ok("sample --problem p.txt --method lhs --n 4 -o plain.csv");
    shell.ok("sample --problem p.txt --method mc --n 4 -o X.csv");
    shell.ok("sample --problem p.txt --method mc --n 4 --seed 9 -o other.csv");
    shell
        .write("moved.csv", shell.read("other.csv"))
        .write("moved.csv.design.json", shell.read("X.csv.design.json"));
    shell.write("alone.csv", shell.read("X.csv"));
    for (name, words) in [
        ("not-extendable", "-X plain.csv --n 8"),
        ("smaller", "-X X.csv --n 2"),
        ("no-design", "-X alone.csv --n 8"),
        ("another-design", "-X moved.csv --n 8"),
        ("itself", "-X X.csv --n 8 -o X.csv"),
    ] {
        let said = shell.run(&format!("extend --problem p.txt {words}"));
        assert_eq!(said.exit, 2, "{name}\n{said}");
        insta::assert_snapshot!(format!("extend-{name}"), said);
    }
}
