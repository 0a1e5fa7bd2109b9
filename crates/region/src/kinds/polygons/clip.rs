//! A ring clipped to a box: one side of the box after the other (Sutherland and Hodgman, 1974).

use super::shape::{PolygonCorner, doubled_area, sides};
use crate::Bounds;

/// What of a ring lies in a box, turned as before; `None` when that has no area.
pub(super) fn ring(ring: &[PolygonCorner], bounds: &Bounds) -> Option<Vec<PolygonCorner>> {
    let mut left = ring.to_vec();
    let spans = [bounds.columns(), bounds.rows()];
    for (axis, span) in spans.into_iter().enumerate() {
        left = half(&left, axis, span.start() as f64, 1.0);
        left = half(&left, axis, span.end() as f64, -1.0);
    }
    (left.len() > 2 && doubled_area(&left) != 0.0).then_some(left)
}

/// What lies on one side of a line across an axis: above it for a sign of 1, below for -1.
fn half(ring: &[PolygonCorner], axis: usize, line: f64, sign: f64) -> Vec<PolygonCorner> {
    let inside = |corner: &PolygonCorner| sign * (corner[axis] - line) >= 0.0;
    let mut kept = Vec::with_capacity(ring.len() + 4);
    for (from, to) in sides(ring) {
        if inside(&from) {
            kept.push(from);
        }
        if inside(&from) != inside(&to) {
            let crossing = crossing(from, to, axis, line);
            // A corner on the line is kept by itself.
            if crossing != from && crossing != to {
                kept.push(crossing);
            }
        }
    }
    kept
}

fn crossing(from: PolygonCorner, to: PolygonCorner, axis: usize, line: f64) -> PolygonCorner {
    let (other, share) = (1 - axis, (line - from[axis]) / (to[axis] - from[axis]));
    let mut corner = [line; 2];
    corner[other] = if share == 1.0 { to[other] } else { from[other] + share * (to[other] - from[other]) };
    corner
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Polygon, Polygons};
    use super::*;

    /// Simple polygons: corners around a middle at ascending angles.
    fn star() -> impl Strategy<Value = Vec<PolygonCorner>> {
        prop::collection::vec(1.0f64..9.0, 3..12).prop_map(|radii| {
            let angle = |at: usize| std::f64::consts::TAU * at as f64 / radii.len() as f64;
            let corner = |(at, radius): (usize, &f64)| [radius * angle(at).cos(), radius * angle(at).sin()];
            radii.iter().enumerate().map(corner).collect()
        })
    }

    proptest! {
        #[test]
        fn clipping_keeps_what_lies_in_the_box(
            outer in star(), (x, y) in (-8i64..6, -8i64..6), (width, height) in (1u64..9, 1u64..9),
            probes in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0), 20),
        ) {
            let hole = outer.iter().map(|corner| corner.map(|place| place * 0.4)).collect();
            let polygons = Polygons::new(vec![Polygon { outer: vec![outer], holes: vec![hole] }]).unwrap();
            let whole = polygons.shape(0).unwrap();
            let bounds = Bounds::plane(x, y, width, height).unwrap();
            let crop = polygons.crop(&bounds);
            for (across, down) in probes {
                let point = [x as f64 + across * width as f64, y as f64 + down * height as f64];
                prop_assert_eq!(crop.shapes().any(|shape| shape.contains(point)), whole.contains(point));
            }
            prop_assert!(crop.bounds().is_none_or(|found| bounds.contains(&found)));
        }

        /// Boxes side by side cut a polygon into pieces whose areas add up.
        #[test]
        fn areas_of_the_pieces_add_up(outer in star(), size in 1u64..7) {
            let polygons = Polygons::new(vec![Polygon { outer: vec![outer], holes: vec![] }]).unwrap();
            let whole = Bounds::plane(-10, -10, 20, 20).unwrap();
            let parts = crate::partition(whole, size, 0, crate::Remainder::Keep).unwrap();
            let area = |polygons: &Polygons| polygons.shapes().map(|shape| shape.area()).sum::<f64>();
            let pieces: f64 = parts.iter().map(|part| area(&polygons.crop(&part.core))).sum();
            prop_assert!((pieces - area(&polygons)).abs() < 1e-9);
        }
    }
}
