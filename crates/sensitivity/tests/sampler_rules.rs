//! What every sample of a design must be: inside its space, complete in its roles, repeatable, extendable.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod spaces;

use std::collections::HashMap;

use onceflow_sensitivity::{RowRole, Sample, extend, sample};
use onceflow_study::{
    Design, Domain, GridDesign, LatinHypercube, Method, MorrisDesign, SaltelliDesign, Space, Trajectories,
    Value,
};
use proptest::prelude::*;
use spaces::{bits, design, grid, methods, spaces, unit_space};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn equal_arguments_give_equal_bits_inside_the_domains(space in spaces(), n in 1..12_u64, seed: u64) {
        let small_grid = (grid_rows(&space) < 5000).then(|| grid(3, 2));
        for method in methods(n).into_iter().chain(small_grid) {
            let made = sample(&space, &design(method.clone(), seed)).unwrap();
            let again = sample(&space, &design(method.clone(), seed)).unwrap();
            prop_assert!(made == again && bits(&made) == bits(&again), "{:?}", method);
            if let Some(rows) = method.rows(space.factors().len()) {
                prop_assert_eq!(made.len() as u128, rows);
            }
            prop_assert!(made.rows.iter().map(|row| row.id).eq(0..made.len() as u64));
            check_inside(&space, &made);
            check_duplicates(&made);
        }
    }

    #[test]
    fn extending_keeps_every_row(space in spaces(), n in 1..9_u64, more in 0..9_u64, seed: u64) {
        for method in methods(n).into_iter().filter(Method::extendable) {
            let nested = matches!(method, Method::LatinHypercube { .. });
            let larger = if nested { n << (more % 4) } else { n + more };
            let small = sample(&space, &design(method.clone(), seed)).unwrap();
            let large = sample(&space, &design(method.clone().with_size(larger), seed)).unwrap();
            prop_assert_eq!(&extend(&space, &small, larger).unwrap(), &large);
            prop_assert_eq!(&large.rows[..small.len()], &small.rows[..]);
            prop_assert!(bits(&large).starts_with(&bits(&small)), "{:?}", method);
        }
    }

    #[test]
    fn saltelli_mixes_its_base_rows(space in spaces(), base in 1..9_u64, second_order: bool, replicates in 1..4_u64) {
        let made = sample(&space, &design(Method::Saltelli(SaltelliDesign { base, second_order, replicates }), 5)).unwrap();
        let k = space.factors().len();
        let block = if second_order { 2 * k + 2 } else { k + 2 };
        for (number, rows) in made.rows.chunks(block).enumerate() {
            let at = |place: usize| made.numbers(number * block + place);
            let (a, b) = (at(0), at(block - 1));
            prop_assert!(rows[0].role == RowRole::A && rows[block - 1].role == RowRole::B);
            for (place, row) in rows.iter().enumerate() {
                prop_assert_eq!((row.base, row.replicate), (number as u64, number as u64 % replicates));
                let (own, other, factor) = match row.role {
                    RowRole::Ab(factor) if place == factor + 1 => (a, b, factor),
                    RowRole::Ba(factor) if place == factor + k + 1 => (b, a, factor),
                    RowRole::A if place == 0 => continue,
                    RowRole::B if place == block - 1 => continue,
                    other => panic!("{other:?} at {place}"),
                };
                let members = &space.factors()[factor].members;
                let mixed = (0..a.len()).map(|i| if members.contains(&i) { other[i] } else { own[i] });
                prop_assert!(at(place).iter().copied().eq(mixed));
            }
        }
    }

    #[test]
    fn each_factor_moves_once_by_half_its_places(space in spaces(), r in 1..6_u64, values in 2..7_u64, seed: u64) {
        for kind in [Trajectories::Plain, Trajectories::Optimised { candidates: 9 }, Trajectories::Radial] {
            let method = Method::Morris(MorrisDesign { trajectories: r, values, kind });
            let made = sample(&space, &design(method, seed)).unwrap();
            check_steps(&space, &made, values, kind == Trajectories::Radial);
        }
    }

    #[test]
    fn every_size_of_a_latin_hypercube_is_latin(odd in 0..4_u64, doublings in 0..6_u32, seed: u64) {
        let first = 2 * odd + 1;
        let rows = first << doublings;
        let kinds =
            [LatinHypercube::Plain, LatinHypercube::Centred, LatinHypercube::Maximin, LatinHypercube::Nested];
        for kind in kinds {
            let made = sample(&unit_space(3), &design(Method::LatinHypercube { rows, kind }, seed)).unwrap();
            let sizes = if kind == LatinHypercube::Nested { 0 } else { doublings }..=doublings;
            for size in sizes.map(|m| (first << m) as usize) {
                check_strata(&made, size);
            }
        }
    }

    #[test]
    fn a_grid_holds_each_combination_once(space in spaces(), fraction in 1..5_u64) {
        prop_assume!(grid_rows(&space) < 5000);
        let made = sample(&space, &design(grid(3, fraction), 0)).unwrap();
        let counts: Vec<u64> = space.parameters().iter().map(|p| p.domain.count().unwrap_or(3)).collect();
        let mut expected = 0;
        for mut combination in 0..counts.iter().product::<u64>() {
            let sum: u64 = counts.iter().map(|n| { let place = combination % n; combination /= n; place }).sum();
            expected += usize::from(sum.is_multiple_of(fraction));
        }
        prop_assert_eq!((made.len(), made.duplicates()), (expected, 0));
    }
}

fn grid_rows(space: &Space) -> u128 {
    space.grid_rows(&GridDesign { values: 3, fraction: 1 })
}

fn check_inside(space: &Space, made: &Sample) {
    for row in 0..made.len() {
        for (place, parameter) in space.parameters().iter().enumerate() {
            let value = made.value(space, row, place);
            match &parameter.domain {
                Domain::Continuous { .. } => assert!(parameter.domain.spans(&value), "{value:?}"),
                countable => assert!(countable.index_of(&value).is_some(), "{value:?} of {countable:?}"),
            }
        }
    }
}

fn check_duplicates(made: &Sample) {
    let mut first = HashMap::new();
    for (place, row) in made.rows.iter().enumerate() {
        let key: Vec<u64> = made.numbers(place).iter().map(|x| x.to_bits()).collect();
        let earlier = *first.entry(key).or_insert(row.id);
        assert_eq!(row.duplicate_of, (earlier != row.id).then_some(earlier));
    }
}

fn check_steps(space: &Space, made: &Sample, values: u64, radial: bool) {
    let k = space.factors().len();
    for (base, rows) in made.rows.chunks(k + 1).enumerate() {
        assert_eq!(rows[0].role, RowRole::Start);
        let mut moved = Vec::new();
        for (step, row) in rows.iter().enumerate().skip(1) {
            let RowRole::Step(factor) = row.role else { panic!("{:?}", row.role) };
            assert_eq!(row.base, base as u64);
            moved.push(factor);
            let from = base * (k + 1) + if radial { 0 } else { step - 1 };
            for parameter in 0..made.parameters {
                let places =
                    [from, base * (k + 1) + step].map(|row| place_of(space, made, row, parameter, values));
                let by = places[0].abs_diff(places[1]);
                let domain = &space.parameters()[parameter].domain;
                match space.factors()[factor].members.contains(&parameter) {
                    false => assert_eq!(by, 0),
                    true if radial || domain.is_categorical() => assert!(by > 0),
                    true => assert_eq!(by, domain.count().unwrap_or(values) / 2),
                }
            }
        }
        moved.sort_unstable();
        assert!(moved.into_iter().eq(0..k));
    }
}

/// Place of a value among those of its parameter: exact for countable domains, by counting for continuous ones.
fn place_of(space: &Space, made: &Sample, row: usize, parameter: usize, values: u64) -> u64 {
    let domain = &space.parameters()[parameter].domain;
    if domain.count().is_some() {
        return domain.index_of(&made.value(space, row, parameter)).unwrap();
    }
    // A full grid lists the values of a continuous parameter in order.
    let alone = space.keep(&[space.parameters()[parameter].name.clone()]).unwrap();
    let places = sample(&alone, &design(grid(values, 1), 0)).unwrap();
    places.values.iter().position(|x| *x == made.numbers(row)[parameter]).unwrap() as u64
}

fn check_strata(made: &Sample, size: usize) {
    for parameter in 0..made.parameters {
        let mut column: Vec<f64> = (0..size).map(|row| made.numbers(row)[parameter]).collect();
        column.sort_by(f64::total_cmp);
        for (stratum, u) in column.into_iter().enumerate() {
            let (low, high) = (stratum as f64 / size as f64, (stratum + 1) as f64 / size as f64);
            assert!(low <= u && u < high, "{u} in stratum {stratum} of {size}");
        }
    }
}

#[test]
fn different_seeds_give_different_rows() {
    let space = unit_space(3);
    let plain = |method: &Method| {
        matches!(
            method,
            Method::Halton { scrambled: false, .. }
                | Method::Hammersley { scrambled: false, .. }
                | Method::Sobol { scrambled: false, .. }
        )
    };
    for method in methods(8) {
        let [one, other] = [1, 2].map(|seed| bits(&sample(&space, &design(method.clone(), seed)).unwrap()));
        assert_eq!(one == other, plain(&method), "{method:?}");
    }
}

#[test]
fn values_are_as_frequent_as_their_weights() {
    let weights = vec![1.0, 2.0, 0.0, 5.0];
    let parameter = onceflow_study::Parameter {
        distribution: onceflow_study::Distribution::Weights(weights.clone()),
        ..onceflow_study::Parameter::new("w", spaces::words(4))
    };
    let two = onceflow_study::Parameter::new("i", Domain::Integers { from: 0, to: 3 });
    let space = Space::new(vec![parameter, two], Vec::new()).unwrap();
    let count = |made: &Sample, parameter: usize, value: f64| {
        (0..made.len()).filter(|row| made.numbers(*row)[parameter] == value).count() as f64
    };
    for (method, tolerance) in
        methods(4096).into_iter().zip([130.0, 1.0, 1.0, 1.0, 1.0, 8.0, 8.0, 8.0, 8.0, 1.0, 1.0])
    {
        if matches!(method, Method::LatinHypercube { kind: LatinHypercube::Maximin, .. }) {
            continue;
        }
        let made = sample(&space, &design(method.clone(), 3)).unwrap();
        for (place, weight) in weights.iter().enumerate() {
            let (weighted, uniform) = (count(&made, 0, place as f64), count(&made, 1, place as f64));
            assert!(
                (weighted - 512.0 * weight).abs() <= tolerance,
                "{method:?}: {weighted} of weight {weight}"
            );
            assert!((uniform - 1024.0).abs() <= tolerance, "{method:?}: {uniform}");
        }
    }
}

#[test]
fn odd_and_even_numbers_of_values_start_everywhere_and_go_both_ways() {
    let parameters = [("odd", 4), ("even", 5)]
        .map(|(name, to)| onceflow_study::Parameter::new(name, Domain::Integers { from: 0, to }));
    let space = Space::new(parameters.to_vec(), Vec::new()).unwrap();
    let method = Method::Morris(MorrisDesign { trajectories: 600, values: 4, kind: Trajectories::Plain });
    let made = sample(&space, &design(method, 1)).unwrap();
    let starts = made.rows.iter().filter(|row| row.role == RowRole::Start);
    let mut seen = HashMap::<(usize, u64, bool), u32>::new();
    for start in starts {
        let (first, last) = (made.numbers(start.id as usize), made.numbers(start.id as usize + 2));
        (0..2).for_each(|i| *seen.entry((i, first[i] as u64, last[i] > first[i])).or_default() += 1);
    }
    // Five values by 2: the middle one goes both ways. Six by 3: each has one way.
    assert_eq!(seen.len(), 6 + 6);
    for ((parameter, place, _), count) in &seen {
        let expected = if *parameter == 1 {
            100
        } else if *place == 2 {
            60
        } else {
            120
        };
        assert!(count.abs_diff(expected) < 50, "{seen:?}");
    }
}

#[test]
fn maximin_keeps_rows_farther_apart_than_chance() {
    let space = unit_space(4);
    let closest = |kind, seed| {
        let made = sample(&space, &design(Method::LatinHypercube { rows: 40, kind }, seed)).unwrap();
        let between = |a: usize, b: usize| {
            made.numbers(a).iter().zip(made.numbers(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
        };
        (0..40).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| between(a, b)).fold(f64::MAX, f64::min)
    };
    let mean = |kind| (0..10).map(|seed| closest(kind, seed)).sum::<f64>() / 10.0;
    let (plain, maximin) = (mean(LatinHypercube::Plain), mean(LatinHypercube::Maximin));
    assert!(maximin > 2.0 * plain, "closest rows {maximin} apart, by chance {plain}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let kind = Trajectories::Optimised { candidates: 200 };
    let asked = design(Method::Morris(MorrisDesign { trajectories: 8, values: 4, kind }), 9);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sample(&unit_space(6), &asked).unwrap())
    };
    assert_eq!(bits(&on(1)), bits(&on(3)));
}

#[test]
fn optimised_trajectories_are_candidates_and_spread_out() {
    let space = unit_space(5);
    let of = |trajectories, kind| {
        let method = Method::Morris(MorrisDesign { trajectories, values: 4, kind });
        sample(&space, &Design { method, seed: 4 }).unwrap()
    };
    let (all, chosen) = (of(60, Trajectories::Plain), of(5, Trajectories::Optimised { candidates: 60 }));
    let block = 6 * 5;
    let candidates: Vec<&[f64]> = all.values.chunks(block).collect();
    assert!(chosen.values.chunks(block).all(|t| candidates.contains(&t)));
    let distance = |a: &[f64], b: &[f64]| -> f64 {
        let row = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        a.chunks(5).flat_map(|x| b.chunks(5).map(move |y| row(x, y))).sum()
    };
    let spread = |of: &[&[f64]]| -> f64 {
        of.iter()
            .flat_map(|a| of.iter().map(move |b| if a == b { 0.0 } else { distance(a, b).powi(2) }))
            .sum()
    };
    let found = spread(&chosen.values.chunks(block).collect::<Vec<_>>());
    let by_chance = candidates.chunks(5).map(spread).fold(0.0, f64::max);
    assert!(found > by_chance, "{found} is not above the best of twelve random choices, {by_chance}");
}

#[test]
fn the_reference_row_holds_the_defaults() {
    let with = |name: &str, domain, default| onceflow_study::Parameter {
        default: Some(default),
        ..onceflow_study::Parameter::new(name, domain)
    };
    let parameters = vec![
        with("w", spaces::words(3), Value::Text("word2".into())),
        with("i", Domain::Integers { from: 2, to: 40 }, Value::Integer(11)),
    ];
    let space = Space::new(parameters, Vec::new()).unwrap();
    assert_eq!(onceflow_sensitivity::reference_row(&space).unwrap(), [2.0, 11.0]);
    assert!(onceflow_sensitivity::reference_row(&unit_space(1)).unwrap_err().to_string().contains("`x0`"));
}
