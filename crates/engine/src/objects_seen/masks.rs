//! Masks as bits, as tasks made them lately: whoever reads one next need not look at its bytes, of which there are eight
//! times more.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use onceflow_kernels::Bits;
use onceflow_region::Lease;
use onceflow_reuse::Content;

use super::lock;
use super::table::Room;

/// Most masks that are kept: rows follow each other depth first, so that most are read soon after they are made.
const MOST: usize = 32;

/// The masks of one part.
#[derive(Debug)]
pub(crate) struct Masks {
    room: Room,
    lately: Mutex<Lately>,
}

/// The one that was made or asked for last at the end.
#[derive(Debug, Default)]
struct Lately {
    masks: VecDeque<(Content, Arc<Bits>)>,
    /// What they take of both budgets.
    leases: Option<[Lease; 2]>,
}

impl Masks {
    pub(super) fn new(room: &Room) -> Self {
        Self { room: room.clone(), lately: Mutex::default() }
    }

    /// The mask that holds this, if it is still there.
    pub(crate) fn get(&self, content: Content) -> Option<Arc<Bits>> {
        let masks = &mut lock(&self.lately).masks;
        let at = masks.iter().rposition(|(other, _)| *other == content)?;
        let found = masks.remove(at)?;
        let mask = Arc::clone(&found.1);
        masks.push_back(found);
        Some(mask)
    }

    /// Keeps a mask instead of older ones, if there is room for it.
    pub(crate) fn put(&self, content: Content, mask: Arc<Bits>) {
        let (bytes, mut lately) = (mask.bytes() as u64, lock(&self.lately));
        while lately.masks.len() >= MOST || !self.room.grow(&mut lately.leases, bytes) {
            if !lately.drop_oldest() {
                return;
            }
        }
        lately.masks.push_back((content, mask));
    }
}

impl Lately {
    /// False when there is none.
    fn drop_oldest(&mut self) -> bool {
        let Some((_, mask)) = self.masks.pop_front() else { return false };
        let freed = mask.bytes() as u64;
        self.leases.iter_mut().flatten().for_each(|lease| lease.shrink(lease.bytes() - freed));
        true
    }
}

#[cfg(test)]
mod tests {
    use onceflow_kernels::{ON, Plane};
    use onceflow_region::Budget;

    use super::*;

    fn mask(pixel: u8) -> Arc<Bits> {
        Arc::new(Bits::of(Plane::filled(pixel, 640, 10).view()))
    }

    fn content(number: u64) -> Content {
        Content([number, 0, 0, 0])
    }

    fn masks(spare: u64) -> (Budget, Masks) {
        let shared = Budget::new(1 << 20);
        let room = Room { spare: Budget::new(spare), shared: shared.clone() };
        (shared, Masks::new(&room))
    }

    #[test]
    fn the_masks_that_nobody_asked_for_longest_go_first() {
        let (shared, masks) = masks(1 << 20);
        masks.put(content(0), mask(ON));
        let one = shared.used();
        assert!(one >= 800);
        for number in 1..100 {
            masks.put(content(number), mask(0));
            assert_eq!(masks.get(content(0)), Some(mask(ON)));
        }
        assert_eq!(shared.used(), MOST as u64 * one);
        assert!(masks.get(content(99)).is_some() && masks.get(content(1)).is_none());
        drop(masks);
        assert_eq!(shared.used(), 0);
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let (shared, masks) = masks(2000);
        (0..9).for_each(|number| masks.put(content(number), mask(0)));
        assert!(masks.get(content(8)).is_some() && masks.get(content(6)).is_none());
        assert!(shared.used() <= 2000);
        let (shared, none) = self::masks(10);
        none.put(content(0), mask(0));
        assert!(none.get(content(0)).is_none() && shared.used() == 0);
    }
}
