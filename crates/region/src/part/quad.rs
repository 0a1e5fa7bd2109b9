//! Parts of a quad tree: what costs most is cut into quarters, again and again; and parts without anything are left out.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{CostMap, MOST_PARTS, Part, with_halo};
use crate::{Bounds, RegionError};

/// When a quad tree is fine enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QuadLimit {
    /// When one more cut would make more parts than this.
    Parts(usize),
    /// When no part costs more than this, or it is a single pixel.
    Cost(f64),
}

/// Cuts the box of a map into quarters, the dearest first, each part with a halo. Every position lies in the core of
/// exactly one part; parts go row by row from the upper left by their first pixel.
///
/// ```
/// use onceflow_region::{Bounds, CostMap, QuadLimit, drop_background, partition_by_quad_tree};
///
/// let whole = Bounds::plane(0, 0, 64, 64).ok_or("too large")?;
/// // All tissue lies in the upper left of four cells.
/// let map = CostMap::new(whole, 32, vec![1.0, 0.0, 0.0, 0.0]).map_err(|_| "no map")?;
/// let parts = partition_by_quad_tree(&map, QuadLimit::Parts(7), 0).map_err(|_| "no parts")?;
/// assert_eq!(parts.iter().map(|part| part.core.width()).collect::<Vec<_>>(), [16, 16, 32, 16, 16, 32, 32]);
/// assert_eq!(drop_background(&map, parts, 0.0).len(), 4);
/// # Ok::<(), &str>(())
/// ```
///
/// # Errors
/// When no part is wanted, the cost is no number above 0, there would be more than 16,777,216 parts, or the halo leaves
/// the numbers.
pub fn partition_by_quad_tree(map: &CostMap, until: QuadLimit, halo: u64) -> Result<Vec<Part>, RegionError> {
    let mut cores = match until {
        QuadLimit::Parts(count) if count > 0 => quarters(map, |count_now, _, more| count_now + more > count)?,
        QuadLimit::Cost(most) if most > 0.0 => quarters(map, |_, cost, _| cost <= most)?,
        QuadLimit::Parts(_) => return Err(wrong("a number of parts from 1 on", "0".into())),
        QuadLimit::Cost(most) => return Err(wrong("a cost above 0", most.to_string())),
    };
    cores.sort_unstable_by_key(|core| (core.y(), core.x()));
    let part = |(index, core)| with_halo(&map.bounds(), index, core, halo);
    cores.into_iter().enumerate().map(part).collect()
}

/// The parts that cost more than so much per pixel, numbered anew: what costs no more is background.
pub fn drop_background(map: &CostMap, parts: Vec<Part>, per_pixel: f64) -> Vec<Part> {
    // Sums of shares may be off in their last digits.
    let dear = |part: &Part| map.cost(&part.core) > per_pixel * part.core.area() as f64 * (1.0 + 1e-9);
    let kept = parts.into_iter().filter(dear).enumerate();
    kept.map(|(index, part)| Part { index, ..part }).collect()
}

/// Cuts until the dearest box is fine enough: told how many boxes there are, its cost, and how many a cut would add.
fn quarters(map: &CostMap, fine: impl Fn(usize, f64, usize) -> bool) -> Result<Vec<Bounds>, RegionError> {
    let mut waiting = BinaryHeap::from([Dear::new(map, map.bounds())]);
    let mut done = Vec::new();
    while let Some(Dear { core, cost }) = waiting.pop() {
        let cut = cut(&core);
        let count = waiting.len() + done.len() + 1;
        if fine(count, cost, cut.len() - 1) {
            done.push(core);
            break;
        }
        if count as u64 > MOST_PARTS {
            return Err(wrong("at most 16777216 parts", "more".into()));
        }
        match cut.len() {
            1 => done.push(core),
            _ => waiting.extend(cut.into_iter().map(|core| Dear::new(map, core))),
        }
    }
    done.extend(waiting.into_iter().map(|dear| dear.core));
    Ok(done)
}

/// The quarters of a box; halves when it is one pixel wide or high, and itself when it is a pixel.
fn cut(bounds: &Bounds) -> Vec<Bounds> {
    let halves = |start: i64, length: u64| -> Vec<(i64, u64)> {
        let first = length.div_ceil(2);
        let second = start.checked_add_unsigned(first).filter(|_| length > 1);
        std::iter::once((start, first)).chain(second.map(|start| (start, length - first))).collect()
    };
    let columns = halves(bounds.x(), bounds.width());
    let quarter = |(y, height): (i64, u64)| {
        columns.iter().filter_map(move |&(x, width)| Bounds::plane(x, y, width, height)).collect::<Vec<_>>()
    };
    halves(bounds.y(), bounds.height()).into_iter().flat_map(quarter).collect()
}

fn wrong(expected: &'static str, found: String) -> RegionError {
    RegionError::Partition { expected, found, todo: "give another number" }
}

/// A box by its cost; of equal ones the larger, then the upper left, is cut first.
struct Dear {
    core: Bounds,
    cost: f64,
}

impl Dear {
    fn new(map: &CostMap, core: Bounds) -> Dear {
        Dear { core, cost: map.cost(&core) }
    }

    fn place(&self) -> (u64, std::cmp::Reverse<(i64, i64)>) {
        (self.core.area(), std::cmp::Reverse((self.core.y(), self.core.x())))
    }
}

impl Ord for Dear {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then_with(|| self.place().cmp(&other.place()))
    }
}

impl PartialOrd for Dear {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Dear {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dear {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Dense, Pixels};

    fn map(width: u64, height: u64, cell: u64, costs: &[f64]) -> CostMap {
        let whole = Bounds::plane(0, 0, width, height).unwrap();
        let cells = CostMap::cells(whole, cell).count();
        CostMap::new(whole, cell, costs[..cells].to_vec()).unwrap()
    }

    fn until() -> impl Strategy<Value = QuadLimit> {
        prop_oneof![(1usize..60).prop_map(QuadLimit::Parts), (0.05f64..20.0).prop_map(QuadLimit::Cost)]
    }

    proptest! {
        #[test]
        fn parts_cover_the_box_once_and_halos_crop_away(
            (width, height) in (1u64..40, 1u64..40), cell in 1u64..12, until in until(), halo in 0u64..5,
            costs in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..9.0], 1600),
        ) {
            let map = map(width, height, cell, &costs);
            let parts = partition_by_quad_tree(&map, until, halo).unwrap();
            let image = Dense::new(width as usize, height as usize, 1,
                Pixels::U32((0..(width * height) as u32).collect())).unwrap();
            let mut covered = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                prop_assert_eq!(part.index, index);
                prop_assert_eq!(Some(part.read), part.core.grow(halo).unwrap().intersect(&map.bounds()));
                let core = part.crop(&image.crop(part.read).unwrap()).unwrap();
                prop_assert_eq!(&core, &image.crop(part.core).unwrap());
                covered.extend_from_slice(core.as_u32().unwrap());
            }
            covered.sort_unstable();
            prop_assert_eq!(covered, (0..(width * height) as u32).collect::<Vec<_>>());
            match until {
                QuadLimit::Parts(count) => {
                    prop_assert!(parts.len() <= count);
                    prop_assert!(parts.len() + 3 > count.min((width * height) as usize), "{} of {}", parts.len(), count);
                }
                QuadLimit::Cost(most) => {
                    prop_assert!(parts.iter().all(|part| map.cost(&part.core) <= most || part.core.area() == 1));
                }
            }
        }

        #[test]
        fn background_is_what_costs_no_more(
            costs in prop::collection::vec(prop_oneof![Just(0.0), Just(2.5), 0.0f64..9.0], 64),
        ) {
            let map = map(40, 40, 5, &costs);
            let parts = partition_by_quad_tree(&map, QuadLimit::Parts(30), 1).unwrap();
            let kept = drop_background(&map, parts.clone(), 0.1);
            prop_assert!(kept.iter().enumerate().all(|(index, part)| part.index == index));
            for part in parts {
                let dear = map.cost(&part.core) > 0.1 * part.core.area() as f64 + 1e-6;
                let cheap = map.cost(&part.core) < 0.1 * part.core.area() as f64 - 1e-6;
                let found = kept.iter().any(|kept| kept.core == part.core);
                prop_assert!((found && !cheap) || (!found && !dear));
            }
        }
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let map = map(10, 10, 5, &[1.0; 4]);
        for until in
            [QuadLimit::Parts(0), QuadLimit::Cost(0.0), QuadLimit::Cost(f64::NAN), QuadLimit::Cost(-1.0)]
        {
            assert!(partition_by_quad_tree(&map, until, 0).is_err());
        }
        assert_eq!(partition_by_quad_tree(&map, QuadLimit::Parts(1), 0).unwrap()[0].core, map.bounds());
    }
}
