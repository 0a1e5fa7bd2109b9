//! Diagnostics as people and scripts read them.

mod json;
mod render;
mod words;

pub(crate) use json::to_json;
pub(crate) use render::render;
pub(crate) use words::{from_error, from_region_error};
