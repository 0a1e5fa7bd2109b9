//! Pixels that wait in 256 first-in-first-out buckets; each waits at most once, so that a link per pixel is all the memory.

/// A position as it is stored.
pub(super) trait Place: Copy + Default + PartialEq {
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
pub(super) struct Buckets<P> {
    /// The link to the last in each bucket.
    last: [P; BUCKETS],
    /// A bit for each bucket that is not empty.
    filled: [u64; BUCKETS / 64],
    /// Who waits behind whom: first the beginnings of the buckets, then a link for each position. That of the last in a
    /// bucket is anything.
    links: Vec<P>,
}

const BUCKETS: usize = 256;

impl<P: Place> Default for Buckets<P> {
    fn default() -> Self {
        let links: Vec<P> = (0..BUCKETS).map(P::new).collect();
        Self { last: std::array::from_fn(P::new), filled: [0; BUCKETS / 64], links }
    }
}

impl<P: Place> Buckets<P> {
    /// Makes room for positions below `length`.
    pub(super) fn fit(&mut self, length: usize) {
        if self.links.len() < BUCKETS + length {
            // Not a growth of the old one: fresh memory is zero without being touched.
            self.links = vec![P::default(); BUCKETS + length];
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, step: u8, position: usize) {
        let bucket = usize::from(step);
        let link = P::new(BUCKETS + position);
        self.links[self.last[bucket].position()] = link;
        self.last[bucket] = link;
        self.filled[bucket / 64] |= 1 << (bucket % 64);
    }

    /// Who waits longest in the lowest bucket.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<usize> {
        let word = self.filled.iter().position(|word| *word != 0)?;
        let bucket = (word * 64 + self.filled[word].trailing_zeros() as usize) % BUCKETS;
        let first = self.links[bucket];
        // Without a branch, since nobody can foresee which is the last.
        self.links[bucket] = self.links[first.position()];
        let emptied = first == self.last[bucket];
        self.last[bucket] = if emptied { P::new(bucket) } else { self.last[bucket] };
        self.filled[word] &= !(u64::from(emptied) << (bucket % 64));
        Some(first.position() - BUCKETS)
    }
}
