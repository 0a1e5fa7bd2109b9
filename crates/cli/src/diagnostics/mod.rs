//! Diagnostics as people and scripts read them.

mod json;
mod render;

pub(crate) use json::to_json;
pub(crate) use render::render;
