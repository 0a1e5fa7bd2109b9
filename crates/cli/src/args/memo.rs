//! Arguments of `onceflow memo`.

use std::path::PathBuf;

use clap::Args;
use onceflow_study::Size;

use super::run::size;

/// Arguments of `memo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow memo --reads in.csv --writes out.csv -- ./clean in.csv out.csv
  onceflow memo --reads a.c a.h --writes a.o -- cc -O2 -c a.c -o a.o
  onceflow memo --attr patient=7 scan=2 --writes fit.json -- ./fit --patient 7 --scan 2
  onceflow memo --reads in.csv -- wc -l in.csv                    standard output alone
  sort names | onceflow memo --reads - -- uniq -c                 standard input is read too
  onceflow memo --trace --reads in.csv --writes out.csv -- ./clean in.csv out.csv
  onceflow memo --explain --reads in.csv --writes out.csv -- ./clean in.csv out.csv
  onceflow memo --audit --reads in.csv --writes out.csv -- ./clean in.csv out.csv

A command is known when its arguments, the content of its program and of what it --reads, and the
values of --attr and --env are those of a result that is kept; then it does not run: its files, standard
output, standard error and exit code are restored. What it reads and does not declare is not noticed,
except with --trace. The exit code is that of the command; 2 and 3 are also onceflow's own.")]
pub(crate) struct MemoArgs {
    /// Files and folders that the command reads, by their content; - is standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) reads: Vec<PathBuf>,
    /// What else decides the result: names with values
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = attribute)]
    pub(crate) attr: Vec<(String, String)>,
    /// Environment variables that decide the result
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub(crate) env: Vec<String>,
    /// Files that the command writes
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) writes: Vec<PathBuf>,
    /// Keep the result although the command fails, and take such results
    #[arg(long)]
    pub(crate) keep_failures: bool,
    /// Run the command although it is known, and compare: exit code 1 when it gives something else
    #[arg(long)]
    pub(crate) audit: bool,
    /// Find the files that the command reads and writes, and warn of those that are not declared (Linux)
    #[arg(long)]
    pub(crate) trace: bool,
    /// Say why the command ran, or since when its result is known
    #[arg(long)]
    pub(crate) explain: bool,
    /// Say whether the command is known, and stop
    #[arg(long, conflicts_with_all = ["audit", "trace", "explain"])]
    pub(crate) dry_run: bool,
    /// With --dry-run: print one JSON object
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,
    /// Folder of the store; none runs the command alone [default: onceflow/products in the user's cache folder] [env: ONCEFLOW_STORE]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// What it may take on the disk [default: a tenth of the free disk, at most 50 GiB] [env: ONCEFLOW_STORE_SIZE]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) store_size: Option<Size>,
    /// The command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

fn attribute(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected a name and a value, such as sigma=1.5".into()),
    }
}
