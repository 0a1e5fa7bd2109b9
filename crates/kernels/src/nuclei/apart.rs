//! Parting objects in the mask itself, groups of them shared among threads (t6, second half).

use super::split::{SplitScratch, split_groups};
use crate::{Connectivity, Groups, Machine, View, ViewMut};

/// Memory for [`part`], to be used again.
#[derive(Clone, Debug, Default)]
pub(super) struct PartScratch {
    groups: Groups,
    shares: Vec<Share>,
}

/// What one thread works with, and the lines that it found.
#[derive(Clone, Debug, Default)]
struct Share {
    scratch: SplitScratch,
    lines: Vec<(usize, usize)>,
}

/// Takes the lines where the floods from two markers met out of `big`, a mask of 0 and [`crate::ON`], as
/// [`split`](super::split()) does.
pub(super) fn part(
    machine: Machine,
    normalized: View<'_, [u8; 3]>,
    big: ViewMut<'_, u8>,
    connectivity: Connectivity,
    scratch: &mut PartScratch,
) {
    let PartScratch { groups, shares } = scratch;
    groups.find(machine, big.view(), Connectivity::Eight);
    let groups = &*groups;
    let bands = groups.bands(machine.threads.get());
    shares.resize_with(shares.len().max(bands.len()), Share::default);
    shares.iter_mut().for_each(|share| share.lines.clear());
    machine.run(bands.into_iter().zip(&mut *shares).collect(), |(some, share)| {
        split_groups(normalized, groups, some, connectivity, &mut share.scratch, &mut share.lines);
    });
    let lines = &*shares;
    machine.fine().write(big, &mut Vec::new(), |rows, mut band, (): &mut ()| {
        let lines = lines.iter().flat_map(|share| &share.lines).filter(|(_, y)| rows.contains(y));
        lines.for_each(|(x, y)| band.row_mut(y - rows.start)[*x] = 0);
    });
}
