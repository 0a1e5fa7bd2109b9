//! Spaces and designs that the sampler tests share.
#![allow(dead_code, unreachable_pub, missing_docs)]

use onceflow_sensitivity::Sample;
use onceflow_study::{
    Constraint, Design, Distribution, Domain, GridDesign, LatinHypercube, Method, MorrisDesign, Parameter,
    SaltelliDesign, SourceText, Space, Trajectories,
};
use proptest::prelude::*;

pub fn continuous(from: f64, to: f64) -> Domain {
    Domain::Continuous { from, to }
}

pub fn words(count: usize) -> Domain {
    Domain::Categories((0..count).map(|i| format!("word{i}")).collect())
}

pub fn unit_space(parameters: usize) -> Space {
    let named = |i: usize| Parameter::new(format!("x{i}"), continuous(0.0, 1.0));
    Space::new((0..parameters).map(named).collect(), Vec::new()).unwrap()
}

pub fn constraint(text: &str, known: &[&str]) -> Constraint {
    Constraint::parse(&SourceText::new("c", text), (0..text.len()).into(), known).unwrap()
}

/// `a` and `b` overlap, so that `a < b` cuts; `c` is free. Grouped, `a` and `b` are one factor.
pub fn constrained_space(grouped: bool) -> Space {
    let group = grouped.then(|| "sizes".to_owned());
    let parameters = vec![
        Parameter { group: group.clone(), ..Parameter::new("a", Domain::Integers { from: 2, to: 40 }) },
        Parameter::new("c", continuous(-1.0, 1.0)),
        Parameter { group, ..Parameter::new("b", Domain::Steps { from: 20.0, to: 90.0, step: 2.5 }) },
    ];
    Space::new(parameters, vec![constraint("a < b", &["a", "b", "c"])]).unwrap()
}

fn parameter() -> impl Strategy<Value = (Domain, Distribution)> {
    let plain = |domain: Domain| (domain, Distribution::Uniform);
    prop_oneof![
        (-5.0..5.0_f64, 0.1..9.0_f64).prop_map(move |(from, width)| plain(continuous(from, from + width))),
        (0.1..5.0_f64, 0.1..9.0_f64)
            .prop_map(|(from, width)| (continuous(from, from + width), Distribution::LogUniform)),
        (-1.0..1.0_f64, 0.2..3.0_f64).prop_map(|(mean, sd)| {
            (continuous(f64::NEG_INFINITY, f64::INFINITY), Distribution::Normal { mean, sd })
        }),
        (-9..9_i64, 1..30_i64)
            .prop_map(move |(from, more)| plain(Domain::Integers { from, to: from + more })),
        (0..9_u32, 1..20_u32).prop_map(move |(from, count)| {
            let from = f64::from(from) / 10.0;
            plain(Domain::Steps { from, to: from + f64::from(count) * 0.1, step: 0.1 })
        }),
        Just(plain(Domain::Values(vec![8.0, 4.0, 6.0]))),
        (2..5_usize).prop_map(move |count| plain(words(count))),
        prop::collection::vec(0.1..3.0_f64, 2..5)
            .prop_map(|weights| (words(weights.len()), Distribution::Weights(weights))),
    ]
}

/// Spaces of a few parameters of any kind, some in groups.
pub fn spaces() -> impl Strategy<Value = Space> {
    let grouped = (parameter(), prop::option::weighted(0.4, 0..2_usize));
    prop::collection::vec(grouped, 1..6).prop_map(|parameters| {
        let named =
            parameters.into_iter().enumerate().map(|(i, ((domain, distribution), group))| Parameter {
                distribution,
                group: group.map(|g| format!("group{g}")),
                ..Parameter::new(format!("x{i}"), domain)
            });
        Space::new(named.collect(), Vec::new()).unwrap()
    })
}

/// Every kind of design of a size, grids aside.
pub fn methods(n: u64) -> Vec<Method> {
    let latin = |kind| Method::LatinHypercube { rows: n, kind };
    let morris = |kind| Method::Morris(MorrisDesign { trajectories: n, values: 4, kind });
    let saltelli =
        |second_order, replicates| Method::Saltelli(SaltelliDesign { base: n, second_order, replicates });
    vec![
        Method::MonteCarlo { rows: n },
        latin(LatinHypercube::Plain),
        latin(LatinHypercube::Centred),
        latin(LatinHypercube::Maximin),
        latin(LatinHypercube::Nested),
        Method::Halton { rows: n, scrambled: false },
        Method::Halton { rows: n, scrambled: true },
        Method::Hammersley { rows: n, scrambled: false },
        Method::Hammersley { rows: n, scrambled: true },
        Method::Sobol { rows: n, scrambled: false },
        Method::Sobol { rows: n, scrambled: true },
        morris(Trajectories::Plain),
        morris(Trajectories::Optimised { candidates: 2 * n + 1 }),
        morris(Trajectories::Radial),
        saltelli(false, 1),
        saltelli(true, 3),
    ]
}

pub fn grid(values: u64, fraction: u64) -> Method {
    Method::Grid(GridDesign { values, fraction })
}

pub fn design(method: Method, seed: u64) -> Design {
    Design { method, seed }
}

/// Rows and bits of values, for comparing.
pub fn bits(sample: &Sample) -> Vec<u64> {
    sample.values.iter().map(|x| x.to_bits()).collect()
}
