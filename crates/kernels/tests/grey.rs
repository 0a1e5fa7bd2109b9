//! Grey reconstruction and morphology against their definitions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use naive::images::{mask, shapes, strided};
use onceflow_kernels::{Connectivity, Element, ON, Plane, View, dilate, erode, open, reconstruct};
use proptest::prelude::*;

fn check_reconstruction(marker: View<'_, u8>, mask: View<'_, u8>) {
    for connectivity in [Connectivity::Four, Connectivity::Eight] {
        let expected = naive::reconstruct(marker, mask, connectivity);
        assert_eq!(reconstruct(marker, mask, connectivity), expected);
        let (marker, mask) = (to_f32(marker), to_f32(mask));
        assert_eq!(reconstruct(marker.view(), mask.view(), connectivity), to_f32(expected.view()));
    }
}

fn to_f32(view: View<'_, u8>) -> Plane<f32> {
    naive::plane(view.width(), view.height(), |x, y| f32::from(view.at(x, y)))
}

fn offsets(element: Element) -> Vec<(isize, isize)> {
    let rows: &[isize] = match element {
        Element::Cross3 => &[1, 3, 1],
        Element::Disk19 => &[11, 13, 15, 17, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 17, 15, 13, 11],
    };
    let middle = rows.len() as isize / 2;
    let row =
        |(at, width): (usize, &isize)| (-width / 2..=width / 2).map(move |dx| (dx, at as isize - middle));
    rows.iter().enumerate().flat_map(row).collect()
}

fn check_morphology(image: View<'_, u8>) {
    for element in [Element::Cross3, Element::Disk19] {
        let offsets = offsets(element);
        let eroded = naive::under_element(image, &offsets, 255, u8::min);
        assert_eq!(erode(image, element), eroded);
        assert_eq!(dilate(image, element), naive::under_element(image, &offsets, 0, u8::max));
        assert_eq!(open(image, element), naive::under_element(eroded.view(), &offsets, 0, u8::max));
    }
}

#[test]
fn the_disk_has_321_pixels() {
    assert_eq!(offsets(Element::Disk19).len(), 321);
    let dot = naive::plane(40, 40, |x, y| if (x, y) == (20, 20) { ON } else { 0 });
    let dilated = dilate(dot.view(), Element::Disk19);
    assert_eq!(dilated.pixels().iter().filter(|pixel| **pixel == ON).count(), 321);
}

#[test]
fn a_winding_path_is_followed_to_its_end() {
    let path = naive::images::spiral(23);
    let seed = naive::plane(23, 23, |x, y| if (x, y) == (0, 0) { 77 } else { 0 });
    let reached = reconstruct(seed.view(), path.view(), Connectivity::Four);
    assert!(
        reached.pixels().iter().zip(path.pixels()).all(|(reached, path)| (*reached == 77) == (*path == ON))
    );
}

#[test]
fn shapes_that_trouble_algorithms() {
    for shape in shapes() {
        let (width, height) = (shape.width(), shape.height());
        check_morphology(shape.view());
        let slope = naive::plane(width, height, |x, y| (x * 7 + y * 11) as u8);
        check_reconstruction(slope.view(), shape.view());
        check_reconstruction(shape.view(), slope.view());
    }
}

proptest! {
    #[test]
    fn random_markers_grow_to_the_mask(pair in strided((0..=5u8, 0..=9u8))) {
        let view = pair.view();
        let marker = naive::plane(view.width(), view.height(), |x, y| view.at(x, y).0 / 3 * 4);
        let mask = naive::plane(view.width(), view.height(), |x, y| view.at(x, y).1);
        check_reconstruction(marker.view(), mask.view());
    }

    #[test]
    fn random_seeds_grow_in_random_masks(mask in mask(), seed in 0..1000usize) {
        let view = mask.view();
        let at = seed % view.len().max(1);
        let marker = naive::plane(view.width(), view.height(), |x, y| if y * view.width() + x == at { 200 } else { 0 });
        check_reconstruction(marker.view(), view);
    }

    #[test]
    fn random_images_are_eroded_and_dilated(image in strided(any::<u8>())) {
        check_morphology(image.view());
    }
}
