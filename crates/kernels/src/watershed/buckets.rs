//! A queue of pixels in 256 first-in-first-out buckets.
//!
//! A bucket is a chain of short pieces of one pool. Consecutive entries lie side by side, so that the processor can
//! prefetch them; with links from pixel to pixel it could not.

/// Empty before and after a flood, so that nothing has to be cleared between two.
#[derive(Clone, Debug)]
pub(super) struct BucketQueue<P> {
    /// Position in the pool of each bucket's first entry, and of its next free entry.
    ends: [BucketEnds; BUCKETS],
    pool: Vec<P>,
    /// For each piece the beginning of the next one of its bucket.
    next: Vec<usize>,
    /// Beginnings of the free pieces.
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct BucketEnds {
    first: usize,
    end: usize,
}

const BUCKETS: usize = 256;

/// Entries of a piece.
const PIECE: usize = 32;

/// How many entries ahead [`BucketQueue::coming`] looks.
const AHEAD: usize = 12;

impl<P: Copy + Default> Default for BucketQueue<P> {
    fn default() -> Self {
        let ends = std::array::from_fn(|bucket| BucketEnds { first: bucket * PIECE, end: bucket * PIECE });
        let pool = vec![P::default(); BUCKETS * PIECE];
        Self { ends, pool, next: vec![0; BUCKETS], free: Vec::new() }
    }
}

impl<P: Copy + Default> BucketQueue<P> {
    /// Puts a position at the end of a bucket.
    #[inline(always)]
    pub(super) fn push(&mut self, step: u8, position: P) {
        let end = &mut self.ends[usize::from(step)].end;
        self.pool[*end] = position;
        *end += 1;
        if end.is_multiple_of(PIECE) {
            self.lengthen(step);
        }
    }

    /// Removes the first entry of a nonempty bucket; returns it and whether it was the last.
    #[inline(always)]
    pub(super) fn pop(&mut self, bucket: usize) -> (P, bool) {
        let bucket = bucket % BUCKETS;
        let BucketEnds { first, end } = &mut self.ends[bucket];
        let position = self.pool[*first];
        *first += 1;
        let emptied = first == end;
        if first.is_multiple_of(PIECE) {
            return (position, self.shorten(bucket));
        }
        (position, emptied)
    }

    /// Removes all entries of a bucket, to which none is added meanwhile; `take` gets each with an entry that probably
    /// comes a few later.
    #[inline(always)]
    pub(super) fn drain(&mut self, bucket: usize, mut take: impl FnMut(P, P)) {
        loop {
            let BucketEnds { first, end } = self.ends[bucket];
            let piece = first / PIECE * PIECE;
            let last = (piece..piece + PIECE).contains(&end);
            let until = if last { end } else { piece + PIECE };
            for place in first..until {
                take(self.pool[place], self.pool.get(place + AHEAD).copied().unwrap_or_default());
            }
            self.ends[bucket].first = until;
            if last || self.shorten(bucket) {
                return;
            }
        }
    }

    /// An entry that is probably removed from a bucket after a few others.
    #[inline(always)]
    pub(super) fn coming(&self, bucket: usize) -> P {
        let place = self.ends[bucket % BUCKETS].first + AHEAD;
        self.pool.get(place).copied().unwrap_or_default()
    }

    /// Continues with the next piece; returns whether the bucket is empty.
    #[cold]
    #[inline(never)]
    fn shorten(&mut self, bucket: usize) -> bool {
        let BucketEnds { first, end } = &mut self.ends[bucket];
        self.free.push(*first - PIECE);
        *first = self.next[*first / PIECE - 1];
        first == end
    }

    /// Appends another piece to one that is full.
    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, step: u8) {
        let end = &mut self.ends[usize::from(step)].end;
        let piece = self.free.pop().unwrap_or_else(|| {
            self.pool.resize(self.pool.len() + PIECE, P::default());
            self.next.push(0);
            self.pool.len() - PIECE
        });
        self.next[*end / PIECE - 1] = piece;
        *end = piece;
    }
}
