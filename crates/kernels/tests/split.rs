//! Parting touching objects: against the definition on small images, and against reference results on real ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;
mod pictures;

use std::collections::HashMap;
use std::path::Path;

use naive::images::{mask, shapes};
use naive::{flood, plane};
use onceflow_kernels::nuclei::{markers, split};
use onceflow_kernels::{
    Connectivity, LINE, ON, Plane, View, distance, filter_area, label, reconstruct, regional_maxima,
    watershed,
};
use proptest::prelude::*;

const BOTH: [Connectivity; 2] = [Connectivity::Four, Connectivity::Eight];

/// Colours that repeat themselves, so that floods meet at equal steps.
fn colours(width: usize, height: usize, seed: u32, levels: u32) -> Plane<[u8; 3]> {
    let hash = |n: u32| (n.wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519) >> 13;
    plane(width, height, |x, y| {
        [0, 1, 2].map(|c| (hash((y * 131 + x * 3 + c) as u32) % levels * 255 / levels) as u8)
    })
}

fn check(big: View<'_, u8>, seed: u32) {
    for connectivity in BOTH {
        assert_eq!(markers(big, connectivity), flood::markers(big, connectivity));
        for levels in [1, 2, 256] {
            let colours = colours(big.width(), big.height(), seed, levels);
            let expected = flood::split(colours.view(), big, connectivity);
            assert_eq!(split(colours.view(), big, connectivity), expected, "{big:?}");
        }
    }
    assert_eq!(distance(big), flood::distance(big));
}

#[test]
fn shapes_that_trouble_algorithms() {
    shapes().iter().for_each(|shape| check(shape.view(), 7));
}

/// Disks that overlap, some cut by the image's border.
fn disks(width: usize, height: usize, disks: &[(i32, i32, i32)]) -> Plane<u8> {
    let within = |x: i32, y: i32| disks.iter().any(|&(u, v, r)| (x - u).pow(2) + (y - v).pow(2) <= r * r);
    plane(width, height, |x, y| if within(x as i32, y as i32) { ON } else { 0 })
}

#[test]
fn two_disks_that_overlap_are_parted() {
    let big = disks(40, 24, &[(12, 12, 8), (26, 12, 8)]);
    let grey = Plane::filled([90; 3], 40, 24);
    let parted = split(grey.view(), big.view(), Connectivity::Eight);
    assert_eq!(label(big.view(), Connectivity::Eight).components.len(), 1);
    assert_eq!(label(parted.view(), Connectivity::Four).components.len(), 2);
}

/// Splits each component in a window of its own, one pixel wider on each side where the image goes on.
fn one_by_one(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let mut whole = Plane::filled(0, big.width(), big.height());
    let labels = label(big, Connectivity::Eight);
    for (number, component) in (1..).zip(&labels.components) {
        let (left, top) = (component.left.saturating_sub(1), component.top.saturating_sub(1));
        let width = (component.right + 1).min(big.width()) - left;
        let height = (component.bottom + 1).min(big.height()) - top;
        let own = |x, y| labels.plane.view().at(left + x, top + y) == number;
        let object = plane(width, height, |x, y| if own(x, y) { ON } else { 0 });
        let colours = plane(width, height, |x, y| normalized.at(left + x, top + y));
        let parted = split(colours.view(), object.view(), connectivity);
        for (at, &pixel) in parted.pixels().iter().enumerate().filter(|(_, pixel)| **pixel == ON) {
            whole.pixels_mut()[(top + at / width) * big.width() + left + at % width] = pixel;
        }
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12_000))]

    /// Few markers and few colours: who waits before whom then decides where the lines run.
    #[test]
    fn the_flood_keeps_the_order_of_events(
        (width, height) in (4usize..20, 4usize..20),
        seeds in prop::collection::vec((0usize..20 * 20, 1u32..5), 2..9),
        (seed, levels) in (any::<u32>(), 1u32..4),
    ) {
        let mut markers = Plane::filled(0, width, height);
        seeds.iter().for_each(|&(at, label)| markers.pixels_mut()[at % (width * height)] = label);
        let colours = colours(width, height, seed, levels);
        let expected = flood::watershed(colours.view(), markers.view());
        let expected: Vec<u32> = expected.pixels().iter().map(|&l| u32::try_from(l).unwrap_or(LINE)).collect();
        assert_eq!(watershed(colours.view(), markers.view()).pixels(), expected);
    }
}

proptest! {
    #[test]
    fn objects_are_parted_the_same_alone_and_together(
        (width, height) in (1usize..80, 1usize..80),
        some in prop::collection::vec((0..80i32, 0..80i32, 1..12i32), 1..20),
        (seed, levels) in (any::<u32>(), 1u32..9),
    ) {
        let (big, colours) = (disks(width, height, &some), colours(width, height, seed, levels));
        for connectivity in BOTH {
            let together = split(colours.view(), big.view(), connectivity);
            assert_eq!(one_by_one(colours.view(), big.view(), connectivity), together);
        }
    }

    #[test]
    fn objects_of_random_masks_are_parted_the_same_alone_and_together(mask in mask(), seed in any::<u32>()) {
        let mask = mask.view();
        let colours = colours(mask.width(), mask.height(), seed, 3);
        for connectivity in BOTH {
            let together = split(colours.view(), mask, connectivity);
            assert_eq!(one_by_one(colours.view(), mask, connectivity), together);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_masks(mask in mask(), seed in any::<u32>()) {
        check(mask.view(), seed);
    }

    #[test]
    fn random_disks(
        (width, height) in (1usize..28, 1usize..28),
        some in prop::collection::vec((0..28i32, 0..28i32, 1..9i32), 1..6),
        seed in any::<u32>(),
    ) {
        check(disks(width, height, &some).view(), seed);
    }

    #[test]
    fn heights_are_reconstructed_as_defined(
        (width, height) in (0usize..14, 0usize..14),
        values in prop::collection::vec((0u8..6, 0u8..6), 14 * 14),
    ) {
        let image = plane(width, height, |x, y| f32::from(values[y * 14 + x].0));
        let marker = plane(width, height, |x, y| f32::from(values[y * 14 + x].0.min(values[y * 14 + x].1)));
        for connectivity in BOTH {
            let expected = flood::reconstruct(marker.clone(), image.view(), connectivity);
            assert_eq!(reconstruct(marker.view(), image.view(), connectivity), expected);
            let expected = flood::regional_maxima(image.view(), connectivity);
            assert_eq!(regional_maxima(image.view(), connectivity), expected);
        }
    }
}

#[test]
fn real_images_as_the_reference_results_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/nuclei");
    let Ok(images) = folder.read_dir() else {
        return eprintln!("skipped: no reference results at {}", folder.display());
    };
    let images: Vec<_> = images.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    assert!(!images.is_empty());
    images.iter().for_each(|image| check_reference(image));
}

fn check_reference(image: &Path) {
    let cases = std::fs::read_to_string(image.join("cases.json")).unwrap();
    let cases: serde_json::Value = serde_json::from_str(&cases).unwrap();
    let parameter = |name: &str| cases[0]["parameters"][name].as_i64().unwrap();
    let connectivity = Connectivity::from_parameter(parameter("watershedConnectivity"));
    let big = grow(pictures::grey(&image.join("step-seg_open.png")).view(), parameter("minSizePl"));
    let expected = in_raster_order(&pictures::deep(&image.join("step-markers.png")));
    assert!(markers(big.view(), connectivity) == expected, "markers of {}", image.display());
    let parted = split(pictures::colour(&image.join("normalized.png")).view(), big.view(), connectivity);
    assert!(
        parted == pictures::grey(&image.join("step-seg_nonoverlap.png")),
        "parted objects of {}",
        image.display()
    );
}

/// Labels numbered by their first pixels: which number an object has is nobody's business.
fn in_raster_order(labels: &Plane<u16>) -> Plane<u32> {
    let mut numbers = HashMap::from([(0, 0)]);
    let number = |label: &u16| {
        let next = numbers.len() as u32;
        *numbers.entry(*label).or_insert(next)
    };
    let renumbered = labels.pixels().iter().map(number).collect();
    Plane::from_vec(renumbered, labels.width(), labels.height()).unwrap()
}

fn grow(seg_open: View<'_, u8>, smallest: i64) -> Plane<u8> {
    let kept = filter_area(seg_open, smallest, None, Connectivity::Eight);
    naive::under_element(kept.view(), &[(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)], 0, u8::max)
}
