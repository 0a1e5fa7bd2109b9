//! Labelling and area filters against a flood from every pixel.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::images::{cpus, mask, shapes, spiral};
use onceflow_kernels::{
    Bits, Component, Connectivity, LabelledComponents, Mask, ObjectHash, Plane, Runs, SizedRuns, Traces,
    View, filter_area, filter_area_into, label, label_into,
};
use proptest::prelude::*;

fn check(mask: View<'_, u8>, connectivity: Connectivity) {
    let LabelledComponents { plane, components } = label(mask, connectivity);
    let expected = naive::label(mask, connectivity);
    assert_eq!(plane.pixels(), expected);
    assert_eq!(components, measured(&expected, mask.width()));
    let mut scratch = Runs::default();
    for cpu in cpus() {
        let (mut again, mut found) = (Plane::filled(7, mask.width(), mask.height()), components.clone());
        label_into(cpu, mask, connectivity, again.view_mut(), &mut found, &mut scratch);
        assert_eq!((&again, &found), (&plane, &components), "with {cpu:?}");
    }
    check_filter(mask, connectivity, &expected, &components);
    check_sized(mask, connectivity, &components);
}

/// Components that are found once answer every threshold as a filter of its own does.
fn check_sized(mask: View<'_, u8>, connectivity: Connectivity, components: &[Component]) {
    let (runs, bits) = (SizedRuns::of(mask, connectivity), Bits::of(mask));
    assert_eq!(SizedRuns::of(&bits, connectivity), runs);
    let shapes = |mask: Mask<'_>| Traces::of(mask, connectivity).shapes(ObjectHash::default());
    assert_eq!(shapes((&bits).into()), shapes(mask.into()));
    let pixels = mask.rows().flatten().filter(|pixel| **pixel != 0).count();
    assert_eq!((runs.objects(), runs.pixels()), (components.len(), pixels as u64));
    assert!(runs.bytes() > size_of::<SizedRuns>());
    let all = [i64::MIN, 0, 1, 2, 5, pixels as i64, pixels as i64 + 1, i64::MAX];
    for (lowest, end) in
        all.into_iter().flat_map(|low| [None, Some(3), Some(low), Some(i64::MAX)].map(|end| (low, end)))
    {
        let kept = filter_area(mask, lowest, end, connectivity);
        assert_eq!(runs.filter(lowest, end).to_plane(), kept, "{lowest} {end:?}");
        assert_eq!(runs.any(lowest, end), kept.pixels().iter().any(|pixel| *pixel != 0));
    }
}

fn measured(labels: &[u32], width: usize) -> Vec<Component> {
    let count = labels.iter().max().copied().unwrap_or(0);
    (1..=count).map(|number| measure(labels, width, number)).collect()
}

fn measure(labels: &[u32], width: usize, number: u32) -> Component {
    let pixels = || (0..labels.len()).filter(|at| labels[*at] == number).map(|at| (at % width, at / width));
    Component {
        area: pixels().count() as u64,
        left: pixels().map(|p| p.0).min().unwrap(),
        top: pixels().map(|p| p.1).min().unwrap(),
        right: pixels().map(|p| p.0 + 1).max().unwrap(),
        bottom: pixels().map(|p| p.1 + 1).max().unwrap(),
        first: pixels().next().unwrap(),
    }
}

fn check_filter(mask: View<'_, u8>, connectivity: Connectivity, labels: &[u32], components: &[Component]) {
    for (lowest, end) in [(2, Some(5)), (3, None), (-4, Some(4)), (0, Some(-1)), (5, Some(5))] {
        let kept = filter_area(mask, lowest, end, connectivity);
        let keep = |number: &u32| {
            let area =
                components.get((*number as usize).wrapping_sub(1)).map(|component| component.area as i64);
            if area.is_some_and(|area| lowest <= area && end.is_none_or(|end| area < end)) { 255 } else { 0 }
        };
        assert_eq!(kept.pixels(), labels.iter().map(keep).collect::<Vec<u8>>());
        let mut scratch = Runs::default();
        for cpu in cpus() {
            let mut again = Plane::filled(7, mask.width(), mask.height());
            filter_area_into(cpu, mask, lowest, end, connectivity, again.view_mut(), &mut scratch);
            assert_eq!(again, kept, "with {cpu:?}");
        }
    }
}

#[test]
fn shapes_that_trouble_algorithms() {
    for shape in shapes() {
        check(shape.view(), Connectivity::Four);
        check(shape.view(), Connectivity::Eight);
    }
}

#[test]
fn rows_of_several_words() {
    for width in [63, 64, 65, 130] {
        let noise = |x: usize, y: usize| (x * 7919 + y * 104_729).wrapping_mul(40_503) >> 9;
        for share in [2, 4, 6] {
            let mask = naive::plane(width, 21, |x, y| if noise(x, y) % 8 < share { 255 } else { 0 });
            check(mask.view(), Connectivity::Four);
            check(mask.view(), Connectivity::Eight);
        }
        check(Plane::filled(255, width, 5).view(), Connectivity::Four);
        check(naive::plane(width, 9, |x, _| if x % 2 == 0 { 255 } else { 0 }).view(), Connectivity::Eight);
    }
    check(spiral(67).view(), Connectivity::Four);
}

#[test]
fn a_checkerboard_falls_apart_under_four_neighbours_only() {
    let board = &shapes()[6];
    assert_eq!(label(board.view(), Connectivity::Four).components.len(), 66);
    assert_eq!(label(board.view(), Connectivity::Eight).components.len(), 1);
}

proptest! {
    #[test]
    fn random_masks(mask in mask()) {
        check(mask.view(), Connectivity::Four);
        check(mask.view(), Connectivity::Eight);
    }
}
