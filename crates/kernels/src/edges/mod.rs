//! Edges of grey images: gradients, and Canny's detector.

mod canny;
mod gradient;

pub use canny::canny;
pub(crate) use canny::{Canny, EDGE};
pub use gradient::gradient;
pub(crate) use gradient::gradient_into;
