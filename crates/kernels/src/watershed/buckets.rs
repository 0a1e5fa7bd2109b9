//! Pixels that wait in 256 first-in-first-out buckets.
//!
//! A bucket is a chain of short pieces of one pool. Who waits next lies beside who waits now, so that the processor can look
//! ahead; along links from pixel to pixel it could not.

/// Empty before and after a flood, so that nothing has to be cleared between two.
#[derive(Clone, Debug)]
pub(super) struct Buckets<P> {
    /// Where in the pool the first of each bucket is, and where the next to come will be.
    ends: [Ends; BUCKETS],
    pool: Vec<P>,
    /// For each piece the beginning of the next one of its bucket.
    next: Vec<usize>,
    /// Beginnings of the pieces that no bucket has.
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    first: usize,
    end: usize,
}

const BUCKETS: usize = 256;

/// Places of a piece.
const PIECE: usize = 32;

/// How many others.
const AHEAD: usize = 12;

impl<P: Copy + Default> Default for Buckets<P> {
    fn default() -> Self {
        let ends = std::array::from_fn(|bucket| Ends { first: bucket * PIECE, end: bucket * PIECE });
        let pool = vec![P::default(); BUCKETS * PIECE];
        Self { ends, pool, next: vec![0; BUCKETS], free: Vec::new() }
    }
}

impl<P: Copy + Default> Buckets<P> {
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

    /// Takes the first of a bucket that is not empty, and says whether it was the last.
    #[inline(always)]
    pub(super) fn pop(&mut self, bucket: usize) -> (P, bool) {
        let bucket = bucket % BUCKETS;
        let Ends { first, end } = &mut self.ends[bucket];
        let position = self.pool[*first];
        *first += 1;
        let emptied = first == end;
        if first.is_multiple_of(PIECE) {
            return (position, self.shorten(bucket));
        }
        (position, emptied)
    }

    /// Takes all of a bucket, which nobody joins meanwhile, each with one who is likely to come after some others.
    #[inline(always)]
    pub(super) fn drain(&mut self, bucket: usize, mut take: impl FnMut(P, P)) {
        loop {
            let Ends { first, end } = self.ends[bucket];
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

    /// Who is likely to be taken from a bucket after some others.
    #[inline(always)]
    pub(super) fn coming(&self, bucket: usize) -> P {
        let place = self.ends[bucket % BUCKETS].first + AHEAD;
        self.pool.get(place).copied().unwrap_or_default()
    }

    /// Goes on to the next piece, and says whether nobody is there.
    #[cold]
    #[inline(never)]
    fn shorten(&mut self, bucket: usize) -> bool {
        let Ends { first, end } = &mut self.ends[bucket];
        self.free.push(*first - PIECE);
        *first = self.next[*first / PIECE - 1];
        first == end
    }

    /// Ties another piece to the one that has become full.
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
