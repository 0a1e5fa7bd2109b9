//! Labels of points that cover neither each other nor the points.

use super::words::width;

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// Where a label stands: left end of its base line, and the line that leads to it when it is not beside its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedLabel {
    pub(super) base: (f64, f64),
    pub(super) leader: Option<((f64, f64), (f64, f64))>,
}

impl Area {
    /// Around a place.
    pub(super) fn around(place: (f64, f64), reach: f64) -> Self {
        Self { left: place.0 - reach, top: place.1 - reach, right: place.0 + reach, bottom: place.1 + reach }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }
}

/// Places for the labels of points, the first ones first; `None` where no free place is near.
pub(super) fn place_labels(
    labels: &[(String, (f64, f64))],
    size: f64,
    frame: Area,
    mut taken: Vec<Area>,
) -> Vec<Option<PlacedLabel>> {
    taken.extend(labels.iter().map(|(_, point)| Area::around(*point, 6.0)));
    let mut written: Vec<Area> = Vec::new();
    let mut places = Vec::new();
    for (words, point) in labels {
        let extent = (width(words, size), size * 1.15);
        let free = candidates(*point, extent).find(|(area, placed)| {
            // Leaders may pass over points and intervals, but not through words.
            let path = leader_areas(placed);
            frame.holds(area)
                && !taken.iter().any(|t| t.meets(area))
                && !path.iter().any(|p| written.iter().any(|w| w.meets(p)))
        });
        if let Some((area, placed)) = &free {
            taken.push(*area);
            written.push(*area);
            taken.extend(leader_areas(placed));
        }
        places.push(free.map(|(_, placed)| placed));
    }
    places
}

/// Around the point, near before far, right and left before above and below.
fn candidates(point: (f64, f64), extent: (f64, f64)) -> impl Iterator<Item = (Area, PlacedLabel)> {
    const DIRECTIONS: [(f64, f64); 6] =
        [(1.0, 0.0), (0.97, 0.26), (0.87, 0.5), (0.71, 0.71), (0.5, 0.87), (0.0, 1.0)];
    let signs = [(1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)];
    let directions = DIRECTIONS.into_iter().flat_map(move |d| signs.map(|s| (d.0 * s.0, d.1 * s.1)));
    // Each reach is about a quarter and three pixels beyond the one before.
    let reaches =
        std::iter::successors(Some(8.0), |reach: &f64| Some(reach * 1.2 + 3.0)).take_while(|r| *r < 330.0);
    reaches.flat_map(move |reach| directions.clone().map(move |d| candidate(point, extent, d, reach)))
}

fn candidate(
    point: (f64, f64),
    extent: (f64, f64),
    direction: (f64, f64),
    reach: f64,
) -> (Area, PlacedLabel) {
    let near = (point.0 + reach * direction.0, point.1 + reach * direction.1);
    // The label hangs on its side that faces the point.
    let left = near.0 - extent.0 * (1.0 - direction.0) / 2.0;
    let top = near.1 - extent.1 * (1.0 - direction.1) / 2.0;
    let area = Area { left, top, right: left + extent.0, bottom: top + extent.1 };
    let far = reach > 13.0;
    let start = (point.0 + 6.0 * direction.0, point.1 + 6.0 * direction.1);
    let leader = far.then_some((start, near));
    (area, PlacedLabel { base: (left, top + extent.1 * 0.8), leader })
}

/// A leader as a row of small squares.
fn leader_areas(placed: &PlacedLabel) -> Vec<Area> {
    let Some((from, to)) = placed.leader else { return Vec::new() };
    let along = |share: f64| (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
    let count = ((to.0 - from.0).hypot(to.1 - from.1) / 4.0).ceil();
    // The last bit touches the label itself.
    (0..count as usize).map(|i| Area::around(along(i as f64 / count), 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_cover_neither_each_other_nor_the_points(
            points in prop::collection::vec((20.0..380.0_f64, 20.0..280.0_f64), 1..25),
        ) {
            let labels: Vec<_> =
                points.iter().enumerate().map(|(i, p)| (format!("parameter{i}"), *p)).collect();
            let frame = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };
            let places = place_labels(&labels, 11.0, frame, Vec::new());
            let area = |i: usize| places[i].map(|p| {
                let extent = (width(&labels[i].0, 11.0), 11.0 * 1.15);
                let top = p.base.1 - extent.1 * 0.8;
                Area { left: p.base.0, top, right: p.base.0 + extent.0, bottom: top + extent.1 }
            });
            prop_assert!(places.iter().flatten().count() * 10 >= places.len() * 7, "most have a place");
            for i in 0..labels.len() {
                let Some(one) = area(i) else { continue };
                prop_assert!(points.iter().all(|p| !one.meets(&Area::around(*p, 5.9))));
                prop_assert!((0..i).filter_map(area).all(|other| !one.meets(&other)));
            }
        }
    }
}
