//! Registration of one pair of volumes into a folder, and transforms applied to other files.

mod follow;
mod register;
mod synthetic;
mod warp;

pub use register::{PlannedRegistration, RegisterRequest, RegisteredPair};
pub use synthetic::{PAIR_FILES, write_pair};
pub use warp::{WarpInto, WarpRequest, warp_into};

use onceflow_registration::RegistrationError;

use crate::EngineError;

impl From<RegistrationError> for EngineError {
    fn from(error: RegistrationError) -> Self {
        match error {
            RegistrationError::BadInput(message) => Self::BadInput(message),
            RegistrationError::Environment(message) => Self::Environment(message),
            RegistrationError::Write { path, error } => Self::Write { path, error },
            RegistrationError::Memory { task, needed, limit } => Self::Memory { task, needed, limit },
            RegistrationError::Stopped => Self::Stopped,
            RegistrationError::Internal(message) => Self::Internal(message),
        }
    }
}
