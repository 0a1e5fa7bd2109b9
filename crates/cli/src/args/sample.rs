//! `onceflow sample`: what can be said.

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
A table has one line per row: its number, its role in the design, and the parameters. Beside
X.csv stands X.csv.design.json, by which `extend` and `analyze` know how it was made. Files that
are already there are replaced: the same command makes them again, byte for byte.
The command line wins over ONCEFLOW_*, which wins over the study.")]
pub(crate) struct SampleArgs {
    /// A study, a SALib problem or a Dakota input
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: PathBuf,
    /// How rows are chosen; without it, what the phase or the Dakota input says
    #[arg(long, value_enum)]
    pub(crate) method: Option<MethodWord>,
    /// Size: trajectories, base rows or rows
    #[arg(long, value_name = "N")]
    pub(crate) n: Option<u64>,
    /// Seed; without it, that of the problem, or 0
    #[arg(long, value_name = "S", env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Add the rows that second-order indices need (saltelli)
    #[arg(long)]
    pub(crate) second_order: bool,
    /// Kind of Latin hypercube (plain, centred, maximin, nested) or of trajectories (plain, optimised, radial)
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindWord>,
    /// Random trajectories among which the optimised ones are chosen
    #[arg(long, value_name = "COUNT")]
    pub(crate) candidates: Option<u64>,
    /// Values taken of a continuous parameter (morris, grid)
    #[arg(long, value_name = "COUNT")]
    pub(crate) values: Option<u64>,
    /// Independently scrambled sets, whose spread gives the intervals (saltelli)
    #[arg(long, value_name = "COUNT")]
    pub(crate) replicates: Option<u64>,
    /// Keep one row of the grid in this many
    #[arg(long, value_name = "COUNT")]
    pub(crate) fraction: Option<u64>,
    /// Scramble the sequence by the seed (halton, hammersley, sobol); this is the default
    #[arg(long, overrides_with = "no_scramble")]
    pub(crate) scramble: bool,
    /// Leave the sequence as it is in the books
    #[arg(long)]
    pub(crate) no_scramble: bool,
    /// A phase of the study: method, size and seed come from it
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Indices of the earlier phase (JSON of `analyze`), by which parameters are kept
    #[arg(long, value_name = "INDICES", requires = "phase")]
    pub(crate) after: Option<PathBuf>,
    /// Put a first row with all defaults before the design
    #[arg(long)]
    pub(crate) reference: bool,
    /// Form of the table; without it, json for a file that ends so, else csv
    #[arg(long, value_enum)]
    pub(crate) format: Option<SampleFormatWord>,
    /// Where to write it; without it, or with -, standard output
    #[arg(short, long, value_name = "X")]
    pub(crate) output: Option<PathBuf>,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print an account of the sample as one JSON object (needs -o or --dry-run)
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
pub(crate) enum KindWord {
    /// At random
    Plain,
    /// The middle of each stratum (lhs)
    #[value(alias = "centered")]
    Centred,
    /// Rows far apart (lhs)
    Maximin,
    /// Can be doubled (lhs)
    Nested,
    /// The most spread-out trajectories (morris)
    #[value(alias = "optimized")]
    Optimised,
    /// Stars in place of paths (morris)
    Radial,
}

/// Forms of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleFormatWord {
    /// Header, row numbers and roles
    Csv,
    /// One object with the design
    Json,
    /// Numbers only, in SALib's row order
    Salib,
    /// Dakota's annotated table
    Dakota,
}
