//! Golden optima of moldable workflows: exact by trying all plans, and reached by the search from each of 20 seeds.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::PathBuf;

use onceflow_cluster::moldable::{
    LowerBound, MoldableWorkflow, PlanEvaluator, PlanGoal, SearchOptions, best_by_search, best_of_all,
    front_of_all, pareto_front, read_moldable,
};
use onceflow_study::SourceText;
use serde_json::{Value, json};

/// The golden cases, or why there are none, and one of our own.
fn cases() -> Vec<(String, Value)> {
    let mut cases =
        vec![("own case".to_owned(), serde_json::from_str(include_str!("data/optimum.json")).unwrap())];
    let outside = std::env::var_os("ONCEFLOW_GOLDEN").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    let folder = outside.unwrap_or_else(beside).join("moldable");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no golden cases in {}", folder.display());
        return cases;
    };
    for path in entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
    {
        let case: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if case["kind"] == "optimum" {
            cases.push((path.display().to_string(), case));
        }
    }
    cases
}

fn workflow(name: &str, case: &Value) -> MoldableWorkflow {
    let source = SourceText::new(name, case.to_string());
    read_moldable(&source, &mut |_| Err("not asked".into())).unwrap_or_else(|messages| panic!("{messages}"))
}

fn goal(word: &str) -> PlanGoal {
    word.parse().map_or(PlanGoal::Static, |alpha| PlanGoal::OnDemand { alpha })
}

fn front(points: &[(onceflow_cluster::moldable::PlanValue, Vec<u16>)]) -> Vec<Value> {
    points.iter().map(|(value, _)| json!([value.makespan, value.cost as u64])).collect()
}

#[test]
fn optima_are_exact() {
    for (name, case) in cases() {
        let workflow = workflow(&name, &case);
        let expected = &case["expect"];
        let ids: Vec<&str> = workflow.tasks().iter().map(|task| task.id.as_str()).collect();
        assert_eq!(json!(ids), expected["order"], "{name}");
        assert_eq!(json!(workflow.plan_count()), expected["plans"], "{name}");
        let evaluator = PlanEvaluator::new(&workflow).unwrap();
        let reference = evaluator.reference();
        assert_eq!(
            json!({"makespan": reference.makespan, "cost": reference.cost as u64}),
            expected["reference"]
        );
        for (word, best) in expected["best"].as_object().unwrap() {
            let found = best_of_all(&evaluator, goal(word), 10_000).unwrap();
            assert_eq!(json!(workflow.counts(&found.plan)), best["counts"], "{name}, {word}");
            assert_eq!(json!(found.value.makespan), best["makespan"], "{name}, {word}");
            assert_eq!(json!(found.value.cost as u64), best["cost"], "{name}, {word}");
            assert_eq!(json!(found.as_good), best["plans_this_good"], "{name}, {word}");
        }
        assert_eq!(json!(front(&front_of_all(&evaluator, 10_000).unwrap())), expected["front"], "{name}");
        let bound = LowerBound::of(&workflow);
        let found = json!({"critical_path": bound.critical_path, "area": bound.area});
        assert_eq!(found, expected["lower_bound"], "{name}");
    }
}

#[test]
fn the_search_reaches_the_optima_from_every_seed() {
    for (name, case) in cases() {
        let workflow = workflow(&name, &case);
        let evaluator = PlanEvaluator::new(&workflow).unwrap();
        for seed in 0..20 {
            let options = SearchOptions { seed, ..SearchOptions::default() };
            for (word, best) in case["expect"]["best"].as_object().unwrap() {
                let goal = goal(word);
                let found = best_by_search(&evaluator, goal, &options, &|| true);
                let exact = best_of_all(&evaluator, goal, 10_000).unwrap();
                let fitness = |value| goal.fitness(value, evaluator.reference());
                assert!(
                    (fitness(found.value) - fitness(exact.value)).abs() <= 1e-12,
                    "{name}, {word}, {seed}: {best}"
                );
            }
            let exact = case["expect"]["front"].as_array().unwrap();
            let found = front(&pareto_front(&evaluator, &options, &|| true));
            let hits = exact.iter().filter(|point| found.contains(point)).count();
            assert!(hits as f64 >= 0.95 * exact.len() as f64, "{name}, {seed}: {hits} of {}", exact.len());
        }
    }
}

#[test]
fn the_same_seed_finds_the_same_plan() {
    let (name, case) = cases().swap_remove(0);
    let workflow = workflow(&name, &case);
    let evaluator = PlanEvaluator::new(&workflow).unwrap();
    let options = SearchOptions { seed: 3, ..SearchOptions::default() };
    let find = || best_by_search(&evaluator, PlanGoal::OnDemand { alpha: 0.4 }, &options, &|| true);
    assert_eq!(find(), find());
    let stopped = best_by_search(&evaluator, PlanGoal::Static, &options, &|| false);
    assert_eq!(stopped.generations, 0);
}

#[test]
fn what_cannot_be_planned_is_refused_by_name() {
    let error = |tasks: Value| {
        let case = json!({"nodes": 4, "tasks": tasks});
        let source = SourceText::new("flow.json", case.to_string());
        read_moldable(&source, &mut |_| Err("no measured durations".into())).unwrap_err().to_string()
    };
    let one = json!({"1": 5});
    let cycle = json!([{"id": "a", "after": ["c"], "seconds": one}, {"id": "b", "after": ["a"], "seconds": one},
        {"id": "c", "after": ["b"], "seconds": one}]);
    assert!(error(cycle).contains("cycle: `a` waits for `c` waits for `b` waits for `a`"));
    assert!(error(json!([{"id": "a", "seconds": {"8": 5}}])).contains("task `a`: no number of nodes"));
    assert!(error(json!([{"id": "a", "after": ["b"], "seconds": one}])).contains("task `a` waits for `b`"));
    assert!(error(json!([{"id": "a", "type": "ST", "size": 7}])).contains("task `a`: no measured durations"));
    assert!(error(json!([{"id": "a"}])).contains("task `a` has no durations"));
    assert!(error(json!([{"id": "a", "seconds": {"x": 5}}])).contains("duration on `x` nodes"));
}
