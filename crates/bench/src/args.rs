//! The command line of the benchmarks.

use clap::{Parser, ValueEnum};
use onceflow_terminal::ProgressMode;

/// Measure how fast and how exact onceflow is on this machine
#[derive(Debug, Parser)]
#[command(
    name = "onceflow-bench",
    bin_name = "onceflow bench",
    after_help = "\
Examples:
  onceflow bench sensitivity
  onceflow bench sensitivity --json > figures.json
  onceflow bench plan                           no image at all
  onceflow bench run                            on synthetic tissue
  onceflow bench run --image tile.png           on yours
  onceflow bench products --only lookups        the store of results
  onceflow bench cluster --only claims          handing out buckets
  onceflow bench tune --only honesty            does the stated interval hold the gain
  onceflow bench python --only handing          regions given to Python functions
  onceflow bench python --python venv/bin/python    the package, where it is installed
  onceflow bench kernels --size 2048            a smaller tile than 4096 x 4096"
)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum)]
    pub(crate) subject: BenchSubject,
    /// Image for `run`, `seams` and `kernels`: a file, or tissue such as synth:1000x1000?seed=7; for `tune` a folder of four images, each with NAME.labels.png
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Option<String>,
    /// Side of the tile for `seams` and `kernels`, in pixels; of an image, its first rows and columns
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(16..=8192))]
    pub(crate) size: u64,
    /// Only the sections of `run` (planning, clusters, hybrid, levels, beyond, bounds, paths, grain, end, workers, effects, dask) and
    /// `region` (overhead, copies, boxes, arrays, staging, conversions, slide) and `products` (lookups, publishing, small, entries,
    /// again, overlap, empty, commands, blocks, attributes) and `mold` (estimates, plans, speed; slurm, beside a real one that SLURM_CONF names) and `tune` (proposals, cost, quality, elsewhere, warm, front, objectives, honesty) and `python` (calls, handing, studies), or the operations of `kernels`, with this in their names, the latter without peers
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Python that has the peers (SALib; for `kernels` OpenCV, scikit-image, SciPy; for `mold` PyGAD; for `tune` Optuna, cmaes, pymoo, Nevergrad); else `.peers/bin/python` (made by scripts/peers), then `python3`
    #[arg(long, env = "ONCEFLOW_PYTHON", value_name = "PROGRAM", conflicts_with = "no_peer")]
    pub(crate) python: Option<String>,
    /// Leave the peers out
    #[arg(long)]
    pub(crate) no_peer: bool,
    /// When to say what is going on
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        env = "ONCEFLOW_PROGRESS",
        hide_env_values = true,
        display_order = 900
    )]
    pub(crate) progress: ProgressMode,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchSubject {
    /// Samplers and analysers: speed, error against known indices, cover of the intervals
    Sensitivity,
    /// Planning: published figures of merging from the plan alone, balance on many workers, and how it grows
    Plan,
    /// Regions and files: what the abstraction costs, arrays and conversions beside peers, staging, a slide in little memory
    Region,
    /// Levels of reuse: what each leaves of a screening study, in time and in cost; what scheduling itself takes
    Run,
    /// Seams between parts: how far an image that is cut gives other nuclei, by the pixels read around its parts
    Seams,
    /// The store of results: lookups, publishing beside plain files, ten million entries, studies that find earlier results
    Products,
    /// Moldable workflows: estimates from few measurements, plans beside exact ones, a million jobs
    Mold,
    /// Runs by many processes beside threads: buckets handed out, and what processes take more; Slurm where one is set up
    Cluster,
    /// Tuning: the best values after so many rows beside tuners of others, and what proposals and rows cost
    Tune,
    /// The Python package: its import, analyses, asking for rows, and functions as tasks, beside SALib, Optuna, joblib, Dask
    Python,
    /// Operations on images: time on one thread and on all, beside peers and beside merely moving the bytes
    Kernels,
}
