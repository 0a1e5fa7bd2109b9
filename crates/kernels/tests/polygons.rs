//! Outlines: drawn again they give the object back, and they are valid wherever polygons are read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;

use onceflow_kernels::features::features;
use onceflow_kernels::{Connectivity, PixelCorner, Plane, Polygon, label};
use proptest::prelude::*;

/// The polygons of the only object.
fn outline(width: usize, pixels: &[bool]) -> Vec<Polygon> {
    let height = pixels.len() / width;
    let labels: Vec<u32> = pixels.iter().map(|inside| u32::from(*inside)).collect();
    let labels = Plane::from_vec(labels, width, height).unwrap();
    let found = features(Plane::filled([0; 3], width, height).view(), labels.view()).unwrap();
    found.objects.into_iter().flat_map(|object| object.polygons).collect()
}

fn drawing(rows: &[&str]) -> Vec<Polygon> {
    let pixels: Vec<bool> = rows.concat().bytes().map(|letter| letter == b'#').collect();
    outline(rows[0].len(), &pixels)
}

#[test]
fn a_square_is_clockwise_from_its_first_corner() {
    let [polygon] = &drawing(&["....", ".##.", ".##."])[..] else { panic!() };
    assert_eq!(polygon.outer, [[1, 1], [3, 1], [3, 3], [1, 3], [1, 1]]);
    assert!(polygon.holes.is_empty());
}

#[test]
fn a_hole_turns_the_other_way() {
    let [polygon] = &drawing(&["###", "#.#", "###"])[..] else { panic!() };
    assert_eq!(doubled_area(&polygon.outer), 18);
    assert_eq!(polygon.holes.len(), 1);
    assert_eq!(doubled_area(&polygon.holes[0]), -2);
}

#[test]
fn parts_that_touch_in_a_corner_are_two() {
    assert_eq!(drawing(&["##..", "##..", "..##"]).len(), 2);
    // A hole that touches the outside in a corner is a hole.
    let [polygon] = &drawing(&["###", "#.#", "##."])[..] else { panic!() };
    assert_eq!(polygon.holes.len(), 1);
}

#[test]
fn holes_belong_to_the_part_around_them() {
    let polygons = drawing(&[
        "#######", "#.#.#.#", "#######", "#.....#", "#.###.#", "#.#.#.#", "#.###.#", "#.....#", "#######",
    ]);
    assert_eq!(polygons.iter().map(|polygon| polygon.holes.len()).collect::<Vec<_>>(), [4, 1]);
}

fn doubled_area(ring: &[PixelCorner]) -> i64 {
    let pairs = ring.iter().zip(&ring[1..]);
    let cross = |a: PixelCorner, b: PixelCorner| {
        i64::from(a[0]) * i64::from(b[1]) - i64::from(b[0]) * i64::from(a[1])
    };
    pairs.map(|(a, b)| cross(*a, *b)).sum()
}

/// Whether the middle of a pixel lies in a polygon: a line to the left crosses an odd number of sides.
fn holds(rings: &[&Vec<PixelCorner>], x: u32, y: u32) -> bool {
    let sides = rings.iter().flat_map(|ring| ring.iter().zip(&ring[1..]));
    let crossed =
        sides.filter(|(a, b)| a[0] == b[0] && a[0] <= x && a[1].min(b[1]) <= y && y < a[1].max(b[1]));
    crossed.count() % 2 == 1
}

fn rings(polygon: &Polygon) -> Vec<&Vec<PixelCorner>> {
    std::iter::once(&polygon.outer).chain(&polygon.holes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn drawn_again_they_are_the_object(
        width in 1usize..14,
        share in 0.2f64..0.9,
        seed in proptest::collection::vec(0.0f64..1.0, 1..160),
    ) {
        let height = seed.len() / width;
        prop_assume!(height > 0);
        let pixels: Vec<bool> = seed[..height * width].iter().map(|x| *x < share).collect();
        let polygons = outline(width, &pixels);
        let mut painted = vec![0; pixels.len()];
        for polygon in &polygons {
            let rings = rings(polygon);
            for (position, count) in painted.iter_mut().enumerate() {
                *count += i32::from(holds(&rings, (position % width) as u32, (position / width) as u32));
            }
        }
        // No pixel is in two polygons.
        prop_assert_eq!(painted, pixels.iter().map(|inside| i32::from(*inside)).collect::<Vec<_>>());
        let mask: Vec<u8> = pixels.iter().map(|inside| u8::from(*inside)).collect();
        let mask = Plane::from_vec(mask, width, pixels.len() / width).unwrap();
        prop_assert_eq!(label(mask.view(), Connectivity::Four).components.len(), polygons.len());
        for polygon in &polygons {
            prop_assert!(doubled_area(&polygon.outer) > 0);
            prop_assert!(polygon.holes.iter().all(|hole| doubled_area(hole) < 0));
            rings(polygon).into_iter().for_each(check_simple);
        }
    }
}

/// Closed, with a turn at every corner, and no corner twice.
fn check_simple(ring: &Vec<PixelCorner>) {
    assert_eq!(ring.first(), ring.last());
    assert!(ring.len() >= 5, "{ring:?}");
    let mut seen: HashMap<PixelCorner, usize> = HashMap::new();
    ring[1..].iter().for_each(|corner| *seen.entry(*corner).or_default() += 1);
    assert!(seen.values().all(|count| *count == 1), "{ring:?}");
    let upright: Vec<bool> = ring.iter().zip(&ring[1..]).map(|(a, b)| a[0] == b[0]).collect();
    assert!(upright.iter().zip(upright.iter().cycle().skip(1)).all(|(a, b)| a != b), "{ring:?}");
}
