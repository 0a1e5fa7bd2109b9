//! Grey reconstruction and morphology against their definitions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::num::NonZeroUsize;

use naive::images::{mask, shapes, strided};
use onceflow_kernels::{
    Connectivity, Cpu, GreyScratch, GreyValue, Isa, ON, Plane, StructuringElement, View, ViewMut, dilate,
    erode, open, reconstruct, reconstruct_by_erosion, reconstruct_by_erosion_into, reconstruct_from,
    reconstruct_into, reconstruct_on,
};
use proptest::prelude::*;

fn check_reconstruction(marker: View<'_, u8>, mask: View<'_, u8>) {
    for connectivity in [Connectivity::Four, Connectivity::Eight] {
        let expected = naive::reconstruct(marker, mask, connectivity);
        assert_eq!(reconstruct(marker, mask, connectivity), expected);
        check_both_ways(marker, mask, expected.view(), connectivity, |value| !value);
        let [marker, mask, expected] = [marker, mask, expected.view()].map(to_f32);
        assert_eq!(reconstruct(marker.view(), mask.view(), connectivity), expected);
        check_both_ways(marker.view(), mask.view(), expected.view(), connectivity, |value| -value);
    }
}

/// With every instruction set, memory that was used before, and a target with gaps; and the same upside down.
fn check_both_ways<T: GreyValue + std::fmt::Debug>(
    marker: View<'_, T>,
    mask: View<'_, T>,
    expected: View<'_, T>,
    connectivity: Connectivity,
    mirrored: impl Fn(T) -> T,
) {
    let upside_down =
        |view: View<'_, T>| naive::plane(view.width(), view.height(), |x, y| mirrored(view.at(x, y)));
    let [low_marker, low_mask, low_expected] = [marker, mask, expected].map(upside_down);
    let mut scratch = GreyScratch::default();
    for isa in Isa::available() {
        let found =
            with_gaps(marker, |target| reconstruct_into(isa, mask, connectivity, target, &mut scratch));
        assert_eq!(found, expected.to_plane(), "{isa:?}");
        let found = with_gaps(low_marker.view(), |target| {
            reconstruct_by_erosion_into(isa, low_mask.view(), connectivity, target, &mut scratch);
        });
        assert_eq!(found, low_expected, "{isa:?}");
        let cpu = Cpu { isa, threads: NonZeroUsize::new(3).unwrap() };
        let mut scratch = Vec::new();
        let found = with_gaps(marker, |target| reconstruct_on(cpu, mask, connectivity, target, &mut scratch));
        assert_eq!(found, expected.to_plane(), "{isa:?} and three threads");
        let found = with_gaps(mask, |target| {
            reconstruct_from(cpu, marker, mask, connectivity, target, &mut scratch);
        });
        assert_eq!(found, expected.to_plane(), "{isa:?} from elsewhere");
    }
    assert_eq!(reconstruct_by_erosion(low_marker.view(), low_mask.view(), connectivity), low_expected);
}

/// Changes a copy of an image in memory whose rows are three pixels farther apart than they need to be.
fn with_gaps<T: GreyValue>(image: View<'_, T>, change: impl FnOnce(ViewMut<'_, T>)) -> Plane<T> {
    let stride = image.width() + 3;
    let mut data = vec![T::default(); stride * image.height()];
    for (row, pixels) in data.chunks_exact_mut(stride).zip(image.rows()) {
        row[..image.width()].copy_from_slice(pixels);
    }
    change(ViewMut::with_stride(&mut data, image.width(), image.height(), stride).unwrap());
    View::with_stride(&data, image.width(), image.height(), stride).unwrap().to_plane()
}

/// The same for two images by Vincent's simplest algorithm: every pixel that changed tells its neighbours.
fn followed(marker: View<'_, u8>, mask: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let size = (mask.width(), mask.height());
    let mut now = naive::plane(size.0, size.1, |x, y| marker.at(x, y).min(mask.at(x, y)));
    let mut changed: Vec<(usize, usize)> = (0..mask.len()).map(|at| (at % size.0, at / size.0)).collect();
    while let Some((x, y)) = changed.pop() {
        let value = now.view().at(x, y);
        for (x, y) in naive::neighbours(x, y, size, connectivity) {
            let offered = value.min(mask.at(x, y));
            if now.view().at(x, y) < offered {
                now.pixels_mut()[y * size.0 + x] = offered;
                changed.push((x, y));
            }
        }
    }
    now
}

/// Images of several bands and chunks, with the last of each cut off.
#[test]
fn large_images_are_reconstructed_across_bands() {
    let noise = |x: usize, y: usize, seed: u32| {
        ((x as u32).wrapping_mul(7919) ^ (y as u32).wrapping_mul(104_729) ^ seed).wrapping_mul(2_654_435_761)
            >> 24
    };
    let maze = naive::images::spiral(203);
    let comb = naive::plane(150, 331, |x, y| if x % 2 == 0 || (y + x) % 300 == 1 { 200 } else { 3 });
    let rough = naive::plane(260, 200, |x, y| noise(x / 3, y / 5, 1) as u8);
    let slope = naive::plane(131, 270, |x, y| ((x + y) / 2) as u8 ^ (noise(x, y, 2) / 16) as u8);
    for mask in [maze, comb, rough, slope] {
        let (width, height) = (mask.width(), mask.height());
        let sparse = naive::plane(width, height, |x, y| if noise(x, y, 3) == 0 { 255 } else { 0 });
        let corner = naive::plane(width, height, |x, y| if (x, y) == (0, 0) { 180 } else { 0 });
        let low = naive::plane(width, height, |x, y| mask.view().at(x, y).saturating_sub(40));
        for (marker, connectivity) in [&sparse, &corner, &low]
            .into_iter()
            .flat_map(|marker| [(marker, Connectivity::Four), (marker, Connectivity::Eight)])
        {
            let expected = followed(marker.view(), mask.view(), connectivity);
            check_both_ways(marker.view(), mask.view(), expected.view(), connectivity, |value| !value);
            let [marker, mask, expected] = [marker.view(), mask.view(), expected.view()].map(to_f32);
            check_both_ways(marker.view(), mask.view(), expected.view(), connectivity, |value| -value);
        }
    }
}

fn to_f32(view: View<'_, u8>) -> Plane<f32> {
    naive::plane(view.width(), view.height(), |x, y| f32::from(view.at(x, y)))
}

fn offsets(element: StructuringElement) -> Vec<(isize, isize)> {
    let rows: &[isize] = match element {
        StructuringElement::Cross3 => &[1, 3, 1],
        StructuringElement::Disk19 => {
            &[11, 13, 15, 17, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 17, 15, 13, 11]
        }
    };
    let middle = rows.len() as isize / 2;
    let row =
        |(at, width): (usize, &isize)| (-width / 2..=width / 2).map(move |dx| (dx, at as isize - middle));
    rows.iter().enumerate().flat_map(row).collect()
}

fn check_morphology(image: View<'_, u8>) {
    for element in [StructuringElement::Cross3, StructuringElement::Disk19] {
        let offsets = offsets(element);
        let eroded = naive::under_element(image, &offsets, 255, u8::min);
        assert_eq!(erode(image, element), eroded);
        assert_eq!(dilate(image, element), naive::under_element(image, &offsets, 0, u8::max));
        assert_eq!(open(image, element), naive::under_element(eroded.view(), &offsets, 0, u8::max));
    }
}

#[test]
fn the_disk_has_321_pixels() {
    assert_eq!(offsets(StructuringElement::Disk19).len(), 321);
    let dot = naive::plane(40, 40, |x, y| if (x, y) == (20, 20) { ON } else { 0 });
    let dilated = dilate(dot.view(), StructuringElement::Disk19);
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
