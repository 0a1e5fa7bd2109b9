//! How much memory an operation takes, where the program can tell.

/// Counts the memory that a thread takes: a program whose allocator knows offers one.
#[derive(Clone, Copy, Debug)]
pub struct MemoryMeter {
    /// Counts from nothing from now on, in this thread.
    pub begin: fn(),
    /// Most bytes that this thread has held at once since then.
    pub peak: fn() -> u64,
}

impl MemoryMeter {
    /// Runs something and says how much memory it held at the most; 0 where memory is not measured.
    pub(crate) fn around<T>(meter: Option<Self>, run: impl FnOnce() -> T) -> (T, u64) {
        let Some(Self { begin, peak }) = meter else { return (run(), 0) };
        begin();
        let done = run();
        (done, peak())
    }
}
