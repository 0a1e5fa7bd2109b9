//! Errors of regions, image sources and region stores. They are in one module because they contain each other.

mod region;
mod source;
mod store;
mod words;

pub use region::RegionError;
pub use source::SourceError;
pub use store::StoreError;
pub use words::io_words;
