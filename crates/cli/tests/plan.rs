//! `onceflow plan`: what a run would compute.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use shell::Shell;
use studies::{STUDY, timeless};

const LATER: &str = "[[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 16\n\
    keep = { phase = \"screen\", metric = \"dice\", share = 0.1 }\n\n[run]";

#[test]
fn the_levels_and_why_they_save() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY.replace("[run]", LATER));
    insta::assert_snapshot!("text", timeless(&shell.ok("plan study.toml")));
    insta::assert_snapshot!(
        "text-task",
        timeless(&shell.ok("plan study.toml --reuse task --workers 2 --memory '1 GiB'"))
    );
    assert_eq!(shell.files(), ["study.toml"], "nothing is written");
}

#[test]
fn the_plan_is_what_the_run_computes() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    for level in ["none", "stage", "task", "dataflow"] {
        let plan = shell.ok(&format!("plan study.toml --reuse {level} --json")).json();
        for key in ["instances", "buckets", "planning_s"] {
            assert!(plan[key].is_number(), "{key} in {plan}");
        }
        assert_eq!(plan["version"], 1);
        assert!(plan["cost"]["asked"].as_f64() >= plan["cost"]["planned"].as_f64());
        let run = shell.ok(&format!("run study.toml -o {level} --reuse {level} --json")).json();
        assert_eq!(plan["tasks"]["asked"], run["tasks"]["asked"]);
        let ended = run["tasks"]["by"]["ended_early"].as_u64().unwrap();
        let computed = run["tasks"]["computed"].as_u64().unwrap();
        let planned = plan["tasks"]["planned"].as_u64().unwrap();
        assert!(planned == computed || ended > 0, "{level}: {planned} planned, {computed} computed");
        assert!(planned >= computed);
    }
}

#[test]
fn a_study_that_cannot_be_run_cannot_be_planned() {
    let shell = Shell::new();
    shell.write("study.toml", studies::changed("measure = \"dice\"", "measure = \"dise\""));
    assert_eq!(shell.run("plan study.toml").exit, 2);
    assert_eq!(shell.run("run study.toml --dry-run").exit, 2);
    assert_eq!(shell.run("plan none.toml").exit, 2);
}

#[test]
fn buckets_are_planned_and_run() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let whole = shell.ok("plan study.toml --reuse task --json").json();
    for merge in ["naive", "sca", "rtma", "rtma-packed", "trtma", "auto"] {
        let options = format!("--reuse task --merge {merge} --max-bucket-size 3 --max-buckets 4 --workers 2");
        let plan = shell.ok(&format!("plan study.toml {options} --json")).json();
        let stage = &plan["stages"][0];
        assert_eq!(stage["stage"], "segment");
        assert!(plan["buckets"].as_u64().unwrap() > 1, "{plan}");
        assert!(plan["tasks"]["planned"].as_u64() > whole["tasks"]["planned"].as_u64());
        assert!(stage["cost"]["asked"].as_f64() > stage["cost"]["planned"].as_f64());
        let run = shell.ok(&format!("run study.toml -o {merge} {options} --json")).json();
        let ended = run["tasks"]["by"]["ended_early"].as_u64().unwrap();
        assert!(plan["tasks"]["planned"] == run["tasks"]["computed"] || ended > 0);
        assert_eq!(shell.read(&format!("{merge}/rows.csv")), shell.read("naive/rows.csv"));
    }
}

#[test]
fn all_ways_stand_in_one_table() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let text = timeless(&shell.ok("plan study.toml --compare --workers 4"));
    for word in
        ["none", "stage", "naive 7", "sca 7", "rtma 7", "rtma-packed 7", "trtma 12", "auto 4", "dataflow"]
    {
        assert!(text.contains(word), "{word} in\n{text}");
    }
    let json = shell.ok("plan study.toml --compare --workers 4 --json").json();
    let ways = json["alternatives"].as_array().unwrap();
    assert_eq!(ways.len(), 11);
    let auto = ways.iter().find(|way| way["merging"] == "auto 4" && way["level"] == "task").unwrap();
    for way in ways.iter().filter(|way| way["level"] == "task" && way["merging"].is_string()) {
        assert!(
            auto["makespan_s"].as_f64().unwrap() <= way["makespan_s"].as_f64().unwrap() * (1.0 + 1e-9),
            "{way}"
        );
    }
}

#[test]
fn given_buckets_are_checked() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let rows = shell.ok("plan study.toml --json").json()["rows"].as_u64().unwrap();
    let lines = |of: &dyn Fn(u64) -> u64| -> String {
        (0..=rows).map(|row| format!("{row},{}\n", of(row))).collect()
    };
    shell.write("good.csv", format!("row,bucket\n{}", lines(&|row| row % 3)));
    assert_eq!(
        shell.ok("plan study.toml --reuse task --buckets good.csv --json").json()["stages"][0]["merging"],
        "given"
    );
    shell.write("short.csv", "row,bucket\n0,1\n");
    shell.write("wrong.csv", "row,bucket\n0,1\n1,x\n");
    shell.write("none.csv", "a,b\n");
    for file in ["short", "wrong", "none"] {
        let refused = shell.run(&format!("plan study.toml --reuse task --buckets {file}.csv"));
        assert_eq!(refused.exit, 2, "{file}");
    }
    let refused = shell.run("plan study.toml --reuse stage --merge auto");
    assert_eq!(refused.exit, 2);
    assert!(refused.stderr.contains("--reuse task or dataflow"), "{}", refused.stderr);
    assert_eq!(shell.run("plan study.toml --merge rtma --max-bucket-size 0").exit, 2);
    assert_eq!(shell.run("plan study.toml --workers 0").exit, 2);
    let refused = shell.run("plan study.toml --memory 1KiB");
    assert_eq!(refused.exit, 4, "a plan that cannot run is refused: {}", refused.stderr);
}

#[test]
fn a_plan_is_drawn() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    for (file, options, holds) in [
        ("w.svg", "--graph-of workflow", "t6_flood"),
        ("c.svg", "", " of "),
        ("c.dot", "", "digraph"),
        ("b.svg", "--graph-of bucket:0 --reuse task --merge rtma --max-bucket-size 3", "row "),
        ("b.dot", "--graph-of bucket:1 --reuse task --merge auto --workers 2", "->"),
    ] {
        shell.ok(&format!("plan study.toml --graph {file} {options}"));
        let text = shell.read(file);
        assert!(text.contains(holds), "{file}: {text}");
        assert!(text.starts_with(if file.ends_with("svg") { "<svg" } else { "digraph" }));
    }
    for wrong in ["--graph x.png", "--graph x.svg --graph-of bucket:0", "--graph x.svg --graph-of all"] {
        assert_eq!(shell.run(&format!("plan study.toml {wrong}")).exit, 2, "{wrong}");
    }
    assert!(!shell.exists("x.svg"));
}

/// Whoever reads the lines one after the other finds everything that a task needs before it.
#[test]
fn an_export_can_be_carried_out() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let plan = shell.ok("plan study.toml --reuse task --merge rtma --export plan.jsonl --json").json();
    let text = shell.read("plan.jsonl");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, plan["tasks"]["planned"].as_u64().unwrap());
    let mut done = std::collections::HashSet::new();
    let mut cost = 0.0;
    for line in &lines {
        for before in line["after"].as_array().unwrap() {
            assert!(done.contains(before.as_str().unwrap()), "{line}");
        }
        assert_eq!(line["key"].as_str().unwrap().len(), 64);
        assert!(line["task"] != "t4" || line["bucket"].is_u64(), "{line}");
        assert!(done.insert(line["id"].as_str().unwrap().to_owned()), "ids are different");
        cost += line["cost"].as_f64().unwrap();
    }
    assert!((cost / plan["cost"]["planned"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let rows: u64 =
        lines.iter().filter(|line| line["task"] == "t4").map(|line| line["rows"].as_u64().unwrap()).sum();
    assert_eq!(rows, plan["rows"].as_u64().unwrap() + 1, "every row is served once");
}

#[test]
fn rules_say_what_they_left() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    insta::assert_snapshot!("rules", shell.ok("plan study.toml --rules --reuse task --merge rtma").stdout);
    insta::assert_snapshot!("tasks", shell.ok("plan study.toml --tasks").stdout);
    let plan = shell.ok("plan study.toml --json").json();
    let of_tasks =
        plan["by_task"].as_array().unwrap().iter().map(|task| task["left"]["dataflow"].as_u64().unwrap());
    assert_eq!(Some(of_tasks.sum::<u64>()), plan["tasks"]["planned"].as_u64());
    let rules = shell.ok("plan study.toml --rules --json").json();
    assert_eq!(rules["rules"].as_array().unwrap().len(), 5);
}

#[test]
fn memory_decides_how_large_buckets_are() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let largest = |memory: &str| {
        let plan =
            shell.ok(&format!("plan study.toml --reuse task --merge rtma --bucket-memory {memory} --json"));
        plan.json()["stages"][0]["largest"].as_u64().unwrap()
    };
    let refused = shell.run("plan study.toml --reuse task --merge rtma --bucket-memory 1KiB");
    assert_eq!(refused.exit, 4, "{}", refused.stderr);
    let (small, all) = (largest("3845KiB"), largest("1GiB"));
    assert!(small < all, "{small} and {all}");
    let auto = |memory: &str| {
        let options = format!("--reuse task --merge auto --workers 2 --bucket-memory {memory}");
        shell.ok(&format!("plan study.toml {options} --json")).json()["buckets"].as_u64().unwrap()
    };
    assert_eq!(auto("1GiB"), 2, "two workers, and memory for more than enough");
    assert!(auto("3845KiB") >= 2);
}
