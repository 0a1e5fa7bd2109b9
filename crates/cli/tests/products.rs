//! Results that outlive runs, as other runs take them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod kept;
mod shell;

use kept::{ADDED, FOUND, STUDY, number, run, shell, stored};
use shell::{Said, Shell};

#[test]
fn a_study_in_another_folder_takes_what_is_there_and_says_so() {
    let shell = shell();
    let first = run(&shell, "study.toml -o runs/first");
    assert_eq!(number(&first, "/tasks/by/products"), 0.0);
    let second = run(&shell, "study.toml -o runs/second");
    assert_eq!(number(&second, "/tasks/computed"), 0.0, "{second}");
    assert_eq!(number(&second, "/tasks/by/products"), number(&second, "/tasks/asked"));
    assert!(second.stderr.contains("20 of 20 instances taken from an earlier run, runs/first"), "{second}");
    for file in ["rows.csv", "metrics.csv"] {
        assert_eq!(shell.read(&format!("runs/first/{file}")), shell.read(&format!("runs/second/{file}")));
    }
    // The journal of the second run holds its rows: it is complete without the store.
    std::fs::remove_dir_all(shell.path("store")).unwrap();
    let again = shell.ok("run study.toml -o runs/second --store none --json");
    assert_eq!(again.json(), second.json(), "nothing is computed again");
}

#[test]
fn rows_and_images_that_are_new_are_computed_and_others_are_not() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    shell.write("more.toml", STUDY.replace("trajectories = 3", "trajectories = 5"));
    let more = run(&shell, "more.toml -o runs/more");
    // Two of the new rows have the values of old ones.
    assert!(more.stderr.contains("24 of 32 instances taken"), "{more}");
    shell.write("image.toml", STUDY.replace("seed=4\"]", "seed=4\", \"synth:96x80?seed=9\"]"));
    let image = run(&shell, "image.toml -o runs/image");
    assert!(image.stderr.contains("20 of 30 instances taken"), "{image}");
    for (name, study) in [("more", "more.toml"), ("image", "image.toml")] {
        shell.ok(&format!("run {study} -o runs/none-{name} --reuse none"));
        let rows = |folder: &str| shell.read(&format!("runs/{folder}/rows.csv"));
        assert_eq!(rows(name), rows(&format!("none-{name}")), "{name}");
    }
}

#[test]
fn what_differs_is_never_taken() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    shell.write("metric.toml", format!("{STUDY}{ADDED}"));
    shell.write("values.toml", STUDY.replace("from = 5, to = 80, step = 5", "from = 6, to = 81, step = 5"));
    shell.write("seams.toml", format!("{STUDY}\n[parts]\nsize = 64\n"));
    for study in ["values", "seams", "metric"] {
        let said = run(&shell, &format!("{study}.toml -o runs/{study}"));
        shell.ok(&format!("run {study}.toml -o runs/none-{study} --reuse none"));
        let rows = |folder: &str| shell.read(&format!("runs/{folder}/rows.csv"));
        assert_eq!(rows(study), rows(&format!("none-{study}")), "{said}");
    }
}

/// The tasks that a run computed, by their names.
fn computed(shell: &Shell, folder: &str) -> Vec<String> {
    let trace: serde_json::Value =
        serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let mut names: Vec<String> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| event["name"].as_str().unwrap().into())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The study with two phases and a metric more, which needs a comparison of its own.
fn with_distance() -> String {
    let metric = "\n[[metric]]\nname = \"far\"\nof = \"nuclei\"\nmeasure = \"hausdorff_distance\"\nagainst = \"default\"\n";
    let phase = "\n[[phase]]\nname = \"screen\"";
    FOUND.replace(phase, &format!("{metric}{phase}"))
}

#[test]
fn for_an_added_metric_rows_are_only_compared() {
    for level in ["dataflow", "object"] {
        let shell = shell();
        shell.write("first.toml", FOUND);
        run(&shell, &format!("first.toml -o runs/first --reuse {level}"));
        shell.write("added.toml", with_distance());
        let added = run(&shell, &format!("added.toml -o runs/added --reuse {level}"));
        assert_eq!(computed(&shell, "runs/added"), ["compare"], "{added}");
        assert!(number(&added, "/tasks/computed") > 0.0);
        assert_balanced(&added);
        shell.ok("run added.toml -o runs/none --reuse none");
        for file in ["rows.csv", "metrics.csv"] {
            assert_eq!(
                shell.read(&format!("runs/added/{file}")),
                shell.read(&format!("runs/none/{file}")),
                "{file}"
            );
        }
    }
}

#[test]
fn an_audit_computes_a_share_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let audited = run(&shell, "study.toml -o runs/all --audit 100%");
    assert_eq!(number(&audited, "/tasks/by/products"), 0.0, "{audited}");
    let notes = |said: &Said| said.stderr.clone();
    assert!(
        notes(&audited).contains("22 results of earlier runs (100%) were computed again and compared"),
        "{audited}"
    );
    assert!(!notes(&audited).contains("differ"), "{audited}");
    let some = run(&shell, "study.toml -o runs/some --audit 0.3");
    let products = number(&some, "/tasks/by/products");
    assert!(products > 0.0 && products < number(&some, "/tasks/asked"), "{some}");
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let metric = run(&shell, "metric.toml -o runs/metric --audit 100%");
    assert_eq!(number(&metric, "/tasks/by/products"), 0.0, "{metric}");
    let said = shell.run("run study.toml -o runs/wrong --audit 200%");
    assert!(said.exit == 2 && said.stderr.contains("expected a share such as 1% or 0.01"), "{said}");
}

#[test]
fn a_plan_says_what_is_there_and_makes_no_store() {
    let shell = shell();
    let before = shell.ok("plan study.toml --store store");
    assert!(!before.stdout.contains("stored") && !shell.path("store").exists(), "{before}");
    run(&shell, "study.toml -o runs/first");
    let plan = shell.ok("plan study.toml --store store");
    assert!(plan.stdout.contains("stored     20 of 20 instances by earlier runs\n"), "{plan}");
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let plan = shell.ok("plan metric.toml --store store");
    assert!(
        plan.stdout.contains("0 of 20 instances by earlier runs; 20 more need only be compared"),
        "{plan}"
    );
    let json = shell.ok("run metric.toml -o runs/metric --dry-run --store store --json").json();
    let found = serde_json::json!({ "instances": 20, "taken": 0, "compared": 20 });
    let phases = serde_json::json!([{ "phase": json["phase"], "found": found }]);
    let expected = serde_json::json!({ "instances": 20, "taken": 0, "compared": 20, "phases": phases });
    assert_eq!(json["stored"], expected);
}

#[test]
fn outputs_that_are_lost_are_computed_again() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    let packs: Vec<_> =
        std::fs::read_dir(shell.path("store/packs")).unwrap().map(|file| file.unwrap().path()).collect();
    for pack in packs {
        let mut bytes = std::fs::read(&pack).unwrap();
        let middle = bytes.len() / 2..bytes.len();
        bytes[middle].iter_mut().step_by(997).for_each(|byte| *byte ^= 1);
        std::fs::write(&pack, bytes).unwrap();
    }
    shell.write("metric.toml", STUDY.replace("pixel_difference", "hausdorff_distance"));
    let said = run(&shell, "metric.toml -o runs/metric");
    assert_balanced(&said);
    shell.ok("run metric.toml -o runs/none --reuse none");
    assert_eq!(shell.read("runs/metric/rows.csv"), shell.read("runs/none/rows.csv"));
}

/// Every task that was asked for is accounted for once.
fn assert_balanced(said: &Said) {
    let tasks = &said.json()["tasks"];
    let by = tasks["by"].as_object().unwrap().values().map(|count| count.as_f64().unwrap()).sum::<f64>();
    let others =
        ["computed", "failed", "resumed"].map(|name| tasks[name].as_f64().unwrap_or(0.0)).iter().sum::<f64>();
    assert_eq!(tasks["asked"].as_f64().unwrap(), by + others, "{tasks:#}");
}

#[test]
fn an_image_that_was_changed_is_another_image() {
    let shell = shell();
    shell.write(
        "study.toml",
        STUDY.replace(r#"["synth:96x80?seed=3", "synth:96x80?seed=4"]"#, r#"["a.png"]"#),
    );
    shell.ok("image synth --width 96 --height 80 --seed 1 -o a.png");
    run(&shell, "study.toml -o runs/first");
    assert_eq!(number(&run(&shell, "study.toml -o runs/same"), "/tasks/computed"), 0.0);
    std::fs::remove_file(shell.path("a.png")).unwrap();
    shell.ok("image synth --width 96 --height 80 --seed 2 -o a.png");
    let other = run(&shell, "study.toml -o runs/other");
    assert_eq!(number(&other, "/tasks/by/products"), 0.0, "{other}");
}

#[test]
fn without_reuse_or_without_a_store_nothing_is_taken() {
    let shell = shell();
    run(&shell, "study.toml -o runs/first");
    for words in ["--store none", "--store store --reuse none"] {
        let said = shell.ok(&format!("run study.toml -o runs/again {words} --json --force"));
        assert_eq!(number(&said, "/tasks/by/products"), 0.0, "{words}");
        std::fs::remove_dir_all(shell.path("runs/again")).unwrap();
    }
}

#[test]
fn a_store_that_cannot_be_used_is_a_note_and_the_run_computes() {
    let shell = shell();
    shell.write("store/thesis.tex", "x");
    let said = run(&shell, "study.toml -o runs/first");
    assert!(said.stderr.contains("note: results of earlier runs are not used"), "{said}");
    assert!(said.stderr.contains("found thesis.tex"), "{said}");
    assert!(number(&said, "/tasks/computed") > 0.0);
    let said = shell.run("products stats --store store");
    assert!(said.exit == 2 && said.stderr.contains("no store of results"), "{said}");
}

#[test]
fn why_says_what_the_store_has_of_a_row_before_a_run_and_which_run_it_came_from_after() {
    let shell = shell();
    let text = |words: &str| shell.ok(&format!("why {words} --store store")).stdout;
    assert!(!text("study.toml --row 3").contains("the store"), "there is no store yet");
    run(&shell, "study.toml -o runs/first");
    let before = text("study.toml --row 3");
    assert!(
        before.contains("  the store has all that it gives on 2 of 2 parts, from runs/first"),
        "{before}"
    );
    assert!(before.contains("  the store has its nuclei on 2 of 2 parts, from runs/first"), "{before}");
    let pieces = stored(&shell, "--row 3");
    assert_eq!((pieces[0]["what"].as_str(), pieces[0]["run"].as_str()), (Some("row"), Some("runs/first")));
    assert!(pieces[0]["seconds"].as_f64().unwrap() > 0.0, "{pieces}");
    let uses = shell.ok("products stats --store store --json").json()["hits"].as_u64().unwrap();
    assert_eq!(uses, 0, "to ask is not to use");
    shell.write("other.toml", STUDY.replace("seed=3", "seed=8"));
    let other = text("other.toml --row 3");
    assert!(other.contains("on 1 of 2 parts"), "{other}");

    let second = run(&shell, "study.toml -o runs/second");
    let earlier = &second.json()["earlier"];
    assert_eq!((earlier[0]["run"].as_str(), earlier[0]["rows"].as_u64()), (Some("runs/first"), Some(20)));
    assert!(earlier[0]["seconds_saved"].as_f64().unwrap() > 0.0, "{earlier}");
    let list = shell.read("runs/second/earlier.csv");
    assert_eq!(list.lines().count(), 21, "{list}");
    assert!(list.lines().nth(1).unwrap().starts_with("screen,,0,0,row,"), "{list}");
    let after = text("study.toml --row 3 --run runs/second");
    assert!(after.contains("  all that it gave came from an earlier run on 2 parts, runs/first"), "{after}");
    for file in ["answer.txt", "report.html"] {
        let found = shell.read(&format!("runs/second/{file}"));
        assert!(found.contains("20 instances whole from runs/first: "), "{file}");
    }
    assert!(!shell.path("runs/first/earlier.csv").exists(), "the first run took nothing");

    shell.write("found.toml", FOUND);
    run(&shell, "found.toml -o runs/found");
    shell.write("added.toml", with_distance());
    let added = run(&shell, "added.toml -o runs/added");
    assert!(number(&added, "/earlier/0/compared") > 0.0, "{added}");
    let after = text("added.toml --row 3 --run runs/added");
    assert!(after.contains("  its outputs came from an earlier run on 2 parts, runs/found"), "{after}");
}

#[test]
fn results_of_whole_images_are_found_again() {
    let shell = shell();
    let image_tasks = |folder: &str| {
        let trace: serde_json::Value =
            serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().clone();
        events.iter().filter(|event| event["name"] == "statistics").count()
    };
    run(&shell, "study.toml -o runs/first");
    assert_eq!(image_tasks("runs/first"), 2, "once for each image");
    // Other rows of the same images: the statistics of the stains are there.
    shell.write("others.toml", STUDY.replace("seed = 5", "seed = 77"));
    let others = run(&shell, "others.toml -o runs/others");
    assert!(number(&others, "/tasks/computed") > 0.0);
    assert_eq!(image_tasks("runs/others"), 0);
    let list = shell.read("runs/others/earlier.csv");
    assert!(list.contains("screen,statistics,"), "{list}");
    shell.ok("run others.toml -o runs/none --reuse none");
    assert_eq!(shell.read("runs/others/rows.csv"), shell.read("runs/none/rows.csv"));
}
