//! A planned workflow given to a batch system: its folder, its jobs, and what became of them.
//!
//! The folder of a submission holds the plan, a journal of every step, and for each attempt of a job its script and what it
//! wrote down. A follower that is killed leaves all of it as it is: the next one goes on from there.

mod folder;
mod follow;
mod give;
mod journal;
mod plan;
mod programs;
mod record;
mod score;
mod site_shell;

pub use follow::{FollowRequest, mold_follow};
pub use plan::{SubmitRequest, mold_submit};
pub use site_shell::RemoteSite;
pub(super) use site_shell::SiteShell;
