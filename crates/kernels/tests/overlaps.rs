//! Counts of overlapping objects against their definition, pixel by pixel, whatever the core; masks against label images.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::collections::{BTreeMap, BTreeSet};

use naive::plane;
use onceflow_kernels::compare::{
    ComparisonCounts, ExactSum, LabelledRuns, SizesDiffer, compare_owned, compare_runs, count_owned,
    count_runs,
};
use onceflow_kernels::{Connectivity, Plane, View, Window, label};
use proptest::prelude::*;

/// The pixels of each label, in reading order.
fn pixels(labels: View<'_, u32>) -> BTreeMap<u32, Vec<(usize, usize)>> {
    let mut pixels: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (y, row) in labels.rows().enumerate() {
        for (x, label) in row.iter().enumerate().filter(|(_, label)| **label != 0) {
            pixels.entry(*label).or_default().push((x, y));
        }
    }
    pixels
}

fn by_definition(result: View<'_, u32>, reference: View<'_, u32>, core: Window) -> ComparisonCounts {
    let (objects, others) = (pixels(result), pixels(reference));
    let inside = |(x, y): (usize, usize)| {
        (core.left..core.left + core.width).contains(&x) && (core.top..core.top + core.height).contains(&y)
    };
    let all = || (0..result.height()).flat_map(|y| (0..result.width()).map(move |x| (x, y)));
    let number = |meant: &dyn Fn((usize, usize)) -> bool| {
        all().filter(|pixel| inside(*pixel) && meant(*pixel)).count() as u64
    };
    let owned = |objects: &BTreeMap<u32, Vec<(usize, usize)>>| {
        objects.values().filter(|pixels| inside(pixels[0])).count() as u64
    };
    let mut counts = ComparisonCounts {
        parts: 1,
        compared: 1,
        pixels: number(&|_| true),
        foreground: number(&|(x, y)| result.at(x, y) != 0),
        reference_foreground: number(&|(x, y)| reference.at(x, y) != 0),
        common: number(&|(x, y)| result.at(x, y) != 0 && reference.at(x, y) != 0),
        objects: owned(&objects),
        reference_objects: owned(&others),
        ..ComparisonCounts::default()
    };
    let mut taken = BTreeSet::new();
    for mine in objects.values() {
        let is_partner = |(label, other): &(&u32, &Vec<(usize, usize)>)| {
            let common = mine.iter().filter(|(x, y)| reference.at(*x, *y) == **label).count();
            !taken.contains(*label) && 2 * common >= mine.len() + other.len() - common && common > 0
        };
        if let Some((label, other)) = others.iter().find(is_partner) {
            taken.insert(*label);
            if inside(mine[0]) {
                let common = mine.iter().filter(|(x, y)| reference.at(*x, *y) == *label).count() as u64;
                counts.matched += 1;
                counts.matched_overlap +=
                    ExactSum::from_ratio(common, (mine.len() + other.len()) as u64 - common);
            }
        }
    }
    counts
}

/// Labels in rectangles that touch, hide each other, and come back elsewhere.
fn painted(width: usize, height: usize, boxes: &[(usize, usize, usize, usize, u32)]) -> Plane<u32> {
    plane(width, height, |x, y| {
        let on = |b: &&(usize, usize, usize, usize, u32)| {
            (b.0..b.0 + b.2).contains(&x) && (b.1..b.1 + b.3).contains(&y)
        };
        boxes.iter().rfind(on).map_or(0, |b| b.4)
    })
}

type Two = (Plane<u32>, Plane<u32>, Window);

fn two() -> impl Strategy<Value = Two> {
    let label = prop_oneof![4 => 0u32..6, 1 => Just(u32::MAX), 1 => 1_000_000u32..1_000_003];
    let boxes =
        || prop::collection::vec((0usize..40, 0usize..30, 1usize..20, 1usize..9, label.clone()), 0..12);
    let part = (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0);
    ((1usize..40, 1usize..30), boxes(), boxes(), part, any::<(bool, bool)>()).prop_map(
        |((width, height), one, other, (a, b, c, d), (whole, alike))| {
            let (left, top) = ((a * width as f64) as usize, (b * height as f64) as usize);
            let inner = Window {
                left,
                top,
                width: (c * (width - left) as f64) as usize,
                height: (d * (height - top) as f64) as usize,
            };
            let core = if whole { Window { left: 0, top: 0, width, height } } else { inner };
            // Results that differ little have partners; those that differ by a box often halves.
            let other =
                if alike { [one.clone(), other[..other.len().min(1)].to_vec()].concat() } else { other };
            (painted(width, height, &one), painted(width, height, &other), core)
        },
    )
}

fn mask(labels: &Plane<u32>) -> Plane<u8> {
    plane(labels.width(), labels.height(), |x, y| u8::from(labels.view().at(x, y) != 0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn counts_are_as_defined((result, reference, core) in two()) {
        let expected = by_definition(result.view(), reference.view(), core);
        prop_assert_eq!(compare_owned(result.view(), reference.view(), core), Ok(expected));
        prop_assert_eq!(count_owned(result.view(), core), expected.alone());
    }

    #[test]
    fn masks_are_their_components((result, reference, core) in two()) {
        let masks = [&result, &reference].map(mask);
        let planes = masks.each_ref().map(|mask| label(mask.view(), Connectivity::Eight).plane);
        let runs = masks.each_ref().map(|mask| LabelledRuns::of_mask(mask.view()));
        for (plane, runs) in planes.iter().zip(&runs) {
            prop_assert_eq!(&LabelledRuns::of_labels(plane.view()), runs);
        }
        let expected = by_definition(planes[0].view(), planes[1].view(), core);
        prop_assert_eq!(compare_runs(&runs[0], &runs[1], core), Ok(expected));
        prop_assert_eq!(count_runs(&runs[0], core), expected.alone());
        let truth = LabelledRuns::of_labels(reference.view());
        let expected = by_definition(planes[0].view(), reference.view(), core);
        prop_assert_eq!(compare_runs(&runs[0], &truth, core), Ok(expected));
        prop_assert!(truth.bytes() > 0 && truth.pixels() == pixels(reference.view()).values().map(|p| p.len() as u64).sum::<u64>());
    }
}

/// Two halves that one object of the other result consists of: the first of them is its partner, in its own core.
#[test]
fn the_first_of_two_halves_is_the_partner() {
    let row = |labels: [u32; 8]| Plane::from_vec(labels.to_vec(), 8, 1).unwrap();
    let (halves, whole) = (row([0, 5, 5, 9, 9, 0, 0, 0]), row([0, 3, 3, 3, 3, 0, 0, 0]));
    for (left, matched) in [(0, 1), (3, 0)] {
        let core = Window { left, top: 0, width: 8 - left, height: 1 };
        assert_eq!(compare_owned(halves.view(), whole.view(), core).unwrap().matched, matched);
        assert_eq!(by_definition(halves.view(), whole.view(), core).matched, matched);
    }
    let all = Window { left: 0, top: 0, width: 8, height: 1 };
    assert_eq!(compare_owned(whole.view(), halves.view(), all).unwrap().matched, 1);
}

#[test]
fn sizes_are_checked() {
    let (one, other) = (Plane::filled(1u32, 3, 2), Plane::filled(1u32, 2, 3));
    let core = Window { left: 0, top: 0, width: 1, height: 1 };
    let differ = SizesDiffer { result: (3, 2), reference: (2, 3) };
    assert_eq!(compare_owned(one.view(), other.view(), core), Err(differ));
}
