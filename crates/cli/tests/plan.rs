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
