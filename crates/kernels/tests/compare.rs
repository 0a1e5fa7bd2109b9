//! Measures against their definitions, and the sums of parts against the whole.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::collections::BTreeSet;

use naive::plane;
use onceflow_kernels::compare::{
    ComparisonCounts, MetricKind, SizesDiffer, compare, compare_boundaries, count,
};
use onceflow_kernels::{Connectivity, ON, Plane, View, label};
use proptest::prelude::*;

fn all(counts: &ComparisonCounts) -> Vec<Option<f64>> {
    MetricKind::ALL.iter().map(|measure| measure.value(counts, Some(0.5))).collect()
}

fn value(measure: MetricKind, counts: &ComparisonCounts) -> f64 {
    measure.value(counts, None).unwrap()
}

/// One row of labels.
fn row(labels: &[u32]) -> Plane<u32> {
    Plane::from_vec(labels.to_vec(), labels.len(), 1).unwrap()
}

fn square(side: usize, at: (usize, usize), size: usize, label: u32) -> Plane<u32> {
    let within = |x: usize, from: usize| (from..from + size).contains(&x);
    plane(side, side, |x, y| if within(x, at.0) && within(y, at.1) { label } else { 0 })
}

#[test]
fn a_square_moved_by_two_pixels() {
    let (a, b) = (square(20, (4, 5), 8, 1), square(20, (6, 5), 8, 900));
    let counts = compare_boundaries(a.view(), b.view()).unwrap();
    assert_eq!(value(MetricKind::Dice, &counts), 0.75);
    assert_eq!(value(MetricKind::Jaccard, &counts), 0.6);
    assert_eq!(value(MetricKind::PixelDifference, &counts), 32.0);
    assert_eq!(value(MetricKind::ObjectF1, &counts), 1.0);
    assert!((value(MetricKind::PanopticQuality, &counts) - 0.6).abs() < 1e-9);
    assert_eq!(value(MetricKind::HausdorffDistance, &counts), 2.0);
    assert_eq!(value(MetricKind::Objects, &counts), 1.0);
    assert_eq!(value(MetricKind::Foreground, &counts), 64.0);
    assert_eq!(value(MetricKind::AreaFraction, &counts), 0.16);
    assert_eq!(value(MetricKind::MeanObjectArea, &counts), 64.0);
    assert_eq!(MetricKind::ObjectsPerMm2.value(&counts, Some(0.5)), Some(1.0 / (400.0 * 0.25 / 1e6)));
    assert_eq!(MetricKind::ObjectsPerMm2.value(&counts, None), None);
}

#[test]
fn two_empty_results_agree_and_one_empty_one_does_not() {
    let (empty, some) = (Plane::filled(0u32, 9, 7), Plane::filled(3u32, 9, 7));
    let both = compare_boundaries(empty.view(), empty.view()).unwrap();
    let compared = |c: &ComparisonCounts| {
        MetricKind::ALL.map(|m| m.value(c, None)).into_iter().take(7).collect::<Vec<_>>()
    };
    let agree = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(Some);
    assert_eq!(compared(&both), agree);
    let differ = vec![Some(0.0), Some(0.0), Some(63.0), Some(0.0), Some(0.0), None, None];
    for counts in
        [compare_boundaries(empty.view(), some.view()), compare_boundaries(some.view(), empty.view())]
    {
        assert_eq!(compared(&counts.unwrap()), differ);
    }
    assert_eq!(MetricKind::MeanObjectArea.value(&both, None), None);
}

#[test]
fn without_a_reference_only_counts_have_values() {
    let counts = count(square(10, (0, 0), 5, 7).view());
    for measure in MetricKind::ALL {
        assert_eq!(measure.value(&counts, Some(1.0)).is_none(), measure.needs_reference(), "{measure:?}");
    }
    let compared = compare(square(10, (0, 0), 5, 7).view(), square(10, (0, 0), 5, 7).view()).unwrap();
    assert_eq!(MetricKind::Dice.value(&(compared + counts), None), None, "a part without a reference");
    assert_eq!(MetricKind::HausdorffDistance.value(&compared, None), None, "distances that nobody asked for");
    assert_eq!(MetricKind::Dice.value(&ComparisonCounts::default(), None), None, "no part at all");
}

#[test]
fn halves_of_an_object_are_one_match_and_no_more() {
    let (whole, halves) = (row(&[5, 5, 5, 5, 0]), row(&[2, 2, 1, 1, 0]));
    for counts in [compare(whole.view(), halves.view()), compare(halves.view(), whole.view())] {
        let counts = counts.unwrap();
        assert_eq!((counts.matched, counts.matched_overlap.value()), (1, 0.5));
    }
    let less = compare(row(&[1, 1, 1, 1, 1]).view(), row(&[0, 2, 2, 0, 0]).view()).unwrap();
    assert_eq!(less.matched, 0);
}

#[test]
fn touching_objects_stay_apart_as_labels_and_fall_together_as_a_mask() {
    let labels = row(&[1, 1, 1, 2, 2, 0]);
    let mask = plane(6, 1, |x, _| if x < 5 { ON } else { 0 });
    let merged = label(mask.view(), Connectivity::Eight).plane;
    let counts = compare(merged.view(), labels.view()).unwrap();
    assert_eq!((counts.objects, counts.reference_objects, counts.matched), (1, 2, 1));
    assert_eq!((counts.common, counts.different()), (5, 0));
}

#[test]
fn sizes_must_be_the_same() {
    let error = compare(row(&[1, 1]).view(), row(&[1, 1, 1]).view()).unwrap_err();
    assert_eq!(error, SizesDiffer { result: (2, 1), reference: (3, 1) });
    assert!(error.to_string().contains("found 2 x 1 and 3 x 1 pixels"));
}

#[test]
fn every_measure_is_found_by_its_word() {
    let words: BTreeSet<_> = MetricKind::ALL.map(MetricKind::word).into();
    assert_eq!(words.len(), MetricKind::ALL.len());
    assert!(MetricKind::ALL.iter().all(|m| MetricKind::from_word(m.word()) == Some(*m)));
    assert_eq!(MetricKind::from_word("Dice"), None);
    assert!(MetricKind::ALL.iter().all(|m| m.needs_reference() || !m.needs_boundaries()));
}

#[test]
fn distances_over_parts_are_the_mean_of_means_and_the_largest() {
    let near = compare_boundaries(row(&[1, 0, 0, 0]).view(), row(&[0, 1, 0, 0]).view()).unwrap();
    let far = compare_boundaries(row(&[1, 0, 0, 0]).view(), row(&[0, 0, 0, 1]).view()).unwrap();
    let none = compare_boundaries(row(&[1, 0]).view(), row(&[0, 0]).view()).unwrap();
    let sum: ComparisonCounts = [near, none, far].into_iter().sum();
    assert_eq!(sum.boundary.mean(), Some(2.0));
    assert_eq!(sum.boundary.largest(), Some(3.0));
    assert_eq!((sum.boundary.parts, sum.boundary.undefined), (2, 1));
}

fn labels_at(view: View<'_, u32>) -> impl Iterator<Item = ((usize, usize), u32)> + '_ {
    (0..view.len())
        .map(move |at| (at % view.width(), at / view.width()))
        .map(move |(x, y)| ((x, y), view.at(x, y)))
}

fn pixels(view: View<'_, u32>, label: u32) -> BTreeSet<(usize, usize)> {
    labels_at(view).filter(|pixel| pixel.1 == label).map(|pixel| pixel.0).collect()
}

fn distinct(view: View<'_, u32>) -> Vec<u32> {
    labels_at(view)
        .map(|pixel| pixel.1)
        .filter(|label| *label != 0)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// From the matrix of all overlaps, the best first.
fn matched(a: View<'_, u32>, b: View<'_, u32>) -> Vec<f64> {
    let mut pairs = Vec::new();
    for one in distinct(a) {
        for other in distinct(b) {
            let (p, q) = (pixels(a, one), pixels(b, other));
            let overlap = p.intersection(&q).count() as f64 / p.union(&q).count() as f64;
            pairs.push((overlap, one, other));
        }
    }
    pairs.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut chosen: Vec<(f64, u32, u32)> = Vec::new();
    for pair in pairs {
        if pair.0 >= 0.5 && chosen.iter().all(|c| c.1 != pair.1 && c.2 != pair.2) {
            chosen.push(pair);
        }
    }
    chosen.into_iter().map(|c| c.0).collect()
}

fn boundary(view: View<'_, u32>) -> Vec<(usize, usize)> {
    let (width, height) = (view.width(), view.height());
    let edge = |x: usize, y: usize| x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    let near = |x, y| naive::neighbours(x, y, (width, height), Connectivity::Four);
    let differs = |x, y, label| near(x, y).iter().any(|&(u, v)| view.at(u, v) != label);
    labels_at(view).filter(|&((x, y), l)| l != 0 && (edge(x, y) || differs(x, y, l))).map(|p| p.0).collect()
}

/// From each to the nearest of the others.
fn nearest(from: &[(usize, usize)], to: &[(usize, usize)]) -> Vec<f64> {
    let far = |p: &(usize, usize), q: &(usize, usize)| {
        ((p.0.abs_diff(q.0).pow(2) + p.1.abs_diff(q.1).pow(2)) as f64).sqrt()
    };
    from.iter().map(|p| to.iter().map(|q| far(p, q)).fold(f64::INFINITY, f64::min)).collect()
}

fn check_boundary(a: View<'_, u32>, b: View<'_, u32>, counts: &ComparisonCounts) {
    let (p, q) = (boundary(a), boundary(b));
    let mut distances = nearest(&p, &q);
    distances.extend(nearest(&q, &p));
    if p.is_empty() != q.is_empty() {
        assert_eq!((counts.boundary.mean(), counts.boundary.largest()), (None, None));
        return;
    }
    let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    assert!((counts.boundary.mean().unwrap() - mean).abs() < 1e-9);
    assert_eq!(counts.boundary.largest(), Some(distances.iter().copied().fold(0.0, f64::max)));
}

fn labels(width: usize, height: usize, values: &[u32]) -> Plane<u32> {
    plane(width, height, |x, y| values[(y / 2) * 5 + x / 2])
}

/// Blocks of 2 x 2 pixels with few labels, so that objects overlap in every way; cut off anywhere.
fn two_results() -> impl Strategy<Value = (Plane<u32>, Plane<u32>)> {
    let some = || prop::collection::vec(prop_oneof![Just(0u32), 1u32..4, Just(u32::MAX)], 25);
    (1usize..=10, 1usize..=10, some(), some(), prop::collection::vec(any::<bool>(), 25)).prop_map(
        |(width, height, a, b, equal)| {
            let b: Vec<_> =
                a.iter().zip(b).zip(equal).map(|((a, b), equal)| if equal { *a } else { b }).collect();
            (labels(width, height, &a), labels(width, height, &b))
        },
    )
}

/// The second beside the first, with an empty column between and labels of its own.
fn side_by_side(a: &Plane<u32>, b: &Plane<u32>) -> Plane<u32> {
    let (left, right) = (a.view(), b.view());
    let own = |label: u32| if label == 0 { 0 } else { label.wrapping_add(100) };
    let height = left.height().max(right.height());
    plane(left.width() + 1 + right.width(), height, |x, y| match x.checked_sub(left.width() + 1) {
        Some(x) if y < right.height() => own(right.at(x, y)),
        None if x < left.width() && y < left.height() => left.at(x, y),
        _ => 0,
    })
}

proptest! {
    #[test]
    fn counts_are_those_of_the_definitions((a, b) in two_results()) {
        let (a, b) = (a.view(), b.view());
        let counts = compare_boundaries(a, b).unwrap();
        let both: Vec<_> = labels_at(a).zip(labels_at(b)).map(|(p, q)| (p.1 != 0, q.1 != 0)).collect();
        let number = |wanted: fn(&(bool, bool)) -> bool| both.iter().filter(|p| wanted(p)).count() as u64;
        assert_eq!(counts.foreground, number(|p| p.0));
        assert_eq!(counts.reference_foreground, number(|p| p.1));
        assert_eq!(counts.common, number(|p| p.0 && p.1));
        assert_eq!(counts.different(), number(|p| p.0 != p.1));
        assert_eq!(counts.either(), number(|p| p.0 || p.1));
        assert_eq!((counts.objects, counts.reference_objects), (distinct(a).len() as u64, distinct(b).len() as u64));
        let matched = matched(a, b);
        assert_eq!(counts.matched, matched.len() as u64);
        assert!((counts.matched_overlap.value() - matched.iter().sum::<f64>()).abs() < 1e-8);
        check_boundary(a, b, &counts);
        let alone = count(a);
        assert_eq!((alone.objects, alone.foreground, alone.pixels), (counts.objects, counts.foreground, counts.pixels));
    }

    #[test]
    fn a_comparison_is_symmetric((a, b) in two_results()) {
        let there = compare_boundaries(a.view(), b.view()).unwrap();
        let back = compare_boundaries(b.view(), a.view()).unwrap();
        for measure in MetricKind::ALL.into_iter().filter(|measure| measure.needs_reference()) {
            assert_eq!(measure.value(&there, None), measure.value(&back, None));
        }
    }

    #[test]
    fn a_result_agrees_with_itself((a, _) in two_results()) {
        let counts = compare_boundaries(a.view(), a.view()).unwrap();
        let expected = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(Some);
        assert_eq!(all(&counts)[..7], expected);
    }

    #[test]
    fn parts_add_up_to_the_whole(parts in prop::collection::vec(two_results(), 3)) {
        let counts: Vec<_> = parts.iter().map(|(a, b)| compare_boundaries(a.view(), b.view()).unwrap()).collect();
        assert_eq!((counts[0] + counts[1]) + counts[2], counts[0] + (counts[1] + counts[2]));
        assert_eq!(counts[0] + counts[1], counts[1] + counts[0]);

        let whole = compare(
            side_by_side(&parts[0].0, &parts[1].0).view(),
            side_by_side(&parts[0].1, &parts[1].1).view(),
        ).unwrap();
        let sum = counts[0] + counts[1];
        let comparable = ComparisonCounts { parts: 1, compared: 1, pixels: whole.pixels, boundary: whole.boundary, ..sum };
        assert_eq!(whole, comparable);
    }
}
