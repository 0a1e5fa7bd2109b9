//! Diagnostics as people and scripts read them.

mod json;
mod render;

pub use json::diagnostics_to_json;
pub(crate) use render::render;
