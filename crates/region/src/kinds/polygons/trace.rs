//! The outline of the runs of an object as rings along the sides of its pixels.
//!
//! Sides across are found line by line, where the runs above and below a line differ. In a column of corners the sides
//! down join one corner to the next, two by two. What is left is to follow the sides around.

use std::collections::HashMap;

use super::PolygonCorner;
use crate::PixelRun;

/// The rings of an object, clockwise on a screen around its parts, the other way around its holes. Pixels that touch in
/// a corner are not joined there, and no ring touches itself.
pub(super) fn rings(runs: &[PixelRun]) -> Vec<Vec<PolygonCorner>> {
    let sides = sides_across(runs);
    let next = joined(&sides);
    let mut seen = vec![false; sides.len()];
    let mut rings = Vec::new();
    for first in 0..sides.len() {
        let mut path = Vec::new();
        let mut at = first;
        while !std::mem::replace(&mut seen[at], true) {
            path.extend([(sides[at].from, sides[at].row), (sides[at].to, sides[at].row)]);
            at = next[at];
        }
        cut(path, &mut rings);
    }
    rings
}

/// A side across, with the object at its right hand: to the right above pixels, to the left below them.
struct RingSide {
    row: u32,
    from: u32,
    to: u32,
}

/// Every side across, line by line. Runs come row by row from the left, and no two of them touch.
fn sides_across(runs: &[PixelRun]) -> Vec<RingSide> {
    let mut sides = Vec::new();
    let mut above: &[PixelRun] = &[];
    for row in runs.chunk_by(|a, b| a.row == b.row) {
        // Between rows that do not follow each other lies an empty one.
        let follows = above.first().is_some_and(|run| run.row + 1 == row[0].row);
        if !follows {
            line(above, &[], &mut sides);
        }
        line(if follows { above } else { &[] }, row, &mut sides);
        above = row;
    }
    line(above, &[], &mut sides);
    sides
}

/// The sides on the line between two rows: where one of them has pixels and the other has none.
fn line(above: &[PixelRun], below: &[PixelRun], sides: &mut Vec<RingSide>) {
    let Some(row) = below.first().map(|run| run.row).or(above.first().map(|run| run.row + 1)) else { return };
    let ends = |runs: &[PixelRun], which: usize| -> Vec<(u32, usize)> {
        runs.iter().flat_map(|run| [run.start, run.start + run.length]).map(|x| (x, which)).collect()
    };
    let mut changes = [ends(above, 0), ends(below, 1)].concat();
    changes.sort_unstable();
    let mut pixels = [false; 2];
    let mut start = None;
    for same in changes.chunk_by(|a, b| a.0 == b.0) {
        let before = pixels;
        same.iter().for_each(|&(_, which)| pixels[which] = !pixels[which]);
        let x = same[0].0;
        if before != pixels {
            let side = |from| {
                if before[1] { RingSide { row, from, to: x } } else { RingSide { row, from: x, to: from } }
            };
            sides.extend(start.take().map(side));
            start = (pixels[0] != pixels[1]).then_some(x);
        }
    }
}

/// The side across that follows each, behind the side down or up between them.
fn joined(sides: &[RingSide]) -> Vec<usize> {
    // Where two pixels touch in a corner two sides across end: the one above pixels is joined downwards, the one below
    // pixels upwards, so that the way stays with the pixel that it goes around.
    let end = |(index, side): (usize, &RingSide)| {
        let rightwards = side.from < side.to;
        [(side.from, side.row, rightwards, index, false), (side.to, side.row, rightwards, index, true)]
    };
    let mut ends: Vec<_> = sides.iter().enumerate().flat_map(end).collect();
    ends.sort_unstable();
    let mut next = vec![0; sides.len()];
    for pair in ends.chunks_exact(2) {
        let ((.., one, arrives), (.., other, _)) = (pair[0], pair[1]);
        if arrives { next[one] = other } else { next[other] = one }
    }
    next
}

/// Cuts a closed way where it comes back to a corner, and keeps the rings.
fn cut(path: Vec<(u32, u32)>, rings: &mut Vec<Vec<PolygonCorner>>) {
    let mut open: Vec<(u32, u32)> = Vec::with_capacity(path.len());
    let mut places: HashMap<(u32, u32), usize> = HashMap::new();
    let ring =
        |corners: Vec<(u32, u32)>| corners.into_iter().map(|(x, y)| [f64::from(x), f64::from(y)]).collect();
    for corner in path {
        if let Some(&before) = places.get(&corner) {
            let closed = open.split_off(before);
            closed.iter().for_each(|corner| _ = places.remove(corner));
            rings.push(ring(closed));
        }
        places.insert(corner, open.len());
        open.push(corner);
    }
    if !open.is_empty() {
        rings.push(ring(open));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::Polygons;
    use crate::{Dense, ObjectSet, Pixels};

    fn outlines(width: usize, values: &[u32]) -> (ObjectSet, Polygons) {
        let plane = Dense::new(width, values.len() / width, 1, Pixels::U32(values.to_vec())).unwrap();
        let objects = ObjectSet::from_labels(&plane).unwrap();
        let polygons = Polygons::from_objects(&objects).unwrap();
        (objects, polygons)
    }

    proptest! {
        #[test]
        fn outlines_hold_the_pixels_of_their_objects_and_no_others(
            (width, values) in (1usize..9, 1usize..9).prop_flat_map(|(w, h)| (Just(w), prop::collection::vec(0u32..3, w * h))),
        ) {
            let (objects, polygons) = outlines(width, &values);
            prop_assert_eq!(polygons.len(), objects.len());
            for (object, shape) in objects.objects().zip(polygons.shapes()) {
                prop_assert_eq!(shape.area(), object.area() as f64);
                prop_assert_eq!(shape.bounds(), Some(object.bounds));
                for (at, &label) in values.iter().enumerate() {
                    let middle = [(at % width) as f64 + 0.5, (at / width) as f64 + 0.5];
                    prop_assert_eq!(shape.contains(middle), label == object.label);
                }
                for ring in shape.rings() {
                    let corners: BTreeSet<_> = ring.iter().map(|c| c.map(|place| place as u32)).collect();
                    prop_assert_eq!(corners.len(), ring.len(), "a ring does not touch itself");
                }
            }
        }
    }

    #[test]
    fn holes_and_corners_have_rings_of_their_own() {
        let (_, ring) = outlines(3, &[1, 1, 1, 1, 0, 1, 1, 1, 1]);
        assert_eq!(ring.shape(0).unwrap().rings().count(), 2);
        let (_, diagonal) = outlines(2, &[1, 0, 0, 1]);
        assert_eq!(diagonal.shape(0).unwrap().rings().count(), 2);
        // A ring of pixels whose ends touch in a corner: its outer boundary would touch itself.
        let (_, pinched) = outlines(3, &[1, 1, 1, 1, 0, 1, 0, 1, 1]);
        let areas: Vec<f64> =
            pinched.shape(0).unwrap().rings().map(super::super::shape::doubled_area).collect();
        assert_eq!(areas.iter().sum::<f64>(), 14.0);
        let (_, square) = outlines(2, &[1, 1, 1, 1]);
        let corners = square.shape(0).unwrap().rings().next().unwrap().to_vec();
        assert_eq!(corners, [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
    }
}
