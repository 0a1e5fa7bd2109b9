//! Nonrigid registration of volumes: its operations for studies, and registration and warping of one pair.
//!
//! [`OpenPair`] opens two volumes with what belongs to them, [`prepare`] and [`register`] find where places go, [`measure`] says
//! how good that is.

mod catalogue;
mod error;
mod fields;
mod grid;
mod measure;
mod operation;
mod output;
mod page;
mod pair;
mod parameters;
mod points;
mod register;
pub mod saved;
mod transform;
mod warp;

pub use onceflow_kernels::registration::{Cost as LevelCost, LevelState, Similarity, Transform};

pub use catalogue::{COLUMNS, LEVEL, METRICS, catalogue};
pub use error::RegistrationError;
pub use fields::jacobian;
pub use measure::{MEASURES, MeasuredPair, Measures, is_measure, measure};
pub use operation::{LevelStates, measures_of, operation, to_table};
pub use output::{OutputFolder, SUMMARY, UNFINISHED, levels_json, measures_json, volume_on};
pub use page::Finished;
pub use pair::{OpenPair, PairFiles, ReadVolume, Role};
pub use parameters::{Initial, LEVELS, LevelParameters, RegistrationParameters};
pub use points::{PointFile, PointKind};
pub use register::{
    FollowRegistration, LevelReport, Prepared, Progressed, Registered, bytes_to_register, prepare, register,
};
pub use transform::{affine_of_text, read_transform, to_itk, to_json, to_raw};
pub use warp::{WarpOptions, bytes_to_warp, warp_points, warp_volume};
