//! Selection and filling against their definitions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::images::{cpus, mask, shapes, spiral, strided};
use onceflow_kernels::{
    Connectivity, Cpu, ON, Plane, Runs, View, fill_holes, fill_holes_into, select, select_into,
};
use proptest::prelude::*;

const BOTH: [Connectivity; 2] = [Connectivity::Four, Connectivity::Eight];

/// Scratch that another mask was in.
fn used() -> Runs {
    let mut runs = Runs::default();
    let board = naive::plane(33, 9, |x, y| ON * ((x + y) % 2) as u8);
    fill_holes_into(Cpu::default(), board.view(), Connectivity::Four, board.clone().view_mut(), &mut runs);
    runs
}

fn check_fill(mask: View<'_, u8>) {
    for connectivity in BOTH {
        let expected = naive::fill_holes(mask, connectivity);
        assert_eq!(fill_holes(mask, connectivity), expected);
        for cpu in cpus() {
            let mut found = Plane::filled(7, mask.width(), mask.height());
            fill_holes_into(cpu, mask, connectivity, found.view_mut(), &mut used());
            assert_eq!(found, expected, "with {cpu:?}");
        }
    }
}

fn check_select(mask: View<'_, u8>, seeds: View<'_, u8>) {
    for connectivity in BOTH {
        let expected = naive::reconstruct(seeds, mask, connectivity);
        assert_eq!(select(mask, seeds, connectivity), expected);
        for cpu in cpus() {
            let mut found = Plane::filled(7, mask.width(), mask.height());
            select_into(cpu, mask, seeds, connectivity, found.view_mut(), &mut used());
            assert_eq!(found, expected, "with {cpu:?}");
        }
    }
}

#[test]
fn shapes_that_trouble_algorithms() {
    for shape in shapes() {
        let (width, height) = (shape.width(), shape.height());
        check_fill(shape.view());
        check_select(shape.view(), Plane::filled(0, width, height).view());
        check_select(shape.view(), Plane::filled(ON, width, height).view());
        let last = width * height / 2;
        check_select(
            shape.view(),
            naive::plane(width, height, |x, y| ON * u8::from(y * width + x == last)).view(),
        );
    }
}

#[test]
fn a_diagonal_gap_lets_only_eight_neighbours_out() {
    let ring = naive::plane(5, 5, |x, y| if x.abs_diff(2) + y.abs_diff(2) == 1 { ON } else { 0 });
    let centre = |filled: Plane<u8>| filled.view().at(2, 2);
    assert_eq!(centre(fill_holes(ring.view(), Connectivity::Four)), ON);
    assert_eq!(centre(fill_holes(ring.view(), Connectivity::Eight)), 0);
}

/// A way that winds crosses the seams between bands more often than bands tell each other.
#[test]
fn a_long_spiral_is_followed_to_its_end() {
    let way = spiral(67);
    let first = naive::plane(67, 67, |x, y| ON * u8::from(x + y == 0));
    check_fill(way.view());
    check_select(way.view(), first.view());
    assert_eq!(select(way.view(), first.view(), Connectivity::Four), way);
}

/// So long a way is followed by all threads again, and the result written once more in the end.
#[test]
fn a_spiral_of_very_many_words_is_followed_by_all_threads() {
    let way = spiral(300);
    let rest = naive::plane(300, 300, |x, y| !way.view().at(x, y));
    let first = naive::plane(300, 300, |x, y| ON * u8::from(x + y == 0));
    for (cpu, connectivity) in cpus().into_iter().flat_map(|cpu| BOTH.map(|both| (cpu, both))) {
        let (mut found, mut scratch) = (Plane::filled(7, 300, 300), used());
        select_into(cpu, way.view(), first.view(), connectivity, found.view_mut(), &mut scratch);
        assert_eq!(found, way, "with {cpu:?}");
        fill_holes_into(cpu, rest.view(), connectivity, found.view_mut(), &mut scratch);
        assert_eq!(found, rest, "with {cpu:?}");
    }
}

/// Rows of several words, with the last one cut off.
#[test]
fn wide_masks_are_filled_and_selected() {
    let dotted =
        |x: usize, y: usize, seed: usize| ((x * 7919 + y * 104_729 + seed).wrapping_mul(40_503) >> 9) % 8;
    for width in [63, 64, 65, 128, 190] {
        let mask = naive::plane(width, 20, |x, y| ON * u8::from(dotted(x, y, 1) < 4));
        let seeds = naive::plane(width, 20, |x, y| ON * u8::from(dotted(x, y, 2) == 0 && x % 9 == 0));
        check_fill(mask.view());
        check_select(mask.view(), seeds.view());
        check_select(Plane::filled(ON, width, 20).view(), seeds.view());
    }
}

proptest! {
    #[test]
    fn random_masks_are_filled(mask in mask()) {
        check_fill(mask.view());
    }

    #[test]
    fn random_seeds_select(pair in strided((0..=1u8, prop::bool::weighted(0.1)))) {
        let view = pair.view();
        let (width, height) = (view.width(), view.height());
        let mask = naive::plane(width, height, |x, y| ON * view.at(x, y).0);
        let seeds = naive::plane(width, height, |x, y| ON * u8::from(view.at(x, y).1));
        check_select(mask.view(), seeds.view());
    }
}
