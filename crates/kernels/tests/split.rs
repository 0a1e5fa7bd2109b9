//! Parting touching objects: against the definition on small images, and against reference results on real ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;
mod pictures;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;

use naive::images::{mask, shapes};
use naive::{flood, plane};
use onceflow_kernels::nuclei::{
    MaskScratch, SplitScratch, finish, finish_with, markers, split, split_groups, split_object, without_lines,
};
use onceflow_kernels::{
    Connectivity, Cpu, Isa, LINE, ON, ObjectGroups, Objects, Plane, Traces, View, ViewMut, WatershedScratch,
    above, distance, filter_area, label, reconstruct, regional_maxima, repair_lines, watershed,
    watershed_from, watershed_on,
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

/// The whole image flooded at once, by operations on whole images.
fn at_once(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let (width, height) = (big.width(), big.height());
    let black = plane(width, height, |x, y| if big.at(x, y) == 0 { [0; 3] } else { normalized.at(x, y) });
    let mut labels = watershed(black.view(), markers(big, connectivity).view());
    repair_lines(&mut labels, big);
    let full = big.rows().flatten().all(|pixel| *pixel != 0);
    let keep = |x, y| big.at(x, y) != 0 && (full || labels.view().at(x, y) != LINE);
    plane(width, height, |x, y| if keep(x, y) { ON } else { 0 })
}

/// Each object in a window of its own, with nothing but a hand-made mask of it.
fn one_by_one(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let mut whole = plane(big.width(), big.height(), |x, y| if big.at(x, y) == 0 { 0 } else { ON });
    let labels = label(big, Connectivity::Eight);
    let objects = Objects::of(big, Connectivity::Eight);
    let mut scratch = SplitScratch::default();
    assert_eq!(objects.len(), labels.components.len());
    for (object, component) in labels.components.iter().enumerate() {
        let window = objects.window(object);
        let own = |x, y| labels.plane.view().at(window.left + x, window.top + y) == object as u32 + 1;
        let mask = plane(window.width, window.height, |x, y| if own(x, y) { ON } else { 0 });
        let mut painted = vec![0; window.len()];
        objects.paint(object, window, &mut painted);
        assert_eq!((painted.as_slice(), objects.area(object) as u64), (mask.pixels(), component.area));
        for &(x, y) in split_object(window.of(normalized), mask.view(), connectivity, &mut scratch) {
            whole.pixels_mut()[(window.top + y) * big.width() + window.left + x] = 0;
        }
    }
    whole
}

/// Shared among threads, in bands of objects.
fn by_threads(
    normalized: View<'_, [u8; 3]>,
    big: View<'_, u8>,
    connectivity: Connectivity,
    threads: usize,
) -> Plane<u8> {
    let groups = ObjectGroups::of(big, Connectivity::Eight);
    let bands = groups.bands(threads);
    assert!(bands.len() <= threads && bands.iter().map(|band| band.len()).sum::<usize>() == groups.len());
    let lines = |band| {
        let mut lines = Vec::new();
        let mut scratch = SplitScratch::default();
        split_groups(normalized, &groups, band, connectivity, &mut scratch, &mut lines);
        lines
    };
    let lines = std::thread::scope(|scope| {
        let workers: Vec<_> = bands.into_iter().map(|band| scope.spawn(|| lines(band))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    without_lines(big, &lines)
}

fn check_ways(normalized: View<'_, [u8; 3]>, big: View<'_, u8>) {
    for connectivity in BOTH {
        let expected = at_once(normalized, big, connectivity);
        assert_eq!(split(normalized, big, connectivity), expected);
        assert_eq!(one_by_one(normalized, big, connectivity), expected);
        assert_eq!(by_threads(normalized, big, connectivity, 3), expected);
        check_alone(normalized, big, connectivity);
    }
}

/// A group in an image of its own has the lines and the digest that it has among the others.
fn check_alone(normalized: View<'_, [u8; 3]>, big: View<'_, u8>, connectivity: Connectivity) {
    let (groups, traces) = (ObjectGroups::of(big, Connectivity::Eight), Traces::of(big, Connectivity::Eight));
    assert_eq!((traces.len(), traces.mask().to_plane()), (groups.len(), above(big, 0)));
    let (shapes, mut taken) =
        (traces.shapes(onceflow_kernels::ObjectHash::default()), ObjectGroups::default());
    let (mut painted, mut digests) = (Vec::new(), HashMap::new());
    let mut scratch = SplitScratch::default();
    let mut lines = |groups: &ObjectGroups, group: usize| {
        let mut lines = Vec::new();
        split_groups(normalized, groups, group..group + 1, connectivity, &mut scratch, &mut lines);
        lines
    };
    for (group, shape) in shapes.iter().enumerate() {
        let window = groups.paint(group, &mut painted);
        let mut alone = Plane::filled(0, big.width(), big.height());
        for (y, row) in painted.chunks_exact(window.width).enumerate() {
            alone.view_mut().row_mut(y + window.top)[window.left..][..window.width].copy_from_slice(row);
        }
        let alone = Traces::of(alone.view(), Connectivity::Eight);
        assert_eq!((alone.len(), alone.area(0)), (1, groups.area(group)));
        assert_eq!(traces.area(group), groups.area(group));
        assert_eq!(&alone.shapes(onceflow_kernels::ObjectHash::default())[0], shape);
        assert_eq!(digests.insert(*shape, group), None);
        for traces in [(&alone, 0), (&traces, group)] {
            traces.0.take(traces.1, &mut taken);
            let mut again = Vec::new();
            assert_eq!((taken.len(), taken.paint(0, &mut again), again), (1, window, painted.clone()));
            assert_eq!(lines(&taken, 0), lines(&groups, group));
        }
    }
}

/// Finishes each object in a window of its own.
fn finish_one_by_one(mask: View<'_, u8>, min_size: i64, max_size: i64, fill: Connectivity) -> Plane<u8> {
    let mut whole = Plane::filled(0, mask.width(), mask.height());
    let groups = ObjectGroups::of(mask, Connectivity::Eight);
    let (mut painted, mut scratch) = (Vec::new(), MaskScratch::default());
    for group in 0..groups.len() {
        let window = groups.paint(group, &mut painted);
        let view = View::new(&painted, window.width, window.height).unwrap();
        let finished = finish_with(view, min_size, max_size, fill, &mut scratch).mask;
        for (at, &pixel) in finished.pixels().iter().enumerate() {
            let (x, y) = (window.left + at % window.width, window.top + at / window.width);
            whole.pixels_mut()[y * mask.width() + x] |= pixel;
        }
    }
    whole
}

fn check_finish(mask: View<'_, u8>) {
    for (fill, (min_size, max_size)) in
        BOTH.into_iter().flat_map(|c| [(0, 40), (5, 1000), (30, 400)].map(|s| (c, s)))
    {
        let expected = finish(mask, min_size, max_size, fill).mask;
        assert_eq!(finish_one_by_one(mask, min_size, max_size, fill), expected);
        let kept = filter_area(mask, min_size, Some(max_size), Connectivity::Four);
        assert_eq!(naive::fill_holes(kept.view(), fill), expected);
    }
}

/// Rings in rings, with disks in their holes, some cut by the image's border.
fn rings(width: usize, height: usize, rings: &[(i32, i32, i32, i32)]) -> Plane<u8> {
    let inside = |x: i32, y: i32| {
        rings.iter().any(|&(u, v, radius, thickness)| {
            let off = (x - u).pow(2) + (y - v).pow(2);
            off <= radius * radius && off >= (radius - thickness).max(0).pow(2)
        })
    };
    plane(width, height, |x, y| if inside(x as i32, y as i32) { ON } else { 0 })
}

#[test]
fn objects_in_holes_of_objects_in_holes() {
    let nested = [(40, 40, 38, 7), (40, 40, 26, 8), (40, 40, 12, 20), (75, 75, 30, 9), (0, 60, 22, 9)];
    for (width, height) in [(80, 80), (41, 80), (80, 30), (60, 60)] {
        check_ways(colours(width, height, 5, 4).view(), rings(width, height, &nested).view());
    }
}

/// Long thin objects whose windows are large and nearly empty: those are flooded together.
#[test]
fn objects_in_windows_of_the_whole_image() {
    let stripes = plane(90, 70, |x, y| if (x + y) % 9 < 3 { ON } else { 0 });
    check_ways(colours(90, 70, 3, 4).view(), stripes.view());
    assert!(ObjectGroups::of(stripes.view(), Connectivity::Eight).len() < 10);
    let crossed = plane(90, 70, |x, y| if (x + y) % 17 < 2 || y > 60 { ON } else { 0 });
    check_ways(colours(90, 70, 4, 4).view(), crossed.view());
    let markers =
        plane(90, 70, |x, y| if (x + y) % 9 < 2 && x % 31 != 0 { 0 } else { 1 + (x as u32 + y as u32) / 9 });
    let expected = flood::watershed(colours(90, 70, 6, 3).view(), markers.view());
    let expected: Vec<u32> = expected.pixels().iter().map(|&l| u32::try_from(l).unwrap_or(LINE)).collect();
    assert_eq!(watershed(colours(90, 70, 6, 3).view(), markers.view()).pixels(), expected);
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

/// Every instruction set with several numbers of threads, in memory with gaps, against the definition.
fn check_machines(image: View<'_, [u8; 3]>, markers: View<'_, u32>) {
    let (width, height) = (markers.width(), markers.height());
    let expected = flood::watershed(image, markers);
    let mut scratch = WatershedScratch::default();
    let threads = [1, 2, 3, 8].map(|threads| NonZeroUsize::new(threads).unwrap());
    for cpu in Isa::available().into_iter().flat_map(|isa| threads.map(|threads| Cpu { isa, threads })) {
        let mut data = vec![7; (width + 3) * height];
        let mut labels = ViewMut::with_stride(&mut data, width, height, width + 3).unwrap();
        (0..height).for_each(|y| labels.row_mut(y).copy_from_slice(markers.row(y)));
        watershed_on(cpu, image, labels.reborrow(), &mut scratch);
        let found = labels.view().to_plane();
        let expected = expected.pixels().iter().map(|&label| u32::try_from(label).unwrap_or(LINE));
        assert!(found.pixels().iter().copied().eq(expected), "{cpu:?}");
        assert!(data.chunks_exact(width + 3).all(|row| row[width..] == [7; 3]));
        let mut made = Plane::filled(7, width, height);
        watershed_from(cpu, image, markers, made.view_mut(), &mut scratch);
        assert!(made == found, "from markers, {cpu:?}");
    }
}

/// Width, height, and whether a pixel is to be flooded.
type Shape<'a> = (usize, usize, &'a dyn Fn(usize, usize) -> bool);

#[test]
fn lakes_across_the_parts_of_threads() {
    let maze = naive::images::spiral(61);
    let shapes: [Shape<'_>; 9] = [
        (61, 61, &|x, y| maze.view().at(x, y) != 0),
        (40, 33, &|_, _| true),
        (40, 33, &|x, y| x % 2 == 0 || y == 32),
        (40, 33, &|x, y| x % 2 == 0 || y == 0),
        (33, 40, &|x, y| (x + y) % 2 == 0),
        (90, 70, &|x, y| (x + y) % 17 < 2),
        (1, 50, &|_, y| y % 11 > 0),
        (50, 1, &|x, _| x % 11 > 0),
        (80, 64, &|x, y| x % 13 < 9 && y % 11 < 8),
    ];
    for (width, height, lake) in shapes {
        for (rare, levels) in [(3, 2), (40, 3), (1000, 256)] {
            let label = |x: usize, y: usize| (x * 7919 + y * 104_729) % 1009;
            let marker =
                |x, y| if lake(x, y) && label(x, y) % rare != 1 { 0 } else { 1 + label(x, y) as u32 % 4 };
            check_machines(colours(width, height, 9, levels).view(), plane(width, height, marker).view());
        }
    }
    check_machines(Plane::filled([0; 3], 0, 0).view(), Plane::filled(0, 0, 0).view());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Disks in the dark with some markers inside: most shores are flooded last, and lines cut off parts of some lakes.
    #[test]
    fn shores_in_the_dark_flood_as_defined(
        (width, height) in (4usize..30, 4usize..24),
        round in prop::collection::vec((0i32..30, 0i32..24, 1i32..8), 1..5),
        seeds in prop::collection::vec((0usize..30 * 24, 2u32..5), 0..7),
        (seed, levels, contrast) in (any::<u32>(), 1u32..256, 1u8..16),
    ) {
        let lake = disks(width, height, &round);
        let noise = colours(width, height, seed, levels);
        let dark = |x, y| lake.view().at(x, y) == 0;
        let tissue = plane(width, height, |x, y| {
            noise.view().at(x, y).map(|level| if dark(x, y) { 0 } else { 100 + level / contrast / 2 })
        });
        let mut markers = plane(width, height, |x, y| u32::from(dark(x, y)));
        for &(at, label) in &seeds {
            let place = &mut markers.pixels_mut()[at % (width * height)];
            *place = if *place == 0 { label } else { *place };
        }
        check_machines(tissue.view(), markers.view());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_number_of_threads_floods_alike(
        (width, height) in (1usize..40, 1usize..60),
        some in prop::collection::vec((0..40i32, 0..60i32, 1..9i32), 1..20),
        (seed, levels) in (any::<u32>(), 1u32..9),
    ) {
        let lakes = disks(width, height, &some);
        let mark = |x: usize, y: usize| seed.wrapping_mul(31).wrapping_add((x * 7 + y * 13) as u32) % 23 == 0;
        let marker = |x, y| if lakes.view().at(x, y) != 0 && !mark(x, y) { 0 } else { 1 + (x + y) as u32 % 5 };
        check_machines(colours(width, height, seed, levels).view(), plane(width, height, marker).view());
    }
}

proptest! {
    #[test]
    fn objects_are_parted_the_same_alone_and_together(
        (width, height) in (1usize..80, 1usize..80),
        some in prop::collection::vec((0..80i32, 0..80i32, 1..12i32), 1..20),
        (seed, levels) in (any::<u32>(), 1u32..9),
    ) {
        check_ways(colours(width, height, seed, levels).view(), disks(width, height, &some).view());
    }

    #[test]
    fn rings_are_parted_the_same_alone_and_together(
        (width, height) in (1usize..80, 1usize..80),
        some in prop::collection::vec((0..80i32, 0..80i32, 3..30i32, 2..12i32), 1..8),
        (seed, levels) in (any::<u32>(), 1u32..9),
    ) {
        check_ways(colours(width, height, seed, levels).view(), rings(width, height, &some).view());
    }

    #[test]
    fn objects_of_random_masks_are_parted_the_same_alone_and_together(mask in mask(), seed in any::<u32>()) {
        let mask = mask.view();
        check_ways(colours(mask.width(), mask.height(), seed, 3).view(), mask);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn objects_are_finished_the_same_alone_and_together(
        (mask, (width, height)) in (mask(), (1usize..40, 1usize..40)),
        some in prop::collection::vec((0..40i32, 0..40i32, 3..20i32, 2..6i32), 1..8),
    ) {
        check_finish(mask.view());
        check_finish(rings(width, height, &some).view());
    }

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
