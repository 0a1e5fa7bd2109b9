//! Arguments of `onceflow mold workflow`.

use std::path::PathBuf;

use clap::Args;

use super::{Counts, counts, share};

/// Arguments of `mold workflow`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold workflow neurostimulation --trains 4 --nodes 54 --size 16777216 -o workflow.json       20 tasks
  onceflow mold workflow photoacoustic --waves 2 --width 3 --nodes 54 --size 16777216 -o workflow.json
  onceflow mold workflow trace.json --serial 0.1 --nodes 54 -o workflow.json      a trace of WfCommons (WfFormat 1.5)
  onceflow mold workflow neurostimulation --command ST='st $ONCEFLOW_TASK' --command PT='pt $ONCEFLOW_TASK'

The tasks of neurostimulation and photoacoustic are simulations (type ST) and processing (PT), whose durations come from
measurements. Durations of a trace fall with more nodes by Amdahl's law.")]
pub(crate) struct WorkflowArgs {
    /// neurostimulation, photoacoustic, or a trace as WfCommons JSON
    #[arg(value_name = "KIND|FILE")]
    pub(crate) kind: String,
    /// Trains of neurostimulation: 4 are 20 tasks, 16 are 80
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) trains: u64,
    /// Waves of photoacoustic: as many as its loop is expected to take
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) waves: u64,
    /// Simulations of each wave
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) width: u64,
    /// Nodes of the cluster
    #[arg(long, value_name = "N", default_value_t = 54, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: u64,
    /// The size of the input of each task
    #[arg(long, value_name = "N", default_value_t = 1_073_741_824.0)]
    pub(crate) size: f64,
    /// Numbers of nodes of simulations, or of all tasks of a trace, such as 1,2,4-8
    #[arg(long, value_name = "LIST", value_parser = counts, default_value = "1-32")]
    pub(crate) counts: Counts,
    /// The share of each task of a trace that more nodes do not shorten
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = 0.1)]
    pub(crate) serial: f64,
    /// The line that tasks of a type run; may be given several times
    #[arg(long = "command", value_name = "TYPE=LINE", value_parser = command)]
    pub(crate) commands: Vec<(String, String)>,
    /// The file that is written [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write
    #[arg(long)]
    pub(crate) force: bool,
}

fn command(text: &str) -> Result<(String, String), String> {
    let split = text.split_once('=').filter(|(kind, line)| !kind.is_empty() && !line.is_empty());
    split
        .map(|(kind, line)| (kind.to_owned(), line.to_owned()))
        .ok_or_else(|| "expected TYPE=LINE, such as ST='st $ONCEFLOW_TASK'".into())
}
