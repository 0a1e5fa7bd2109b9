//! Constraints hold in every row, or the sampler says why it cannot keep them; sizes and samples are checked too.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod spaces;

use onceflow_sensitivity::{Sample, SampleError, extend, sample, warnings};
use onceflow_study::{
    Domain, LatinHypercube, Method, MorrisDesign, Parameter, SaltelliDesign, Space, Trajectories,
};
use proptest::prelude::*;
use spaces::{bits, constrained_space, constraint, continuous, design, grid, methods, unit_space};

fn holds(made: &Sample) -> bool {
    (0..made.len()).all(|row| made.numbers(row)[0] < made.numbers(row)[2])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn constraints_hold_in_every_row_or_are_refused(n in 2..60_u64, seed: u64) {
        for grouped in [false, true] {
            let space = constrained_space(grouped);
            for method in methods(n).into_iter().chain([grid(3, 1), grid(4, 3)]) {
                match sample(&space, &design(method.clone(), seed)) {
                    Ok(made) => prop_assert!(holds(&made), "{:?}", method),
                    Err(SampleError::Coupled { .. }) => {
                        prop_assert!(!grouped && matches!(method, Method::Morris(_) | Method::Saltelli(_)));
                    }
                    Err(SampleError::Unkept { .. }) => {
                        let fixed = matches!(method, Method::Hammersley { .. } | Method::LatinHypercube { kind: LatinHypercube::Nested, .. });
                        prop_assert!(fixed);
                    }
                    Err(other) => panic!("{method:?}: {other}"),
                }
            }
        }
    }

    #[test]
    fn extension_skips_alike(n in 1..40_u64, more in 1..40_u64, seed: u64) {
        let space = constrained_space(true);
        for method in methods(n).into_iter().filter(Method::extendable) {
            if matches!(method, Method::LatinHypercube { .. }) {
                continue;
            }
            let small = sample(&space, &design(method, seed)).unwrap();
            let large = extend(&space, &small, n + more).unwrap();
            prop_assert!(holds(&large) && bits(&large).starts_with(&bits(&small)));
        }
    }
}

#[test]
fn exchanged_columns_keep_their_strata() {
    let parameters = ["a", "c", "b"].map(|name| Parameter::new(name, continuous(0.0, 1.0)));
    let rule = constraint("a < b + 0.2", &["a", "b", "c"]);
    let space = Space::new(parameters.to_vec(), vec![rule]).unwrap();
    for kind in [LatinHypercube::Plain, LatinHypercube::Centred, LatinHypercube::Maximin] {
        for seed in 0..5 {
            let made = sample(&space, &design(Method::LatinHypercube { rows: 50, kind }, seed)).unwrap();
            assert!((0..50).all(|row| made.numbers(row)[0] < made.numbers(row)[2] + 0.2));
            for column in 0..3 {
                let mut strata: Vec<u64> =
                    (0..50).map(|row| (made.numbers(row)[column] * 50.0) as u64).collect();
                strata.sort_unstable();
                assert!(strata.into_iter().eq(0..50), "{kind:?}, seed {seed}, column {column}");
            }
        }
    }
}

#[test]
fn a_grid_drops_what_is_excluded() {
    let parameters = ["a", "b"].map(|name| Parameter::new(name, Domain::Integers { from: 1, to: 4 }));
    let space = Space::new(parameters.to_vec(), vec![constraint("a < b", &["a", "b"])]).unwrap();
    let made = sample(&space, &design(grid(4, 1), 0)).unwrap();
    assert_eq!(made.values, [1.0, 2.0, 1.0, 3.0, 1.0, 4.0, 2.0, 3.0, 2.0, 4.0, 3.0, 4.0]);
    // Places that add up to 0 modulo 4, value by value: (0,0), (1,3), (2,2), (3,1); only 2 < 4 is left.
    assert_eq!(sample(&space, &design(grid(4, 4), 0)).unwrap().values, [2.0, 4.0]);
    assert!(matches!(sample(&space, &design(grid(4, 99), 0)), Err(SampleError::NothingLeft { .. })));
}

fn refusal(space: &Space, method: Method) -> String {
    sample(space, &design(method, 1)).unwrap_err().to_string()
}

#[test]
fn constraints_that_cannot_be_kept_are_refused_with_a_way_out() {
    let coupled = constrained_space(false);
    let saltelli = Method::Saltelli(SaltelliDesign { base: 4, second_order: false, replicates: 2 });
    let said = refusal(&coupled, saltelli);
    assert!(said.contains("`a < b` between `a` and `b`") && said.contains("group"), "{said}");
    let equal = |text: &str| {
        let parameters = ["a", "b"].map(|name| Parameter::new(name, continuous(0.0, 1.0)));
        Space::new(parameters.to_vec(), vec![constraint(text, &["a", "b"])]).unwrap()
    };
    for method in [Method::MonteCarlo { rows: 3 }, Method::Sobol { rows: 3, scrambled: true }] {
        let said = refusal(&equal("a == b"), method);
        assert!(said.contains("leave less than about 1 in 10000") && said.contains("`a == b`"), "{said}");
    }
    let pairs = Method::Saltelli(SaltelliDesign { base: 4, second_order: false, replicates: 2 });
    let one_group = Space::new(
        ["a", "b"]
            .map(|n| Parameter { group: Some("g".into()), ..Parameter::new(n, continuous(0.0, 1.0)) })
            .to_vec(),
        vec![constraint("a + 0.95 < b", &["a", "b"])],
    );
    assert!(refusal(&one_group.unwrap(), pairs).contains("less than about 1 in 100;"));
    let latin = Method::LatinHypercube { rows: 20, kind: LatinHypercube::Plain };
    assert!(refusal(&equal("a + 0.5 < b"), latin).contains("no arrangement"));
    let nested = Method::LatinHypercube { rows: 20, kind: LatinHypercube::Nested };
    assert!(refusal(&coupled, nested).contains("nested lhs"));
}

#[test]
fn a_constraint_that_never_cuts_hinders_nobody() {
    let ranges = [("a", 0.0, 1.0), ("b", 2.0, 3.0)];
    let parameters = ranges.map(|(name, from, to)| Parameter::new(name, continuous(from, to)));
    let space = Space::new(parameters.to_vec(), vec![constraint("a < b", &["a", "b"])]).unwrap();
    assert!(methods(4).into_iter().all(|method| sample(&space, &design(method, 1)).is_ok()));
}

#[test]
fn senseless_and_huge_designs_are_refused_before_anything_is_allocated() {
    let space = unit_space(3);
    for method in methods(0) {
        assert!(matches!(sample(&space, &design(method, 1)), Err(SampleError::Zero { .. })));
    }
    for method in methods(u64::MAX / 4) {
        assert!(sample(&space, &design(method, 1)).is_err());
    }
    let morris = |trajectories, values, kind| Method::Morris(MorrisDesign { trajectories, values, kind });
    assert!(refusal(&space, morris(2, 1, Trajectories::Plain)).contains("at least 2 values"));
    assert!(refusal(&space, morris(9, 4, Trajectories::Optimised { candidates: 8 })).contains("9 to 4096"));
    assert!(
        refusal(&space, morris(9, 4, Trajectories::Optimised { candidates: 1 << 40 })).contains("9 to 4096")
    );
    let saltelli = |replicates| Method::Saltelli(SaltelliDesign { base: 8, second_order: false, replicates });
    assert!(refusal(&space, saltelli(0)).contains("`replicates`"));
    assert!(refusal(&space, saltelli(u64::MAX)).contains("at most 1024 replicates"));
    assert!(refusal(&space, grid(1, 1)).contains("at least 2 values"));
    assert!(refusal(&space, grid(0, 1)).contains("at least 2 values"));
    assert!(refusal(&space, grid(4, 0)).contains("`fraction`"));
    assert!(refusal(&space, grid(1000, 1)).contains("at most 16777216 rows"));
    assert!(refusal(&space, grid(u64::MAX, u64::MAX)).contains("at most 16777216 rows"));
    assert!(refusal(&unit_space(513), Method::Halton { rows: 1, scrambled: true }).contains("at most 512"));
    assert!(refusal(&unit_space(2049), saltelli(1)).contains("at most 4096 dimensions"));
}

#[test]
fn only_what_the_design_makes_is_extended() {
    let space = unit_space(2);
    let made = sample(&space, &design(Method::Sobol { rows: 4, scrambled: true }, 1)).unwrap();
    let refused = |changed: Sample, n: u64| extend(&space, &changed, n).unwrap_err();
    assert_eq!(refused(made.clone(), 3), SampleError::Shrinks { size: 4, found: 3 });
    assert_eq!(refused(Sample { design: None, ..made.clone() }, 8), SampleError::NoDesign);
    let mut changed = made.clone();
    changed.values[5] = changed.values[5].next_up();
    assert_eq!(refused(changed, 8), SampleError::NotItsDesign { row: 2 });
    let mut shorter = made.clone();
    shorter.rows.pop();
    shorter.values.truncate(6);
    assert_eq!(refused(shorter, 8), SampleError::NotItsDesign { row: 3 });
    let mut other_seed = made.clone();
    other_seed.design = Some(design(Method::Sobol { rows: 4, scrambled: true }, 2));
    assert_eq!(refused(other_seed, 8), SampleError::NotItsDesign { row: 0 });
    assert_eq!(extend(&unit_space(3), &made, 8).unwrap_err(), SampleError::NotItsDesign { row: 0 });
    for method in methods(4).into_iter().filter(|method| !method.extendable()) {
        let fixed = sample(&space, &design(method, 1)).unwrap();
        assert!(matches!(refused(fixed, 8), SampleError::NotExtendable { .. }));
    }
    let nested = Method::LatinHypercube { rows: 6, kind: LatinHypercube::Nested };
    let nested = sample(&space, &design(nested, 1)).unwrap();
    assert_eq!(refused(nested, 18), SampleError::NotDoubled { size: 6, found: 18, next: 24 });
}

#[test]
fn unbalanced_replicates_are_pointed_out() {
    let of = |base| design(Method::Saltelli(SaltelliDesign { base, second_order: false, replicates: 8 }), 1);
    assert!(warnings(&unit_space(2), &of(1024)).is_empty());
    let said = warnings(&unit_space(2), &of(1000));
    assert!(said.len() == 1 && said[0].contains("1024 base rows (4096 rows)"), "{said:?}");
}

#[test]
fn a_far_first_point_is_pointed_out() {
    let line = continuous(f64::NEG_INFINITY, f64::INFINITY);
    let distribution = onceflow_study::Distribution::Normal { mean: 0.0, sd: 1.0 };
    let space =
        Space::new(vec![Parameter { distribution, ..Parameter::new("n", line) }], Vec::new()).unwrap();
    let said = |scrambled| warnings(&space, &design(Method::Sobol { rows: 2, scrambled }, 1));
    assert!(said(true).is_empty() && said(false)[0].contains("`n`"));
    assert!(warnings(&unit_space(2), &design(Method::Halton { rows: 2, scrambled: false }, 1)).is_empty());
}
