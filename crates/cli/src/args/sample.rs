//! Arguments of `onceflow sample`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `sample`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow sample --problem study.toml --method morris --n 20 --seed 2026 -o X.csv
  onceflow sample --problem params.txt --method saltelli --n 1024 --seed 7 --second-order -o X.csv
  onceflow sample --problem study.toml --phase screen -o screen.csv
  onceflow sample --problem study.toml --phase decompose --after screen.json -o decompose.csv
  onceflow sample --problem params.txt --method lhs --kind maximin --n 100 --format salib -o X.txt

N is the number of trajectories (morris), base rows (saltelli) or rows (the others).
A table has one line per row: its number, its role in the design, and the parameters. The
design is written to X.csv.design.json, which `extend` and `analyze` read. Existing files are
replaced: the same command makes them again, byte for byte.
The command line wins over ONCEFLOW_*, which wins over the study.")]
pub(crate) struct SampleArgs {
    /// A study, a SALib problem or a Dakota input
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: PathBuf,
    /// Sampling method [default: that of the phase or of the Dakota input]
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodWord>,
    /// Size: trajectories, base rows or rows
    #[arg(long, value_name = "N")]
    pub(crate) n: Option<u64>,
    /// Seed [default: the problem's, else 0]
    #[arg(long, value_name = "S", env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Add the rows that second-order indices need (saltelli)
    #[arg(long)]
    pub(crate) second_order: bool,
    /// Kind of Latin hypercube (plain, centred, maximin, nested) or of trajectories (plain, optimised, radial)
    #[arg(long, value_enum)]
    pub(crate) kind: Option<DesignKindWord>,
    /// Number of random trajectories from which the optimised ones are chosen
    #[arg(long, value_name = "COUNT")]
    pub(crate) candidates: Option<u64>,
    /// Number of values of a continuous parameter (morris, grid)
    #[arg(long, value_name = "COUNT")]
    pub(crate) values: Option<u64>,
    /// Number of independently scrambled sets, whose spread gives the intervals (saltelli)
    #[arg(long, value_name = "COUNT")]
    pub(crate) replicates: Option<u64>,
    /// Keep one of this many rows of the grid
    #[arg(long, value_name = "COUNT")]
    pub(crate) fraction: Option<u64>,
    /// Scramble the sequence with the seed (halton, hammersley, sobol); this is the default
    #[arg(long, overrides_with = "no_scramble")]
    pub(crate) scramble: bool,
    /// Do not scramble the sequence
    #[arg(long)]
    pub(crate) no_scramble: bool,
    /// Phase of the study that gives method, size and seed
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Indices of the earlier phase (JSON of `analyze`), which decide the parameters to keep
    #[arg(long, value_name = "INDICES", requires = "phase")]
    pub(crate) after: Option<PathBuf>,
    /// Add a first row with all default values
    #[arg(long)]
    pub(crate) reference: bool,
    /// Format of the table [default: json for a file name with .json, else csv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<SampleFormatWord>,
    /// Output file; - is standard output, which is the default
    #[arg(short, long, value_name = "X")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print a summary of the sample as one JSON object (needs -o or --dry-run)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Sampling methods, with the names of the papers as aliases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodWord {
    /// Saltelli's design for variance-based decomposition
    #[value(alias = "vbd")]
    Saltelli,
    /// Trajectories for elementary effects
    #[value(alias = "moat")]
    Morris,
    /// Latin hypercube
    Lhs,
    /// Independent random rows
    Mc,
    /// Halton's sequence
    Halton,
    /// Hammersley's set
    Hammersley,
    /// Sobol's sequence
    Sobol,
    /// Every combination of values
    Grid,
}

/// Kinds of Latin hypercubes and of trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DesignKindWord {
    /// Random
    Plain,
    /// The middle of each stratum (lhs)
    #[value(alias = "centered")]
    Centred,
    /// Rows far apart (lhs)
    Maximin,
    /// Can be doubled in size (lhs)
    Nested,
    /// The most spread-out trajectories (morris)
    #[value(alias = "optimized")]
    Optimised,
    /// Stars in place of paths (morris)
    Radial,
}

/// Formats of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleFormatWord {
    /// Header, row numbers and roles
    Csv,
    /// One JSON object with the design
    Json,
    /// Numbers only, in SALib's row order
    Salib,
    /// Dakota's annotated table
    Dakota,
}
