//! Many rows over real images: with and without a table of objects they give the same bytes.

use std::path::Path;
use std::sync::Arc;

use onceflow_kernels::nuclei::{self, Candidates, Reconstructed};
use onceflow_kernels::{Connectivity, Plane};
use onceflow_region::{Bounds, Region, rgb8};
use onceflow_runtime::Operation;
use onceflow_study::Canonical;

use super::object_tests::{NumberedRegion, bound, numbered, outcome, table};
use super::regions::{colour, done, from_colour, from_grey};
use super::*;
use crate::test_images::open_image;

/// The operations that know objects, with or without a table.
struct Tasks {
    split: Arc<dyn Operation>,
    separate: Arc<dyn Operation>,
    compare: Arc<dyn Operation>,
    filter: Arc<dyn Operation>,
    clumps: Arc<dyn Operation>,
    finish: Arc<dyn Operation>,
}

/// Their ids.
const TASKS: [&str; 6] = [
    "nuclei.split",
    "nuclei.separate",
    "metric.compare",
    "mask.area_filter",
    "nuclei.clumps",
    "nuclei.finish",
];

impl Tasks {
    fn new(cache: Option<&Arc<ObjectCache>>) -> Self {
        let [split, separate, compare, filter, clumps, finish] = TASKS.map(|id| bound(id, cache));
        Self { split, separate, compare, filter, clumps, finish }
    }
}

/// One of a few values, as a seed says.
fn one_of<T: Copy>(state: &mut u64, values: &[T]) -> T {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    values[(*state >> 33) as usize % values.len()]
}

/// Grown candidates of some row.
fn grown(image: &Plane<[u8; 3]>, state: &mut u64) -> Plane<u8> {
    let Reconstructed { rc, rc_recon } = nuclei::reconstruct(image.view(), Connectivity::Eight);
    let Candidates { diff, bw1 } =
        nuclei::candidates(rc.view(), rc_recon.view(), Connectivity::Four, one_of(state, &[20, 45, 80]));
    let seeds = nuclei::sized_candidates(bw1.view(), one_of(state, &[2, 11]), 1000);
    let blood = Plane::filled(0, image.width(), image.height());
    nuclei::grow(diff.view(), seeds.view(), blood.view(), one_of(state, &[10, 17, 30]))
}

/// Filters by some sizes, of which all but the first are asked of objects that are known.
fn check_sizes([plain, knowing]: [&Tasks; 2], mask: &NumberedRegion, state: &mut u64) {
    let mask = std::slice::from_ref(mask);
    for _ in 0..3 {
        let sizes = [
            Canonical::Integer(one_of(state, &[2, 11, 21, 80])),
            Canonical::Integer(one_of(state, &[60, 900, 1500])),
            Canonical::Connectivity8(one_of(state, &[false, true])),
        ];
        for (plain, knowing, parameters) in [
            (&plain.filter, &knowing.filter, &sizes[..]),
            (&plain.clumps, &knowing.clumps, &sizes[..1]),
            (&plain.finish, &knowing.finish, &sizes[..]),
        ] {
            let expected = outcome(plain.as_ref(), mask, parameters);
            assert_eq!(outcome(knowing.as_ref(), mask, parameters), expected);
        }
    }
}

fn check_image(path: &Path) {
    let source = open_image(&path.to_string_lossy());
    let (width, height) = (source.info().width, source.info().height);
    let dense = rgb8(&source.read(Bounds::plane(0, 0, width, height).unwrap()).unwrap()).unwrap();
    let image = colour(&dense).unwrap().to_plane();
    let (first, mut state) = (numbered(1, from_colour(image.clone()).unwrap()), 5);
    let mut reference: Option<NumberedRegion> = None;
    let cache = table(u64::MAX);
    let (plain, knowing) = (Tasks::new(None), Tasks::new(Some(&cache)));
    for row in 0..5 {
        let grown = grown(&image, &mut state);
        let connectivity = Canonical::Connectivity8(one_of(&mut state, &[false, true]));
        let least = one_of(&mut state, &[5, 30]);
        let big = nuclei::clumps(grown.view(), least);
        check_sizes([&plain, &knowing], &numbered(40 + row, from_grey(grown.clone()).unwrap()), &mut state);
        let inputs = [first.clone(), numbered(10 + row, from_grey(big).unwrap())];
        let parameters = [connectivity.clone()];
        let apart = outcome(plain.split.as_ref(), &inputs, &parameters);
        assert_eq!(outcome(knowing.split.as_ref(), &inputs, &parameters), apart);
        let inputs = [first.clone(), numbered(20 + row, from_grey(grown).unwrap())];
        let parameters = [Canonical::Integer(least), connectivity];
        assert_eq!(outcome(knowing.separate.as_ref(), &inputs, &parameters), apart);
        let mask = Plane::from_vec(apart.0.unwrap(), image.width(), image.height()).unwrap();
        let mask = numbered(30 + row, done([from_grey(mask).unwrap()]).outputs.remove(0));
        let nothing = || numbered(0, Region::Nothing);
        let reference = reference.get_or_insert_with(|| mask.clone()).clone();
        let inputs = [mask, reference, nothing(), nothing()];
        let parameters = [Canonical::Integer(0)];
        let counts = outcome(plain.compare.as_ref(), &inputs, &parameters);
        assert_eq!(outcome(knowing.compare.as_ref(), &inputs, &parameters), counts);
    }
    let counts = cache.counts();
    // The last two keep nothing: hardly two calls look at the same mask.
    assert!(TASKS[..4].iter().all(|task| counts[*task].found > 0));
}

#[test]
fn real_images_give_the_same_with_and_without_a_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/nuclei");
    // Without the images there is nothing to check here.
    let images = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    images.filter(|path| path.is_dir()).for_each(|image| check_image(&image.join("normalized.png")));
}
