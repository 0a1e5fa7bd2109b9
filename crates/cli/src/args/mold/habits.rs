//! The habits of a Slurm, for `onceflow mold simulate --policy slurm`.

use std::time::Duration;

use clap::Args;
use onceflow_engine::SlurmModel;
use onceflow_study::parse_duration;

/// Moments between what happens and what Slurm does.
#[derive(Clone, Debug, Args)]
pub(crate) struct HabitArgs {
    /// Between two submissions, with --policy slurm [default: 30 ms]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) submission: Option<Duration>,
    /// From an event to the look at the queue, with --policy slurm [default: 100 ms]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) delay: Option<Duration>,
    /// Between two looks of the backfilling (bf_interval), 0 for none, with --policy slurm [default: 1 s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) interval: Option<Duration>,
    /// How much longer a job holds its nodes than it works, with --policy slurm [default: 60 ms]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) completing: Option<Duration>,
}

impl HabitArgs {
    /// Whether any is given.
    pub(crate) fn any(&self) -> bool {
        [self.submission, self.delay, self.interval, self.completing].iter().any(Option::is_some)
    }

    /// The model with these habits.
    pub(crate) fn model(&self) -> SlurmModel {
        let usual = SlurmModel::default();
        let or = |given: Option<Duration>, usual: u64| {
            given.map_or(usual, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(MOST))
        };
        SlurmModel {
            submission: or(self.submission, usual.submission),
            delay: or(self.delay, usual.delay),
            interval: or(self.interval, usual.interval),
            completing: or(self.completing, usual.completing),
            ..usual
        }
    }
}

/// Milliseconds of a day.
const MOST: u64 = 86_400_000;
