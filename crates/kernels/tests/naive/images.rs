//! Small images: random ones with a stride, and shapes that trouble algorithms.

use std::num::NonZeroUsize;

use onceflow_kernels::{Cpu, Isa, ON, Plane, View};
use proptest::prelude::*;

use super::plane;

/// An image inside a larger piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct Strided<T> {
    data: Vec<T>,
    width: usize,
    height: usize,
    stride: usize,
}

impl<T: Clone + Copy> Strided<T> {
    pub(crate) fn view(&self) -> View<'_, T> {
        View::with_stride(&self.data, self.width, self.height, self.stride).expect("memory was made for it")
    }
}

/// Pixels drawn from `pixel`, up to 24 on a side (often 0 or 1), with up to 3 strangers between rows.
pub(crate) fn strided<T>(pixel: impl Strategy<Value = T> + Clone) -> impl Strategy<Value = Strided<T>>
where
    T: Clone + std::fmt::Debug,
{
    let side = || prop_oneof![1 => 0..=1usize, 5 => 2..=24usize];
    (side(), side(), 0..=3usize).prop_flat_map(move |(width, height, gap)| {
        let stride = width + gap;
        prop::collection::vec(pixel.clone(), stride * height).prop_map(move |data| Strided {
            data,
            width,
            height,
            stride,
        })
    })
}

/// Every instruction set with one, two and five threads.
pub(crate) fn cpus() -> Vec<Cpu> {
    let threads = [1, 2, 5].map(|threads| NonZeroUsize::new(threads).expect("threads"));
    Isa::available().into_iter().flat_map(|isa| threads.map(|threads| Cpu { isa, threads })).collect()
}

/// Mask pixels, on with a probability that differs from image to image.
pub(crate) fn mask() -> impl Strategy<Value = Strided<u8>> {
    (1..=9u32).prop_flat_map(|weight| strided(prop_oneof![weight => Just(ON), 10 - weight => Just(0u8)]))
}

/// Shapes that trouble algorithms: empty, full, thin, checkerboard, spiral, comb.
pub(crate) fn shapes() -> Vec<Plane<u8>> {
    let on = |set: bool| if set { ON } else { 0 };
    let mut shapes = vec![
        Plane::filled(0, 0, 0),
        Plane::filled(ON, 1, 1),
        Plane::filled(0, 13, 7),
        Plane::filled(ON, 13, 7),
        plane(17, 1, |x, _| on(x % 3 != 0)),
        plane(1, 17, |_, y| on(y % 3 != 0)),
        plane(12, 11, |x, y| on((x + y) % 2 == 0)),
        plane(15, 9, |x, y| on(x % 2 == 0 || y == 8)),
        plane(15, 9, |x, y| on(x % 2 == 0 || y == 0)),
    ];
    shapes.extend([9, 16, 23].map(spiral));
    shapes
}

/// A path one pixel wide that winds inwards.
pub(crate) fn spiral(side: usize) -> Plane<u8> {
    let mut image = Plane::filled(0u8, side, side);
    let (mut x, mut y, mut direction) = (0isize, 0isize, 0);
    let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let inside = |x: isize, y: isize| x >= 0 && y >= 0 && x < side as isize && y < side as isize;
    let mut turns = 0;
    while turns < 2 {
        image.pixels_mut()[y as usize * side + x as usize] = ON;
        let (dx, dy) = steps[direction];
        let taken = |x, y| inside(x, y) && image.view().at(x as usize, y as usize) != 0;
        if inside(x + dx, y + dy) && !taken(x + 2 * dx, y + 2 * dy) && !taken(x + dx, y + dy) {
            (x, y, turns) = (x + dx, y + dy, 0);
        } else {
            (direction, turns) = ((direction + 1) % 4, turns + 1);
        }
    }
    image
}
