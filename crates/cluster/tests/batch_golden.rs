//! Golden cases of batch systems: every start, end and result under each policy, and what must be refused.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::PathBuf;
use std::sync::Arc;

use onceflow_cluster::batch::{BatchPolicy, Workload, parse_swf, read_workload, simulate_batch};
use onceflow_study::SourceText;
use serde_json::{Value, json};

/// The cases of a folder by their kind; none, with the reason printed, when the folder is not there.
fn cases(kind: &str) -> Vec<(String, Value)> {
    let outside = std::env::var_os("ONCEFLOW_GOLDEN").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    let folder = outside.unwrap_or_else(beside).join("moldable");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no golden cases in {}", folder.display());
        return Vec::new();
    };
    let files = entries.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), serde_json::from_str::<Value>(&text).unwrap())
    };
    let mut cases: Vec<_> = files.map(read).filter(|(_, case)| case["kind"] == kind).collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

fn workload(name: &str, case: &Value) -> Result<Workload, String> {
    let source: Arc<SourceText> = SourceText::new(name, case.to_string());
    read_workload(&source).map_err(|messages| messages.to_string())
}

fn check(name: &str, case: &Value) {
    let workload = workload(name, case).unwrap();
    for (word, expected) in case["expect"].as_object().unwrap() {
        let (_, policy) = BatchPolicy::WORDS.iter().find(|(known, _)| known == word).unwrap();
        let schedule = simulate_batch(&workload, *policy);
        let jobs: Vec<Value> = workload
            .jobs()
            .iter()
            .zip(&schedule.jobs)
            .map(|(job, found)| json!([job.id, found.start, found.end, found.result.word()]))
            .collect();
        for (found, expected) in jobs.iter().zip(expected["jobs"].as_array().unwrap()) {
            assert_eq!(found, expected, "{name}, {word}");
        }
        assert_eq!(jobs.len(), expected["jobs"].as_array().unwrap().len(), "{name}, {word}");
        assert_eq!(json!(schedule.makespan), expected["makespan"], "{name}, {word}");
        assert_eq!(json!(schedule.cost as u64), expected["cost"], "{name}, {word}");
        let utilisation = expected["utilisation"].as_f64().unwrap();
        assert!((schedule.utilisation - utilisation).abs() <= 1e-9 * utilisation, "{name}, {word}");
    }
}

#[test]
fn schedules_are_exact() {
    for (name, case) in cases("schedule") {
        check(&name, &case);
    }
}

/// Two of the cases in short, so that the rules are checked where the golden folder is not there.
#[test]
fn own_schedules_are_exact() {
    let text = include_str!("data/batch-cases.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    for case in cases.as_array().unwrap() {
        check(case["what"].as_str().unwrap(), case);
    }
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    for (name, case) in cases("refuse") {
        for (what, input) in case["inputs"].as_object().unwrap() {
            let found = workload(&name, input);
            match case["expect"][what].as_str().unwrap() {
                "taken" => assert!(found.is_ok(), "{what}: {found:?}"),
                _ => {
                    let error = found.unwrap_err();
                    let names = ["`a`", "running jobs of the load", "running job 1 of the load"];
                    assert!(names.iter().any(|name| error.contains(name)), "{what}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_log_gives_the_jobs_of_its_case() {
    let log = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/workflow-traces/HPC2N-2002-excerpt.swf");
    let Ok(text) = std::fs::read_to_string(&log) else {
        return println!("skipped: no {}", log.display());
    };
    for (name, case) in cases("schedule").into_iter().filter(|(_, case)| !case["source"].is_null()) {
        let expected = workload(&name, &case).unwrap();
        let log = parse_swf(&SourceText::new("log", text.as_str()), expected.nodes()).unwrap();
        assert_eq!(&log.jobs[..expected.jobs().len()], expected.jobs());
    }
}
