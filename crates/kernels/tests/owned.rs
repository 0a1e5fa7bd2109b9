//! An image cut in any way, each part seen with a halo: what belongs to the cores adds up to what the whole image has.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::ops::Range;

use naive::plane;
use onceflow_kernels::compare::{
    ComparisonCounts, compare_boundaries, compare_boundaries_owned, count, count_owned,
};
use onceflow_kernels::{Connectivity, ON, Plane, View, Window, label};
use proptest::prelude::*;

/// Objects fit into squares of this side, with an empty row and column between them.
const SIDE: usize = 4;
const CELL: usize = SIDE + 1;

/// An object of a core reaches out of it by less than its side, and one that lies on it by as much again.
const HALO: usize = 2 * SIDE;

/// Two results and where they are cut.
#[derive(Debug)]
struct Cut {
    result: Plane<u32>,
    reference: Plane<u32>,
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl Cut {
    fn size(&self) -> (usize, usize) {
        (self.result.width(), self.result.height())
    }

    /// Each core, and what is seen around it.
    fn parts(&self) -> Vec<(Window, Window)> {
        let (width, height) = self.size();
        let columns = stretches(&self.columns, width);
        let rows = stretches(&self.rows, height);
        let part =
            |x: &Range<usize>, y: &Range<usize>| (window(x, y), window(&seen(x, width), &seen(y, height)));
        rows.iter().flat_map(|y| columns.iter().map(move |x| part(x, y))).collect()
    }

    /// The sum over cores of what `counted` says of the two results as one part sees them.
    fn sum(
        &self,
        counted: impl Fn(View<'_, u32>, View<'_, u32>, Window) -> ComparisonCounts,
    ) -> ComparisonCounts {
        let of = |(core, read): (Window, Window)| {
            let core = Window { left: core.left - read.left, top: core.top - read.top, ..core };
            counted(read.of(self.result.view()), read.of(self.reference.view()), core)
        };
        self.parts().into_iter().map(of).sum()
    }
}

fn window(x: &Range<usize>, y: &Range<usize>) -> Window {
    Window { left: x.start, top: y.start, width: x.len(), height: y.len() }
}

fn seen(core: &Range<usize>, length: usize) -> Range<usize> {
    core.start.saturating_sub(HALO)..(core.end + HALO).min(length)
}

/// A side cut at these places.
fn stretches(cuts: &[usize], length: usize) -> Vec<Range<usize>> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % length).chain([0, length]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Pixels in cells, each cell an object by itself; the reference is the result with some pixels turned, moved a little.
fn cuts() -> impl Strategy<Value = Cut> {
    let bits = |density: f64| prop::collection::vec(prop::bool::weighted(density), 60 * 60);
    let places = || prop::collection::vec(0usize..1000, 0..5);
    ((1usize..60, 1usize..60), bits(0.6), bits(0.1), (0usize..3, 0usize..3), places(), places()).prop_map(
        |((width, height), on, turned, (right, down), columns, rows)| {
            let cells = width.div_ceil(CELL) as u32 + 1;
            let object = |x: usize, y: usize, on: bool| {
                let inside = x % CELL < SIDE && y % CELL < SIDE;
                if inside && on { 1 + (x / CELL) as u32 + (y / CELL) as u32 * cells } else { 0 }
            };
            let result = plane(width, height, |x, y| object(x, y, on[y * 60 + x]));
            let moved = |x: usize, y: usize| on[y * 60 + x] != turned[y * 60 + x];
            let reference = plane(width, height, |x, y| {
                let from = x.checked_sub(right).zip(y.checked_sub(down));
                from.map_or(0, |(x, y)| object(x, y, moved(x, y)))
            });
            Cut { result, reference, columns, rows }
        },
    )
}

/// The objects of a mask, as a part that sees only some of it finds them.
fn components(labels: View<'_, u32>) -> Plane<u32> {
    let mask = plane(labels.width(), labels.height(), |x, y| if labels.at(x, y) == 0 { 0 } else { ON });
    label(mask.view(), Connectivity::Eight).plane
}

/// What does not count parts.
fn added(counts: ComparisonCounts) -> ComparisonCounts {
    ComparisonCounts {
        parts: 0,
        compared: 0,
        boundary: onceflow_kernels::compare::Boundary::default(),
        ..counts
    }
}

fn check(whole: &ComparisonCounts, sum: &ComparisonCounts, parts: usize) {
    assert_eq!(added(*whole), added(*sum));
    assert_eq!((sum.parts, sum.compared), (parts as u64, parts as u64));
    if whole.boundary.parts == 1 && whole.boundary.largest_squared <= (HALO * HALO) as u64 {
        assert_eq!(sum.boundary.largest_squared, whole.boundary.largest_squared);
        assert_eq!((sum.boundary.parts, sum.boundary.undefined), (parts as u64, 0));
    }
}

proptest! {
    #[test]
    fn label_images_add_up(cut in cuts()) {
        let whole = compare_boundaries(cut.result.view(), cut.reference.view()).unwrap();
        let sum = cut.sum(|a, b, core| compare_boundaries_owned(a, b, core).unwrap());
        check(&whole, &sum, cut.parts().len());
        let alone = cut.sum(|a, _, core| count_owned(a, core));
        assert_eq!(added(count(cut.result.view())), added(alone));
    }

    #[test]
    fn masks_add_up(cut in cuts()) {
        let (a, b) = (components(cut.result.view()), components(cut.reference.view()));
        let whole = compare_boundaries(a.view(), b.view()).unwrap();
        let sum = cut.sum(|a, b, core| {
            compare_boundaries_owned(components(a).view(), components(b).view(), core).unwrap()
        });
        check(&whole, &sum, cut.parts().len());
    }

    #[test]
    fn mean_distances_are_those_of_the_cores_pixels(cut in cuts()) {
        let whole = compare_boundaries(cut.result.view(), cut.reference.view()).unwrap();
        prop_assume!(whole.boundary.parts == 1 && whole.boundary.largest_squared <= (HALO * HALO) as u64);
        let (a, b) = (boundary(cut.result.view()), boundary(cut.reference.view()));
        let mean = |(core, _): &(Window, Window)| {
            let own = |pixels: &[(usize, usize)]| -> Vec<(usize, usize)> {
                pixels.iter().copied().filter(|p| holds(core, *p)).collect()
            };
            let distances = [nearest(&own(&a), &b), nearest(&own(&b), &a)].concat();
            distances.iter().sum::<f64>() / distances.len().max(1) as f64
        };
        let parts = cut.parts();
        let expected = parts.iter().map(mean).sum::<f64>() / parts.len() as f64;
        let sum = cut.sum(|a, b, core| compare_boundaries_owned(a, b, core).unwrap());
        assert!((sum.boundary.mean().unwrap() - expected).abs() < 1e-8);
    }
}

fn holds(window: &Window, (x, y): (usize, usize)) -> bool {
    (window.left..window.left + window.width).contains(&x)
        && (window.top..window.top + window.height).contains(&y)
}

/// Pixels of objects with one of their four neighbours outside the object.
fn boundary(view: View<'_, u32>) -> Vec<(usize, usize)> {
    let (width, height) = (view.width(), view.height());
    let at = |x: Option<usize>, y: Option<usize>| match (x, y) {
        (Some(x), Some(y)) if x < width && y < height => view.at(x, y),
        _ => 0,
    };
    let outside = |&(x, y): &(usize, usize)| {
        let around = [
            (x.checked_sub(1), Some(y)),
            (Some(x + 1), Some(y)),
            (Some(x), y.checked_sub(1)),
            (Some(x), Some(y + 1)),
        ];
        view.at(x, y) != 0 && around.iter().any(|&(u, v)| at(u, v) != view.at(x, y))
    };
    (0..width * height).map(|at| (at % width, at / width)).filter(outside).collect()
}

fn nearest(from: &[(usize, usize)], to: &[(usize, usize)]) -> Vec<f64> {
    let far = |p: &(usize, usize), q: &(usize, usize)| {
        ((p.0.abs_diff(q.0).pow(2) + p.1.abs_diff(q.1).pow(2)) as f64).sqrt()
    };
    from.iter().map(|p| to.iter().map(|q| far(p, q)).fold(f64::INFINITY, f64::min)).collect()
}

#[test]
fn an_object_belongs_to_the_core_of_its_first_pixel() {
    // The first pixel is the one in the upper row, though most of the object lies below and to the left.
    let mask = plane(6, 4, |x, y| u32::from((x, y) == (4, 1) || (y == 2 && x > 0 && x < 5)));
    let core = |left, top| Window { left, top, width: 3, height: 2 };
    let objects = |window| count_owned(mask.view(), window).objects;
    assert_eq!([core(0, 0), core(3, 0), core(0, 2), core(3, 2)].map(objects), [0, 1, 0, 0]);
    let pixels = |window| count_owned(mask.view(), window).foreground;
    assert_eq!([core(0, 0), core(3, 0), core(0, 2), core(3, 2)].map(pixels), [0, 1, 2, 2]);
}
