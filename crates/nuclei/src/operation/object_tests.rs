//! Operations that know objects give what they give without, whatever room they have, and compute no object twice.

use std::sync::Arc;

use onceflow_kernels::compare::{self, Boundary, ComparisonCounts};
use onceflow_kernels::{Connectivity, ON, Plane, View, Window, label};
use onceflow_region::{Budget, Dense, Pixels, Region};
use onceflow_reuse::{ContentDigest, FlowRead, FlowTask, ReadFrom};
use onceflow_runtime::{Call, Operation};
use onceflow_study::Canonical;
use proptest::prelude::*;

use super::regions::{from_colour, from_grey, grey, labels};
use super::*;
use crate::catalogue::catalogue;

pub(super) const WIDTH: usize = 70;
pub(super) const HEIGHT: usize = 50;

pub(super) fn bound(id: &str, cache: Option<&Arc<ObjectCache>>) -> Arc<dyn Operation> {
    let spec = catalogue().get(id).unwrap().clone();
    let read = |name: &str, kind| FlowRead {
        name: name.to_owned(),
        kind,
        from: ReadFrom::Constant(Canonical::Integer(0)),
    };
    let reads = spec.parameters.iter().map(|parameter| read(&parameter.name, parameter.kind)).collect();
    let (name, none) = (id.to_owned(), Vec::new());
    let task = FlowTask {
        name,
        stage: 0,
        spec,
        reads,
        inputs: Vec::new(),
        outputs: Vec::new(),
        ends: none,
        after: Vec::new(),
        made: onceflow_reuse::TaskOrigin::Written,
    };
    operation(&task, cache).unwrap()
}

/// A region with a number that stands for what it holds.
pub(super) type NumberedRegion = (u64, Arc<Region>);

pub(super) fn numbered(number: u64, region: Region) -> NumberedRegion {
    (number, Arc::new(region))
}

/// Pixels or counts, and whether it ended its stage.
pub(super) type Outcome = (Option<Vec<u8>>, Option<PartComparison>, Option<String>);

pub(super) fn outcome(
    operation: &dyn Operation,
    inputs: &[NumberedRegion],
    parameters: &[Canonical],
) -> Outcome {
    let digests: Vec<ContentDigest> =
        inputs.iter().map(|(number, _)| ContentDigest([*number, 7, 7, 7])).collect();
    let inputs: Vec<Arc<Region>> = inputs.iter().map(|(_, region)| Arc::clone(region)).collect();
    let call = Call { inputs: &inputs, digests: &digests, wanted: true, parameters, ..Call::default() };
    let done = operation.run(&call).unwrap();
    let pixels = done.outputs[0].as_dense().and_then(Dense::as_u8).map(<[u8]>::to_vec);
    (pixels, counts_of(&done.outputs[0]), done.ended)
}

pub(super) fn table(most: u64) -> Arc<ObjectCache> {
    Arc::new(ObjectCache::new(&Budget::new(u64::MAX), Budget::new(most)))
}

/// What a task counted; pictures may have no objects.
fn counts_of_task(cache: &ObjectCache, task: &str) -> onceflow_kernels::object_cache::ObjectCounts {
    cache.counts().get(task).copied().unwrap_or_default()
}

fn colours(seed: u64) -> Region {
    let pixel = |at: usize| {
        let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ seed << 20);
        [mixed >> 40, mixed >> 48, mixed >> 56].map(|c| c as u8)
    };
    let pixels = (0..WIDTH * HEIGHT).map(pixel).collect();
    from_colour(Plane::from_vec(pixels, WIDTH, HEIGHT).unwrap()).unwrap()
}

/// Rings around disks, which touch, nest and leave the image, and thin lines across it.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) rings: Vec<(i64, i64, i64, i64)>,
    pub(super) lines: Vec<(bool, i64)>,
}

pub(super) fn pictures() -> impl Strategy<Value = Picture> {
    let ring = (0..WIDTH as i64, 0..HEIGHT as i64, 1..12i64, -1..10i64);
    let line = (any::<bool>(), 0..60i64);
    (prop::collection::vec(ring, 0..14), prop::collection::vec(line, 0..3))
        .prop_map(|(rings, lines)| Picture { rings, lines })
}

pub(super) fn mask(picture: &Picture) -> Region {
    let inside = |x: i64, y: i64| {
        let ring = |&(u, v, outer, inner): &(i64, i64, i64, i64)| {
            let far = (x - u).pow(2) + (y - v).pow(2);
            far <= outer * outer && (inner < 0 || far > inner * inner)
        };
        let line = |&(slanted, at): &(bool, i64)| if slanted { x == y + at - 20 } else { x == at };
        picture.rings.iter().any(ring) || picture.lines.iter().any(line)
    };
    let pixel = |at: usize| ON * u8::from(inside((at % WIDTH) as i64, (at / WIDTH) as i64));
    from_grey(Plane::from_vec((0..WIDTH * HEIGHT).map(pixel).collect(), WIDTH, HEIGHT).unwrap()).unwrap()
}

/// The same mask, kept as bits.
pub(super) fn as_bits(mask: &Region) -> Region {
    regions::from_bits(Bits::of(grey(mask.as_dense().unwrap()).unwrap())).unwrap()
}

pub(super) const BOTH: [Canonical; 2] = [Canonical::Connectivity8(false), Canonical::Connectivity8(true)];

fn check_split(pictures: &[Picture], cache: &Arc<ObjectCache>) {
    let (plain, knowing) = (bound("nuclei.split", None), bound("nuclei.split", Some(cache)));
    let images = [numbered(1, colours(1)), numbered(2, colours(2))];
    for picture in pictures {
        let mask = mask(picture);
        // Threads have the same pictures at different times.
        let content = mask.digest().unwrap().0;
        let mask = numbered(u64::from_le_bytes(*content.first_chunk().unwrap()), mask);
        for (image, connectivity) in images.iter().flat_map(|image| BOTH.map(|both| (image, both))) {
            let inputs = [image.clone(), mask.clone()];
            let expected = outcome(plain.as_ref(), &inputs, std::slice::from_ref(&connectivity));
            let parameters = [connectivity];
            assert_eq!(outcome(knowing.as_ref(), &inputs, &parameters), expected);
            let inputs = [image.clone(), (mask.0, Arc::new(as_bits(&mask.1)))];
            assert_eq!(outcome(knowing.as_ref(), &inputs, &parameters), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn objects_are_parted_as_without_a_table(
        pictures in prop::collection::vec(pictures(), 1..4),
        most in prop_oneof![Just(0), 1..20_000u64, Just(u64::MAX)],
    ) {
        let cache = table(most);
        check_split(&pictures, &cache);
        let first = counts_of_task(&cache, "nuclei.split");
        check_split(&pictures, &cache);
        let counts = counts_of_task(&cache, "nuclei.split");
        prop_assert_eq!(counts.asked, 2 * first.asked);
        if most == u64::MAX {
            prop_assert_eq!(counts.found - first.found, first.asked);
            prop_assert_eq!(counts.pixels_found - first.pixels_found, first.pixels_asked);
        }
        if most == 0 {
            prop_assert_eq!(counts.found, 0);
        }
    }
}

/// Far enough apart to be two objects.
pub(super) fn two_disks(second: i64) -> Picture {
    Picture { rings: vec![(15, 20, 9, -1), (22, 20, 9, -1), (50, second, 9, -1)], lines: Vec::new() }
}

#[test]
fn only_objects_that_changed_are_computed() {
    let cache = table(u64::MAX);
    let knowing = bound("nuclei.split", Some(&cache));
    let image = numbered(1, colours(1));
    let mut found = Vec::new();
    for second in [20, 21, 20] {
        let inputs = [image.clone(), numbered(second as u64, mask(&two_disks(second)))];
        outcome(knowing.as_ref(), &inputs, &BOTH[1..]);
        found.push(cache.counts()["nuclei.split"].found);
    }
    assert_eq!(found, [0, 1, 3]);
}

#[test]
fn without_contents_nothing_is_asked() {
    let cache = table(u64::MAX);
    let knowing = bound("nuclei.split", Some(&cache));
    let inputs = [Arc::new(colours(1)), Arc::new(mask(&two_disks(20)))];
    let call =
        Call { inputs: &inputs, digests: &[], wanted: false, parameters: &BOTH[..1], ..Call::default() };
    knowing.run(&call).unwrap();
    assert!(cache.counts().is_empty());
}

#[test]
fn threads_that_share_a_table_get_what_they_get_alone() {
    for most in [0, 3_000, 30_000, u64::MAX] {
        let cache = table(most);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let pictures: Vec<Picture> = (0..6).map(|at| two_disks(12 + (at + thread) % 5)).collect();
                let cache = &cache;
                scope.spawn(move || check_split(&pictures, cache));
            }
        });
    }
}

/// A box that is seen, and its core; the first is all.
fn counted(number: u64) -> (u64, Option<CountedWindow>) {
    let window = |left, top, width, height| Window { left, top, width, height };
    let counted = (number > 0)
        .then(|| CountedWindow { seen: window(5, 3, 60, 40), core: window(number as usize, 4, 40, 30) });
    (number, counted)
}

/// Labels that touch: columns of a mask's objects in turns.
fn truth(picture: &Picture, seen: Window) -> Region {
    let mask = mask(picture);
    let grey = seen.of(grey(mask.as_dense().unwrap()).unwrap());
    let label = |at: usize| {
        let (x, y) = (at % seen.width, at / seen.width);
        if grey.at(x, y) == 0 { 0 } else { 1 + (x as u32 / 6) % 4 * 7 }
    };
    let pixels = (0..seen.len()).map(label).collect();
    Region::Dense(Dense::new(seen.width, seen.height, 1, Pixels::U32(pixels)).unwrap())
}

fn expected(
    result: &Region,
    reference: &Region,
    truth: Option<&Region>,
    counted: CountedWindow,
) -> PartComparison {
    let labelled = |region: &Region| {
        label(counted.seen.of(grey(region.as_dense().unwrap()).unwrap()), Connectivity::Eight).plane
    };
    let (result, reference) = (labelled(result), labelled(reference));
    let against = |other: View<'_, u32>| compare::compare_owned(result.view(), other, counted.core).unwrap();
    PartComparison {
        alone: compare::count_owned(result.view(), counted.core),
        default: against(reference.view()),
        truth: truth.map_or_else(ComparisonCounts::default, |truth| {
            against(labels(truth.as_dense().unwrap()).unwrap())
        }),
    }
}

fn check_compare(pictures: &[Picture], cache: &Arc<ObjectCache>) {
    let (plain, knowing) = (bound("metric.compare", None), bound("metric.compare", Some(cache)));
    let reference = (99, Arc::new(mask(&pictures[0])));
    for (at, (picture, number)) in pictures.iter().flat_map(|p| [0, 1, 12].map(|n| (p, n))).enumerate() {
        let result = numbered(200 + at as u64, mask(picture));
        let all = CountedWindow::all(WIDTH, HEIGHT);
        let (number, box_of) = counted(number);
        let region = box_of.map_or(Region::Nothing, |counted| Region::Table(counted.to_table().unwrap()));
        let truths =
            [None, Some(numbered(300 + number.min(1), truth(&pictures[0], box_of.unwrap_or(all).seen)))];
        for truth in truths {
            let numbered_truth = truth.clone().unwrap_or_else(|| numbered(0, Region::Nothing));
            let inputs =
                [result.clone(), reference.clone(), numbered_truth, numbered(400 + number, region.clone())];
            for boundary in [0, 1] {
                let parameters = [Canonical::Integer(boundary)];
                let plain = outcome(plain.as_ref(), &inputs, &parameters);
                assert_eq!(outcome(knowing.as_ref(), &inputs, &parameters), plain);
                let truth = truth.as_ref().map(|(_, region)| region.as_ref());
                let expected = expected(&result.1, &reference.1, truth, box_of.unwrap_or(all));
                let pixels_and_objects = |mut found: PartComparison| {
                    found.default.boundary = Boundary::default();
                    found.truth.boundary = Boundary::default();
                    found
                };
                assert_eq!(plain.1.map(pixels_and_objects), Some(expected));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn comparisons_are_those_of_label_images(
        pictures in prop::collection::vec(pictures(), 2..4),
        most in prop_oneof![Just(0), 1..20_000u64, Just(u64::MAX)],
    ) {
        let cache = table(most);
        check_compare(&pictures, &cache);
        let first = counts_of_task(&cache, "metric.compare");
        check_compare(&pictures, &cache);
        let counts = counts_of_task(&cache, "metric.compare");
        if most == u64::MAX {
            prop_assert_eq!(counts.pixels_found - first.pixels_found, first.pixels_asked);
        }
    }
}
