//! Equality with SALib 1.6.0 on the same rows and outputs (`scripts/salib-vectors.py` made the table).

use onceflow_sensitivity::{AnalysisOptions, Indices, Outputs, RowRole, Sample, Technique, analyze};
use onceflow_study::{Domain, Parameter, Space};
use serde_json::Value;

use crate::designs::{assert_close, empty, first_and_total, push, second, values};

fn cases(kind: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(include_str!("data/salib.json")).unwrap();
    all.into_iter().filter(|c| c["name"].as_str().unwrap().starts_with(kind)).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

fn space(case: &Value) -> Space {
    let parameter = |(i, ends): (usize, &Value)| {
        let ends = numbers(ends);
        let mut p = Parameter::new(format!("x{}", i + 1), Domain::Continuous { from: ends[0], to: ends[1] });
        p.group = case["groups"].get(i).map(|g| g.as_str().unwrap().into());
        p
    };
    let parameters = case["bounds"].as_array().unwrap().iter().enumerate().map(parameter).collect();
    Space::new(parameters, vec![]).unwrap()
}

/// SALib's order of rows in a base row: A, AB of each factor, BA of each factor, B.
fn saltelli_sample(case: &Value, space: &Space) -> Sample {
    let k = space.factors().len();
    let ba = if case["second_order"] == true { k } else { 0 };
    let mut roles = vec![RowRole::A];
    roles.extend((0..k).map(RowRole::Ab).chain((0..ba).map(RowRole::Ba)));
    roles.push(RowRole::B);
    let mut sample = empty(space.parameters().len());
    for (i, row) in case["x"].as_array().unwrap().iter().enumerate() {
        push(&mut sample, roles[i % roles.len()], (i / roles.len()) as u64, 0, &numbers(row));
    }
    sample
}

/// The factor that moved is read off the values, as SALib does.
fn morris_sample(case: &Value, space: &Space) -> Sample {
    let length = space.factors().len() + 1;
    let mut sample = empty(space.parameters().len());
    for (i, row) in case["x"].as_array().unwrap().iter().enumerate() {
        let row = numbers(row);
        let moved = |m: &usize| row[*m] != sample.numbers(i - 1)[*m];
        let role = match i % length {
            0 => RowRole::Start,
            _ => RowRole::Step(space.factors().iter().position(|f| f.members.iter().any(moved)).unwrap()),
        };
        push(&mut sample, role, (i / length) as u64, 0, &row);
    }
    sample
}

#[test]
fn variance_based_indices_are_equal() {
    for case in cases("vbd") {
        let space = space(&case);
        let second_order = case["second_order"] == true;
        let options = AnalysisOptions { second_order, ..AnalysisOptions::new(Technique::Vbd) };
        let outputs = Outputs::single("y", numbers(&case["y"]));
        let analysis = analyze(&space, &saltelli_sample(&case, &space), &outputs, &options).unwrap();
        let (s1, st) = first_and_total(&analysis);
        assert_close(&values(&s1), &numbers(&case["s1"]), 1e-12);
        assert_close(&values(&st), &numbers(&case["st"]), 1e-12);
        assert_close(&values(&second(&analysis)), &numbers(&case["s2"]), 1e-12);
    }
}

#[test]
fn elementary_effects_are_equal() {
    for case in cases("morris") {
        let space = space(&case);
        let outputs = Outputs::single("y", numbers(&case["y"]));
        let options = AnalysisOptions::new(Technique::Morris);
        let analysis = analyze(&space, &morris_sample(&case, &space), &outputs, &options).unwrap();
        let Indices::Morris(factors) = &analysis.outputs[0].indices else { panic!("not effects") };
        let mu_star: Vec<f64> = factors.iter().map(|f| f.mu_star.value).collect();
        assert_close(&mu_star, &numbers(&case["mu_star"]), 1e-12);
        // SALib averages the directions within a group; we say that a group has none.
        if case["groups"].is_null() {
            assert_close(&factors.iter().map(|f| f.mu).collect::<Vec<_>>(), &numbers(&case["mu"]), 1e-12);
            assert_close(
                &factors.iter().map(|f| f.sigma).collect::<Vec<_>>(),
                &numbers(&case["sigma"]),
                1e-12,
            );
        } else {
            assert!(factors.iter().all(|f| f.mu.is_nan() && f.sigma.is_nan()));
        }
    }
}
