//! Problems survive the way through SALib's and Dakota's files, and hostile files are refused without a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod support;

use onceflow_study::{
    Constraint, Design, Distribution, Domain, GridDesign, LatinHypercube, Method, MorrisDesign, Parameter,
    ParameterKind, Problem, SaltelliDesign, SourceSpan, SourceText, Space, Trajectories, Value, dakota_input,
    problem_template, read_dakota_input, read_salib_parameters, read_salib_problem, salib_parameter_file,
    salib_problem_json,
};
use proptest::prelude::*;

type Shape = (Domain, Distribution, ParameterKind);

fn range() -> impl Strategy<Value = (f64, f64)> {
    (-1e6..1e6f64, 1e-3..1e6f64).prop_map(|(from, width)| (from, from + width))
}

fn continuous(domain: (f64, f64), distribution: Distribution) -> Shape {
    (Domain::Continuous { from: domain.0, to: domain.1 }, distribution, ParameterKind::Real)
}

/// Shapes that SALib's dictionary can say.
fn salib_shape() -> impl Strategy<Value = Shape> {
    let inf = f64::INFINITY;
    let moments = || (-10.0..10.0f64, 1e-3..10.0f64);
    prop_oneof![
        range().prop_map(|r| continuous(r, Distribution::Uniform)),
        range().prop_map(|(from, to)| continuous(
            (from.abs() + 1e-9, from.abs() + (to - from)),
            Distribution::LogUniform
        )),
        moments().prop_map(move |(mean, sd)| continuous((-inf, inf), Distribution::Normal { mean, sd })),
        (range(), moments()).prop_map(|(r, (mean, sd))| continuous(r, Distribution::Normal { mean, sd })),
        moments().prop_map(move |(mean, sd)| continuous((0.0, inf), Distribution::LogNormal { mean, sd })),
        (1e-3..9.0f64, 1e-3..9.0f64, -5.0..5.0f64).prop_map(move |(shape, scale, location)| {
            continuous((location, inf), Distribution::Weibull { shape, scale, location })
        }),
    ]
}

/// Shapes that Dakota can say.
fn dakota_shape() -> impl Strategy<Value = Shape> {
    let inf = f64::INFINITY;
    let words = prop::collection::btree_set("[a-z]{1,6}", 2..5);
    let numbers = prop::collection::btree_set(-1000i32..1000, 2..6);
    let whole = |n: &i32| f64::from(*n);
    prop_oneof![
        4 => salib_shape().prop_filter("Dakota's Weibull starts at 0", |(_, d, _)| !matches!(d, Distribution::Weibull { .. })),
        1 => (1e-3..9.0f64, 1e-3..9.0f64).prop_map(move |(shape, scale)| {
            continuous((0.0, inf), Distribution::Weibull { shape, scale, location: 0.0 })
        }),
        1 => (range(), 0.0..=1.0f64).prop_map(|((from, to), at)| {
            continuous((from, to), Distribution::Triangular { peak: (from + at * (to - from)).clamp(from, to) })
        }),
        1 => (-99i64..99, 1i64..99).prop_map(|(from, width)| {
            (Domain::Integers { from, to: from + width }, Distribution::Uniform, ParameterKind::Integer)
        }),
        1 => words.clone().prop_map(|w| (Domain::Categories(w.into_iter().collect()), Distribution::Uniform, ParameterKind::Category)),
        1 => words.prop_map(|w| {
            let weights = (1..=w.len()).map(|i| i as f64 / 7.0).collect();
            (Domain::Categories(w.into_iter().collect()), Distribution::Weights(weights), ParameterKind::Category)
        }),
        1 => numbers.clone().prop_map(move |n| (Domain::Values(n.iter().map(whole).collect()), Distribution::Uniform, ParameterKind::Integer)),
        1 => numbers.prop_map(move |n| (Domain::Values(n.iter().map(|x| whole(x) / 8.0).collect()), Distribution::Uniform, ParameterKind::Real)),
    ]
}

fn space(shape: impl Strategy<Value = Shape>, groups: bool) -> impl Strategy<Value = Space> {
    let names = prop::collection::btree_set("[A-Za-z][A-Za-z0-9_]{0,7}", 2..7);
    (names, prop::collection::vec((shape, 0usize..3), 7)).prop_map(move |(names, shapes)| {
        let parameter = |(name, ((domain, distribution, kind), group)): (String, (Shape, usize))| Parameter {
            distribution,
            kind,
            group: (groups && group > 0).then(|| format!("group {group}")),
            ..Parameter::new(name, domain)
        };
        let mut parameters: Vec<Parameter> = names.into_iter().zip(shapes).map(parameter).collect();
        // Two factors at least, as SALib wants.
        parameters[0].group = None;
        Space::new(parameters, Vec::new()).unwrap()
    })
}

fn source(text: &str) -> std::sync::Arc<SourceText> {
    SourceText::new("text", text)
}

fn design() -> impl Strategy<Value = Design> {
    let seeded = prop_oneof![
        (1u64..9999).prop_map(|rows| Method::MonteCarlo { rows }),
        (1u64..9999).prop_map(|rows| Method::LatinHypercube { rows, kind: LatinHypercube::Plain }),
        (1u64..9999).prop_map(|rows| Method::LatinHypercube { rows, kind: LatinHypercube::Nested }),
        (1u64..9999).prop_map(|base| {
            Method::Saltelli(SaltelliDesign {
                base,
                second_order: false,
                replicates: SaltelliDesign::REPLICATES,
            })
        }),
        (1u64..99, 1u64..20).prop_map(|(trajectories, half)| {
            Method::Morris(MorrisDesign { trajectories, values: 2 * half, kind: Trajectories::Plain })
        }),
    ];
    prop_oneof![
        (seeded, 0u64..1 << 31).prop_map(|(method, seed)| Design { method, seed }),
        (1u64..9999).prop_map(|rows| Design { method: Method::Halton { rows, scrambled: false }, seed: 0 }),
        (2u64..9)
            .prop_map(|values| Design { method: Method::Grid(GridDesign { values, fraction: 1 }), seed: 0 }),
    ]
}

/// Dakota lists variables by type.
fn by_name(space: &Space) -> Vec<Parameter> {
    let mut parameters = space.parameters().to_vec();
    parameters.sort_by(|a, b| a.name.cmp(&b.name));
    parameters
}

fn unbounded(space: &Space) -> bool {
    space.parameters().iter().any(|p| p.domain.ends().is_some_and(|(a, b)| (b - a).is_infinite()))
}

proptest! {
    #[test]
    fn a_salib_dictionary_comes_back(space in space(salib_shape(), true), outputs in prop::collection::vec("[a-z]{1,4}", 0..3)) {
        let problem = Problem { space, outputs, design: None };
        let exported = salib_problem_json(&problem).unwrap();
        prop_assert!(exported.losses.is_empty());
        let (read, _) = read_salib_problem(&source(&exported.text)).unwrap();
        prop_assert_eq!(read, problem);
    }

    #[test]
    fn a_salib_file_comes_back(space in space(salib_shape(), true)) {
        if let Ok(text) = salib_parameter_file(&space) {
            let (read, _) = read_salib_parameters(&source(&text)).unwrap();
            prop_assert_eq!(read.space, space);
        }
    }

    #[test]
    fn a_peak_comes_back_to_the_last_bit_or_next_to_it((from, to) in range(), at in 0.0..0.999f64) {
        let peak = from + at * (to - from);
        let (domain, distribution, _) = continuous((from, to), Distribution::Triangular { peak });
        let parameter = Parameter { distribution, ..Parameter::new("x", domain) };
        let space = Space::new(vec![parameter], Vec::new()).unwrap();
        let text = salib_problem_json(&Problem { space, outputs: vec![], design: None }).unwrap().text;
        let (read, _) = read_salib_problem(&source(&text)).unwrap();
        let Distribution::Triangular { peak: back } = read.space.parameters()[0].distribution else { panic!() };
        prop_assert!((back - peak).abs() <= 4.0 * f64::EPSILON * (from.abs() + to.abs()));
    }

    #[test]
    fn a_dakota_input_comes_back(space in space(dakota_shape(), false), design in design(), outputs in prop::collection::vec("[a-z]{1,4}", 1..3)) {
        prop_assume!(!matches!(design.method, Method::Grid(_)) || !unbounded(&space));
        let problem = Problem { space, outputs, design: Some(design) };
        let exported = dakota_input(&problem).unwrap();
        prop_assert!(exported.losses.is_empty());
        let text = exported.text;
        let (read, _) = read_dakota_input(&source(&text)).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(by_name(&read.space), by_name(&problem.space));
        // A grid without continuous parameters has no number of values of its own.
        let any_continuous = problem.space.parameters().iter().any(|p| p.domain.count().is_none());
        if any_continuous || !matches!(problem.design.as_ref().unwrap().method, Method::Grid(_)) {
            prop_assert_eq!(&read.design, &problem.design);
        }
        prop_assert_eq!(read.outputs, problem.outputs);
    }

    #[test]
    fn what_is_imported_becomes_a_study(space in space(dakota_shape(), false), outputs in prop::collection::btree_set("output_[a-z]{1,4}", 1..3)) {
        // Longer than any parameter's name: a study refuses outputs that are called like one.
        let problem = Problem { space, outputs: outputs.into_iter().collect(), design: None };
        let text = problem_template("imported", &problem);
        let (study, said) = support::resolve(&text, None);
        let study = study.ok_or_else(|| TestCaseError::fail(format!("{said}\n{text}")))?;
        prop_assert_eq!(study.problem(), problem, "{}", text);
    }

    #[test]
    fn mutated_files_are_refused_without_a_panic(space in space(dakota_shape(), false), design in design(), cuts in prop::collection::vec((any::<prop::sample::Index>(), "\\PC{0,3}|[0-9*:.'\"=#{}\\[\\],\\-]{1,4}"), 1..4)) {
        let problem = Problem { space, outputs: vec!["y".into()], design: Some(design) };
        let texts = [
            dakota_input(&problem).map(|e| e.text).unwrap_or_default(),
            salib_problem_json(&problem).map(|e| e.text).unwrap_or_default(),
            salib_parameter_file(&problem.space).unwrap_or_else(|_| "x1,0,1,NA,unif\nx2 0 1".into()),
        ];
        for text in texts {
            let mut text: Vec<char> = text.chars().collect();
            for (at, put) in &cuts {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    text.splice(at..(at + put.chars().count() / 2).min(text.len()), put.chars());
                }
            }
            let text: String = text.into_iter().collect();
            let _ = read_dakota_input(&source(&text));
            let _ = read_salib_problem(&source(&text));
            let _ = read_salib_parameters(&source(&text));
        }
    }
}

fn single(domain: Domain, distribution: Distribution) -> Space {
    Space::new(vec![Parameter { distribution, ..Parameter::new("x", domain) }], Vec::new()).unwrap()
}

#[test]
fn defaults_are_dakotas_initial_points() {
    let mut threshold = Parameter::new("threshold", Domain::Categories(vec!["otsu".into(), "li".into()]));
    threshold.default = Some(Value::Text("li".into()));
    let mut size = Parameter::new("size", Domain::Integers { from: 1, to: 9 });
    size.default = Some(Value::Integer(3));
    let space = Space::new(vec![size, threshold], Vec::new()).unwrap();
    let design = Some(Design { method: Method::MonteCarlo { rows: 5 }, seed: 1 });
    let problem = Problem { space, outputs: vec!["y".into()], design };
    let text = dakota_input(&problem).unwrap().text;
    assert!(text.contains("initial_point = 'li'") && text.contains("initial_point = 3"), "{text}");
    assert_eq!(read_dakota_input(&source(&text)).unwrap().0, problem);
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let continuous = Domain::Continuous { from: 0.0, to: 1.0 };
    let half = Domain::Continuous { from: 0.0, to: f64::INFINITY };
    let normal = Distribution::Normal { mean: 0.0, sd: 1.0 };
    let problem = |space: &Space, design: Option<Method>| Problem {
        space: space.clone(),
        outputs: vec![],
        design: design.map(|method| Design { method, seed: 0 }),
    };
    let half_normal = single(half, normal);
    let refused = salib_problem_json(&problem(&half_normal, None)).unwrap_err().to_string();
    assert!(refused.contains("found a normal distribution over 0..inf"), "{refused}");
    let triangle = single(continuous.clone(), Distribution::Triangular { peak: 0.5 });
    assert!(salib_parameter_file(&triangle).unwrap_err().to_string().contains("found a triangle"));
    assert!(salib_parameter_file(&single(Domain::Values(vec![1.0, 2.0]), Distribution::Uniform)).is_err());
    let uniform = single(continuous, Distribution::Uniform);
    assert!(dakota_input(&problem(&uniform, None)).unwrap_err().to_string().contains("expected a design"));
    let odd = Method::Morris(MorrisDesign { trajectories: 2, values: 5, kind: Trajectories::Plain });
    assert!(
        dakota_input(&problem(&uniform, Some(odd)))
            .unwrap_err()
            .to_string()
            .contains("even number of values")
    );
    let sobol = Method::Sobol { rows: 8, scrambled: true };
    assert!(dakota_input(&problem(&uniform, Some(sobol))).unwrap_err().to_string().contains("found sobol"));
}

#[test]
fn losses_of_a_dictionary_are_named() {
    let words = Parameter::new("method", Domain::Categories(vec!["a".into(), "b".into(), "c".into()]));
    let steps = Parameter::new("G1", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 });
    let text = source("G1 > G2");
    let constraint = Constraint::parse(&text, SourceSpan { start: 0, end: 7 }, &["G1", "G2"]).unwrap();
    let other = Parameter::new("G2", Domain::Integers { from: 0, to: 40 });
    let space = Space::new(vec![words, steps, other], vec![constraint]).unwrap();
    let exported = salib_problem_json(&Problem { space, outputs: vec![], design: None }).unwrap();
    assert_eq!(
        exported.losses,
        [
            "`method` is given by the places of its words: SALib has no words",
            "`G1` is given by its ends: SALib has no discrete parameters",
            "`G2` is given by its ends: SALib has no discrete parameters",
            "`G1 > G2` is left out: SALib has no constraints",
        ]
    );
    let (read, _) = read_salib_problem(&source(&exported.text)).unwrap();
    let ends: Vec<_> = read.space.parameters().iter().map(|p| p.domain.ends().unwrap()).collect();
    assert_eq!(ends, [(0.0, 2.0), (5.0, 80.0), (0.0, 40.0)]);
}
