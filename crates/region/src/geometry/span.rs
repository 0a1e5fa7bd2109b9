//! A half-open stretch of one axis.

/// The positions from `start` up to, but without, `end`.
///
/// The end is kept rather than the length, so every span that can be written has a length that fits: no arithmetic on
/// spans can overflow unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    start: i64,
    end: i64,
}

impl Span {
    /// The span of one position at zero: what a plane has for `z` and time.
    pub const ONE: Span = Span { start: 0, end: 1 };

    /// `length` positions from `start` on; `None` when the end is not a number we can hold.
    #[inline]
    pub fn new(start: i64, length: u64) -> Option<Span> {
        start.checked_add_unsigned(length).map(|end| Span { start, end })
    }

    /// The first position.
    #[inline]
    pub fn start(self) -> i64 {
        self.start
    }

    /// The position after the last.
    #[inline]
    pub fn end(self) -> i64 {
        self.end
    }

    /// How many positions.
    #[inline]
    pub fn length(self) -> u64 {
        self.end.abs_diff(self.start)
    }

    /// Whether there is no position.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    #[inline]
    pub(crate) fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    #[inline]
    pub(crate) fn intersect(self, other: Span) -> Option<Span> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (start < end).then_some(Span { start, end })
    }

    #[inline]
    pub(crate) fn hull(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    #[inline]
    pub(crate) fn grow(self, by: u64) -> Option<Span> {
        let start = self.start.checked_sub_unsigned(by)?;
        Some(Span { start, end: self.end.checked_add_unsigned(by)? })
    }

    #[inline]
    pub(crate) fn translate(self, by: i64) -> Option<Span> {
        Some(Span { start: self.start.checked_add(by)?, end: self.end.checked_add(by)? })
    }
}

impl From<u32> for Span {
    /// So many positions from 0 on.
    fn from(length: u32) -> Span {
        Span { start: 0, end: i64::from(length) }
    }
}
