//! Selection and filling against their definitions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::images::{mask, shapes, strided};
use onceflow_kernels::{Connectivity, ON, Plane, View, fill_holes, select};
use proptest::prelude::*;

const BOTH: [Connectivity; 2] = [Connectivity::Four, Connectivity::Eight];

fn check_fill(mask: View<'_, u8>) {
    for connectivity in BOTH {
        assert_eq!(fill_holes(mask, connectivity), naive::fill_holes(mask, connectivity));
    }
}

fn check_select(mask: View<'_, u8>, seeds: View<'_, u8>) {
    for connectivity in BOTH {
        assert_eq!(select(mask, seeds, connectivity), naive::reconstruct(seeds, mask, connectivity));
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
