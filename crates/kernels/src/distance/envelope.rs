//! The second half of the distance in linear time: the lowest of the parabolas (x − column)² + height², one for each
//! column, over a run of a row.

/// How far a pixel is from the nearest outside pixel of its own column.
pub(super) trait Height: Copy + Default + Ord {
    /// No pixel of the column is outside.
    const NOWHERE: Self;

    /// One pixel away.
    const ONE: Self;

    /// The height so many pixels farther away.
    fn plus(self, pixels: Self) -> Self;

    /// Its square, or `None` for nowhere.
    fn squared(self) -> Option<i64>;
}

impl Height for u16 {
    const NOWHERE: Self = Self::MAX;

    const ONE: Self = 1;

    #[inline(always)]
    fn plus(self, pixels: Self) -> Self {
        self.saturating_add(pixels)
    }

    fn squared(self) -> Option<i64> {
        (self != Self::NOWHERE).then(|| i64::from(self) * i64::from(self))
    }
}

impl Height for u32 {
    const NOWHERE: Self = Self::MAX;

    const ONE: Self = 1;

    #[inline(always)]
    fn plus(self, pixels: Self) -> Self {
        self.saturating_add(pixels)
    }

    fn squared(self) -> Option<i64> {
        (self != Self::NOWHERE).then(|| i64::from(self) * i64::from(self))
    }
}

/// The lowest parabolas of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    arcs: Vec<Arc>,
}

#[derive(Clone, Copy, Debug)]
struct Arc {
    column: i64,
    /// The square of the column's height.
    base: i64,
    /// The first x where this parabola is the lowest.
    from: i64,
}

impl Arc {
    fn at(self, x: i64) -> i64 {
        (x - self.column) * (x - self.column) + self.base
    }

    /// The last x where this parabola is not above `other`, whose column is farther right.
    fn until(self, other: Self) -> i64 {
        let rise = other.column * other.column - self.column * self.column + other.base - self.base;
        rise.div_euclid(2 * (other.column - self.column))
    }
}

impl Envelope {
    /// Gives each x from before `end` down to `start` and the lowest value there.
    pub(super) fn run<H: Height>(
        &mut self,
        heights: &[H],
        start: usize,
        end: usize,
        give: &mut impl FnMut(usize, Option<u64>),
    ) {
        self.arcs.clear();
        let near = heights.iter().enumerate().take(end + 1).skip(start.saturating_sub(1));
        for (column, height) in near {
            if let Some(base) = height.squared() {
                self.add(column, base, start as i64, end as i64);
            }
        }
        for x in (start..end).rev() {
            while self.arcs.len() > 1 && self.arcs.last().is_some_and(|a| a.from > x as i64) {
                self.arcs.pop();
            }
            give(x, self.arcs.last().map(|a| a.at(x as i64).unsigned_abs()));
        }
    }

    fn add(&mut self, column: usize, base: i64, start: i64, end: i64) {
        let mut arc = Arc { column: column as i64, base, from: start };
        while self.arcs.last().is_some_and(|a| a.at(a.from) > arc.at(a.from)) {
            self.arcs.pop();
        }
        if let Some(last) = self.arcs.last() {
            arc.from = last.until(arc) + 1;
        }
        if arc.from < end {
            self.arcs.push(arc);
        }
    }
}
