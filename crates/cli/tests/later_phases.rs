//! Plans, explanations, exports and simulations speak of every phase of a study.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::collections::HashSet;

use serde_json::Value;
use shell::Shell;
use studies::STUDY;

const LATER: &str = "[[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 16\n\
    keep = { phase = \"screen\", metric = \"dice\", share = 0.1 }\n\n[run]";

/// A study of two phases.
fn study() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY.replace("[run]", LATER));
    shell
}

/// The numbers of the rows of a phase.
fn rows_of(shell: &Shell, phase: &str) -> Vec<u64> {
    let rows = shell.read("first/rows.csv");
    let fields = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    fields.filter(|fields| fields[1] == phase).map(|fields| fields[0].parse().unwrap()).collect()
}

#[test]
fn a_row_of_a_later_phase_is_explained_by_the_run() {
    let shell = study();
    shell.ok("run study.toml -o first");
    let rows = rows_of(&shell, "decompose");
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    assert_eq!(last, rows_of(&shell, "screen").len() as u64 + rows.len() as u64);
    for row in [first, last] {
        let said = shell.ok(&format!("why first --row {row}")).stdout;
        assert!(said.starts_with(&format!("row {row} of decompose, ")), "{said}");
        let json = shell.ok(&format!("why first --row {row} --json")).json();
        assert_eq!((json["row"].as_u64(), json["phase"].as_str()), (Some(row), Some("decompose")));
        for task in json["tasks"].as_array().unwrap() {
            let shared: Vec<u64> =
                task["rows"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            assert!(shared.contains(&row) && shared.iter().all(|other| rows.contains(other)), "{task}");
        }
    }
    assert_eq!(shell.ok("why first --row 0 --json").json()["phase"], "screen");
    let said = shell.run(&format!("why first --row {}", last + 1));
    assert!(said.exit == 2 && said.stderr.contains(&format!("to {last}")), "{said}");
    // Without a run it is not known which parameters the phase keeps.
    let said = shell.run(&format!("why study.toml --row {first}"));
    assert!(said.exit == 2 && said.stderr.contains("onceflow why RUN --row"), "{said}");
}

#[test]
fn a_plan_says_what_it_assumes_of_later_phases() {
    let shell = study();
    let text = shell.ok("plan study.toml").stdout;
    assert!(text.contains("at most 80 rows if all 3 parameters are kept"), "{text}");
    let later = |words: &str| shell.ok(words).json()["later"][0]["planned"].clone();
    let assumed = later("plan study.toml --json");
    assert_eq!((&assumed["assumes"], &assumed["rows"]), (&"all".into(), &80.into()));
    shell.ok("run study.toml -o first --reuse dataflow");
    let known = later("plan first --reuse dataflow --json");
    let rows = rows_of(&shell, "decompose").len();
    assert_eq!((&known["assumes"], &known["rows"]), (&"run".into(), &rows.into()));
    assert!(rows < 80, "the screen must drop a parameter");
    let named = STUDY.replace(
        "[run]",
        &LATER.replace("{ phase = \"screen\", metric = \"dice\", share = 0.1 }", "[\"G1\"]"),
    );
    shell.write("named.toml", named);
    let named = later("plan named.toml --json");
    assert_eq!(
        (&named["assumes"], &named["rows"], &named["parameters"]),
        (&"study".into(), &48.into(), &1.into())
    );
}

#[test]
fn an_export_holds_every_phase_in_an_order_that_can_be_run() {
    let shell = study();
    let said = shell.ok("plan study.toml --export plan.jsonl");
    assert!(said.stderr.contains("decompose is written as if all parameters were kept"), "{said}");
    let lines: Vec<Value> =
        shell.read("plan.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut ids = HashSet::new();
    for line in &lines {
        for before in line["after"].as_array().unwrap() {
            assert!(ids.contains(before.as_str().unwrap()), "{line}");
        }
        assert!(ids.insert(line["id"].as_str().unwrap().to_owned()), "{line}");
        assert!(line["key"].is_string(), "{line}");
    }
    let phases: HashSet<&str> = lines.iter().map(|line| line["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, HashSet::from(["screen", "decompose"]));
    let most = lines.iter().map(|line| line["row"].as_u64().unwrap()).max();
    assert_eq!(most, Some(16 + 80));
    // The reference row is the same in both phases.
    let reference = |phase: &str| -> HashSet<String> {
        let own = lines.iter().filter(|line| line["phase"] == phase && line["row"] == 0);
        own.map(|line| line["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(reference("screen"), reference("decompose"));
    shell.ok("plan study.toml --export one.jsonl --phase screen");
    assert!(shell.read("plan.jsonl").starts_with(&shell.read("one.jsonl")));
    let said = shell.run("plan study.toml --export x.jsonl --phase scren");
    assert!(said.exit == 2 && said.stderr.contains("did you mean `screen`?"), "{said}");
}

#[test]
fn a_graph_is_of_the_phase_and_the_stage_that_are_asked_for() {
    let shell = study();
    shell.ok("plan study.toml --graph first.dot");
    shell.ok("plan study.toml --graph later.dot --phase decompose");
    assert_ne!(shell.read("first.dot"), shell.read("later.dot"));
    let buckets = "--reuse task --merge rtma --max-bucket-size 3";
    shell.ok(&format!("plan study.toml {buckets} --graph bucket.dot --graph-of bucket:0 --stage segment"));
    shell.ok(&format!("why study.toml {buckets} --bucket 0 --stage segment --phase decompose"));
    let said = shell.run(&format!("why study.toml {buckets} --bucket 0 --stage nowhere"));
    assert!(said.exit == 2 && said.stderr.contains("segment"), "{said}");
}

#[test]
fn every_phase_is_simulated() {
    let shell = study();
    shell.write("machine.toml", "[[node]]\ncount = 2\ncpus = 2\nmemory = \"1 GiB\"\n");
    let simulate = "run study.toml --executor simulated --machine machine.toml --json";
    let json = shell.ok(&format!("{simulate} -o out")).json();
    let phases = json["phases"].as_array().unwrap();
    assert_eq!((json["phase"].as_str(), phases.len()), (Some("screen"), 2));
    assert_eq!((phases[1]["phase"].as_str(), phases[1]["rows"].as_u64()), (Some("decompose"), Some(80)));
    let trace: Value = serde_json::from_str(&shell.read("out/trace.json")).unwrap();
    let last = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["args"]["row"].as_u64().unwrap())
        .max();
    assert!(last.unwrap() > 17, "rows of the second phase have their numbers");
    shell.ok("run study.toml -o first");
    let replayed = shell.ok(&format!("{simulate} --replay first")).json();
    let rows = rows_of(&shell, "decompose").len();
    assert_eq!(replayed["phases"][1]["rows"], rows);
}

#[test]
fn a_peak_is_never_above_the_bound() {
    let shell = study();
    let plan = |memory: &str| shell.ok(&format!("plan study.toml --memory '{memory}' --json")).json();
    let (ample, tight) = (plan("1 GiB"), plan("33 MiB"));
    assert_eq!(ample["peak_bytes"], ample["unbounded_bytes"]);
    assert!(tight["unbounded_bytes"].as_u64().unwrap() > 33 << 20, "{tight}");
    assert_eq!(tight["peak_bytes"].as_u64(), Some(33 << 20));
    let said = shell.ok("plan study.toml --memory '33 MiB'").stdout;
    assert!(said.contains("peak 33 MiB of 33 MiB ("), "{said}");
}

/// A study of two phases whose rows are compared with the truth alone, and that has run with a store.
fn stored(keep: &str, run: &str) -> Shell {
    let shell = Shell::new();
    let change = "[[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n";
    assert!(STUDY.contains(change));
    let later = LATER.replace("{ phase = \"screen\", metric = \"dice\", share = 0.1 }", keep);
    assert!(later.contains(keep), "{later}");
    shell.write("study.toml", STUDY.replace(change, "").replace("[run]", &later));
    shell.write("compared.toml", STUDY.replace("[run]", &later));
    shell.ok(run);
    shell
}

#[test]
fn a_plan_says_what_the_store_has_of_each_phase() {
    let shell = stored("[\"G1\", \"G2\"]", "run study.toml -o first --store store");
    let text = shell.ok("plan study.toml --store store").stdout;
    let rows = rows_of(&shell, "decompose").len();
    let lines = format!(
        "stored     screen: 17 of 17 instances by earlier runs\n           decompose: {rows} of {rows} instances by earlier runs\n"
    );
    assert!(text.contains(&lines), "{text}");
    let json = shell.ok("plan study.toml --store store --json").json();
    let all = rows + 17;
    assert_eq!((&json["stored"]["instances"], &json["stored"]["taken"]), (&all.into(), &all.into()));
    assert_eq!(json["stored"]["phases"][1]["found"]["taken"], rows);
    // Later rows are compared with the reference row, which no plan computes.
    let text = shell.ok("plan compared.toml --store store").stdout;
    let unknown = "           decompose: not known before the run: rows are compared with the reference row";
    assert!(text.contains("stored     screen: ") && text.contains(unknown), "{text}");
}

#[test]
fn what_the_store_has_of_a_phase_with_parameters_to_be_chosen_is_known_from_a_run() {
    let keep = "{ phase = \"screen\", metric = \"dice\", share = 0.1 }";
    let shell = stored(keep, "run study.toml -o first --reuse dataflow --store store");
    let text = shell.ok("plan study.toml --store store").stdout;
    let unknown = "decompose: not known before the run: an earlier phase decides which parameters vary\n";
    assert!(text.contains(unknown), "{text}");
    let rows = rows_of(&shell, "decompose").len();
    let text = shell.ok("plan first --reuse dataflow --store store").stdout;
    assert!(text.contains(&format!("decompose: {rows} of {rows} instances by earlier runs\n")), "{text}");
}

#[test]
fn the_time_of_a_plan_is_that_of_its_command() {
    let shell = study();
    let began = std::time::Instant::now();
    let json = shell.ok("plan study.toml --json").json();
    let most = began.elapsed().as_secs_f64();
    let [planning, wall] = ["planning_s", "wall_s"].map(|name| json[name].as_f64().unwrap());
    assert!(0.0 < planning && planning < wall && wall <= most, "{planning} {wall} {most}");
}
