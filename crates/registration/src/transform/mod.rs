//! Transforms as files: our own JSON beside raw coefficients, and the transform text of ITK.

mod itk;
mod own;

pub use itk::{affine_of_text, to_itk};
pub use own::{read_transform, to_json, to_raw};
