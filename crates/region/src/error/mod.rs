//! Errors of regions, image sources and region stores. They are in one module because they contain each other.

mod region;
mod source;
mod store;

pub use region::RegionError;
pub use source::SourceError;
pub use store::StoreError;
