//! The queue of pixels whose neighbours may rise, the highest first.

/// Stacks of pixels by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankQueue {
    stacks: Vec<Vec<(u32, u32)>>,
    /// All stacks from here on are empty.
    end: usize,
}

impl RankQueue {
    pub(crate) fn reset(&mut self, ranks: usize) {
        self.stacks.resize(ranks, Vec::new());
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.stacks.iter_mut().for_each(Vec::clear);
        self.end = 0;
    }

    #[inline(never)]
    pub(crate) fn push(&mut self, rank: usize, x: usize, y: usize) {
        self.stacks[rank].push((x as u32, y as u32));
        self.end = self.end.max(rank + 1);
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(usize, usize)> {
        while self.end > 0 {
            if let Some((x, y)) = self.stacks[self.end - 1].pop() {
                return Some((x as usize, y as usize));
            }
            self.end -= 1;
        }
        None
    }
}
