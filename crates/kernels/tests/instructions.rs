//! Whatever the instruction set, the number of threads and the layout in memory: the same bytes as portable code on one
//! thread.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;

use std::num::NonZeroUsize;

use naive::images::{cpus, shapes, strided};
use onceflow_kernels::colour::{ColourStatistics, ColourSums, transfer_into};
use onceflow_kernels::nuclei::red_over_green_into;
use onceflow_kernels::{
    Cpu, Isa, MorphologyScratch, ON, Plane, StructuringElement, View, ViewMut, above_into, count_above,
    darkness_into, difference_into, dilate_into, erode_into, histogram, open_into, remove,
};
use proptest::prelude::*;

/// Runs an operation on every machine, into memory with gaps between rows that must stay as they are.
fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(
    (width, height): (usize, usize),
    gap: T,
    expected: impl Fn(usize, usize) -> T,
    work: impl Fn(Cpu, ViewMut<'_, T>),
) {
    let stride = width + 3;
    for cpu in cpus() {
        let mut data = vec![gap; stride * height];
        work(cpu, ViewMut::with_stride(&mut data, width, height, stride).unwrap());
        for (at, value) in data.iter().enumerate() {
            let (x, y) = (at % stride, at / stride);
            let expected = if x < width { expected(x, y) } else { gap };
            assert_eq!(*value, expected, "at {x}, {y} with {cpu:?}");
        }
    }
}

fn portable<T: Copy + Default>(
    (width, height): (usize, usize),
    work: impl Fn(Cpu, ViewMut<'_, T>),
) -> Plane<T> {
    let mut plane = Plane::filled(T::default(), width, height);
    work(Cpu { isa: Isa::PORTABLE, threads: NonZeroUsize::MIN }, plane.view_mut());
    plane
}

fn check_same<T: Copy + Default + PartialEq + std::fmt::Debug>(
    size: (usize, usize),
    gap: T,
    work: impl Fn(Cpu, ViewMut<'_, T>),
) {
    let expected = portable(size, &work);
    check(size, gap, |x, y| expected.view().at(x, y), work);
}

fn check_grey(image: View<'_, u8>) {
    let size = (image.width(), image.height());
    for element in [StructuringElement::Cross3, StructuringElement::Disk19] {
        // One scratch for several sizes and elements must not carry anything over.
        let scratch = || {
            let mut scratch = MorphologyScratch::default();
            let dirt = Plane::filled(99, 40, 3);
            open_into(
                Cpu::default(),
                dirt.view(),
                StructuringElement::Disk19,
                dirt.clone().view_mut(),
                &mut scratch,
            );
            scratch
        };
        check_same(size, 7, |cpu, target| erode_into(cpu, image, element, target, &mut scratch()));
        check_same(size, 7, |cpu, target| dilate_into(cpu, image, element, target, &mut scratch()));
        check_same(size, 7, |cpu, target| open_into(cpu, image, element, target, &mut scratch()));
    }
    for threshold in [i64::MIN, -1, 0, 100, 254, 255, i64::MAX] {
        let on = |x, y| if i64::from(image.at(x, y)) > threshold { ON } else { 0 };
        check(size, 7, on, |cpu, target| above_into(cpu, image, threshold, target));
    }
    let mut counts = [0; 256];
    image.rows().flatten().for_each(|value| counts[usize::from(*value)] += 1);
    assert!(cpus().into_iter().all(|cpu| histogram(cpu, image) == counts));
}

fn check_pair(pair: View<'_, (u8, u8)>) {
    let size = (pair.width(), pair.height());
    let one = naive::plane(size.0, size.1, |x, y| pair.at(x, y).0);
    let other = naive::plane(size.0, size.1, |x, y| pair.at(x, y).1);
    let difference = |x, y| one.view().at(x, y).saturating_sub(other.view().at(x, y));
    let unused = || Plane::filled(0, size.0, size.1);
    check(size, 7, difference, |cpu, target| {
        difference_into(cpu, one.view(), other.view(), 60, target, unused().view_mut());
    });
    let above = |x, y| if difference(x, y) > 60 { ON } else { 0 };
    check(size, 7, above, |cpu, target| {
        difference_into(cpu, one.view(), other.view(), 60, unused().view_mut(), target);
    });
    let kept = |x, y| one.view().at(x, y) & !other.view().at(x, y);
    check(size, 7, kept, |cpu, mut target| {
        (0..size.1).for_each(|y| target.row_mut(y).copy_from_slice(one.view().row(y)));
        remove(cpu, target, other.view());
    });
}

fn check_colour(image: View<'_, [u8; 3]>) {
    let size = (image.width(), image.height());
    check(size, 7, |x, y| 255 - image.at(x, y)[0], |cpu, target| darkness_into(cpu, image, target));
    for thresholds in [[100; 3], [-1, 40, 200], [0, 300, 0], [255, 0, 0]] {
        let member = |pixel: &[u8; 3]| (0..3).all(|c| i64::from(pixel[c]) > thresholds[c]);
        let count = image.rows().flatten().filter(|pixel| member(pixel)).count() as u64;
        assert!(cpus().into_iter().all(|cpu| count_above(cpu, image, thresholds) == count));
    }
    check_ratios(image);
    let statistics = cpus().into_iter().map(|cpu| {
        let mut sums = ColourSums::new();
        sums.add_with(cpu, image);
        sums
    });
    let statistics: Vec<ColourSums> = statistics.collect();
    assert!(statistics.iter().all(|sums| *sums == statistics[0]));
    let narrow = ColourStatistics { mean: [-1.0, 0.1, 0.0], deviation: [1e-3, 1e-9, f64::NAN], pixels: 1 };
    for found in [statistics[0].finish(), narrow] {
        check_same(size, [7; 3], |cpu, target| transfer_into(cpu, image, &found, target));
    }
}

fn check_ratios(image: View<'_, [u8; 3]>) {
    let size = (image.width(), image.height());
    let unused = || Plane::filled(0, size.0, size.1);
    for thresholds in [[5.0, 4.0], [1.0, 2.5], [1e9, 0.0]] {
        let ratio = |x, y| f32::from(image.at(x, y)[0]) / (f32::from(image.at(x, y)[1]) + f32::EPSILON);
        let on = |x, y, threshold| if ratio(x, y) > threshold { ON } else { 0 };
        let any =
            image.rows().enumerate().any(|(y, row)| (0..row.len()).any(|x| ratio(x, y) > thresholds[0]));
        check(
            size,
            7,
            |x, y| on(x, y, thresholds[0]),
            |cpu, target| {
                assert_eq!(red_over_green_into(cpu, image, thresholds, (target, unused().view_mut())), any);
            },
        );
        check(
            size,
            7,
            |x, y| on(x, y, thresholds[1]),
            |cpu, target| {
                red_over_green_into(cpu, image, thresholds, (unused().view_mut(), target));
            },
        );
    }
}

/// Pixels without an order, the same in every run.
fn noise(x: usize, y: usize) -> u32 {
    let mixed = (x as u32).wrapping_mul(0x9e37_79b9) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
    (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d) ^ (mixed >> 7)
}

#[test]
fn images_wider_than_a_strip() {
    for (width, height) in [(4265, 3), (4266, 23), (8540, 2), (8710, 21), (42_700, 4), (129, 70)] {
        let image = naive::plane(width, height, |x, y| (noise(x, y) >> 24) as u8);
        check_grey(image.view());
    }
}

#[test]
fn an_opening_across_strips_follows_its_definition() {
    let image = naive::plane(8150, 22, |x, y| (noise(x, y) >> 24) as u8 | 0xc0);
    let widths = [11, 13, 15, 17, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 17, 15, 13, 11isize];
    let row = |(at, width): (usize, &isize)| (-width / 2..=width / 2).map(move |dx| (dx, at as isize - 9));
    let offsets: Vec<_> = widths.iter().enumerate().flat_map(row).collect();
    assert!(onceflow_kernels::open(image.view(), StructuringElement::Disk19) == opened(&image, &offsets));
    let image = naive::plane(42_700, 4, |x, y| (noise(x, y) >> 24) as u8);
    let offsets = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
    assert!(onceflow_kernels::open(image.view(), StructuringElement::Cross3) == opened(&image, &offsets));
}

fn opened(image: &Plane<u8>, offsets: &[(isize, isize)]) -> Plane<u8> {
    let eroded = naive::under_element(image.view(), offsets, 255, u8::min);
    naive::under_element(eroded.view(), offsets, 0, u8::max)
}

#[test]
fn rows_longer_than_a_run() {
    let image = naive::plane(16_700, 2, |x, y| noise(x, y).to_le_bytes()[..3].try_into().unwrap());
    check_colour(image.view());
}

#[test]
fn shapes_that_trouble_algorithms() {
    shapes().iter().for_each(|shape| check_grey(shape.view()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_grey_images(image in strided(any::<u8>())) {
        check_grey(image.view());
    }

    #[test]
    fn random_pairs(pair in strided(any::<(u8, u8)>())) {
        check_pair(pair.view());
    }

    #[test]
    fn random_colours(image in strided(any::<[u8; 3]>())) {
        check_colour(image.view());
    }
}
