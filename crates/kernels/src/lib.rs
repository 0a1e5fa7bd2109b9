//! Image operations on buffers: what a task computes, without files, schedules or parameters of a study.
//!
//! Operations read [`View`]s and write into [`ViewMut`]s or return a [`Plane`]; colour pixels are `[u8; 3]` in the order
//! red, green, blue. Masks are 0 or [`ON`].

mod view;

pub use view::{Plane, View, ViewMut};

/// A mask's pixel that belongs to it.
pub const ON: u8 = 255;
