//! Settings of a run: layers of options, resolved once, each value with its origin.

mod audit;
mod layers;
mod merge;
mod options;
mod profile;
mod resources;
mod run;
mod show;
mod workers;

pub use audit::AuditShare;
pub use layers::{SettingOrigin, SettingsLayers};
pub use merge::{Limits, Merge, MergeAlgorithm, MergeOptions};
pub use options::RunOptions;
pub use profile::read_profile;
pub use resources::{available_memory, available_workers, peak_resident};
pub use run::{PROCESS_BYTES, PictureChoice, RunSettings, StopFlag};
pub use show::ShownSetting;
pub use workers::{WorkEngine, WorkersOn};
