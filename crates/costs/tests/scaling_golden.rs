//! Golden estimates: lines along nodes, splines over sizes, errors and limits.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::path::PathBuf;

use onceflow_costs::scaling::{
    Decomposition, EstimateOptions, Outside, ScalingCurve, ScalingEstimator, ScalingMethod, SizeCurve,
    leave_one_out, limit, mean_error, quadratic_over_sizes,
};
use serde_json::Value;

fn curve(points: &Value) -> ScalingCurve {
    let points = points.as_object().unwrap().iter();
    ScalingCurve::new(points.map(|(nodes, seconds)| (nodes.parse().unwrap(), seconds.as_f64().unwrap())))
        .unwrap()
}

fn outside(question: &Value) -> Outside {
    match question["outside"].as_str() {
        Some("extrapolate") => Outside::Extrapolate,
        Some("hold") => Outside::Hold,
        _ => Outside::Refuse,
    }
}

fn asked_curve(question: &Value) -> ScalingCurve {
    if question["method"] == "linear" {
        return curve(&question["points"]);
    }
    let size = |(work, points): (&String, &Value)| SizeCurve {
        work: work.parse().unwrap(),
        curve: curve(points),
        cut: None,
    };
    let sizes: Vec<SizeCurve> = question["curves"].as_object().unwrap().iter().map(size).collect();
    quadratic_over_sizes(&sizes, question["work"].as_f64().unwrap()).unwrap()
}

fn check(name: &str, question: &Value, expected: &Value) {
    let curve = asked_curve(question);
    let at = |nodes: &str| curve.linear(nodes.parse().unwrap(), outside(question)).unwrap();
    let margin = question["margin"].as_f64().unwrap_or(0.1);
    for (nodes, seconds) in expected["estimates"].as_object().unwrap() {
        let (found, seconds) = (at(nodes), seconds.as_f64().unwrap());
        assert!((found - seconds).abs() <= 1e-9 * seconds.abs(), "{name}, {nodes}: {found}, not {seconds}");
        let (found, wanted) = (limit(found, margin), expected["limits"][nodes].as_u64().unwrap());
        assert_eq!(found, wanted, "{name}, limit of {nodes}");
    }
    if let Some(error) = expected["mean_error"].as_f64() {
        let measured = question["measured"].as_object().unwrap().iter();
        let (found, under) =
            mean_error(measured.map(|(nodes, seconds)| (seconds.as_f64().unwrap(), at(nodes))));
        assert!((found - error).abs() <= 1e-9 * error, "{name}: {found}, not {error}");
        assert_eq!(under as u64, expected["underestimated"].as_u64().unwrap(), "{name}");
    }
}

fn golden() -> Option<Value> {
    let outside = std::env::var_os("ONCEFLOW_GOLDEN").map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    let file = outside.unwrap_or_else(beside).join("moldable/12-estimate.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no {}", file.display());
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn estimates_are_exact() {
    let Some(case) = golden() else { return };
    for (name, question) in case["questions"].as_object().unwrap() {
        check(name, question, &case["expect"][name]);
    }
}

/// Curves of a domain that is cut into slabs: the rule, even one that nobody declared, estimates far better than lines.
#[test]
fn the_rule_of_slabs_is_found() {
    let Some(case) = golden() else { return };
    let question = &case["questions"]["8 of 32 points"];
    let (few, all) = (curve(&question["points"]), curve(&question["measured"]));
    let error = |options: EstimateOptions| {
        let estimator = ScalingEstimator::new(vec![(1024f64.powi(3), few.clone())], options).unwrap();
        let pair = |(nodes, seconds): &(u64, f64)| {
            (*seconds, estimator.estimate(1024f64.powi(3), *nodes).unwrap().seconds)
        };
        mean_error(all.points().iter().map(pair)).0
    };
    let lines = error(EstimateOptions { method: Some(ScalingMethod::Linear), ..EstimateOptions::default() });
    let declared = error(EstimateOptions { slab_cores: Some(36), ..EstimateOptions::default() });
    let found = error(EstimateOptions::default());
    assert!(lines > 0.08 && declared < 0.02 && found < 0.02, "{lines} {declared} {found}");
    let cut = Decomposition { planes: 1024, cores: 36 };
    assert!(leave_one_out(&few, ScalingMethod::Slabs(cut)).error().unwrap() < 0.05);
}

#[test]
fn own_estimates_are_exact() {
    let curve = ScalingCurve::new([(1, 100.0), (2, 60.0), (4, 30.0), (8, 20.0)]).unwrap();
    let at = |nodes| curve.linear(nodes, Outside::Refuse).unwrap();
    assert_eq!([1, 3, 4, 6, 7].map(at), [100.0, 45.0, 30.0, 25.0, 22.5]);
    assert_eq!([1, 3, 4, 6, 7].map(|nodes| limit(at(nodes), 0.1)), [110, 50, 33, 28, 25]);
    assert_eq!(curve.linear(16, Outside::Extrapolate), Ok(0.0));
    assert!(curve.linear(16, Outside::Refuse).unwrap_err().to_string().contains("measured are 1 to 8 nodes"));
}
