//! Nonrigid registration of volumes: its operations for studies, and registration and warping of one pair.

mod error;
mod grid;
mod points;
mod transform;

pub use error::RegistrationError;
pub use points::{PointFile, PointKind};
pub use transform::{affine_of_text, read_transform, to_itk, to_json, to_raw};
