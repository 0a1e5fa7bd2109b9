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
    shell.ok("features synth:96x80?seed=9 --params first/best.json -o features.csv");
    let params = json(&shell.read("first/best.json"))["parameters"].clone();
    let given: Vec<String> = params.as_object().unwrap().iter().map(|(k, v)| format!("-p {k}={v}")).collect();
    shell.ok(&format!("features synth:96x80?seed=9 {} -o given.csv", given.join(" ")));
    assert_eq!(shell.read("features.csv"), shell.read("given.csv"), "they are the values of the file");
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
    assert!(said.stdout.to_lowercase().contains("dice, the mean over 3 images, is"), "{}", said.stdout);
    assert!(said.stdout.contains("All phases ran without the held-out images (s"), "{}", said.stdout);
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

/// The study with a phase that tunes in place of its screen.
fn tuning(slides_of: u64, keys: &str) -> String {
    slides(slides_of).replace("method = \"moat\"\ntrajectories = 4", &format!("method = \"tune\"\n{keys}"))
}

fn run(shell: &Shell, folder: &str) -> Value {
    json(&shell.ok(&format!("tune study.toml -o {folder} --store none --json")).stdout)
}

/// For each row and image of metrics.csv whether it has a value.
fn measured(shell: &Shell, folder: &str) -> Vec<(u64, String, bool)> {
    let text = shell.read(&format!("{folder}/metrics.csv"));
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].parse().unwrap(), cells[1].to_owned(), !cells[3].is_empty())
    };
    text.lines().skip(1).map(line).collect()
}

/// A screen that sees the held-out images would choose parameters by them, and the gain there would not be unseen.
#[test]
fn a_screen_sees_nothing_of_the_images_that_confirm() {
    let phase = "[[phase]]\nname = \"tune\"\nmethod = \"tune\"\nevaluations = 8\n\n[run]";
    let shell = shell(&slides(6).replace("[run]", phase));
    let found = run(&shell, "first");
    let tuned: Vec<&str> =
        found["images"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(tuned.len(), 3);
    let rows = shell.read("first/rows.csv");
    let screened: Vec<u64> = rows
        .lines()
        .filter(|line| line.contains(",screen,"))
        .map(|line| line.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(screened.len(), 16);
    let values = measured(&shell, "first");
    let seen = |row: u64| values.iter().filter(move |(own, ..)| *own == row);
    let is_tuned = |image: &String| tuned.contains(&image.as_str());
    let only_tuned = |row: &&u64| seen(**row).all(|(_, image, has_value)| *has_value == is_tuned(image));
    // The row from which tuning began is confirmed like those of the search.
    assert!(screened.iter().filter(only_tuned).count() >= 15, "{values:?}");
    assert!(seen(0).all(|(.., has_value)| *has_value), "the defaults are known everywhere");
    let effects = json(&shell.read("first/indices.json"));
    let images = effects["phases"][0]["images"].as_array().unwrap();
    assert_eq!(images.len(), 3, "{effects}");
    let dice = |line: &str| line.split(',').nth(8).map(str::to_owned);
    assert!(rows.lines().skip(1).all(|line| dice(line).is_some_and(|value| !value.is_empty())), "{rows}");
    shell.ok("tune study.toml -o first --store none");
}

#[test]
fn each_slide_can_be_left_out() {
    let shell = shell(&slides(4));
    let found = json(
        &shell.ok("tune study.toml -o first --evaluations 8 --leave-one-out --store none --json").stdout,
    );
    let left = found["left_out"].as_array().unwrap();
    let names: Vec<&str> = left.iter().map(|slide| slide["slide"].as_str().unwrap()).collect();
    assert_eq!(names, ["3", "4", "5", "6"].map(|seed| format!("synth:96x80?seed={seed}")));
    assert!(left.iter().all(|slide| slide["evaluations"] == 8 && slide["best"].is_number()), "{found}");
    assert_eq!(found["evaluations"], 8, "rows without a slide are counted apart");
    let defaults = measured(&shell, "first").into_iter().filter(|(row, ..)| *row == 0);
    assert_eq!(defaults.count(), 4);
    let again = run_with(&shell, "second", "--evaluations 8 --leave-one-out --workers 1");
    assert_eq!(again["left_out"], found["left_out"]);
    assert!(
        shell.read("first/report.html").contains("Each slide with the values that were tuned on all others")
    );
    assert!(shell.read("first/rows.csv").contains(",tune@synth:96x80?seed=3,"));
}

fn run_with(shell: &Shell, folder: &str, more: &str) -> Value {
    json(&shell.ok(&format!("tune study.toml -o {folder} --store none --json {more}")).stdout)
}

#[test]
fn random_rows_beside_are_a_yardstick_and_nothing_else() {
    let shell = shell(&slides(4));
    let alone = run_with(&shell, "alone", "--evaluations 8");
    let found = run_with(&shell, "first", "--evaluations 8 --yardstick 20");
    assert_eq!((&found["best"], &found["held_out"]), (&alone["best"], &alone["held_out"]));
    assert_eq!(
        shell.read("first/rows.csv").lines().filter(|line| line.contains(",tune@random,")).count(),
        20
    );
    assert!(
        shell.read("first/report.html").contains("random rows")
            && !shell.read("alone/report.html").contains("random rows")
    );
}

#[test]
fn a_search_ends_at_its_bounds_and_again_at_the_same_row() {
    let shell = shell(&slides(4));
    let found = run_with(&shell, "rows", "--at-most '9 rows' --at-most '2 h'");
    assert_eq!(found["evaluations"], 9);
    let found = run_with(&shell, "time", "--at-most '1 ms'");
    let evaluations = found["evaluations"].as_u64().unwrap();
    assert!(evaluations < 100, "{found}");
    // The journal knows what the first process took: without it the search would go on.
    let again = run_with(&shell, "time", "--at-most '1 ms'");
    assert_eq!((&again["evaluations"], &again["best"]), (&found["evaluations"], &found["best"]));
    let found = run_with(&shell, "cost", "--at-most '1 core-ms'");
    assert!(found["evaluations"].as_u64().unwrap() < 100, "{found}");
    let said = shell.run("tune study.toml -o first --at-most 5");
    assert!(said.exit == 2 && said.stderr.contains("4 core-h"), "{said}");
}

#[test]
fn the_end_tries_each_parameter_once() {
    let shell = shell(&tuning(4, "evaluations = 40\n"));
    let found = run(&shell, "first");
    let flips = found["flips"].as_array().unwrap();
    let mut names: Vec<&str> = flips.iter().map(|flip| flip["parameter"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["G1", "G2", "minSizeSeg"], "{found}");
    assert!(flips.iter().all(|flip| flip["from"] != flip["to"]));
    shell.write(
        "study.toml",
        tuning(4, "evaluations = 40\nmetric = [\"dice\", \"change\"]\n")
            .replace("against = \"default\"", "against = \"truth\""),
    );
    let found = run(&shell, "two");
    assert!(found["flips"].as_array().unwrap().len() >= 3, "{found}");
}

/// Pooled counts are confirmed as pooled counts: on two images of a slide they are not the mean of both.
#[test]
fn what_is_pooled_is_confirmed_as_pooled() {
    let images: String = (3..9)
        .map(|i| {
            let (size, slide) = (["96x80", "200x160"][i % 2], (i - 1) / 2);
            format!(
                "[[image]]\nname = \"s{i}\"\nfile = \"synth:{size}?seed={i}\"\ntruth = \"synth:{size}?seed={i}\"\nslide = \"p{slide}\"\n\n"
            )
        })
        .collect();
    let one = "[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\ntruth = \"synth:96x80?seed=3\"\n\n";
    let of = |over: &str| {
        changed(one, &images).replace(
            "method = \"moat\"\ntrajectories = 4",
            &format!("method = \"tune\"\nevaluations = 4\nmetric = \"dice\"\nover = \"{over}\"\n"),
        )
    };
    let shell = shell(&of("pooled"));
    let pooled = run(&shell, "pooled");
    shell.write("study.toml", of("mean"));
    let mean = run(&shell, "mean");
    let default = |found: &Value| found["held_out"]["slides"][0]["default"].as_f64().unwrap();
    assert_eq!(pooled["held_out"]["slides"][0]["slide"], mean["held_out"]["slides"][0]["slide"]);
    assert!((default(&pooled) - default(&mean)).abs() > 1e-6, "{pooled} {mean}");
}

/// Kills a search at ever other moments until one gets through. `ONCEFLOW_KILLS` says how many kills there must be at least.
#[cfg(unix)]
#[test]
fn a_search_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let least: u64 = std::env::var("ONCEFLOW_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    let shell = shell(&slides(4));
    tune(&shell, "undisturbed", "");
    let (mut kills, mut folder) = (0, 0);
    while kills < least {
        folder += 1;
        let name = format!("killed{folder}");
        kills += killed(&shell, &name, 3 + 13 * kills % 71);
        tune(&shell, &name, "");
        assert_eq!(lasting(&shell, &name), lasting(&shell, "undisturbed"), "after {kills} kills");
    }
}

/// Starts a search and kills it with nothing said, a little later each time; says how often.
#[cfg(unix)]
fn killed(shell: &Shell, folder: &str, step: u64) -> u64 {
    use std::process::Stdio;
    for kills in 0..40 {
        let mut command = shell::command(&shell.path(""));
        command.args(["tune", "study.toml", "-o", folder, "--evaluations", "24", "--store", "none"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(step * (kills + 1)));
        if child.try_wait().unwrap().is_some() {
            return kills;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    40
}

const PROBLEM: &str = r#"{ "num_vars": 3, "names": ["a", "b", "c"], "bounds": [[0, 1], [0, 1], [0, 1]] }"#;

/// What a model gives for the rows of a table: the header has `row`, `a`, `b` and `c` among others.
fn model(rows: &str) -> String {
    let mut lines = rows.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| names.iter().position(|own| *own == name).unwrap_or_else(|| panic!("{names:?}"));
    let result = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let x = |name: &str| cells[place(name)].parse::<f64>().unwrap();
        let score = 1.0 - (x("a") - 0.3).powi(2) - (x("b") - 0.7).powi(2);
        format!("{},{score}\n", cells[place("row")])
    };
    format!("row,score\n{}", lines.map(result).collect::<String>())
}

#[test]
fn rows_are_proposed_for_a_model_of_ones_own() {
    let shell = Shell::new();
    shell.write("problem.json", PROBLEM);
    let said = shell.run("tune problem.json -o own --ask 4");
    assert!(said.exit == 2 && said.stderr.contains("--maximize NAME"), "{said}");
    let mut last =
        json(&shell.ok("tune problem.json -o own --ask 4 --maximize score --seed 5 --json").stdout);
    let mut all = String::new();
    for _ in 0..8 {
        let rows = shell.read("own/pending.csv");
        assert_eq!(rows.lines().count(), 5, "{rows}");
        all.push_str(
            &rows
                .lines()
                .skip(1)
                .map(|line| format!("{}\n", line.split_once(',').unwrap().1))
                .collect::<String>(),
        );
        shell.write("Y.csv", model(&rows));
        last = json(&shell.ok("tune problem.json -o own --tell Y.csv --ask 4 --json").stdout);
    }
    assert_eq!((last["told"].as_u64(), last["pending"].as_u64()), (Some(32), Some(4)));
    let mut different: Vec<&str> = all.lines().collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 32, "no row twice");
    assert!(last["best"]["metrics"]["score"].as_f64().unwrap() > 0.99, "{last}");
    assert_eq!(json(&shell.read("own/best.json"))["parameters"], last["best"]["parameters"]);
    let said = shell.run("tune problem.json -o own --ask 4 --evaluations 9");
    assert!(said.exit == 2 && said.stderr.contains("--evaluations"), "{said}");
    let said = shell.run("tune problem.json -o own --maximize score");
    assert!(said.exit == 2 && said.stderr.contains("--ask"), "{said}");
    // Told rows are refused, and so is another search in the same folder.
    let said = shell.run("tune problem.json -o own --tell Y.csv");
    assert_eq!(said.exit, 2, "{said}");
    let said = shell.run("tune problem.json -o own --ask 1 --minimize score");
    assert!(said.exit == 2 && said.stderr.contains("another objective"), "{said}");
    shell.write("other.json", PROBLEM.replace("[0, 1]]", "[0, 2]]"));
    assert!(shell.run("tune other.json -o own --ask 1").stderr.contains("another problem"));
}

/// Whatever is told in one command or in several, in whatever order: the same rows follow.
#[test]
fn what_is_asked_does_not_depend_on_how_it_is_told() {
    let shell = Shell::new();
    shell.write("problem.json", PROBLEM);
    let next = |folder: &str, tell: &dyn Fn(&str)| {
        shell.ok(&format!("tune problem.json -o {folder} --ask 6 --maximize score"));
        tell(folder);
        shell.ok(&format!("tune problem.json -o {folder} --ask 6")).stdout
    };
    let at_once = next("one", &|folder| {
        shell.write("Y.csv", model(&shell.read(&format!("{folder}/pending.csv"))));
        shell.ok(&format!("tune problem.json -o {folder} --tell Y.csv"));
    });
    let one_by_one = next("two", &|folder| {
        let results = model(&shell.read(&format!("{folder}/pending.csv")));
        for line in results.lines().skip(1).collect::<Vec<_>>().into_iter().rev() {
            shell.write("Y.csv", format!("row,score\n{line}\n"));
            shell.ok(&format!("tune problem.json -o {folder} --tell Y.csv"));
        }
    });
    assert_eq!(at_once, one_by_one);
}

/// The file for dashboards has all trials, and another search learns from it.
#[test]
fn trials_go_to_optuna_and_come_back() {
    let study = shell(&slides(3));
    tune(&study, "first", "");
    let journal = study.read("first/optuna.log");
    assert_eq!(journal.lines().count(), 25, "the study and its rows");
    let values: Vec<Option<f64>> = journal.lines().skip(1).map(|line| json(line)["value"].as_f64()).collect();
    let best = json(&study.read("first/tuning.json"))["best"]["metrics"]["object_f1"].as_f64().unwrap();
    assert!(values.iter().flatten().any(|value| (value - best).abs() < 1e-12), "{values:?}");
    study.write("problem.toml", slides(1));
    let said = study.ok("tune problem.toml -o own --ask 2 --maximize object_f1 --trials first/optuna.log");
    assert!(said.stderr.contains("learned  "), "{said}");
    let found = json(&study.read("own/best.json"));
    assert_eq!(found["metrics"]["object_f1"].as_f64(), Some(best), "{found}");
    study.write("broken.log", "not a journal");
    let said = study.run("tune problem.toml -o own --trials broken.log");
    assert!(said.exit == 2 && said.stderr.contains("line 1 is not of a journal"), "{said}");
}
