//! `onceflow tune`: the best values, the gain on slides that took no part, and the same bytes after every interruption.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;
mod studies;

use serde_json::Value;
use shell::Shell;
use studies::{STUDY, changed};

/// The study with so many images, each a slide of its own.
fn slides(count: u64) -> String {
    let image = |i: u64| {
        format!(
            "[[image]]\nname = \"s{i}\"\nfile = \"synth:96x80?seed={i}\"\ntruth = \"synth:96x80?seed={i}\"\n\n"
        )
    };
    let from = "[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\ntruth = \"synth:96x80?seed=3\"\n\n";
    changed(from, &(3..3 + count).map(image).collect::<String>())
}

fn shell(study: &str) -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", study);
    shell
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn tune(shell: &Shell, folder: &str, more: &str) -> Value {
    json(
        &shell.ok(&format!("tune study.toml -o {folder} --evaluations 24 --store none --json {more}")).stdout,
    )
}

#[test]
fn better_values_are_found_and_measured_on_other_slides() {
    let shell = shell(&slides(7));
    let found = tune(&shell, "first", "");
    assert_eq!((found["version"].as_u64(), found["evaluations"].as_u64()), (Some(1), Some(24)));
    assert_eq!(found["objectives"], serde_json::json!(["object_f1"]), "it counts objects, not pixels");
    let value = |of: &str| found[of]["metrics"]["object_f1"].as_f64().unwrap();
    assert!(value("best") >= value("default"), "{found}");
    let held = &found["held_out"];
    assert_eq!(held["slides"].as_array().unwrap().len(), 3);
    assert_eq!(found["images"].as_array().unwrap().len(), 4);
    let number = |key: &str| held[key].as_f64().unwrap();
    assert!((number("best") - number("default") - number("gain")).abs() < 1e-9);
    assert!(number("gain_low") <= number("gain") && number("gain") <= number("gain_high"));
    let rows = shell.read("first/rows.csv");
    assert_eq!(rows.lines().count(), 25, "the defaults, the rows, and a line of names");
    let best = json(&shell.read("first/best.json"));
    assert!(best["parameters"]["G1"].is_number() && best["confirmed"].is_string());
    let account = json(&shell.read("first/run.json"));
    let tasks = &account["tasks"];
    let by: u64 = tasks["by"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    let of = |key: &str| tasks[key].as_u64().unwrap();
    assert_eq!(of("asked"), by + of("computed") + of("failed") + of("resumed"), "{tasks}");
    assert_eq!(of("resumed"), 0, "rows are not known on images that they are not run on");
}

#[test]
fn values_are_taken_by_segment() {
    let shell = shell(&slides(2));
    tune(&shell, "first", "");
    shell.ok("segment synth:96x80?seed=9 --params first/best.json -o mask.png");
}

#[test]
fn fewer_than_three_slides_confirm_nothing() {
    let one = shell(STUDY);
    let found = tune(&one, "first", "");
    assert_eq!((found["held_out"].is_null(), found["confirmed"].as_str()), (true, Some("not confirmed")));
    let three = shell(&slides(3));
    let found = tune(&three, "first", "");
    assert_eq!(found["held_out"]["slides"].as_array().unwrap().len(), 1);
    assert!(found["held_out"]["gain"].is_number() && found["held_out"]["gain_low"].is_null());
    assert_eq!(found["confirmed"], "not confirmed");
}

#[test]
fn images_of_one_slide_stand_on_one_side() {
    let study = slides(8);
    let mut place = 0;
    let study: String = study
        .lines()
        .map(|line| {
            let truth = line.starts_with("truth");
            place += usize::from(truth);
            if truth { format!("{line}\nslide = \"p{}\"\n", place.div_ceil(2)) } else { format!("{line}\n") }
        })
        .collect();
    let shell = shell(&study);
    let found = tune(&shell, "first", "");
    let slides = found["held_out"]["slides"].as_array().unwrap();
    assert!(slides.len() == 1 && slides[0]["images"] == 2, "{found}");
}

/// All that does not depend on the clock.
fn lasting(shell: &Shell, folder: &str) -> Vec<String> {
    let mut tuning = json(&shell.read(&format!("{folder}/tuning.json")));
    tuning["wall_s"] = Value::Null;
    let files = ["rows.csv", "metrics.csv", "best.json"].map(|name| shell.read(&format!("{folder}/{name}")));
    files.into_iter().chain([tuning.to_string()]).collect()
}

#[test]
fn results_do_not_depend_on_workers_or_reuse() {
    let shell = shell(&slides(4));
    tune(&shell, "first", "--workers 1");
    for (folder, more) in [("second", "--workers 4"), ("third", "--reuse none"), ("fourth", "--reuse task")] {
        tune(&shell, folder, more);
        assert_eq!(lasting(&shell, folder), lasting(&shell, "first"), "{more}");
    }
    let other = tune(&shell, "other", "--seed 99");
    assert_ne!(other["best"]["parameters"], Value::Null);
    assert_ne!(shell.read("other/rows.csv"), shell.read("first/rows.csv"));
}

#[test]
fn a_journal_cut_anywhere_leads_to_the_same_bytes() {
    let shell = shell(&slides(4));
    tune(&shell, "first", "");
    let journal = shell.read("first/journal.jsonl");
    for share in [0.02, 0.2, 0.5, 0.77, 0.99] {
        let folder = format!("cut{}", (share * 100.0) as u32);
        std::fs::create_dir(shell.path(&folder)).unwrap();
        for name in ["study.toml", "workflow.json"] {
            shell.write(&format!("{folder}/{name}"), shell.read(&format!("first/{name}")));
        }
        // A kill may tear the last line.
        let end = (journal.len() as f64 * share) as usize;
        shell.write(&format!("{folder}/journal.jsonl"), &journal[..end]);
        tune(&shell, &folder, "");
        assert_eq!(lasting(&shell, &folder), lasting(&shell, "first"), "cut at {share}");
    }
    let again = shell.ok("tune study.toml -o first --evaluations 24 --store none --json");
    assert!(again.stderr.contains("nothing to compute"), "{}", again.stderr);
    assert_eq!(json(&again.stdout)["evaluations"], 24);
}

#[test]
fn a_study_may_screen_and_tune_in_one_file() {
    let phase = "[[phase]]\nname = \"tune\"\nmethod = \"tune\"\nevaluations = 12\nmetric = \"dice\"\n\
                 keep = { phase = \"screen\", metric = \"dice\", share = 0.3 }\n\n[run]";
    let shell = shell(&slides(4).replace("[run]", phase));
    let said = shell.ok("run study.toml -o first --store none");
    assert!(said.stdout.contains("dice, the mean over 3 images, is 0.869 with them"), "{}", said.stdout);
    let rows = shell.read("first/rows.csv");
    assert_eq!(rows.lines().filter(|line| line.contains(",tune,")).count(), 11);
    shell.ok("check study.toml");
    shell.ok("plan study.toml");
}

#[test]
fn what_cannot_be_tuned_is_said() {
    let shell = shell(&changed("against = \"truth\"", "against = \"default\""));
    let said = shell.run("tune study.toml -o first");
    assert_eq!(said.exit, 2);
    assert!(said.stderr.contains("no metric that can be improved"), "{}", said.stderr);
    let unknown = slides(2)
        .replace("method = \"moat\"\ntrajectories = 4", "method = \"tune\"\nhold_out = [\"nobody\"]");
    shell.write("study.toml", &unknown);
    let said = shell.run("check study.toml");
    assert_eq!(said.exit, 2);
    assert!(said.stderr.contains("nobody") || said.stdout.contains("nobody"));
}
