//! What tiers have done so far.

/// Counts over all tiers since they were started.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StackStatistics {
    /// The tiers from the fastest to the slowest; memory is the first.
    pub tiers: Vec<TierStatistics>,
    /// Regions that were put.
    pub puts: u64,
    /// Of these, those whose content was there already.
    pub shared: u64,
    /// Gets that found nothing.
    pub misses: u64,
    /// Regions that were dropped, since no tier had room for them.
    pub dropped: u64,
    /// Regions that were brought to memory before they were asked for.
    pub prefetched: u64,
    /// Announced regions that were not, for want of room in memory or in the queue.
    pub not_prefetched: u64,
}

/// Counts of one tier.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TierStatistics {
    /// Its name.
    pub name: String,
    /// The bytes that it may hold.
    pub capacity: u64,
    /// The bytes that it holds now.
    pub used: u64,
    /// Gets that were answered from it.
    pub hits: u64,
    /// Regions that left it for want of room.
    pub evictions: u64,
    /// Bytes that were written to it.
    pub bytes_in: u64,
    /// Bytes that were read from it.
    pub bytes_out: u64,
}
