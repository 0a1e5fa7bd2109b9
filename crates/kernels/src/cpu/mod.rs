//! The processor as operations use it: instruction sets, threads, prefetching.

pub(crate) mod isa;
mod prefetch;
pub(crate) mod threads;

pub use isa::Isa;
pub use prefetch::prefetch;
pub use threads::Cpu;
