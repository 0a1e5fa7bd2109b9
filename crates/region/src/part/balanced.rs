//! Parts of about the same cost: a box is halved again and again where a map of costs says.

use super::{Part, with_halo};
use crate::{Bounds, RegionError};

/// What the cells of a grid over a box cost; inside a cell cost is spread evenly.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMap {
    whole: Bounds,
    cell: u64,
    columns: usize,
    costs: Vec<f64>,
}

impl CostMap {
    /// A map of cells of a side, row by row from the upper left; those at the right and lower end may be smaller.
    ///
    /// # Errors
    /// When the box is empty, there is not one cost for each cell, or a cost is negative or no number.
    pub fn new(whole: Bounds, cell: u64, costs: Vec<f64>) -> Result<Self, RegionError> {
        let wrong = |expected, found: String, todo| Err(RegionError::Partition { expected, found, todo });
        if whole.is_empty() || cell == 0 {
            return wrong(
                "a box and cells with pixels",
                format!("{whole}, cells of {cell}"),
                "give sizes from 1 on",
            );
        }
        let (columns, rows) = (whole.width().div_ceil(cell), whole.height().div_ceil(cell));
        if columns.checked_mul(rows) != Some(costs.len() as u64) {
            return wrong(
                "a cost for each cell",
                format!("{} for {columns} x {rows} cells", costs.len()),
                "give them all",
            );
        }
        if let Some(cost) = costs.iter().find(|cost| !(cost.is_finite() && **cost >= 0.0)) {
            return wrong("costs from 0 on", cost.to_string(), "give such");
        }
        Ok(Self { whole, cell, columns: columns as usize, costs })
    }

    /// The boxes of the cells, in their order.
    pub fn cells(whole: Bounds, cell: u64) -> impl Iterator<Item = Bounds> {
        let starts = move |side: u64| (0..side).step_by(usize::try_from(cell.max(1)).unwrap_or(usize::MAX));
        starts(whole.height()).flat_map(move |y| starts(whole.width()).map(move |x| (x, y))).filter_map(
            move |(x, y)| {
                let (left, top) = (whole.x().checked_add_unsigned(x)?, whole.y().checked_add_unsigned(y)?);
                Bounds::plane(left, top, cell.min(whole.width() - x), cell.min(whole.height() - y))
            },
        )
    }

    /// The box of the map.
    pub fn bounds(&self) -> Bounds {
        self.whole
    }

    /// What a box inside costs.
    pub fn cost(&self, bounds: &Bounds) -> f64 {
        self.profile(bounds, CutAxis::X).iter().map(|(_, cost)| cost).sum()
    }

    /// The cost of a box, slice by slice along an axis: where each slice ends, from the box's own start, and its cost.
    fn profile(&self, bounds: &Bounds, axis: CutAxis) -> Vec<(u64, f64)> {
        let place = |start: i64, of: i64| start.abs_diff(of);
        let (left, top) = (place(bounds.x(), self.whole.x()), place(bounds.y(), self.whole.y()));
        let (width, height) = (bounds.width(), bounds.height());
        let (along, across) = match axis {
            CutAxis::X => (
                self.overlaps(left, width, self.whole.width()),
                self.overlaps(top, height, self.whole.height()),
            ),
            CutAxis::Y => (
                self.overlaps(top, height, self.whole.height()),
                self.overlaps(left, width, self.whole.width()),
            ),
        };
        let cost = |one: usize, other: usize| match axis {
            CutAxis::X => self.costs[other * self.columns + one],
            CutAxis::Y => self.costs[one * self.columns + other],
        };
        let mut end = 0;
        let slice = |(cell, pixels, share): (usize, u64, f64)| {
            end += pixels;
            (end, share * across.iter().map(|(other, _, share)| share * cost(cell, *other)).sum::<f64>())
        };
        along.into_iter().map(slice).collect()
    }

    /// The cells that a stretch of a side covers: their numbers, how many pixels of them, and which share.
    fn overlaps(&self, start: u64, length: u64, side: u64) -> Vec<(usize, u64, f64)> {
        let end = start + length;
        let cells = start / self.cell..end.div_ceil(self.cell);
        let overlap = |cell: u64| {
            let (from, to) = (cell * self.cell, ((cell + 1) * self.cell).min(side));
            let pixels = to.min(end) - from.max(start);
            (cell as usize, pixels, pixels as f64 / (to - from) as f64)
        };
        cells.map(overlap).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CutAxis {
    X,
    Y,
}

/// Cuts the box of a map into `count` parts of about the same cost, each with a halo: across its longer side a box is cut
/// where the cost on both sides is as the numbers of parts are. Every position lies in the core of exactly one part.
///
/// # Errors
/// When no part is wanted or more than the box has pixels, or the halo leaves the numbers.
pub fn partition_by_cost(map: &CostMap, count: usize, halo: u64) -> Result<Vec<Part>, RegionError> {
    if count == 0 || count as u64 > map.whole.area() {
        let (expected, found) = ("a number of parts from 1 to the pixels of the box", count.to_string());
        return Err(RegionError::Partition { expected, found, todo: "give another number" });
    }
    let mut cores = Vec::with_capacity(count);
    halve(map, map.whole, count, &mut cores);
    let part = |(index, core)| with_halo(&map.whole, index, core, halo);
    cores.into_iter().enumerate().map(part).collect()
}

fn halve(map: &CostMap, bounds: Bounds, count: usize, cores: &mut Vec<Bounds>) {
    if count == 1 {
        cores.push(bounds);
        return;
    }
    let axis = if bounds.width() >= bounds.height() { CutAxis::X } else { CutAxis::Y };
    let (across, along) = match axis {
        CutAxis::X => (bounds.height(), bounds.width()),
        CutAxis::Y => (bounds.width(), bounds.height()),
    };
    let half = count / 2;
    let at = cut(&map.profile(&bounds, axis), half as f64 / count as f64).clamp(1, along - 1);
    // Where parts are as small as pixels, a side takes no more of them than it has.
    let room = |length: u64| usize::try_from(length.saturating_mul(across)).unwrap_or(usize::MAX);
    let first = half.max(count.saturating_sub(room(along - at))).min(room(at));
    let pieces = match axis {
        CutAxis::X => split(bounds, (at, bounds.height()), (at, 0), (along - at, bounds.height())),
        CutAxis::Y => split(bounds, (bounds.width(), at), (0, at), (bounds.width(), along - at)),
    };
    if let Some((one, other)) = pieces {
        halve(map, one, first, cores);
        halve(map, other, count - first, cores);
    }
}

fn split(bounds: Bounds, one: (u64, u64), at: (u64, u64), other: (u64, u64)) -> Option<(Bounds, Bounds)> {
    let first = Bounds::plane(bounds.x(), bounds.y(), one.0, one.1)?;
    let (x, y) = (bounds.x().checked_add_unsigned(at.0)?, bounds.y().checked_add_unsigned(at.1)?);
    Some((first, Bounds::plane(x, y, other.0, other.1)?))
}

/// How far from the start a share of the cost lies; where nothing costs anything, the share of the way.
fn cut(profile: &[(u64, f64)], share: f64) -> u64 {
    let total: f64 = profile.iter().map(|(_, cost)| cost).sum();
    let length = profile.last().map_or(0, |(end, _)| *end);
    if total <= 0.0 {
        return (length as f64 * share).round() as u64;
    }
    let (mut start, mut left) = (0, total * share);
    for (end, cost) in profile {
        if left <= *cost && *cost > 0.0 {
            return start + ((end - start) as f64 * left / cost).round() as u64;
        }
        left -= cost;
        start = *end;
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn map(width: u64, height: u64, cell: u64, cost: impl Fn(usize) -> f64) -> CostMap {
        let whole = Bounds::plane(-3, 5, width, height).unwrap();
        let cells = CostMap::cells(whole, cell).count();
        CostMap::new(whole, cell, (0..cells).map(cost).collect()).unwrap()
    }

    proptest! {
        #[test]
        fn every_position_lies_in_one_core(
            (width, height) in (1u64..40, 1u64..40), cell in 1u64..12, parts in 1usize..20, halo in 0u64..5,
            costs in proptest::collection::vec(prop_oneof![Just(0.0), 0.0f64..9.0], 1600),
        ) {
            let map = map(width, height, cell, |at| costs[at]);
            let count = parts.min((width * height) as usize);
            let cut = partition_by_cost(&map, count, halo).unwrap();
            prop_assert_eq!(cut.len(), count);
            let mut covered = vec![0u8; (width * height) as usize];
            for part in &cut {
                prop_assert_eq!(Some(part.read), part.core.grow(halo).unwrap().intersect(&map.whole));
                for y in part.core.y()..part.core.bottom() {
                    for x in part.core.x()..part.core.right() {
                        covered[((y - 5) as u64 * width + (x + 3) as u64) as usize] += 1;
                    }
                }
            }
            prop_assert!(covered.iter().all(|times| *times == 1));
            let whole: f64 = cut.iter().map(|part| map.cost(&part.core)).sum();
            prop_assert!((whole - map.cost(&map.whole)).abs() < 1e-6);
        }

        /// On maps with cells much smaller than parts, the dearest part is within a tenth of the mean.
        #[test]
        fn parts_cost_about_the_same(
            costs in proptest::collection::vec(0.05f64..1.0, 40 * 30), parts in 2usize..24,
        ) {
            let map = map(4000, 3000, 100, |at| costs[at]);
            let cut = partition_by_cost(&map, parts, 0).unwrap();
            let mean = map.cost(&map.whole) / parts as f64;
            for part in cut {
                let cost = map.cost(&part.core);
                prop_assert!((cost / mean - 1.0).abs() < 0.1, "{} of {}", cost, mean);
            }
        }
    }

    #[test]
    fn what_is_no_map_is_refused() {
        let whole = Bounds::plane(0, 0, 10, 10).unwrap();
        assert!(CostMap::new(whole, 5, vec![1.0; 3]).is_err());
        assert!(CostMap::new(whole, 0, vec![1.0; 4]).is_err());
        assert!(CostMap::new(whole, 5, vec![f64::NAN; 4]).is_err());
        let map = CostMap::new(whole, 5, vec![1.0; 4]).unwrap();
        assert!(partition_by_cost(&map, 0, 0).is_err());
        assert!(partition_by_cost(&map, 101, 0).is_err());
        assert_eq!(partition_by_cost(&map, 100, 0).unwrap().len(), 100);
    }
}
