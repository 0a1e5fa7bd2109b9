//! How long parallel tasks take on how many nodes: measured points in, estimates for other numbers and sizes out.
//!
//! A [`PerformanceDatabase`] holds what runs measured, a [`ScalingEstimator`] answers for one task type on one machine.

mod choice;
mod curve;
mod database;
mod error;
mod estimator;
mod least_squares;
mod method;
mod sizes;
mod slabs;
mod spline;
mod table;
mod transfer;

pub use choice::{AroundEstimate, leave_one_out};
pub use curve::{Outside, ScalingCurve, limit, mean_error};
pub use database::{PerformanceDatabase, PerformanceRecord, TaskKey};
pub use error::ScalingError;
pub use estimator::{Complexity, EstimateOptions, ScalingEstimate, ScalingEstimator};
pub use method::ScalingMethod;
pub use sizes::{SizeCurve, quadratic_over_sizes};
pub use slabs::Decomposition;
