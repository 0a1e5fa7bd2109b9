//! Splitting of touching nuclei in place, groups of objects shared among threads (t6, second half).

use super::split::{SplitScratch, split_groups};
use crate::{Connectivity, Cpu, ObjectGroups, View, ViewMut};

/// Reusable memory for [`part`].
#[derive(Clone, Debug, Default)]
pub(super) struct PartScratch {
    groups: ObjectGroups,
    shares: Vec<SplitThread>,
}

/// The memory of one thread, and the lines it found.
#[derive(Clone, Debug, Default)]
struct SplitThread {
    scratch: SplitScratch,
    lines: Vec<(usize, usize)>,
}

/// Removes the lines where the floods from two markers met from `big`, a mask of 0 and [`crate::ON`], as
/// [`split`](super::split()) does.
pub(super) fn part(
    cpu: Cpu,
    normalized: View<'_, [u8; 3]>,
    big: ViewMut<'_, u8>,
    connectivity: Connectivity,
    scratch: &mut PartScratch,
) {
    let PartScratch { groups, shares } = scratch;
    groups.find(cpu, big.view(), Connectivity::Eight);
    let groups = &*groups;
    let bands = groups.bands(cpu.threads.get());
    shares.resize_with(shares.len().max(bands.len()), SplitThread::default);
    shares.iter_mut().for_each(|share| share.lines.clear());
    cpu.run(bands.into_iter().zip(&mut *shares).collect(), |(some, share)| {
        split_groups(normalized, groups, some, connectivity, &mut share.scratch, &mut share.lines);
    });
    let lines = &*shares;
    cpu.fine().write(big, &mut Vec::new(), |rows, mut band, (): &mut ()| {
        let lines = lines.iter().flat_map(|share| &share.lines).filter(|(_, y)| rows.contains(y));
        lines.for_each(|(x, y)| band.row_mut(y - rows.start)[*x] = 0);
    });
}
