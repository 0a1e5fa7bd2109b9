//! Half-open spans and boxes in space and time, and positions within them.

mod bounds;
pub(crate) mod position;
mod span;

pub use bounds::Bounds;
pub use position::Position;
pub use span::Span;
