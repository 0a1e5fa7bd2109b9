//! What every way of merging promises, on random trees, and how far each is from the best there is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use onceflow_reuse::merge::{
    Buckets, ChainCosts, MergeWork, Merging, Pruning, ReuseTree, SmallBucket, bucket_cost, makespan, merge,
    tree_cost,
};
use onceflow_reuse::{Level, plan};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

const DEPTH: usize = 4;

/// Different instances of four tasks, each task with one of three values.
fn instances(most: usize) -> impl Strategy<Value = Vec<[u8; DEPTH]>> {
    proptest::collection::hash_set(proptest::array::uniform4(0u8..3), 1..most)
        .prop_map(|set| {
            let mut list: Vec<[u8; DEPTH]> = set.into_iter().collect();
            list.sort_unstable();
            list
        })
        .prop_shuffle()
}

fn tree(instances: &[[u8; DEPTH]]) -> ReuseTree {
    let level = |length: usize| -> Vec<u32> {
        let mut known: Vec<&[u8]> = Vec::new();
        let mut number = |beginning| match known.iter().position(|other| *other == beginning) {
            Some(at) => at as u32,
            None => {
                known.push(beginning);
                known.len() as u32 - 1
            }
        };
        instances.iter().map(|tasks| number(&tasks[..length])).collect()
    };
    let levels: Vec<Vec<u32>> = (1..=DEPTH).map(level).collect();
    ReuseTree::new(instances.len(), &levels.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn trtma(buckets: usize, pruning: Pruning, small: SmallBucket) -> Merging {
    Merging::Trtma { buckets, pruning, small }
}

fn all(limit: usize) -> Vec<Merging> {
    let mut all = vec![
        Merging::Naive { most: limit },
        Merging::Sca { most: limit },
        Merging::Rtma { most: limit },
        Merging::Packed { most: limit },
        Merging::Auto { workers: limit },
    ];
    for pruning in [Pruning::Siblings, Pruning::Global] {
        for small in [SmallBucket::Smallest, SmallBucket::MostReuse] {
            all.push(trtma(limit, pruning, small));
        }
    }
    all
}

fn costs_of(tree: &ReuseTree, costs: &ChainCosts, buckets: &Buckets) -> Vec<f64> {
    buckets.iter().map(|places| bucket_cost(tree, costs, places)).collect()
}

/// The least that any grouping within `fits` costs, by trying all of them.
fn best(tree: &ReuseTree, rank: &dyn Fn(&[Vec<u32>]) -> Option<f64>) -> f64 {
    fn search(
        place: u32,
        count: u32,
        groups: &mut Vec<Vec<u32>>,
        rank: &dyn Fn(&[Vec<u32>]) -> Option<f64>,
    ) -> f64 {
        if place == count {
            return rank(groups).unwrap_or(f64::INFINITY);
        }
        let mut least = f64::INFINITY;
        for at in 0..=groups.len() {
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups[at].push(place);
            least = least.min(search(place + 1, count, groups, rank));
            groups[at].pop();
            if groups[at].is_empty() {
                groups.pop();
            }
        }
        least
    }
    search(0, tree.len() as u32, &mut Vec::new(), rank)
}

proptest! {
    #[test]
    fn every_instance_is_in_one_bucket_within_the_limit(list in instances(60), limit in 1usize..9) {
        let tree = tree(&list);
        let work = MergeWork::of_tree(&tree, &[3.0, 2.0, 1.0, 5.0]);
        for merging in all(limit) {
            let buckets = merge(&tree, &work, &merging).unwrap();
            let mut places: Vec<u32> = buckets.iter().flatten().copied().collect();
            places.sort_unstable();
            prop_assert_eq!(&places, &(0..list.len() as u32).collect::<Vec<_>>(), "{}", merging);
            match merging {
                Merging::Trtma { .. } | Merging::Auto { .. } => prop_assert!(buckets.len() <= limit, "{}", merging),
                _ => prop_assert!(buckets.iter().all(|places| places.len() <= limit), "{}", merging),
            }
            prop_assert_eq!(&buckets, &merge(&tree, &work, &merging).unwrap(), "the same every time");
        }
    }

    #[test]
    fn merging_costs_between_each_task_once_and_no_reuse(list in instances(60), limit in 1usize..9) {
        let tree = tree(&list);
        let costs = ChainCosts::new(&[3.0, 2.0, 1.0, 5.0]);
        let work = MergeWork::of_tree(&tree, &[3.0, 2.0, 1.0, 5.0]);
        let (least, most) = (tree_cost(&tree, &costs), costs.whole() * list.len() as f64);
        for merging in all(limit) {
            let buckets = merge(&tree, &work, &merging).unwrap();
            let cost: f64 = costs_of(&tree, &costs, &buckets).iter().sum();
            prop_assert!(least <= cost + 1e-9 && cost <= most + 1e-9, "{}: {} in {}..{}", merging, cost, least, most);
        }
    }

    /// The thesis's requirement, and ours: merging is never slower than not merging, nor than the published algorithms.
    #[test]
    fn auto_is_done_first(list in instances(70), workers in 1usize..12, prices in proptest::array::uniform4(0.1f64..9.0)) {
        let tree = tree(&list);
        let costs = ChainCosts::new(&prices);
        let work = MergeWork::of_tree(&tree, &prices);
        let span = |merging: &Merging| makespan(&costs_of(&tree, &costs, &merge(&tree, &work, merging).unwrap()), workers);
        let auto = span(&Merging::Auto { workers });
        let published = [
            Merging::Naive { most: 1 },
            Merging::Rtma { most: 7 },
            Merging::Rtma { most: 10 },
            trtma(3 * workers, Pruning::Siblings, SmallBucket::MostReuse),
        ];
        for merging in published {
            prop_assert!(auto <= span(&merging) * (1.0 + 1e-9), "{}: {} and {}", merging, span(&merging), auto);
        }
    }

    #[test]
    fn the_order_of_instances_does_not_change_the_number_of_buckets(list in instances(40), limit in 1usize..9) {
        let mut sorted = list.clone();
        sorted.sort_unstable();
        let unit = ChainCosts::tasks(DEPTH);
        let cost = |list: &[[u8; DEPTH]]| {
            let tree = tree(list);
            let work = MergeWork::of_tree(&tree, &[1.0; DEPTH]);
            let buckets = merge(&tree, &work, &Merging::Rtma { most: limit }).unwrap();
            (buckets.len(), tree_cost(&tree, &unit))
        };
        prop_assert_eq!(cost(&list), cost(&sorted));
    }

    #[test]
    fn a_plan_in_buckets_shares_within_them_only(case in support::case(), limit in 1usize..4) {
        for level in [Level::Task, Level::Dataflow] {
            let whole = plan(case.flow.clone(), &case.rows, level).unwrap();
            let merged = whole.merge(&Merging::Rtma { most: limit }, &[1.0], &|_| 1.0).unwrap();
            let cut = whole.in_buckets(&merged).unwrap();
            prop_assert_eq!(cut.verify(), Ok(()));
            prop_assert_eq!(whole.verify(), Ok(()));
            prop_assert!(cut.planned() >= whole.planned());
            let rules = cut.rules(&whole, &merged, &|_| 1.0).unwrap();
            prop_assert_eq!(rules[0].tasks.0, (whole.rows() * whole.flow().tasks.len()) as u64);
            prop_assert!(rules.windows(2).all(|pair| pair[0].tasks.1 == pair[1].tasks.0));
            prop_assert_eq!(rules.last().map(|rule| rule.tasks.1), Some(cut.planned() as u64));
            for stage in &merged {
                let bucket = stage.of_row();
                for task in &whole.flow().stages[stage.instances.stage].tasks {
                    for (one, other) in (0..whole.rows()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                        if cut.node(one, *task) == cut.node(other, *task) {
                            prop_assert_eq!(whole.node(one, *task), whole.node(other, *task));
                            prop_assert_eq!(bucket[one], bucket[other]);
                        } else if merged.len() == 1 && whole.flow().stages.len() == 1 {
                            let apart = whole.node(one, *task) != whole.node(other, *task);
                            prop_assert!(apart || bucket[one] != bucket[other]);
                        }
                    }
                }
            }
        }
    }
}

/// Buckets that somebody made are checked, and then are as good as ours.
#[test]
fn given_buckets_are_checked() {
    use onceflow_reuse::{BucketsError, Flow, ParameterRows};
    use onceflow_study::{Catalogue, Value, read_workflow, shipped_ranges, shipped_workflow};
    let workflow = read_workflow(&shipped_workflow("nuclei-paper").unwrap()).unwrap();
    let flow = Flow::new(&workflow, &Catalogue::nuclei()).unwrap();
    let mut rows = ParameterRows::new(shipped_ranges().iter().map(|(name, _)| (*name).to_owned()).collect());
    for last in [0, 1, 2, 2] {
        let value = |(at, (_, domain)): (usize, &(&str, onceflow_study::Domain))| {
            domain.value(if at == 14 { last } else { 0 }).unwrap()
        };
        let values: Vec<Value> = shipped_ranges().iter().enumerate().map(value).collect();
        rows.push(&values).unwrap();
    }
    let whole = plan(flow, &rows, Level::Task).unwrap();
    let merged = |pairs: &[(usize, u64)]| whole.merge_as_given(pairs, &|_| 1.0);
    let good = merged(&[(0, 7), (1, 9), (2, 7), (3, 7)]).unwrap();
    let cut = whole.in_buckets(&good).unwrap();
    assert_eq!(cut.verify(), Ok(()));
    assert!(cut.planned() > whole.planned());
    assert_eq!(merged(&[(0, 1), (1, 1), (2, 1)]).unwrap_err(), BucketsError::Missing { row: 3, last: 3 });
    assert_eq!(merged(&[(0, 1), (0, 1)]).unwrap_err(), BucketsError::Twice { row: 0 });
    assert_eq!(merged(&[(4, 1)]).unwrap_err(), BucketsError::Unknown { row: 4, last: 3 });
    let torn = merged(&[(0, 1), (1, 1), (2, 1), (3, 2)]).unwrap_err();
    assert!(matches!(torn, BucketsError::Torn { one: 2, other: 3, .. }), "{torn}");
}

/// How much more than the best grouping each algorithm costs, at the worst and on average, over small random trees. The
/// bounds are what was found; a change that makes an algorithm worse fails.
#[test]
fn heuristics_are_near_the_best() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let unit = ChainCosts::tasks(DEPTH);
    let (mut sums, mut worst) = ([0.0f64; 4], [1.0f64; 4]);
    let cases = 60;
    for _ in 0..cases {
        let list = instances(9).new_tree(&mut runner).unwrap().current();
        let tree = tree(&list);
        let work = MergeWork::of_tree(&tree, &[1.0; DEPTH]);
        let cost = |groups: &[Vec<u32>]| {
            groups.iter().map(|places| bucket_cost(&tree, &unit, places)).collect::<Vec<_>>()
        };
        let within = best(&tree, &|groups| {
            groups.iter().all(|places| places.len() <= 3).then(|| cost(groups).iter().sum())
        });
        let first = best(&tree, &|groups| (groups.len() <= 3).then(|| makespan(&cost(groups), 3)));
        let total = |merging: Merging| {
            costs_of(&tree, &unit, &merge(&tree, &work, &merging).unwrap()).iter().sum::<f64>()
        };
        let span =
            |merging: Merging| makespan(&costs_of(&tree, &unit, &merge(&tree, &work, &merging).unwrap()), 3);
        let ratios = [
            total(Merging::Rtma { most: 3 }) / within,
            total(Merging::Packed { most: 3 }) / within,
            total(Merging::Sca { most: 3 }) / within,
            span(Merging::Auto { workers: 3 }) / first,
        ];
        for (at, ratio) in ratios.into_iter().enumerate() {
            assert!(ratio >= 1.0 - 1e-9, "nothing is better than the best");
            sums[at] += ratio;
            worst[at] = worst[at].max(ratio);
        }
    }
    let means = sums.map(|sum| sum / f64::from(cases));
    eprintln!("rtma, packed, sca, auto: on average {means:.3?}, at worst {worst:.3?} of the best");
    assert!(means[0] < 1.02 && means[1] < 1.02 && means[2] < 1.05 && means[3] < 1.02, "{means:?}");
    assert!(worst[3] < 1.2, "{worst:?}");
}
