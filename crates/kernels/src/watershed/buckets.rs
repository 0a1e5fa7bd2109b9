//! Pixels that wait in 256 first-in-first-out buckets; each waits at most once, so that a link per pixel is all the memory.

/// A position as it is stored.
pub(crate) trait Place: Copy + Default + PartialEq {
    fn new(position: usize) -> Self;
    fn position(self) -> usize;
}

impl Place for u32 {
    #[inline(always)]
    fn new(position: usize) -> Self {
        position as Self
    }

    #[inline(always)]
    fn position(self) -> usize {
        self as usize
    }
}

impl Place for usize {
    #[inline(always)]
    fn new(position: usize) -> Self {
        position
    }

    #[inline(always)]
    fn position(self) -> usize {
        self
    }
}

/// Empty before and after a flood, so that nothing has to be cleared between two.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<P> {
    /// Where each bucket begins and ends, if its bit is set.
    first: [P; 256],
    last: [P; 256],
    filled: [u64; 4],
    /// Who waits behind whom.
    next: Vec<P>,
}

impl<P: Place> Default for Buckets<P> {
    fn default() -> Self {
        Self { first: [P::default(); 256], last: [P::default(); 256], filled: [0; 4], next: Vec::new() }
    }
}

impl<P: Place> Buckets<P> {
    /// Makes room for positions below `length`.
    pub(crate) fn fit(&mut self, length: usize) {
        if self.next.len() < length {
            // Not a growth of the old one: fresh memory is zero without being touched.
            self.next = vec![P::default(); length];
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, step: u8, position: usize) {
        let bucket = usize::from(step);
        let bit = 1 << (bucket % 64);
        if self.filled[bucket / 64] & bit == 0 {
            self.filled[bucket / 64] |= bit;
            self.first[bucket] = P::new(position);
        } else {
            self.next[self.last[bucket].position()] = P::new(position);
        }
        self.last[bucket] = P::new(position);
    }

    /// Who waits longest in the lowest bucket.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<usize> {
        let word = self.filled.iter().position(|word| *word != 0)?;
        let bucket = (word * 64 + self.filled[word].trailing_zeros() as usize) % 256;
        let first = self.first[bucket];
        if first == self.last[bucket] {
            self.filled[word] &= self.filled[word] - 1;
        } else {
            self.first[bucket] = self.next[first.position()];
        }
        Some(first.position())
    }
}
