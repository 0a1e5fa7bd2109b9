//! Objects chosen by size are those that a look at all pixels gives, and a mask's objects are found once.

use std::sync::Arc;

use onceflow_kernels::{Connectivity, ON, Plane, filter_area, nuclei};
use onceflow_runtime::Operation;
use onceflow_study::Canonical;
use proptest::prelude::*;

use super::object_tests::{
    BOTH, HEIGHT, NumberedRegion, Picture, WIDTH, bound, mask, numbered, outcome, pictures, table,
};
use super::regions::{from_grey, grey};
use super::*;
use onceflow_kernels::object_cache::ObjectCounts;

/// Sizes below, between and above those of objects, and none at all.
const SIZES: [(i64, i64); 7] =
    [(2, 60), (0, i64::MAX), (61, 400), (i64::MAX, i64::MAX), (-5, 1), (9, 9), (300, 10_000)];

/// The operations that choose by size.
struct Tasks {
    filter: Arc<dyn Operation>,
    clumps: Arc<dyn Operation>,
    finish: Arc<dyn Operation>,
}

impl Tasks {
    fn new(cache: &Arc<ObjectCache>) -> Self {
        let [filter, clumps, finish] =
            ["mask.area_filter", "nuclei.clumps", "nuclei.finish"].map(|id| bound(id, Some(cache)));
        Self { filter, clumps, finish }
    }

    /// Compares them with kernels that look at all pixels.
    fn check(&self, mask: &NumberedRegion, (least, below): (i64, i64), connectivity: &Canonical) {
        let view = grey(mask.1.as_dense().unwrap()).unwrap();
        let kernel = if *connectivity == BOTH[1] { Connectivity::Eight } else { Connectivity::Four };
        let inputs = std::slice::from_ref(mask);
        let sizes = [Canonical::Integer(least), Canonical::Integer(below), connectivity.clone()];
        let found = outcome(self.filter.as_ref(), inputs, &sizes);
        assert_eq!(found, expected(filter_area(view, least, Some(below), kernel), true));
        let found = outcome(self.finish.as_ref(), inputs, &sizes);
        assert_eq!(found, expected(nuclei::finish_mask(view, least, below, kernel), true));
        let found = outcome(self.clumps.as_ref(), inputs, &sizes[..1]);
        assert_eq!(found, expected(nuclei::clumps(view, least), false));
    }

    fn check_all(&self, masks: &[NumberedRegion]) {
        for (mask, sizes) in masks.iter().flat_map(|mask| SIZES.map(|sizes| (mask, sizes))) {
            BOTH.iter().for_each(|connectivity| self.check(mask, sizes, connectivity));
        }
    }
}

fn expected(mask: Plane<u8>, ends: bool) -> super::object_tests::Outcome {
    let is_empty = mask.pixels().iter().all(|pixel| *pixel == 0);
    (Some(mask.into_vec()), None, (ends && is_empty).then(|| "no_candidates".to_owned()))
}

/// The pictures' masks, one with nothing, one with everything, and one with objects of one pixel.
fn masks(pictures: &[Picture]) -> Vec<NumberedRegion> {
    let plane = |pixel: fn(usize) -> bool| {
        let pixels = (0..WIDTH * HEIGHT).map(|at| ON * u8::from(pixel(at))).collect();
        from_grey(Plane::from_vec(pixels, WIDTH, HEIGHT).unwrap()).unwrap()
    };
    let edges = [plane(|_| false), plane(|_| true), plane(|at| (at + at / WIDTH).is_multiple_of(2))];
    edges.into_iter().chain(pictures.iter().map(mask)).zip(1..).map(|(mask, at)| numbered(at, mask)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn sizes_are_chosen_as_without_a_table(
        pictures in prop::collection::vec(pictures(), 1..4),
        most in prop_oneof![Just(0), 1..20_000u64, Just(u64::MAX)],
    ) {
        let (cache, masks) = (table(most), masks(&pictures));
        let tasks = Tasks::new(&cache);
        tasks.check_all(&masks);
        let first = cache.counts();
        tasks.check_all(&masks);
        for (task, counts) in cache.counts() {
            let before = first[&task];
            prop_assert_eq!(counts.asked, 2 * before.asked);
            if most == u64::MAX {
                prop_assert_eq!(counts.found - before.found, before.asked);
                prop_assert_eq!(counts.seconds_spent, before.seconds_spent);
            }
            if most == 0 {
                prop_assert_eq!((counts.found, counts.whole), (0, 0));
            }
        }
    }
}

/// An operation with a table, and what it counted.
struct Counting {
    id: &'static str,
    cache: Arc<ObjectCache>,
    operation: Arc<dyn Operation>,
}

impl Counting {
    fn new(id: &'static str) -> Self {
        let cache = table(u64::MAX);
        Self { id, operation: bound(id, Some(&cache)), cache }
    }

    fn call(&self, mask: &NumberedRegion, parameters: &[Canonical]) -> ObjectCounts {
        outcome(self.operation.as_ref(), std::slice::from_ref(mask), parameters);
        self.cache.counts()[self.id]
    }
}

fn sizes(least: i64, connectivity: &Canonical) -> [Canonical; 3] {
    [Canonical::Integer(least), Canonical::Integer(500), connectivity.clone()]
}

/// Two disks that are two objects, and one that is one with another.
fn disks(number: u64) -> NumberedRegion {
    numbered(number, mask(&super::object_tests::two_disks(20)))
}

#[test]
fn another_size_finds_the_objects_and_another_content_or_neighbourhood_does_not() {
    let task = Counting::new("mask.area_filter");
    let [four, eight] = &BOTH;
    let first = task.call(&disks(1), &sizes(3, four));
    assert_eq!((first.asked, first.found, first.whole), (2, 0, 0));
    assert!(first.pixels_asked > 400 && first.pixels_found == 0 && first.seconds_spent > 0.0);
    let other_size = task.call(&disks(1), &sizes(300, four));
    let twice = ObjectCounts {
        asked: 4,
        found: 2,
        pixels_asked: 2 * first.pixels_asked,
        pixels_found: first.pixels_asked,
        whole: 1,
        ..first
    };
    assert_eq!(other_size, twice, "nothing may be labelled again");
    let other_neighbours = task.call(&disks(1), &sizes(3, eight));
    assert_eq!((other_neighbours.asked, other_neighbours.found, other_neighbours.whole), (6, 2, 1));
    let other_content = task.call(&disks(2), &sizes(3, four));
    assert_eq!((other_content.asked, other_content.found, other_content.whole), (8, 2, 1));
}

#[test]
fn filters_whose_masks_hardly_come_twice_keep_nothing() {
    for (id, parameters) in
        [("nuclei.clumps", vec![Canonical::Integer(3)]), ("nuclei.finish", sizes(3, &BOTH[0]).to_vec())]
    {
        let cache = table(u64::MAX);
        let operation = bound(id, Some(&cache));
        (0..2).for_each(|_| _ = outcome(operation.as_ref(), &[disks(1)], &parameters));
        assert!(cache.counts().is_empty(), "{id}");
    }
}

#[test]
fn contents_are_the_same_only_when_the_masks_are() {
    let task = Counting::new("mask.area_filter");
    let content_of = |mask: &NumberedRegion, parameters: &[Canonical]| {
        let (inputs, digests) = ([mask.1.clone()], [ContentDigest([mask.0; 4])]);
        let call = Call { inputs: &inputs, digests: &digests, wanted: true, parameters, ..Call::default() };
        let done = task.operation.run(&call).unwrap();
        (done.digests[0], done.outputs[0].as_dense().and_then(|dense| dense.as_u8()).unwrap().to_vec())
    };
    let (first, other) = (disks(1), content_of(&disks(1), &sizes(3, &BOTH[0])));
    let calls = [
        content_of(&first, &sizes(2, &BOTH[0])),
        content_of(&first, &sizes(3, &BOTH[1])),
        content_of(&first, &sizes(100_000, &BOTH[0])),
        content_of(&disks(2), &sizes(3, &BOTH[0])),
    ];
    assert_eq!(calls[0], other, "another threshold that chooses the same");
    for (content, mask) in &calls[1..] {
        assert!(*content != other.0 || *mask == other.1);
    }
    assert_ne!(calls[1].0, other.0, "components of other neighbours are others");
    assert_ne!(calls[2].0, other.0);
    assert_ne!(calls[3].0, other.0);
}

#[test]
fn without_contents_the_objects_are_not_kept() {
    let task = Counting::new("mask.area_filter");
    let inputs = [disks(1).1];
    let parameters = sizes(3, &BOTH[0]);
    let call =
        Call { inputs: &inputs, digests: &[], wanted: false, parameters: &parameters, ..Call::default() };
    let done = task.operation.run(&call).unwrap();
    let view = grey(inputs[0].as_dense().unwrap()).unwrap();
    let kept = filter_area(view, 3, Some(500), Connectivity::Four);
    assert_eq!(done.outputs[0].as_dense().and_then(|dense| dense.as_u8()), Some(kept.pixels()));
    assert!(!task.cache.counts().contains_key("mask.area_filter"));
}
