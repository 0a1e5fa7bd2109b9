use onceflow_study::{Constraint, Domain, Parameter, SourceText, Space, TuneMethod, Value};

use super::{TuneOutcome, Tuner, TunerOptions, hypervolume, pareto_front};

fn steps(name: &str, count: i64) -> Parameter {
    let domain = Domain::Integers { from: 0, to: count - 1 };
    Parameter { default: Some(Value::Integer(0)), ..Parameter::new(name, domain) }
}

fn words(name: &str, words: &[&str]) -> Parameter {
    let domain = Domain::Categories(words.iter().map(|word| (*word).to_owned()).collect());
    Parameter { default: Some(Value::Text(words[0].into())), ..Parameter::new(name, domain) }
}

fn space(parameters: Vec<Parameter>, constraints: &[&str]) -> Space {
    let names: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let read = |text: &&str| {
        Constraint::parse(&SourceText::new("c", *text), (0..text.len()).into(), &names).unwrap()
    };
    let constraints = constraints.iter().map(read).collect();
    Space::new(parameters, constraints).unwrap()
}

fn options(method: TuneMethod, seed: u64) -> TunerOptions {
    TunerOptions { method, ..TunerOptions::new(seed) }
}

/// Each method once: with one objective `nsga-ii` is another word for `ga`.
fn methods() -> impl Iterator<Item = TuneMethod> {
    TuneMethod::WORDS.into_iter().filter(|(word, _)| *word != "nsga-ii").map(|(_, method)| method)
}

/// Rows in the order of their proposals with what they gave.
fn run(
    space: &Space,
    options: &TunerOptions,
    (rows, batch): (usize, usize),
    mut model: impl FnMut(&[Value]) -> TuneOutcome,
) -> Vec<(Vec<Value>, TuneOutcome)> {
    let mut tuner = Tuner::new(space, options).unwrap();
    let mut done = Vec::new();
    while done.len() < rows {
        let asked = tuner.ask(batch.min(rows - done.len()));
        if asked.is_empty() {
            break;
        }
        for row in asked {
            let outcome = model(&row.values);
            tuner.tell(row.number, &outcome).unwrap();
            done.push((row.values, outcome));
        }
    }
    done
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Text(word) => word.len() as f64,
        other => other.as_f64().unwrap(),
    }
}

fn bowl(values: &[Value]) -> TuneOutcome {
    let far: f64 = values.iter().enumerate().map(|(i, x)| (number(x) - 3.0 - i as f64).powi(2)).sum();
    TuneOutcome::Values(vec![-far])
}

fn best(rows: &[(Vec<Value>, TuneOutcome)]) -> f64 {
    let value = |row: &(Vec<Value>, TuneOutcome)| match &row.1 {
        TuneOutcome::Values(values) => values[0],
        TuneOutcome::Failed => f64::NEG_INFINITY,
    };
    rows.iter().map(value).fold(f64::NEG_INFINITY, f64::max)
}

fn key(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value} ")).collect()
}

#[test]
fn every_method_runs_each_point_of_a_small_space_once_and_then_ends() {
    let space = space(vec![steps("a", 4), words("b", &["x", "yy", "zzz"]), steps("c", 2)], &[]);
    for method in methods() {
        let rows = run(&space, &options(method, 5), (1000, 1), bowl);
        let mut keys: Vec<String> = rows.iter().map(|(values, _)| key(values)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!((rows.len(), keys.len()), (24, 24), "{}", method.word());
    }
}

/// Words whose order says nothing: the best one is neither first nor last, and near ones are no better than others.
fn lock(values: &[Value]) -> TuneOutcome {
    let right = |(place, value): (usize, &Value)| {
        let wanted = ["b", "d", "a", "c", "b"][place % 5];
        f64::from(u8::from(*value == Value::Text(wanted.into()))) * (1.0 + place as f64 / 10.0)
    };
    TuneOutcome::Values(vec![values.iter().enumerate().map(right).sum()])
}

#[test]
fn every_method_finds_the_optimum_of_a_space_that_it_exhausts() {
    let one = space(vec![steps("a", 40)], &[]);
    let four = ["a", "b", "c", "d"];
    let all_words = space((0..3).map(|i| words(&format!("w{i}"), &four)).collect(), &[]);
    assert!(TuneMethod::WORDS.contains(&("nsga-ii", TuneMethod::Ga)), "so that it is covered by `ga`");
    for method in methods() {
        let found = run(&one, &options(method, 4), (1000, 3), bowl);
        assert_eq!((found.len(), best(&found)), (40, 0.0), "{}: one parameter", method.word());
        let found = run(&all_words, &options(method, 4), (1000, 3), lock);
        assert_eq!((found.len(), best(&found)), (64, 3.3), "{}: words alone", method.word());
    }
}

#[test]
fn methods_that_promise_the_optimum_find_it_long_before_the_space_is_exhausted() {
    let one = space(vec![steps("a", 1000)], &[]);
    let peak = |values: &[Value]| TuneOutcome::Values(vec![-(number(&values[0]) - 617.0).abs()]);
    let four = ["a", "b", "c", "d"];
    let all_words = space((0..5).map(|i| words(&format!("w{i}"), &four)).collect(), &[]);
    for method in [TuneMethod::Auto, TuneMethod::Gp, TuneMethod::Coordinate] {
        for seed in 0..4 {
            let options = options(method, seed);
            assert_eq!(best(&run(&one, &options, (60, 1), peak)), 0.0, "{}: one parameter", method.word());
            // 1,024 points, of which one is the best.
            let found = best(&run(&all_words, &options, (80, 1), lock));
            assert!((found - 6.0).abs() < 1e-12, "{}: words alone, {found}", method.word());
        }
    }
}

#[test]
fn constraints_hold_in_every_row_but_the_defaults() {
    let space = space(vec![steps("a", 12), steps("b", 12), steps("c", 9)], &["a < b", "a + c <= 14"]);
    for method in methods() {
        let rows = run(&space, &options(method, 2), (120, 3), bowl);
        assert_eq!(rows.len(), 120, "{}", method.word());
        for (values, _) in &rows[1..] {
            let [a, b, c] = [0, 1, 2].map(|i| number(&values[i]));
            assert!(a < b && a + c <= 14.0, "{}: {a} {b} {c}", method.word());
        }
    }
}

#[test]
fn no_row_is_proposed_twice() {
    let space = space(vec![steps("a", 9), steps("b", 9), words("c", &["x", "yy", "zzz", "uuuu"])], &[]);
    for method in methods() {
        for batch in [1, 4, 7] {
            let rows = run(&space, &options(method, 3), (150, batch), bowl);
            let mut keys: Vec<String> = rows.iter().map(|(values, _)| key(values)).collect();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), 150, "{} in batches of {batch}", method.word());
        }
    }
}

#[test]
fn proposals_do_not_depend_on_the_order_in_which_a_batch_is_told() {
    let space = space(vec![steps("a", 30), steps("b", 30), words("c", &["x", "yy", "zzz"])], &["a <= b"]);
    for method in methods() {
        let proposals = |backwards: bool| {
            let mut tuner = Tuner::new(&space, &options(method, 11)).unwrap();
            let mut all = Vec::new();
            for _ in 0..12 {
                let mut asked = tuner.ask(5);
                all.extend(asked.iter().map(|row| (row.number, key(&row.values))));
                if backwards {
                    asked.reverse();
                }
                for row in asked {
                    tuner.tell(row.number, &bowl(&row.values)).unwrap();
                }
            }
            all
        };
        assert_eq!(proposals(false), proposals(true), "{}", method.word());
    }
}

#[test]
fn methods_that_search_beat_random_rows() {
    let parameters = || (0..6).map(|i| steps(&format!("p{i}"), 20)).collect::<Vec<_>>();
    let space = space(parameters(), &[]);
    let mean = |method| {
        let of = |seed| best(&run(&space, &options(method, seed), (80, 1), bowl));
        (0..4).map(of).sum::<f64>() / 4.0
    };
    let random = mean(TuneMethod::Random);
    for method in methods().filter(|method| *method != TuneMethod::Random) {
        let found = mean(method);
        assert!(found > random, "{}: {found} against {random}", method.word());
    }
    for method in [TuneMethod::Auto, TuneMethod::Gp, TuneMethod::Coordinate] {
        assert_eq!(mean(method), 0.0, "{} finds the optimum", method.word());
    }
}

#[test]
fn nothing_breaks_a_method() {
    let constant = |_: &[Value]| TuneOutcome::Values(vec![0.5]);
    let corner = |values: &[Value]| match number(&values[0]) {
        a if a > 5.0 => TuneOutcome::Failed,
        a if a > 4.0 => TuneOutcome::Values(vec![f64::NAN]),
        a => TuneOutcome::Values(vec![a]),
    };
    let all_fail = |_: &[Value]| TuneOutcome::Failed;
    let one = space(vec![steps("a", 50)], &[]);
    let categories = space((0..5).map(|i| words(&format!("w{i}"), &["x", "yy", "zzz"])).collect(), &[]);
    let plain = space(vec![steps("a", 10), steps("b", 10)], &[]);
    for method in methods() {
        let options = options(method, 8);
        assert_eq!(run(&plain, &options, (60, 2), constant).len(), 60, "{}", method.word());
        assert_eq!(run(&plain, &options, (60, 2), all_fail).len(), 60, "{}", method.word());
        let rows = run(&plain, &options, (100, 2), corner);
        assert_eq!((rows.len(), best(&rows)), (100, 4.0), "{}", method.word());
        assert_eq!(best(&run(&one, &options, (50, 3), bowl)), 0.0, "{}", method.word());
        assert_eq!(run(&categories, &options, (200, 4), bowl).len(), 200, "{}", method.word());
    }
}

#[test]
fn several_objectives_spread_along_their_front() {
    let space = space((0..4).map(|i| steps(&format!("p{i}"), 12)).collect(), &[]);
    let model = |values: &[Value]| {
        let x = number(&values[0]) / 11.0;
        let rest: f64 = values[1..].iter().map(|v| number(v) / 33.0).sum();
        TuneOutcome::Values(vec![x - rest, 1.0 - x * x - rest])
    };
    let volume = |method| {
        let options = TunerOptions { maximize: vec![true, true], ..options(method, 4) };
        let rows = run(&space, &options, (80, 1), model);
        let values: Vec<Vec<f64>> = rows
            .iter()
            .filter_map(
                |(_, outcome)| if let TuneOutcome::Values(v) = outcome { Some(v.clone()) } else { None },
            )
            .collect();
        assert!(!pareto_front(&values, &[true, true]).is_empty());
        hypervolume(&values, &[0.0, 0.0], &[true, true])
    };
    let random = volume(TuneMethod::Random);
    for method in [TuneMethod::Ga, TuneMethod::Gp, TuneMethod::Tpe, TuneMethod::Auto] {
        assert!(volume(method) > random, "{}", method.word());
    }
}

#[test]
fn volumes_are_those_of_unions_of_boxes() {
    let volume = |rows: &[[f64; 2]]| {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        hypervolume(&rows, &[0.0, 0.0], &[true, true])
    };
    assert_eq!(volume(&[]), 0.0);
    assert_eq!(volume(&[[1.0, 2.0], [2.0, 1.0], [0.5, 0.5], [-1.0, 9.0]]), 3.0);
    let cubes = [vec![1.0, 2.0, 3.0], vec![3.0, 2.0, 1.0]];
    assert_eq!(hypervolume(&cubes, &[0.0; 3], &[true; 3]), 10.0);
    assert_eq!(hypervolume(&[vec![-1.0]], &[0.0], &[false]), 1.0);
}

#[test]
fn rows_are_told_once_and_by_their_numbers() {
    let space = space(vec![steps("a", 9)], &[]);
    let mut tuner = Tuner::new(&space, &options(TuneMethod::Auto, 1)).unwrap();
    let row = tuner.ask(1).remove(0);
    assert_eq!(row.values, [Value::Integer(0)], "the defaults come first");
    let good = TuneOutcome::Values(vec![1.0]);
    assert!(tuner.tell(7, &good).is_err());
    assert!(tuner.tell(row.number, &TuneOutcome::Values(vec![1.0, 2.0])).is_err());
    tuner.tell(row.number, &good).unwrap();
    assert!(tuner.tell(row.number, &good).is_err());
    tuner.learn(&[Value::Real(3.5)], &good).unwrap();
    assert!(tuner.learn(&[], &good).is_err());
}
